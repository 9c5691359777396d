#include "converters/uftrace/threads/fork_arrows.h"

#include <algorithm>
#include <set>
#include <vector>

#include "converters/uftrace/filters/kept_call_scan.h"
#include "converters/uftrace/filters/thread_filter.h"

namespace convert::uftrace {
namespace {

// The calls that the thread is in at its first record, outermost first, as ThreadCalls opens them; without
// the one that it enters or leaves there.
std::vector<std::uint64_t> calls_around(const ThreadPlan& plan, const CallRecord& first) {
  const auto is_before = [&](const TaskMoment& moment) {
    return moment.what == TaskMoment::What::Exec && moment.time_ns <= first.time_ns;
  };
  std::vector<std::uint64_t> calls;
  if (std::ranges::none_of(plan.moments, is_before)) calls = plan.inherited;
  calls.resize(first.depth, 0);
  return calls;
}

// Of a function whose calls are shown or not as their arguments are, nothing is said.
bool is_kept(const ThreadPlan& plan, const FunctionRule* rule, FilterTable& table, Symbolizer& symbolizer) {
  if (rule != nullptr && rule->has(Setting::Condition)) return false;
  if (!table.looks_ahead()) return true;
  KeptCalls kept_calls;
  KeptCallScan scan(plan.path, plan.facts, *plan.task, plan.payloads.get(), plan.inherited, table, symbolizer,
                    kept_calls);
  while (scan.step()) {
  }
  return kept_calls.is_kept(plan.head.first_call_offset);
}

bool begins_in_what_is_shown(const ThreadPlan& plan, FilterTable& table, Symbolizer& symbolizer) {
  const CallRecord& first = *plan.head.first_call;
  TaskSymbols symbols(symbolizer, *plan.task);
  symbols.move_to(first.time_ns);
  ThreadFilter filter(table);
  std::size_t depth = 0;
  bool is_shown = false;
  for (const std::uint64_t address : calls_around(plan, first))
    is_shown |=
        filter.enter(depth++, address == 0 ? table.unknown_rule() : table.rule_of(symbols, address), true);
  if (is_shown || !first.is_entry()) return is_shown;
  const FunctionRule* const rule = table.rule_of(symbols, first.address);
  return filter.enter(depth, rule, true) && is_kept(plan, rule, table, symbolizer);
}

}  // namespace

void leave_out_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer) {
  std::set<std::uint64_t> left_out;
  for (auto& [tid, plan] : plans) {
    if (plan.fork_flow == 0 || begins_in_what_is_shown(plan, table, symbolizer)) continue;
    left_out.insert(plan.fork_flow);
    plan.fork_flow = 0;
  }
  for (auto& [tid, plan] : plans)
    std::erase_if(plan.forks, [&](const ForkPoint& point) { return left_out.contains(point.flow); });
}

}  // namespace convert::uftrace
