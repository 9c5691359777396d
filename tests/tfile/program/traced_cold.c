// A function with a cold part, which rarely runs. The cold part is before the entry of the function.
extern void never(int) __attribute__((cold, noreturn));

int rarely(int x) {
  if (x == 42) {
    never(x);  // MARK cold
  }
  return x * 3;
}
