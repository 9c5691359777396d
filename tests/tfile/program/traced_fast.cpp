// A program whose variables lie in registers, for it is optimized. The marks are what the tests look for.
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

int main(int count, char**) { return halve(count) + share(count); }
