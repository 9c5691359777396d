// Formats times for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fxt::tools {

enum class TimeUnit : std::uint8_t { Auto, Ns, Us, Ms, S };

// With Auto, the text has three digits and a suitable unit: "64.7 s", "1.23 ms", "850 ns". With other
// values of `unit`, the text is an exact number in this unit, without the name of the unit: "64712345.678".
std::string time_in(TimeUnit unit, std::uint64_t ns);
// "ns", "us", "ms", "s"; "" for Auto.
std::string_view name_of(TimeUnit unit);

// Formats a time exactly, without rounding: "850 ns", "12.5 µs", "1.234567 ms", "4.57 s".
std::string exact_time(std::uint64_t ns);
// Formats a time exactly, with a minus sign if it is negative.
std::string signed_time(std::int64_t ns);

struct Tick {
  std::int64_t ns;
  std::string text;
};

// Returns at most `most` (at least 2) round times, all with the same unit: "7.48 ms", "7.50 ms". The range
// must be less than 2^63 ns.
std::vector<Tick> ticks(std::int64_t from_ns, std::int64_t to_ns, std::size_t most);

}  // namespace fxt::tools
