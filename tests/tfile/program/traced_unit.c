/* A unit in C, with names of traced_program.cpp, and with items that C describes in another way. */
#include <wchar.h>

static short tally = 8;
wchar_t sign[4] = L"go";

int unit_sum(int count) {
  int row[count];
  for (int i = 0; i < count; i++) row[i] = i;
  return row[count - 1]; /* MARK row */
}

int unit_start(int count) {
  static char tally_of_calls = 1;
  sign[0] += count;
  return tally + ++tally_of_calls; /* MARK unit */
}
