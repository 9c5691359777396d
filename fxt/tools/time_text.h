// Times as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fxt::tools {

enum class TimeUnit : std::uint8_t { Auto, Ns, Us, Ms, S };

// Auto: three digits, in a unit of its own: "64.7 s", "1.23 ms", "850 ns". Others are exact and without the
// unit: "64712345.678".
std::string time_in(TimeUnit unit, std::uint64_t ns);
// "ns", "us", "ms", "s"; "" for Auto.
std::string_view name_of(TimeUnit unit);

// "850 ns", "12.5 µs", "1.234567 ms", "4.57 s": exact, not rounded.
std::string exact_time(std::uint64_t ns);
// The same, with a minus before times below 0.
std::string signed_time(std::int64_t ns);

struct Tick {
  std::int64_t ns;
  std::string text;
};

// At most `most` round times (`most` is at least 2), all in one unit: "7.48 ms", "7.50 ms". They are less
// than 2^63 ns apart.
std::vector<Tick> ticks(std::int64_t from_ns, std::int64_t to_ns, std::size_t most);

}  // namespace fxt::tools
