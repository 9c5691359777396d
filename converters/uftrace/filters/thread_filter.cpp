#include "converters/uftrace/filters/thread_filter.h"

namespace convert::uftrace {

// A call that is hidden because of its size, its length, its callees or its kind does not change the state
// for the calls inside it. The other settings apply in the order of the fact sheet.
bool ThreadFilter::enter_with_rule(State& inside, const FunctionRule* rule, bool is_kept,
                                   bool condition_holds) {
  const State around = inside;
  if (rule != nullptr && rule->has(Setting::Size)) inside.size = rule->actions.size;
  if (rule != nullptr && inside.size != 0 && rule->size < inside.size) return false;
  if (!is_kept) {
    inside.is_dropped = true;
    return false;
  }
  if (rule != nullptr && rule->is_passed_over) return false;
  if (around.is_out) return false;
  const bool has_filter = rule != nullptr && rule->has(Setting::Filter) && condition_holds;
  if (has_filter && rule->actions.is_in) {
    inside.is_in = true;
    inside.budget = levels_;
  } else if (has_filter) {
    inside.is_out = true;
    return false;
  }
  if (!is_open(inside) || (rule != nullptr && rule->is_elsewhere)) return false;
  if (rule != nullptr) {
    if (rule->has(Setting::Depth)) inside.budget = static_cast<std::int32_t>(rule->actions.depth);
    const bool turns_on = rule->has(Setting::TraceOn);
    if (turns_on != rule->has(Setting::TraceOff)) is_tracing_ = turns_on;
  }
  if (!is_tracing_ || inside.budget <= 0 || (rule != nullptr && rule->has(Setting::Hide))) return false;
  --inside.budget;
  return true;
}

}  // namespace convert::uftrace
