// A calculator that leaves its recursive parser by longjmp when a line is wrong.
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf next_line;
static const char* cursor;

static void fail(const char* problem) {
  printf("error: %s at '%s'\n", problem, cursor);
  longjmp(next_line, 1);
}

static void expect(char c) {
  if (*cursor++ != c) fail("missing bracket");
}

static long sum(void);

static long number(void) {
  if (!isdigit((unsigned char)*cursor)) fail("no number");
  long value = 0;
  while (isdigit((unsigned char)*cursor)) value = 10 * value + (*cursor++ - '0');
  return value;
}

static long factor(void) {
  if (*cursor != '(') return number();
  ++cursor;
  long value = sum();
  expect(')');
  return value;
}

static long product(void) {
  long value = factor();
  while (*cursor == '*') ++cursor, value *= factor();
  return value;
}

static long sum(void) {
  long value = product();
  while (*cursor == '+') ++cursor, value += product();
  return value;
}

static void calculate(const char* line) {
  cursor = line;
  if (setjmp(next_line) == 0) printf("%s = %ld\n", line, sum());
}

int main(void) {
  static const char* const lines[] = {"1+2*3", "2*(3+4*(5+6))", "((((7", "8*+9", "(1+1)*(2+2)"};
  for (unsigned i = 0; i < sizeof lines / sizeof *lines; ++i) calculate(lines[i]);
  return 0;
}
