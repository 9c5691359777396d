#include "fxt/time_range.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>

#include "fxt/quantity_text.h"

namespace fxt {
namespace {

std::optional<TraceTime> time_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool has_unit = std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  const auto ns = parse_time_ns(has_unit ? std::string(text) : std::string(text) + 's');
  if (!ns)
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no time: a number of seconds as the trace counts them (1061.4004), or "
                                "with a unit since its start (20ms; ns, us, ms, s, m, h), below 292 years");
  return TraceTime{.ns = *ns, .since_start = has_unit};
}

}  // namespace

TimeRange parse_time_range(std::string_view text) {
  const std::size_t tilde = text.find('~');
  if (tilde == std::string_view::npos)
    throw std::invalid_argument("'" + std::string(text) + "' is no range of time: A~B, A~ or ~B");
  const TimeRange range{.from = time_of(text.substr(0, tilde)), .to = time_of(text.substr(tilde + 1))};
  if (range.from && range.to && range.from->since_start == range.to->since_start &&
      range.to->ns < range.from->ns)
    throw std::invalid_argument("'" + std::string(text) + "' ends before it begins");
  return range;
}

TimeWindow::TimeWindow(const TimeRange& range) : range_(range) {
  if (range.from && !range.from->since_start) from_ = range.from->ns;
  if (range.to && !range.to->since_start) to_ = range.to->ns;
}

TimeWindow::Side TimeWindow::side_of(std::uint64_t time) {
  if (!has_start_) {
    has_start_ = true;
    const auto since_start = [time](const TraceTime& at) {
      return time + std::min(at.ns, ~std::uint64_t{0} - time);
    };
    if (range_.from && range_.from->since_start) from_ = since_start(*range_.from);
    if (range_.to && range_.to->since_start) to_ = since_start(*range_.to);
    if (from_ > to_) throw std::invalid_argument("the range ends before it begins");
  }
  return time < from_ ? Side::Before : time > to_ ? Side::After : Side::Inside;
}

}  // namespace fxt
