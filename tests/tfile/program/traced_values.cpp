// A program with a variable of each kind of value that is easily shown wrong.
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
char8_t accents[] = u8"\u00e9";
char8_t initial = u8'z';

extern "C" [[gnu::noinline]] int visit(int count) { return count + 1; }

int main() {
  return visit(static_cast<int>(signal_now) + static_cast<int>(drift) + (is_open ? height : 0) + depth_alias +
               (nothing == nullptr ? 1 : 0));
}
