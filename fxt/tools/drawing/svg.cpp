// Draws a picture as SVG. Also chooses the colors of calls. All calls with the same name have the same color
// in a picture, and the same hue in all pictures.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/crc.hpp>

#include "fxt/support/text.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

std::size_t hue_of(std::string_view name) {
  boost::crc_32_type hash;
  hash.process_bytes(name.data(), name.size());
  return hash.checksum() % kHues;
}

std::vector<Color> colors_of(const Drawing& drawing) {
  std::vector<Color> colors;
  for (const CallName& name : drawing.names) colors.push_back({hue_of(name.name), 0});
  // Counts how often names with similar hues are neighbors in a row. The keys are pairs of name indices, with
  // the higher index first.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> neighbors;
  for (const Drawing::Lane& lane : drawing.lanes)
    for (const Row& row : lane.rows) {
      const Shape* last = nullptr;
      for (const auto& [begin, call] : row.calls()) {
        if (call.is_merged()) continue;
        const Shape* const before = std::exchange(last, &call);
        if (before == nullptr || before->name == call.name) continue;
        const std::size_t apart = (colors[call.name].hue + kHues - colors[before->name].hue) % kHues;
        if (apart <= 1 || apart == kHues - 1)
          ++neighbors[{std::max(call.name, before->name), std::min(call.name, before->name)}];
      }
    }
  // Chooses the shades in the order of the name indices. Neighbors with a lower index already have a shade.
  // Each name gets the shade that is rarer among these neighbors.
  for (auto at = neighbors.begin(); at != neighbors.end();) {
    const std::uint32_t name = at->first.first;
    std::array<std::uint64_t, kShades> uses{};
    for (; at != neighbors.end() && at->first.first == name; ++at)
      uses.at(colors[at->first.second].shade) += at->second;
    colors[name].shade = uses[0] > uses[1] ? 1 : 0;
  }
  return colors;
}

// Returns the color as "#rrggbb". Computes it from hue, saturation and lightness (CSS Color Module 3, section
// 4.2.4). All colors are light enough for black text.
std::string text_of(Color color) {
  const double lightness = color.shade == 0 ? 0.80 : 0.66, saturation = 0.55;
  const double strength = saturation * std::min(lightness, 1 - lightness);
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + static_cast<double>(color.hue) * 12 / kHues, 12);
    const double value = lightness - strength * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(255 * value));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

namespace {

constexpr double kMargin = kMargins / 2.0;
constexpr std::uint64_t kAxis = 26, kHeading = 15, kRow = 17, kGap = 12, kFootLine = 14, kCounterRow = 34;
constexpr double kMarkHalf = 4;
constexpr double kColumn = 6.7;  // width of a column of the font
constexpr double kThinnest = 0.5, kBetween = 0.5;
constexpr std::uint64_t kTickRoom = 100;

// Colors that depend on the color scheme. Calls have black text in both schemes.
constexpr std::string_view kStyle =
    "text{pointer-events:none}@media(prefers-color-scheme:dark){.back{fill:#1b1b1d}.axis,.foot{fill:#aaa}."
    "axis "
    "path{stroke:#444}.head{fill:#eee}.flow{stroke:#ddd}.instant{fill:#8ab4f8}.frame{fill:#ff6b6b}}";
constexpr std::string_view kPatterns =
    "<defs><pattern id=\"off\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#ccc\"/>"
    "<rect width=\"1.5\" height=\"5\" fill=\"#aaa\"/></pattern>"
    "<marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" "
    "orient=\"auto\"><path class=\"flow\" d=\"M0 0L6 3L0 6\" fill=\"none\" "
    "stroke=\"#555\"/></marker></defs>\n";

// Returns a text such as "12.5" or "12". It has at most two digits after the point, which are enough for a
// screen.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class Picture {
 public:
  Picture(const Drawing& drawing, std::uint64_t width, bool complete)
      : drawing_(&drawing),
        width_(static_cast<double>(width)),
        is_complete_(complete),
        colors_(colors_of(drawing)) {}

