// A program with a variable of each kind of value that is difficult to show.
#include <cstddef>
#include <cstdint>

enum class Signal : std::uint8_t { STOP = 0x80, SLOW = 0xa1 };
Signal signal_now = Signal::STOP;
enum class Drift : std::int16_t { LEFT = 1, RIGHT = 3 };
Drift drift = Drift::LEFT;

std::uint16_t height = 65535;
bool is_open = true;
std::nullptr_t nothing = nullptr;
int depth = 1002;
int& depth_alias = depth;
int tides[2] = {3, 4};
int (&tides_alias)[2] = tides;
char8_t accents[] = u8"\u00e9";
char8_t initial = u8'z';
const char* label = "label";
unsigned char key[16] = {'A', 'B', 'C', 0, 'D'};
signed char deltas[3] = {-1, 0, 3};
unsigned char gauge = 'A';
std::byte packet[40] = {};
char title[8] = "eth0";
struct Dial {
  unsigned low : 3;
  int mid : 5;
};
Dial dial = {5, -3};
union Sample {
  int raw;
  float real;
};
Sample sample = {7};

// Defines a variable as in a file without debug information.
asm(".pushsection .data\n.globl plain_depth\n.type plain_depth,%object\n.size plain_depth,4\n"
    "plain_depth: .long 9\n.popsection");
extern "C" int plain_depth;

extern "C" [[gnu::noinline]] int visit(int count) { return count + plain_depth; }

// A function in a function, as in Ada and GNU C.
extern "C" int around(int total) {
  static int calls = 3;
  struct Inner {
    [[gnu::noinline]] static int within(int k) { return k + ++calls; }
  };
  return Inner::within(total) + calls;
}

int main() {
  return visit(static_cast<int>(signal_now) + static_cast<int>(drift) + (is_open ? height : 0) + depth_alias +
               tides_alias[1] + (nothing == nullptr ? 1 : 0) + *label) +
         around(depth);
}
