#include "fxt/tools/time_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace fxt::tools {
namespace {

struct Unit {
  std::uint64_t ns;
  unsigned digits;  // number of digits after the point that an exact time needs
  std::string_view name;
};

constexpr std::array<Unit, 4> kUnits{
    {{1'000'000'000, 9, "s"}, {1'000'000, 6, "ms"}, {1'000, 3, "\u00b5s"}, {1, 0, "ns"}}};

const Unit& unit_of(std::uint64_t ns) {
  return *std::ranges::find_if(kUnits, [ns](const Unit& unit) { return ns >= unit.ns || unit.ns == 1; });
}

std::string in_unit(std::uint64_t ns, const Unit& unit, unsigned decimals) {
  std::string text = fmt::format("{}", ns / unit.ns);
  if (decimals != 0) text += "." + fmt::format("{:0{}}", ns % unit.ns, unit.digits).substr(0, decimals);
  return fmt::format("{} {}", text, unit.name);
}

// The number of zeros at the end of the decimal number.
unsigned zeros_of(std::uint64_t ns) {
  unsigned zeros = 0;
  for (; ns != 0 && ns % 10 == 0; ns /= 10) ++zeros;
  return zeros;
}

unsigned decimals_for(std::uint64_t ns, const Unit& unit) {
  return ns == 0 ? 0 : unit.digits - std::min(unit.digits, zeros_of(ns));
}

// The absolute value.
std::uint64_t size_of(std::int64_t ns) {
  return ns < 0 ? -static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
}

std::string with_sign(std::int64_t ns, const std::string& text) { return (ns < 0 ? "-" : "") + text; }

// The distance from this time to the next multiple of the step.
std::uint64_t to_tick(std::int64_t ns, std::uint64_t step) {
  const std::uint64_t over = size_of(ns) % step;
  return ns < 0 || over == 0 ? over : step - over;
}

// The smallest of 1, 2, 5, 10, 20, ... ns so that there are at most `most` ticks.
std::uint64_t step_of(std::int64_t from_ns, std::uint64_t length_ns, std::size_t most) {
  for (std::uint64_t power = 1;; power *= 10)
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      const std::uint64_t step = power * factor, first = to_tick(from_ns, step);
      if (first > length_ns || (length_ns - first) / step < most) return step;
    }
}

}  // namespace

std::string time_in(TimeUnit unit, std::uint64_t ns) {
  if (unit == TimeUnit::Ns) return fmt::format("{}", ns);
  if (unit != TimeUnit::Auto) {
    const Unit& fixed = kUnits.at(kUnits.size() - static_cast<std::size_t>(unit));
    std::string text = fmt::format_int(ns / fixed.ns).str() + '.';  // five times as fast as fmt::format()
    for (std::uint64_t one = fixed.ns / 10; one != 0; one /= 10)
      text += static_cast<char>('0' + ns / one % 10);
    return text;
  }
  const auto value = static_cast<double>(ns);
  for (const Unit& one : kUnits) {
    if (one.ns == 1) break;
    const double in_unit = value / static_cast<double>(one.ns);
    if (in_unit < 0.9995) continue;  // 0.9995 is rounded to 1.00
    const int decimals = in_unit < 9.995 ? 2 : in_unit < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", in_unit, decimals, one.name);
  }
  return fmt::format("{} ns", ns);
}

std::string_view name_of(TimeUnit unit) {
  constexpr std::array<std::string_view, 5> kNames{"", "ns", "us", "ms", "s"};
  return kNames.at(static_cast<std::size_t>(unit));
}

std::string exact_time(std::uint64_t ns) {
  const Unit& unit = unit_of(ns);
  return in_unit(ns, unit, decimals_for(ns, unit));
}

std::string signed_time(std::int64_t ns) { return with_sign(ns, exact_time(size_of(ns))); }

std::vector<Tick> ticks(std::int64_t from_ns, std::int64_t to_ns, std::size_t most) {
  const auto length_ns = static_cast<std::uint64_t>(to_ns - from_ns);
  const std::uint64_t step = step_of(from_ns, length_ns, most);
  const Unit& unit = unit_of(std::max(size_of(from_ns), size_of(to_ns)));
  std::vector<Tick> ticks;
  for (std::uint64_t since = to_tick(from_ns, step); since <= length_ns; since += step) {
    const std::int64_t ns = from_ns + static_cast<std::int64_t>(since);
    ticks.push_back({ns, with_sign(ns, in_unit(size_of(ns), unit, decimals_for(step, unit)))});
  }
  return ticks;
}

}  // namespace fxt::tools
