// A function with a variable of each kind of type, for tests of expressions.
#include <cstddef>
#include <cstdint>

namespace app {
enum Kind { LEVEL, FLOW = 5 };
std::int64_t count = 3;
}  // namespace app

using unit = std::int16_t;
enum Signed { NONE = -1 };
enum Wide : std::uint64_t { WIDE };
enum Tiny : std::uint8_t { TINY };
enum class Empty : std::int8_t {};

struct base {
  float real;
};
struct item : base {
  std::int16_t id;
  unsigned low : 3, mid : 5;
  item* next;
  std::int64_t row[3];
  [[gnu::noinline]] int own(int x) {
    return id + x;  // MARK own
  }
};

extern "C" [[gnu::noinline]] int expressions(int i) {
  char c = 'c';
  short s = -2;
  unsigned short us = 3;
  unsigned u = 4;
  std::int64_t l = -5;
  std::uint64_t ul = 6;
  bool b = true;
  float f = 1.5;
  double d = 2.5;
  app::Kind e = app::FLOW;
  Signed n = NONE;
  Wide wide = WIDE;
  Tiny tiny = TINY;
  Empty empty{-3};
  int* p = &i;
  void* v = p;
  item it{};
  item* q = &it;
  std::int64_t longs[3] = {7, 8, 9};
  int& ri = i;
  item*& rq = q;
  item& rit = it;
  std::int64_t(&rlongs)[3] = longs;
  int item::*member = nullptr;
  int (item::*method)(int) = &item::own;
  std::nullptr_t null = nullptr;
  char sized[i];
  unit measure = 2;
  it.id = 11;
  asm volatile("" ::"r"(&it), "r"(p), "r"(v), "r"(longs), "r"(&c), "r"(&member), "r"(&method), "r"(&null),
               "r"(&measure), "r"(sized)
               : "memory");  // MARK expressions
  int made = it.own(s) + us + static_cast<int>(u + ul) + (b ? 1 : 0) + e + n + static_cast<int>(wide) + tiny;
  {
    const char inmost = 'h', i = 'i';
    made += inmost + i;  // MARK inner expressions
  }
  return made + static_cast<int>(f + d) + static_cast<int>(empty) + ri + rq->id + rit.id +
         static_cast<int>(rlongs[0] + l);
}

[[gnu::always_inline]] inline int inlined(int part) {
  return part + 1;  // MARK inlined part
}
extern "C" [[gnu::noinline]] int inlining(int whole) { return inlined(whole) * 2; }

extern "C" [[gnu::noinline]] int hide(int level) {
  int rest = 3;
  {
    int level = rest, rest = level + 1;
    return level + rest;  // MARK hiding
  }
}
