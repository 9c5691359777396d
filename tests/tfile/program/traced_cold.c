// A function whose cold part, which rarely runs, is before its entry.
extern void never(int) __attribute__((cold, noreturn));

int rarely(int x) {
  if (x == 42) {
    never(x);  // MARK cold
  }
  return x * 3;
}