  std::string document() && {
    for (const Drawing::Lane& one : drawing_->lanes) lane(one);
    lines();
    arrows();
    foot();
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"monospace\" font-size=\"11\" data-from=\"{2}\" data-to=\"{3}\">\n"
        "<style>{4}</style>\n{5}<rect class=\"back\" width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{6}",
        width_, y_, drawing_->since_origin(drawing_->from_ns), drawing_->since_origin(drawing_->to_ns),
        kStyle, kPatterns, axis());
    text.append(body_.data(), body_.size());
    return text + "</svg>\n";
  }

 private:
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Values>(values)...);
  }

  double x(std::uint64_t time_ns) const {
    const std::uint64_t from = drawing_->from_ns, to = drawing_->to_ns;
    const auto since = static_cast<double>(std::clamp(time_ns, from, to) - from);
    return kMargin + since * (width_ - 2 * kMargin) / static_cast<double>(to - from);
  }
  std::string since_origin(std::uint64_t time_ns) const {
    return signed_time(drawing_->since_origin(time_ns));
  }

  std::string axis() const {
    std::string text = "<g class=\"axis\" fill=\"#666\" stroke-width=\"0.5\">\n";
    for (const Tick& tick :
         ticks(drawing_->since_origin(drawing_->from_ns), drawing_->since_origin(drawing_->to_ns),
               static_cast<std::size_t>(width_) / kTickRoom)) {
      const double at = x(drawing_->origin_ns + static_cast<std::uint64_t>(tick.ns));
      const double half = columns_of(tick.text) * kColumn / 2;
      text += fmt::format("<path d=\"M{} {}V{}\" stroke=\"#ccc\"/>\n", number(at), kAxis - 8, lanes_end_);
      text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n",
                          number(std::clamp(at - half, 0.0, width_ - 2 * half)), kAxis - 11, tick.text);
    }
    return text + "</g>\n";
  }

  void lane(const Drawing::Lane& lane) {
    print("<g class=\"{}\">\n<text class=\"head\" x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n",
          lane.values.empty() ? "lane" : "counter", number(kMargin), y_ + 10,
          in_xml(fitted(lane.name, (width_ - 2 * kMargin) / kColumn)));
    y_ += kHeading;
    tops_.push_back(y_);
    bottoms_.push_back(y_ + (lane.values.empty() ? kRow * lane.rows.size() : kCounterRow));
    if (!lane.values.empty()) counter(lane.values);
    for (const Row& row : lane.rows) {
      for (const auto& [begin, one] : row.calls()) call(one);
      y_ += kRow;
    }
    // Goes back to the first row, because instants are drawn over all calls.
    y_ -= kRow * lane.rows.size();
    for (const Row& row : lane.rows) {
      marks(row);
      y_ += kRow;
    }
    print("</g>\n");
    y_ += kGap;
    lanes_end_ = y_ - kGap / 2;
  }

  void call(const Shape& call) {
    const double left = x(call.begin_ns);
    const double full = std::max(x(call.end_ns) - left, call.is_merged() ? 1 : kThinnest);
    const CallName& name = drawing_->names[call.name];
    const std::string fill = call.is_merged()   ? "#999"
                             : is_off_cpu(name) ? "url(#off)"
                                                : text_of(colors_[call.name]);
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", number(left), y_,
          number(std::max(full - kBetween, kThinnest)), kRow - 1, fill);
    if (is_complete_)
      print("><title>{}</title></rect>\n", title(call));
    else
      print("/>\n");
    if (call.is_merged()) return;
    if (const std::string text = fitted(name.name, (full - 4) / kColumn); !text.empty())
      print("<text x=\"{}\" y=\"{}\">{}</text>\n", number(left + 2), y_ + kRow - 5, in_xml(text));
  }
  std::string title(const Shape& call) const {
    const std::string name = in_xml(drawing_->names[call.name].name);
    if (call.is_merged())
      return fmt::format("{} calls at {}, {} took longest: {}", call.count, since_origin(call.begin_ns), name,
                         exact_time(call.longest_ns));
    if (drawing_->is_flame) return fmt::format("{}: {}{}", name, exact_time(call.longest_ns), details(call));
    return fmt::format("{}{}: {} at {}{}{}", name, frame(call), exact_time(call.longest_ns),
                       since_origin(call.begin_ns), call.has_end ? "" : ", without an end", details(call));
  }
  std::string details(const Shape& shape) const {
    std::string text;
    if (!is_complete_) return text;
    for (const std::uint32_t line : drawing_->details->lines_of(shape.details))
      text += '\n' + in_xml(drawing_->details->line(line));
    return text;
  }
  static std::string frame(const Shape& shape) {
    return shape.frame ? fmt::format(", frame {}", *shape.frame) : "";
  }

  void marks(const Row& row) {
    for (auto at = row.marks().begin(); at != row.marks().end(); ++at) {
      const Shape& mark = at->second;
      const std::string name = in_xml(drawing_->names[mark.name].name);
      const bool is_frame = mark.kind == Shape::Kind::Frame;
      const double center = x(mark.begin_ns);
      const std::string_view color = is_frame ? "#c00" : "#36a", kind = is_frame ? "frame" : "instant";
      print("<path class=\"{}\" transform=\"translate({} {})\" d=\"{}\" fill=\"{}\"><title>", kind,
            number(center), y_, is_frame ? "M0 0l4 8h-8z" : "M0 0l3 4l-3 4l-3 -4z", color);
      if (mark.is_merged())
        print("{} {} at {}, the first is {}{}", mark.count, is_frame ? "frames" : "instants",
              since_origin(mark.begin_ns), name, frame(mark));
      else
        print("{}{} at {}{}", name, frame(mark), since_origin(mark.begin_ns), details(mark));
      print("</title></path>\n");
      const double room = room_behind(row, at) - center - 2 * kMarkHalf;
      if (mark.is_merged() || columns_of(drawing_->names[mark.name].name) * kColumn > room) continue;
      print("<text class=\"{}\" x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", kind,
            number(center + kMarkHalf + 1), y_ + kRow - 7, color, name);
    }
  }
  // Returns the x coordinate where the space for the name of an instant ends: at the next instant or call, or
  // at the margin.
  double room_behind(const Row& row, Row::Shapes::const_iterator mark) const {
    double room = width_ - kMargin;
    if (const auto next = std::next(mark); next != row.marks().end()) room = x(next->first) - kMarkHalf;
    const auto call = row.calls().lower_bound(mark->first);
    if (call != row.calls().end()) room = std::min(room, x(call->first));
    return room;
  }

  // The scale starts at zero, or at the least value if it is negative.
  void counter(const std::vector<Drawing::Value>& values) {
    const auto [least, most] = std::ranges::minmax(values, {}, &Drawing::Value::value);
    // The values are halved, because the difference of two values may exceed the greatest double.
    const double low = std::min(0.0, least.value) / 2, span = most.value / 2 - low;
    const double height = kCounterRow - 2;
    std::string path =
        fmt::format("M{} {}", number(x(values.front().ns)), number(static_cast<double>(y_) + height));
    for (const Drawing::Value& one : values)
      path += fmt::format(
          "H{}V{}", number(x(one.ns)),
          number(static_cast<double>(y_) + height * (span > 0 ? 1 - (one.value / 2 - low) / span : 1)));
    path += fmt::format("H{}V{}Z", number(width_ - kMargin), number(static_cast<double>(y_) + height));
    print("<path class=\"values\" d=\"{}\" fill=\"#7a9cc6\"><title>{} to {}</title></path>\n", path,
          least.value, most.value);
    y_ += kCounterRow;
  }

  void lines() {
    for (const Drawing::Line& line : drawing_->lines) {
      if (line.ns < drawing_->from_ns || line.ns > drawing_->to_ns) continue;
      print(
          "<path class=\"scope flow\" d=\"M{} {}V{}\" stroke=\"#36a\" stroke-dasharray=\"3 2\"><title>{} at "
          "{}</title></path>\n",
          number(x(line.ns)), tops_[line.first_lane], bottoms_[line.last_lane],
          in_xml(drawing_->names[line.name].name), since_origin(line.ns));
    }
  }

  void arrows() {
    for (const Drawing::Arrow& arrow : drawing_->arrows) {
      const auto y = [this](const Drawing::Arrow::End& end) {
        return static_cast<double>(tops_[end.lane] + kRow * end.row) + kRow / 2.0;
      };
      const double from = x(arrow.from.ns), to = x(arrow.to.ns), bend = std::max(8.0, (to - from) / 2);
      print(
          "<path class=\"flow\" d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke=\"#555\" "
          "stroke-width=\"0.8\" "
          "marker-end=\"url(#tip)\"><title>{}</title></path>\n",
          number(from), number(y(arrow.from)), number(from + bend), number(y(arrow.from)), number(to - bend),
          number(y(arrow.to)), number(to), number(y(arrow.to)), in_xml(drawing_->names[arrow.name].name));
    }
  }

  void foot() {
    print("<g class=\"foot\" fill=\"#666\">\n");
    const auto columns = static_cast<std::size_t>((width_ - 2 * kMargin) / kColumn);
    for (const std::string& line : drawing_->foot)
      for (const std::string_view part : wrapped_lines(line, columns)) {
        print("<text x=\"{}\" y=\"{}\">{}</text>\n", number(kMargin), y_ + 8, in_xml(part));
        y_ += kFootLine;
      }
    print("</g>\n");
  }

  const Drawing* drawing_;
  double width_;
  bool is_complete_;
  std::vector<Color> colors_;  // by name
  std::uint64_t y_ = kAxis, lanes_end_ = kAxis;
  std::vector<std::uint64_t> tops_, bottoms_;  // y coordinates of each track, without its heading
  fmt::memory_buffer body_;
};

}  // namespace

std::string svg_of(const Drawing& drawing, std::uint64_t width, bool complete) {
  return Picture(drawing, width, complete).document();
}

}  // namespace fxt::tools
