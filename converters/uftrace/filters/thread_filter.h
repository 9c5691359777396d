// Decides which calls of one thread are shown. Each stack depth has its own state. When a call ends, even by
// exec, longjmp or loss, the state of its caller applies again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "converters/uftrace/filters/filter_table.h"

namespace convert::uftrace {

class ThreadFilter {
 public:
  explicit ThreadFilter(const FilterTable& table)
      : has_filter_(table.has_filter()),
        starts_tracing_(table.options().starts_tracing),
        levels_(levels_of(table.options())),
        is_tracing_(starts_tracing_) {
    states_[0] = {.budget = levels_, .size = table.options().size, .time_ns = table.options().time_ns};
  }

  // Enters a call inside `depth` other calls. Returns true if the call is shown. `rule` may be null.
  // `is_kept` is false if the call is hidden because of later records. May be called several times for the
  // same call.
  bool enter(std::size_t depth, const FunctionRule* rule, bool is_kept, bool condition_holds = true) {
    if (depth + 1 >= states_.size()) states_.resize(2 * depth + 2);
    const State& around = states_[depth];
    State& inside = states_[depth + 1];
    inside = around;
    inside.is_dropped = false;
    if (rule == nullptr && is_kept) {
      if (!is_open(around) || !is_tracing_ || around.budget <= 0) return false;
      --inside.budget;
      return true;
    }
    return enter_with_rule(inside, rule, is_kept, condition_holds);
  }
  // True if a call with this rule is always hidden at this depth.
  bool hides(std::size_t depth, const FunctionRule* rule) const {
    if (depth >= states_.size()) return false;
    const State& around = states_[depth];
    if (around.is_out || (rule != nullptr && rule->is_passed_over)) return true;
    return !is_open(around) && (rule == nullptr || !rule->has(Setting::Filter));
  }
  // True if the latest call at this depth is hidden because its function is too small.
  bool is_too_small(std::size_t depth, const FunctionRule& rule) const {
    return states_[depth + 1].size != 0 && rule.size < states_[depth + 1].size;
  }
  // The minimum length that applies to the latest call at this depth, and to the calls inside it.
  std::uint64_t shortest_ns(std::size_t depth) const { return states_[depth + 1].time_ns; }
  // True if an event inside `depth` calls is shown. `is_of_call` is true for an event that belongs to the
  // innermost of these calls. Such an event is also hidden if the call is dropped.
  bool shows_event(std::size_t depth, bool is_of_call = false) const {
    const State& around = states_[std::min(depth, states_.size() - 1)];
    return is_open(around) && around.budget > 0 && is_tracing_ && !(is_of_call && around.is_dropped);
  }
  // Must be called when the process starts another program.
  void start_over() { is_tracing_ = starts_tracing_; }

 private:
  struct State {
    bool is_in = false, is_out = false;  // inside a call that a filter shows, or hides
    bool is_dropped = false;             // innermost call is too short, or calls no function given with -C
    std::int32_t budget = 0;             // number of call levels that may still be shown
    std::uint64_t size = 0;              // minimum size of shown functions
    std::uint64_t time_ns = 0;           // minimum length of shown calls
  };

  static std::int32_t levels_of(const FilterOptions& options) {
    return static_cast<std::int32_t>(options.depth.value_or(std::numeric_limits<std::int32_t>::max()));
  }
  bool is_open(const State& around) const { return !around.is_out && (around.is_in || !has_filter_); }
  bool enter_with_rule(State& inside, const FunctionRule* rule, bool is_kept, bool condition_holds);

  bool has_filter_, starts_tracing_;
  std::int32_t levels_;
  bool is_tracing_;
  std::vector<State> states_ = std::vector<State>(64);  // indexed by the number of open calls
};

// The part of enter() for calls that have a rule or are not kept. Calls of too small functions, calls that
// are not kept, and calls through the PLT (--no-libcall) are hidden. For the calls inside, they change only
// the minimum size and the minimum length.
inline bool ThreadFilter::enter_with_rule(State& inside, const FunctionRule* rule, bool is_kept,
                                          bool condition_holds) {
  const State around = inside;
  if (rule != nullptr && rule->has(Setting::Size)) inside.size = rule->actions.size;
  if (rule != nullptr && rule->has(Setting::Time)) inside.time_ns = rule->actions.time_ns;
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
