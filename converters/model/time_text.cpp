#include "converters/model/time_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "converters/model/event.h"

namespace convert {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::array kUnits{Unit{"", 1},
                            Unit{"ns", 1},
                            Unit{"nsec", 1},
                            Unit{"us", 1'000},
                            Unit{"usec", 1'000},
                            Unit{"ms", 1'000'000},
                            Unit{"msec", 1'000'000},
                            Unit{"s", kSecond},
                            Unit{"sec", kSecond},
                            Unit{"m", 60 * kSecond},
                            Unit{"min", 60 * kSecond},
                            Unit{"h", 3600 * kSecond},
                            Unit{"hour", 3600 * kSecond}};

// Later digits can't make a whole ns of any unit.
constexpr std::size_t kFractionDigits = 19;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

}  // namespace

std::optional<std::uint64_t> parse_time_ns(std::string_view text) {
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto* const unit = std::ranges::find(kUnits, lower(text), &Unit::name);
  if (unit == kUnits.end()) return std::nullopt;

  std::uint64_t time_ns = 0;
  for (const char digit : whole) {
    time_ns = time_ns * 10 + static_cast<std::uint64_t>(digit - '0');
    if (time_ns > kTimeLimitNs / unit->ns) return std::nullopt;
  }
  time_ns *= unit->ns;
  // Both below 2^64: the product of part and unit fits.
  __extension__ using Wide = unsigned __int128;
  std::uint64_t part = 0, scale = 1;
  for (const char digit : fraction.substr(0, kFractionDigits)) {
    part = part * 10 + static_cast<std::uint64_t>(digit - '0');
    scale *= 10;
  }
  time_ns += static_cast<std::uint64_t>(Wide{part} * unit->ns / scale);
  return time_ns < kTimeLimitNs ? std::optional(time_ns) : std::nullopt;
}

}  // namespace convert
