// Templates, virtual functions, operators and exceptions thrown through several calls.
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace geometry {

class BadShape : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename Number>
struct Point {
  Number x, y;
  Point operator-(const Point& other) const { return {x - other.x, y - other.y}; }
  Number cross(const Point& other) const { return x * other.y - y * other.x; }
};

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

template <typename Number>
class Polygon : public Shape {
 public:
  explicit Polygon(std::vector<Point<Number>> corners) : corners_(std::move(corners)) { validate(); }
  double area() const override {
    double twice = 0;
    for (std::size_t i = 2; i < corners_.size(); ++i)
      twice += (corners_[i - 1] - corners_[0]).cross(corners_[i] - corners_[0]);
    return std::abs(twice) / 2;
  }

 private:
  void validate() const {
    if (corners_.size() < 3) fail("a polygon has at least three corners");
  }
  [[noreturn]] static void fail(const char* problem) { throw BadShape(problem); }

  std::vector<Point<Number>> corners_;
};

class Circle : public Shape {
 public:
  explicit Circle(double radius) : radius_(radius) {}
  double area() const override { return M_PI * radius_ * radius_; }

 private:
  double radius_;
};

}  // namespace geometry

namespace {

using geometry::Point;
using geometry::Shape;

template <typename Number>
std::unique_ptr<Shape> regular_polygon(int corners) {
  std::vector<Point<Number>> points;
  for (int i = 0; i < corners; ++i)
    points.push_back({static_cast<Number>(100 * std::cos(2 * M_PI * i / corners)),
                      static_cast<Number>(100 * std::sin(2 * M_PI * i / corners))});
  return std::make_unique<geometry::Polygon<Number>>(std::move(points));
}

double checked_radius(double radius) {
  if (radius < 0) throw geometry::BadShape("a radius is not negative");
  return radius;
}

std::unique_ptr<Shape> make_shape(int number) {
  switch (number % 3) {
    case 0:
      return regular_polygon<int>(number);
    case 1:
      return regular_polygon<double>(number);
    default:
      return std::make_unique<geometry::Circle>(checked_radius(10 - number));
  }
}

double try_shape(int number) {
  try {
    return make_shape(number)->area();
  } catch (const geometry::BadShape& bad) {
    std::fprintf(stderr, "shape %d: %s\n", number, bad.what());
    return 0;
  }
}

}  // namespace

int main() {
  double sum = 0;
  for (int number = 0; number < 15; ++number) sum += try_shape(number);
  std::printf("%.1f\n", sum);
}
