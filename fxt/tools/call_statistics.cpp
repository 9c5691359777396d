#include "fxt/tools/call_statistics.h"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "fxt/tools/open_calls.h"
#include "fxt/utf8.h"

namespace fxt::tools {
std::size_t CallStatistics::index_of(const Event& event) {
  const auto [entry, is_new] =
      names_.try_emplace({std::string(event.category.text), std::string(event.name.text)}, totals_.size());
  if (is_new) totals_.emplace_back();
  return entry->second;
}

void CallStatistics::add(const Event& event, const Reader& reader) {
  const auto duration = call_event(event, reader);
  if (!duration) return;
  ThreadCalls& thread = threads_[duration->thread];
  const auto ended = [&](const OpenCalls::Call& call) { count(thread, call); };
  const bool is_in_order = thread.open.advance(duration->begin_ns, ended);
  if (!is_in_order) ++late_;
  const std::uint64_t time_ns = std::max(duration->begin_ns, thread.open.last_ns());
  if (duration->is_end()) {
    if (!thread.open.end(time_ns, ended)) ++unmatched_;
    return;
  }
  OpenCalls::Call call{.name = index_of(event),
                       .begin_ns = duration->begin_ns,
                       .end_ns = duration->end_ns,
                       .awaits_end = duration->is_begin()};
  ++thread.depths[call.name];
  if (is_in_order || call.awaits_end) {
    call.begin_ns = time_ns;
    thread.open.push(call);
  } else {
    count(thread, call);
  }
}

void CallStatistics::count(ThreadCalls& thread, const OpenCalls::Call& call) {
  CallTotals& totals = totals_[call.name];
  ++totals.calls;
  totals.sum_ns += call.total_ns();
  totals.self_ns += call.self_ns();
  totals.min_ns = std::min(totals.min_ns, call.total_ns());
  totals.max_ns = std::max(totals.max_ns, call.total_ns());
  const auto depth = thread.depths.find(call.name);
  if (--depth->second != 0) return;
  thread.depths.erase(depth);
  totals.total_ns += call.total_ns();
}

void CallStatistics::finish() {
  for (auto& [key, thread] : threads_)
    thread.open.finish([&, &of = thread](const OpenCalls::Call& call) { count(of, call); });
}

// The sort key: greater ones come first.
std::uint64_t CallStatistics::rank_of(const CallTotals& totals) const {
  switch (order_) {
    case CallOrder::Total:
      return totals.total_ns;
    case CallOrder::Self:
      return totals.self_ns;
    case CallOrder::Average:
      return totals.average_ns();
    case CallOrder::Min:
      return totals.min_ns;
    case CallOrder::Max:
      return totals.max_ns;
    case CallOrder::Calls:
      return totals.calls;
    case CallOrder::Name:
      return 0;
  }
  return 0;
}

std::vector<CallStatistics::Line> CallStatistics::lines() const {
  std::vector<Line> lines;
  for (const auto& [name, index] : names_)
    if (totals_[index].calls != 0) lines.push_back({&name, &totals_[index]});
  std::ranges::stable_sort(lines, std::greater(), [this](const Line& line) { return rank_of(*line.totals); });
  return lines;
}

void CallStatistics::append_to(TextBuffer& out) const {
  const auto lines_of_calls = lines();
  if (lines_of_calls.empty()) return;
  append(out, "calls by category and name, in microseconds\n");
  append(out, "  {:>12} {:>14} {:>14} {:>12} {:>12} {:>12}\n", "calls", "total", "self", "average", "min",
         "max");
  for (const Line& line : lines_of_calls) {
    const CallTotals& totals = *line.totals;
    append(out, "  {:>12} {:>14} {:>14} {:>12} {:>12} {:>12} ", totals.calls, microseconds(totals.total_ns),
           microseconds(totals.self_ns), microseconds(totals.average_ns()), microseconds(totals.min_ns),
           microseconds(totals.max_ns));
    append_quoted(out, line.name->first);
    append(out, " ");
    append_quoted(out, line.name->second);
    append(out, "\n");
  }
  if (late_ != 0)
    append(
        out,
        "  {} of these events stand behind later ones of their thread: what lies around them is not known\n",
        late_);
  if (unmatched_ != 0) append(out, "  {} ends have no begin\n", unmatched_);
}

nlohmann::json CallStatistics::json() const {
  auto list = nlohmann::json::array();
  for (const Line& line : lines())
    list.push_back({{"category", make_valid_utf8(line.name->first)},
                    {"name", make_valid_utf8(line.name->second)},
                    {"calls", line.totals->calls},
                    {"total_ns", line.totals->total_ns},
                    {"self_ns", line.totals->self_ns},
                    {"average_ns", line.totals->average_ns()},
                    {"min_ns", line.totals->min_ns},
                    {"max_ns", line.totals->max_ns}});
  return list;
}

}  // namespace fxt::tools
