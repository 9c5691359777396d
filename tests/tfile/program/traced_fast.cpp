// An optimized program, whose variables are in registers.
extern "C" [[gnu::noinline]] int halve(int whole) {
  asm volatile("" ::"r"(whole));  // MARK halve
  return whole / 2;
}

struct Shares {
  int mine, yours;
};

extern "C" [[gnu::noinline]] int share(int whole) {
  const Shares shares = {whole + 1, whole * 3};
  asm volatile("" ::"r"(shares.mine), "r"(shares.yours));
  return shares.mine + shares.yours;
}

extern "C" [[gnu::noinline]] int twice(int*& place) {
  asm volatile("" ::"r"(&place));
  return *place * 2;
}

extern "C" [[gnu::noinline]] int lift(int whole) {
  const int above = whole + 5, five = 5;
  asm volatile("" ::"r"(whole));  // MARK lift
  return whole * (above - whole) * five;
}

[[gnu::always_inline]] inline int dip(int whole) {
  int depth = whole * 2;
  {
    const int depth = 5;
    asm volatile("nop" ::"r"(depth));
  }
  asm volatile("nop" ::"r"(depth));  // MARK behind a block
  return depth;
}
extern "C" [[gnu::noinline]] int dive(int whole) { return dip(whole) + 1; }

// These functions end with a jump to another function. From leap(), one way leads to halve(). From hop(), two
// ways lead to halve().
extern "C" [[gnu::noinline]] int leap(int whole) {
  asm volatile("" ::"r"(whole));
  return halve(whole + 1);
}
extern "C" [[gnu::noinline]] int skip(int whole) {
  asm volatile("nop" ::"r"(whole));
  return halve(whole + 2);
}
extern "C" [[gnu::noinline]] int choose(int whole) { return whole > 5 ? leap(whole) : skip(whole); }
extern "C" [[gnu::noinline]] int hop(int whole) {
  asm volatile("" ::"r"(whole));
  return choose(whole * 3);
}
extern "C" [[gnu::noinline]] int jumps(int whole) { return leap(whole) + hop(whole); }

#ifdef __x86_64__
typedef float Wide __attribute__((vector_size(32)));
extern "C" [[gnu::noinline, gnu::target("avx")]] int widen(Wide wide) {
  asm volatile("" ::"x"(wide));
  return wide[0] < wide[7] ? 1 : 0;
}
[[gnu::target("avx")]] int widen_none() { return widen(Wide{}); }
#endif

int main(int count, char**) {
  int* place = &count;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx")) count += widen_none();
#endif
  return halve(count) + share(count) + twice(place) + lift(count) + dive(count) + jumps(count);
}
