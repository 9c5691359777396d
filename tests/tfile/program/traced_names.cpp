// Names with different meanings at different places, for tests of their lookup. Each meaning has a size of
// its own.
#include <cstdint>

std::int8_t stock = 1, price = 1, load = 1, shelf = 1, pallet = 1, doors = 1;
enum { CRATES = 100 };
typedef std::int8_t amount;
struct Crate {
  std::int8_t weight;
} first_crate;
amount least = CRATES;

namespace depot {
std::int16_t stock = 2;
struct Crate {
  std::int16_t weight;
} second_crate;
inline namespace now {
std::int16_t pallet = 2, ramp = 2;
}
namespace deep {
std::int32_t price = 4, depth = 4;
}

struct Base {
  static std::int32_t load;
  std::int32_t shelf = 4;
  enum { CRATES = 200 };
  typedef std::int32_t amount;
  amount kept = CRATES;
};
std::int32_t Base::load = 4;
struct Hall : Base {
  static std::int64_t doors;
  std::int16_t shelf = 2;
  int fill(int n);
  static int plan(int n);
};
std::int64_t Hall::doors = 8;

[[gnu::noinline]] int Hall::fill(int n) {
  return n + stock + load + shelf + CRATES + static_cast<int>(doors);  // MARK fill
}
[[gnu::noinline]] int Hall::plan(int n) {
  extern std::int16_t stock;
  return n + load + stock;  // MARK plan
}
}  // namespace depot

struct Meter {
  std::int64_t reading;
  [[gnu::noinline]] explicit Meter(std::int64_t first) : reading(first) {}
};
struct Counter : Meter {
  [[gnu::noinline]] explicit Counter(int first) : Meter(first) {}
  [[gnu::noinline]] int count() {
    return static_cast<int>(++reading);  // MARK count up
  }
};

namespace vault = depot::deep;

[[gnu::noinline]] int borrow(int n) {
  using depot::deep::price;
  using namespace depot::deep;
  enum { CRATES = 300 };
  typedef std::int64_t amount;
  struct Crate {
    std::int64_t weight;
  } crate{depth};
  const amount more = CRATES;
  return n + price + static_cast<int>(crate.weight + more);  // MARK borrow
}

// traced_other_names.cpp has other variables of these names.
namespace {
std::int8_t queue = 1;
}
static std::int8_t turn = 1;
static int of_file(int n) {
  static std::int8_t calls = 1;
  return n + ++calls + queue + turn;  // MARK of file
}
struct Ticket {
  std::int8_t number;
  [[gnu::noinline]] Ticket() : number(1) {}
} ticket;

extern "C" int other_names(int n);
extern "C" int names(int n) {
  depot::Hall hall;
  const auto twice = [](int turn) { return 2 * turn; };
  return Counter(n).count() + hall.fill(n) + depot::Hall::plan(n) + borrow(n) + of_file(n) +
         twice(depot::ramp) + other_names(n);
}
