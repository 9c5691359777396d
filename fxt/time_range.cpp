#include "fxt/time_range.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include "fxt/format.h"
#include "fxt/utf8.h"

namespace fxt {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::array kTimes{Unit{"", 1},
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
constexpr std::array kSizes{Unit{"", 1},
                            Unit{"k", 1'000},
                            Unit{"m", 1'000'000},
                            Unit{"g", 1'000'000'000},
                            Unit{"t", 1'000'000'000'000},
                            Unit{"ki", std::uint64_t{1} << 10},
                            Unit{"mi", std::uint64_t{1} << 20},
                            Unit{"gi", std::uint64_t{1} << 30},
                            Unit{"ti", std::uint64_t{1} << 40}};

// Both times and sizes must be below this limit.
constexpr std::uint64_t kLimit = kTimeLimit;

// The number of digits after the point that are read. Further digits are worth less than 1 ns or 1 byte.
constexpr std::size_t kFractionDigits = 19;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units) {
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto unit = std::ranges::find(units, lower(text), &Unit::name);
  if (unit == units.end()) return std::nullopt;

  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (!whole.empty() && (error != std::errc{} || number > kLimit / unit->size)) return std::nullopt;
  number *= unit->size;
  // `part` and the unit are below 2^64, so their product fits into 128 bits.
  __extension__ using Wide = unsigned __int128;
  std::uint64_t part = 0, scale = 1;
  for (const char digit : fraction.substr(0, kFractionDigits)) {
    part = part * 10 + static_cast<std::uint64_t>(digit - '0');
    scale *= 10;
  }
  number += static_cast<std::uint64_t>(Wide{part} * unit->size / scale);
  return number < kLimit ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_time_ns(std::string_view text) { return parse(text, kTimes); }

std::optional<std::uint64_t> parse_size(std::string_view text) {
  if (text.ends_with('B') || text.ends_with('b')) text.remove_suffix(1);
  return parse(text, kSizes);
}

// ---- Ranges of time ----

namespace {

std::optional<TraceTime> time_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool has_unit = std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  const auto ns = parse_time_ns(has_unit ? std::string(text) : std::string(text) + 's');
  if (!ns)
    throw std::invalid_argument(
        "'" + std::string(text) +
        "' is not a time below 292 years; use seconds on the trace's clock (1061.4004), or time since the "
        "start with a unit (20ms; ns, us, ms, s, m, h)");
  return TraceTime{.ns = *ns, .since_start = has_unit};
}

}  // namespace

TimeRange parse_time_range(std::string_view text) {
  const std::size_t tilde = text.find('~');
  if (tilde == std::string_view::npos)
    throw std::invalid_argument("'" + std::string(text) + "' is not a range of time; use A~B, A~ or ~B");
  const TimeRange range{.from = time_of(text.substr(0, tilde)), .to = time_of(text.substr(tilde + 1))};
  if (range.from && range.to && range.from->since_start == range.to->since_start &&
      range.to->ns < range.from->ns)
    throw std::invalid_argument("'" + std::string(text) + "' ends before it starts");
  return range;
}

TimeWindow::TimeWindow(const TimeRange& range) : range_(range) {
  if (range.from && !range.from->since_start) from_ = range.from->ns;
  if (range.to && !range.to->since_start) to_ = range.to->ns;
}

TimeWindow::Side TimeWindow::side_of(std::uint64_t time) {
  if (!start_) {
    start_ = time;
    const auto since_start = [time](const TraceTime& at) {
      return time + std::min(at.ns, ~std::uint64_t{0} - time);
    };
    if (range_.from && range_.from->since_start) from_ = since_start(*range_.from);
    if (range_.to && range_.to->since_start) to_ = since_start(*range_.to);
    if (from_ > to_) throw std::invalid_argument("the range ends before it starts");
  }
  return time < from_ ? Side::Before : time > to_ ? Side::After : Side::Inside;
}

}  // namespace fxt
