#include "fxt/tools/drawing/texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

// The size of the first character of well-formed UTF-8.
std::size_t size_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

// Most characters of three bytes belong to scripts with wide characters.
int columns_of_first(std::string_view text) {
  return size_of_first(text) < 3 || text.starts_with(kEllipsis) || text.starts_with(kReplacement) ? 1 : 2;
}

bool is_shown(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first >= 0x20 && first != 0x7f;
  if (first == 0xc2) return static_cast<unsigned char>(character[1]) >= 0xa0;  // no C1 control
  return character != "\xef\xbf\xbe" && character != "\xef\xbf\xbf";
}

std::string clean(std::string_view text) {
  const std::string valid = make_valid_utf8(text);
  std::string shown;
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character = rest.substr(0, size_of_first(rest));
    shown.append(is_shown(character) ? character : kReplacement);
    rest.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace

std::string in_xml(std::string_view text) {
  std::string escaped;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double columns_of(std::string_view text) {
  const std::string shown = clean(text);
  int columns = 0;
  for (std::string_view rest = shown; !rest.empty(); rest.remove_prefix(size_of_first(rest)))
    columns += columns_of_first(rest);
  return columns;
}

std::string fitted(std::string_view text, double columns) {
  if (columns < 3) return {};
  const std::string shown = clean(text);
  if (columns_of(shown) <= columns) return shown;
  std::string_view rest = shown;
  for (double room = columns - 1; columns_of_first(rest) <= room; rest.remove_prefix(size_of_first(rest)))
    room -= columns_of_first(rest);
  return shown.substr(0, shown.size() - rest.size()) + std::string(kEllipsis);
}

namespace {

struct Unit {
  std::uint64_t ns;
  unsigned digits;  // that ns have after the point
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

std::uint64_t first_tick(std::uint64_t from_ns, std::uint64_t step) {
  return (from_ns + step - 1) / step * step;
}

// The smallest of 1, 2, 5, 10, 20, ... ns that is enough.
std::uint64_t step_of(std::uint64_t from_ns, std::uint64_t to_ns, std::size_t most) {
  for (std::uint64_t power = 1;; power *= 10)
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      const std::uint64_t step = power * factor, first = first_tick(from_ns, step);
      if (first > to_ns || (to_ns - first) / step < most) return step;
    }
}

}  // namespace

std::string exact_time(std::uint64_t ns) {
  const Unit& unit = unit_of(ns);
  return in_unit(ns, unit, decimals_for(ns, unit));
}

std::vector<Tick> ticks(std::uint64_t from_ns, std::uint64_t to_ns, std::size_t most) {
  const std::uint64_t step = step_of(from_ns, to_ns, most);
  const Unit& unit = unit_of(to_ns);
  std::vector<Tick> ticks;
  for (std::uint64_t ns = first_tick(from_ns, step); ns <= to_ns; ns += step)
    ticks.push_back({ns, in_unit(ns, unit, decimals_for(step, unit))});
  return ticks;
}

}  // namespace fxt::tools
