// A small program to look names up in. The marks at the ends of lines say what the tests look for.
#include <cstdint>

namespace plant {

std::int32_t level = 7;
std::int64_t readings[4] = {1, 2, 3, 4};
double pressure = 1.5;

[[gnu::always_inline]] inline int valve(int flow) {
  return flow * 3;  // MARK valve
}

[[gnu::always_inline]] inline int pipe(int flow) {
  return valve(flow) + 1;  // MARK pipe
}

[[gnu::noinline]] int pump(int strokes, const char* name, double ratio) {
  std::uint16_t spilled = 4;
  int moved = pipe(strokes);   // MARK pump
  moved += name[0] + spilled;  // MARK pump body
  return moved + static_cast<int>(ratio);
}

enum Kind { LEVEL, FLOW = 5 };
struct Point {
  double x, y;
};
struct gauge {
  int id;
  std::uint64_t serial;
  char label[8];
  Point at;
  union {
    int raw;
    float real;
  };
  unsigned low : 3;
  int mid : 5;
  Kind kind;
  gauge* next;
  short past[2];
  bool is_on;
};
struct Vessel {
  int id;
};
struct Tank : Vessel {
  float volume;
};
short grid[2][3];
int many[1000];

[[gnu::noinline]] int measure(gauge* g, const Tank& tank) {
  return g->id + tank.id + grid[1][2] + many[level];  // MARK measure body
}

template <typename T>
[[gnu::noinline]] T drain(T amount) {
  return amount - 1;  // MARK drain
}

}  // namespace plant

extern "C" [[gnu::noinline]] int plain_start(int count) {
  return plant::pump(count, "main pump", plant::pressure);  // MARK plain_start
}

int main() {
  plant::gauge gauge{};
  const plant::Tank tank{};
  if (plant::measure(&gauge, tank) != 0) return 2;
  return plain_start(plant::level) + plant::drain(plant::readings[0]) == 0 ? 1 : 0;
}
