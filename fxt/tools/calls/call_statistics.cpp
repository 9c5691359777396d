#include "fxt/tools/calls/call_statistics.h"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "fxt/tools/calls/call_event.h"
#include "fxt/tools/text/microseconds.h"

namespace fxt::tools {
std::size_t CallStatistics::index_of(const Event& event) {
  const auto [entry, is_new] =
      names_.try_emplace({std::string(event.category.text), std::string(event.name.text)}, amounts_.size());
  if (is_new) amounts_.emplace_back();
  return entry->second;
}

void CallStatistics::add(const Event& event, const Reader& reader) {
  const auto said = call_event(event, reader);
  if (!said) return;
  Thread& thread = threads_[said->thread];
  const auto over = [&](const OpenCalls::Call& call) { count(thread, call); };
  const bool is_placed = thread.open.advance(said->begin_ns, over);
  if (!is_placed) ++unplaced_;
  const std::uint64_t time_ns = std::max(said->begin_ns, thread.open.last_ns());
  if (said->is_end()) {
    if (!thread.open.end(time_ns, over)) ++unmatched_;
    return;
  }
  OpenCalls::Call call{
      .name = index_of(event), .begin_ns = said->begin_ns, .end_ns = said->end_ns, .waits = said->is_begin()};
  ++thread.depths[call.name];
  if (is_placed || call.waits) {
    call.begin_ns = time_ns;
    thread.open.push(call);
  } else {
    count(thread, call);
  }
}

void CallStatistics::count(Thread& thread, const OpenCalls::Call& call) {
  Amount& amount = amounts_[call.name];
  ++amount.calls;
  amount.sum_ns += call.total_ns();
  amount.self_ns += call.self_ns();
  amount.min_ns = std::min(amount.min_ns, call.total_ns());
  amount.max_ns = std::max(amount.max_ns, call.total_ns());
  const auto depth = thread.depths.find(call.name);
  if (--depth->second != 0) return;
  thread.depths.erase(depth);
  amount.total_ns += call.total_ns();
}

void CallStatistics::finish() {
  for (auto& [key, thread] : threads_)
    thread.open.finish([&, &of = thread](const OpenCalls::Call& call) { count(of, call); });
}

// Greater ones come first.
std::uint64_t CallStatistics::rank_of(const Amount& amount) const {
  switch (order_) {
    case CallOrder::Total:
      return amount.total_ns;
    case CallOrder::Self:
      return amount.self_ns;
    case CallOrder::Average:
      return amount.average_ns();
    case CallOrder::Min:
      return amount.min_ns;
    case CallOrder::Max:
      return amount.max_ns;
    case CallOrder::Calls:
      return amount.calls;
    case CallOrder::Name:
      return 0;
  }
  return 0;
}

std::vector<CallStatistics::Line> CallStatistics::lines() const {
  std::vector<Line> lines;
  for (const auto& [name, index] : names_)
    if (amounts_[index].calls != 0) lines.push_back({&name, &amounts_[index]});
  std::ranges::stable_sort(lines, std::greater(), [this](const Line& line) { return rank_of(*line.amount); });
  return lines;
}

void CallStatistics::append_to(TextBuffer& out) const {
  const auto lines_of_calls = lines();
  if (lines_of_calls.empty()) return;
  append(out, "calls by category and name, in microseconds\n");
  append(out, "  {:>12} {:>14} {:>14} {:>12} {:>12} {:>12}\n", "calls", "total", "self", "average", "min",
         "max");
  for (const Line& line : lines_of_calls) {
    const Amount& amount = *line.amount;
    append(out, "  {:>12} {:>14} {:>14} {:>12} {:>12} {:>12} ", amount.calls, microseconds(amount.total_ns),
           microseconds(amount.self_ns), microseconds(amount.average_ns()), microseconds(amount.min_ns),
           microseconds(amount.max_ns));
    append_quoted(out, line.name->first);
    append(out, " ");
    append_quoted(out, line.name->second);
    append(out, "\n");
  }
  if (unplaced_ != 0)
    append(
        out,
        "  {} of these events stand behind later ones of their thread: what lies around them is not known\n",
        unplaced_);
  if (unmatched_ != 0) append(out, "  {} ends have no begin\n", unmatched_);
}

nlohmann::json CallStatistics::json() const {
  auto list = nlohmann::json::array();
  for (const Line& line : lines())
    list.push_back({{"category", displayable(line.name->first)},
                    {"name", displayable(line.name->second)},
                    {"calls", line.amount->calls},
                    {"total_ns", line.amount->total_ns},
                    {"self_ns", line.amount->self_ns},
                    {"average_ns", line.amount->average_ns()},
                    {"min_ns", line.amount->min_ns},
                    {"max_ns", line.amount->max_ns}});
  return list;
}

}  // namespace fxt::tools
