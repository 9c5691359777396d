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

int main(int count, char**) {
  int* place = &count;
  return halve(count) + share(count) + twice(place) + lift(count);
}
