#include "converters/uftrace/threads/call_filter.h"

#include <utility>

namespace convert::uftrace {

CallFilter::CallFilter(FilterTable& table, Symbolizer& symbolizer, const TaskSymbols& symbols, Names& names,
                       Lane& lane, const ThreadPlan& plan)
    : table_(table),
      symbolizer_(symbolizer),
      symbols_(symbols),
      names_(names),
      lane_(lane),
      plan_(plan),
      filter_(table),
      inherited_(plan.inherited),
      is_ready_(!table.looks_ahead() || plan.path.empty()) {}

bool CallFilter::prepare() {
  if (is_ready_) return true;
  if (scan_ == nullptr)
    scan_ = std::make_unique<KeptCallScan>(plan_.path, plan_.facts, *plan_.task, plan_.payloads.get(),
                                           std::move(inherited_), table_, symbolizer_, kept_calls_);
  while (scan_->step())
    if (plan_.keep_open) return false;
  scan_.reset();
  is_ready_ = true;
  return true;
}

const FunctionRule* CallFilter::rule_at(std::uint64_t address) {
  if (const FunctionRule* const* const known = rules_->find(address)) return *known;
  const FunctionRule* const rule = table_.rule_of(symbols_, address);
  rules_->put(address, rule);
  return rule;
}

bool CallFilter::enter(std::uint64_t address, bool is_recorded) {
  const bool is_shown = enter(filter_, address, is_recorded);
  if (!is_shown) ++calls_;
  return is_shown;
}

bool CallFilter::enter(ThreadFilter& filter, std::uint64_t address, bool is_recorded) {
  const FunctionRule* const rule = address == 0 ? table_.unknown_rule() : rule_at(address);
  const bool meets =
      rule == nullptr || !rule->has(Setting::Condition) || !is_recorded || meets_condition(*rule);
  return filter.enter(lane_.depth(), rule, !is_recorded || is_kept(item_->begin), meets);
}

bool CallFilter::will_be_seen(const CallRecord& call) {
  if (!call.is_entry()) return !has_left_out(call);
  if (call.depth != lane_.depth()) return true;
  ThreadFilter trial = filter_;
  return enter(trial, call.address, true);
}

// Of a function whose argument is never recorded, nothing can be asked.
bool CallFilter::meets_condition(const FunctionRule& rule) {
  const Condition& condition = *rule.actions.condition;
  const NameId name = names_.intern(condition.argument);
  const CallRecord& call = item_->call;
  const auto candidates = plan_.payloads->candidates(call.time_ns, call.address, call.is_entry());
  if (candidates.empty() || !candidates.front().has(name)) return true;
  if (item_->layout == nullptr) return false;
  const auto number = item_->layout->number(item_->payload, name);
  return number && condition.holds(*number);
}

bool CallFilter::shows_event(std::size_t depth, bool is_of_call) {
  const bool is_shown = filter_.shows_event(depth, is_of_call);
  if (!is_shown) ++events_;
  return is_shown;
}

// ---- The kernel's calls ----

class CallFilter::KernelGate : public KernelFilter {
 public:
  explicit KernelGate(CallFilter& filter) : filter_(filter) {}

  // What its calls must be is known when they end.
  Decision enter(std::size_t depth, std::uint64_t address) override {
    FilterTable& table = filter_.table_;
    const FunctionRule* const* const known = rules_.find(address);
    const FunctionRule* const rule = known != nullptr ? *known : table.kernel_rule(address);
    if (known == nullptr) rules_.put(address, rule);
    const bool is_shown = filter_.filter_.enter(depth, rule, true);
    if (!is_shown) ++filter_.calls_;
    if (rule != nullptr && filter_.filter_.is_too_small(depth, *rule)) return {is_shown, kForever};
    if (rule != nullptr && rule->has(Setting::Trace)) return {is_shown, 0};
    if (table.has_callers() && (rule == nullptr || !rule->has(Setting::Caller))) return {is_shown, kForever};
    const bool has_time = rule != nullptr && rule->has(Setting::Time);
    return {is_shown, has_time ? rule->actions.time_ns : table.options().time_ns};
  }
  bool shows_event(std::size_t depth) override { return filter_.shows_event(depth, false); }
  void drop() override { ++filter_.calls_; }

 private:
  CallFilter& filter_;
  AddressCache<const FunctionRule*, 8> rules_;  // of the kernel's functions
};

std::unique_ptr<KernelFilter> CallFilter::for_kernel() { return std::make_unique<KernelGate>(*this); }

}  // namespace convert::uftrace
