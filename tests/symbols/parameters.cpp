// Functions whose parameters have names, and variables of known types, for dwarf_info_test.cpp.
#include <cstddef>

enum Color { Red, Green };
struct Small {
  int value;
};
struct Large {
  long values[5];
};
using Size = const unsigned long;

extern "C" {
int kinds(int fd, Size size, char letter, bool flag, Color color, const char* path) {
  return fd + static_cast<int>(size) + letter + static_cast<int>(flag) + color + path[0];
}
double both_kinds(int count, double ratio, const char* name, float scale, long total) {
  return count * ratio * static_cast<double>(scale) + static_cast<double>(total) + name[0];
}
int after_struct(int before, float number, Small hidden, int after) {
  return before + static_cast<int>(number) + hidden.value + after;
}
int after_long_double(int before, long double wide, int after) {
  return before + static_cast<int>(wide) + after;
}
Large hidden_result(int shifted, double number) { return {{shifted, static_cast<long>(number)}}; }
[[gnu::aligned(16)]] int many(int a, int b, int c, int d, int e, int f, int seventh) {
  return a + b + c + d + e + f + seventh;
}
int unnamed(int, int second) { return second; }
int no_parameters() { return 3; }
int varied(const char* format, ...) { return format[0]; }
double nine_floats(float a, float b, float c, float d, float e, float f, float g, float h, float i,
                   int late) {
  return static_cast<double>(a + b + c + d + e + f + g + h + i) + late;
}
}

namespace outer {
struct Counter {
  int value;
  int add(int amount);
};
int Counter::add(int amount) { return value += amount; }
}  // namespace outer

namespace watched {
double ratio = 1.5;
float part = 0.5F;
volatile unsigned long total = 3;
signed char small = -3;
unsigned char byte = 200;
bool flag = true;
Color color = Green;
const char* text = "text";
Small structure{4};
long double wide = 1;
int calls() {
  static int count = 0;
  return ++count;
}
}  // namespace watched

// After optimization, the function does not receive its first parameter.
[[gnu::noinline]] static int dropped(int gone, int kept) {
  asm volatile("" : : "r"(kept));
  return kept + 1;
}

int main() {
  outer::Counter counter{3};
  const double sum = kinds(1, 2, 'x', true, Green, "/") + both_kinds(1, 2, "n", 3, 4) +
                     after_struct(1, 2, {3}, 4) + after_long_double(1, 2, 3) +
                     static_cast<double>(hidden_result(1, 2).values[0]) + many(1, 2, 3, 4, 5, 6, 7) +
                     unnamed(1, 2) + no_parameters() + varied("%d", 1) +
                     nine_floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) + counter.add(5) + watched::calls() +
                     dropped(7, no_parameters());
  return sum > 0 ? 0 : 1;
}
