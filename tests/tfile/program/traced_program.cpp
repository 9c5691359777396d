// A small program in which tests look up names. Tests search for the marks at the ends of lines.
#include <cstdint>

namespace plant {

std::int32_t level = 7;
std::int64_t readings[4] = {1, 2, 3, 4};
double pressure = 1.5;

[[gnu::always_inline]] inline int valve(int flow) {
  static std::int32_t turns = 0;
  turns += flow;
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

[[gnu::noinline]] int measure(gauge* g, const Tank& tank, int) {
  return g->id + tank.id + grid[1][2] + many[level];  // MARK measure body
}

namespace {
int hidden = 3;
}
enum class Mode : unsigned char { SLOW = 1 };
struct Tap {
  enum State { OPEN = 1, SHUT };
  static int tally;
  State state;
  Mode mode;
  char16_t name[4];
};
int Tap::tally = 2;
template <int Size, int Depth>
struct Basin {
  static std::int64_t volume;
};
template <int Size, int Depth>
std::int64_t Basin<Size, Depth>::volume = Size* Depth;

[[gnu::noinline]] int refill(Tap* tap) {
  static std::int32_t calls = 5;
  if (tap->state == Tap::OPEN) {
    static std::int16_t calls = 6;
    ++calls;
    return calls + hidden;  // MARK refill inner
  }
  return ++calls;  // MARK refill
}

template <typename T>
[[gnu::noinline]] T drain(T amount) {
  return amount - 1;  // MARK drain
}

}  // namespace plant

std::int32_t tally = 4;

extern const char motto[];
const char motto[] = "slow and \"steady\"";
#define TEN_TIMES(text) text text text text text text text text text text
extern const char endless[];
const char endless[] = TEN_TIMES("twenty characters...") "and more";
const char* slogan = motto;
int (*starter)(int) = nullptr;

struct Valued {
  int worth;
};
struct Gilded : virtual Valued {
  int carats;
};
Gilded ring;
struct Plated : virtual Valued {
  int layers;
};
struct Crown : Gilded, Plated {
  int stones;
};
Crown crown, crowns[2];

struct Meter {
  virtual int read(int scale) { return level * scale; }
  virtual void reset() { level = 0; }
  int level, limit;
};
struct Alarm {
  virtual int ring() { return 1; }
};
struct Station : Meter, Alarm {};
int (Station::*reader)(int) = &Station::read;
int Station::*unit = &Station::level;
plant::gauge* next_gauge = nullptr;
extern const char16_t wide_words[];
const char16_t wide_words[] = u"d\u00e9j\u00e0";
const char16_t* wide_slogan = wide_words;
Station station;

extern "C" int unit_start(int count);
extern "C" int expressions(int i);
extern "C" int names(int n);

extern "C" [[gnu::noinline]] int plain_start(int count) {
  asm volatile(".globl traced_label\ntraced_label:");
  return plant::pump(count, "main pump", plant::pressure);  // MARK plain_start
}

int (&opener)(int) = plain_start;

int main() {
  plant::gauge gauge{};
  const plant::Tank tank{};
  plant::Tap tap{plant::Tap::OPEN, plant::Mode::SLOW, {}};
  plant::Tap::tally += plant::refill(&tap) + tally + expressions(1) + names(1) + unit_start(3) +
                       static_cast<int>(plant::Basin<2, 3>::volume);
  if (plant::measure(&gauge, tank, 0) != 0) return 2;
  return plain_start(plant::level) + plant::drain(plant::readings[0]) == 0 ? 1 : 0;
}

namespace plant {
[[gnu::abi_tag("v2")]] int vent(int count) { return count + 1; }
}  // namespace plant

#ifdef __x86_64__
// Debug information describes this code as the return from a signal handler, and as the start of a thread.
asm(R"(.text
.type traced_signal,@function
traced_signal:
.cfi_startproc
.cfi_signal_frame
nop
ret
.cfi_endproc
.size traced_signal,.-traced_signal
.type traced_thread,@function
traced_thread:
.cfi_startproc
.cfi_undefined rip
nop
ret
.cfi_endproc
.size traced_thread,.-traced_thread)");
#endif
