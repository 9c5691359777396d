// A program whose variables lie in registers, for it is optimized. The marks are what the tests look for.
extern "C" [[gnu::noinline]] int halve(int whole) {
  asm volatile("" ::"r"(whole));  // MARK halve
  return whole / 2;
}

int main(int count, char**) { return halve(count); }
