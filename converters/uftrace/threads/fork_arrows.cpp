#include "converters/uftrace/threads/fork_arrows.h"

#include <algorithm>
#include <set>
#include <vector>

#include "converters/uftrace/filters/kept_call_scan.h"
#include "converters/uftrace/filters/thread_filter.h"

namespace convert::uftrace {
namespace {

// The calls that are open before the thread's first record, outermost first, as StackRepair opens them.
std::vector<std::uint64_t> calls_around(const ThreadPlan& plan, const CallRecord& first) {
  const auto is_before = [&](const ImageChange& change) {
    return change.what == ImageChange::What::Exec && change.time_ns <= first.time_ns;
  };
  std::vector<std::uint64_t> calls;
  if (std::ranges::none_of(plan.image_changes, is_before)) calls = plan.inherited;
  calls.resize(first.depth, 0);
  return calls;
}

// Whether later records keep the thread's first call. False for a function whose calls are shown by their
// arguments, which are not known here.
bool is_kept(const ThreadPlan& plan, const FunctionRule* rule, FilterTable& table, Symbolizer& symbolizer) {
  if (rule != nullptr && rule->has(Setting::Condition)) return false;
  if (!table.looks_ahead()) return true;
  KeptCalls kept_calls;
  KeptCallScan scan(plan.walked(), table, symbolizer, kept_calls);
  while (scan.step()) {
  }
  return kept_calls.is_kept(plan.head.first_call_offset);
}

bool begins_in_shown_call(const ThreadPlan& plan, FilterTable& table, Symbolizer& symbolizer) {
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

void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer) {
  std::set<std::uint64_t> dropped;
  for (auto& [tid, plan] : plans) {
    if (plan.fork_flow == 0 || begins_in_shown_call(plan, table, symbolizer)) continue;
    dropped.insert(plan.fork_flow);
    plan.fork_flow = 0;
  }
  for (auto& [tid, plan] : plans)
    std::erase_if(plan.forks, [&](const ForkPoint& point) { return dropped.contains(point.flow); });
}

}  // namespace convert::uftrace
