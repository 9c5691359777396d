#include "converters/uftrace/threads/call_filter.h"

namespace convert::uftrace {

OptionFilter::OptionFilter(FilterTable& table, Symbolizer& symbolizer, const TaskSymbols& symbols,
                           Names& names, const Lane& lane, const ThreadPlan& plan)
    : CallFilter(plan.skips_outside),
      table_(table),
      symbolizer_(symbolizer),
      symbols_(symbols),
      names_(names),
      lane_(lane),
      plan_(plan),
      filter_(table),
      kept_{.is_known = !table.looks_ahead() || plan.place.empty()} {}

// Does one step of the scan. If files can't stay open between two steps, does the whole scan.
bool OptionFilter::scan_ahead() {
  if (kept_.is_known) return true;
  if (kept_.scan == nullptr)
    kept_.scan = std::make_unique<KeptCallScan>(plan_.walked(), table_, symbolizer_, kept_.calls);
  while (kept_.scan->step())
    if (plan_.keep_open) return false;
  kept_.scan.reset();
  kept_.is_known = true;
  return true;
}

// ---- Calls of the program ----

const FunctionRule* OptionFilter::rule_at(std::uint64_t address) {
  return rules_->get(address, [&] { return table_.rule_of(symbols_, address); });
}

bool OptionFilter::enter(std::uint64_t address, bool recorded) {
  return count_call(enter(filter_, address, recorded));
}

bool OptionFilter::enter(ThreadFilter& filter, std::uint64_t address, bool recorded) {
  const FunctionRule* const rule = address == 0 ? table_.unknown_rule() : rule_at(address);
  const bool meets = rule == nullptr || !rule->has(Setting::Condition) || !recorded || meets_condition(*rule);
  return filter.enter(lane_.depth(), rule, !recorded || is_kept(record_->begin), meets);
}

bool OptionFilter::will_be_seen(const CallRecord& call) {
  if (!call.is_entry()) return !drops_exit(call);
  if (call.depth != lane_.depth()) return true;
  ThreadFilter trial = filter_;
  return enter(trial, call.address, true);
}

// True if the current record meets the condition. Also true if this function is recorded without the argument
// of the condition.
bool OptionFilter::meets_condition(const FunctionRule& rule) {
  const Condition& condition = *rule.actions.condition;
  const NameId name = names_.intern(condition.argument);
  const CallRecord& call = record_->call;
  const auto candidates = plan_.payload_decoder->candidates(call.time_ns, call.address, call.is_entry());
  if (candidates.empty() || !candidates.front().has(name)) return true;
  if (record_->layout == nullptr) return false;
  const auto number = record_->layout->number(record_->payload, name);
  return number && condition.holds(*number);
}

// ---- Events, switches, and the kernel ----

bool OptionFilter::shows_event(std::size_t depth, bool of_call) {
  const bool is_shown = filter_.shows_event(depth, of_call);
  if (!is_shown) ++dropped_.events;
  has_shown_calls_ |= is_shown && table_.passes_program();
  return is_shown;
}

bool OptionFilter::shows_switch(std::size_t depth, bool is_short) {
  if (!is_short) return shows_event(depth, false);
  ++dropped_.events;
  return false;
}

// The length of the call is not known before it ends. Therefore, returns the shortest length for which the
// call is kept.
CallFilter::KernelDecision OptionFilter::enter_kernel(std::size_t depth, std::uint64_t address) {
  const FunctionRule* const rule = kernel_rules_.get(address, [&] { return table_.kernel_rule(address); });
  const bool is_shown = count_call(filter_.enter(depth, rule, true));
  const bool is_too_small = rule != nullptr && filter_.is_too_small(depth, *rule);
  return {is_shown, table_.shortest_kept_ns(rule, is_too_small, filter_.shortest_ns(depth))};
}

}  // namespace convert::uftrace
