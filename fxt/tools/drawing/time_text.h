// Times as people read them: of calls, and beside the lines of an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fxt::tools {

// "850 ns", "12.5 µs", "1.234567 ms", "4.57 s": exact, nothing is rounded.
std::string exact_time(std::uint64_t ns);

struct Tick {
  std::uint64_t ns;
  std::string text;
};

// At most so many (two at least), at round times, all in one unit: "7.48 ms", "7.50 ms". Times are below
// 2^63.
std::vector<Tick> ticks(std::uint64_t from_ns, std::uint64_t to_ns, std::size_t most);

}  // namespace fxt::tools
