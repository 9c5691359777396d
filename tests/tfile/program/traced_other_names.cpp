// A file in which the names of traced_names.cpp have other meanings.
#include <cstdint>

namespace {
std::int16_t queue = 2;
}
static std::int16_t turn = 2;
static std::int16_t turn_of_other = 2;
std::int16_t doors_of_other = 2;
static int of_file(int n) {
  static std::int16_t calls = 2;
  return n + ++calls + queue + turn + turn_of_other;  // MARK of other file
}
struct Ticket {
  std::int16_t number, row;
} other_ticket;
typedef std::int16_t amount;
amount due = 2;

extern "C" int other_names(int n) { return of_file(n) + due; }
