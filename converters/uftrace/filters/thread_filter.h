// Which calls of one thread are shown. What holds inside a call is kept beside it, by its depth: whatever
// ends calls (a return, an exec, a longjmp, a loss) brings back what held around them (fact sheet of filters,
// 6).
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
    inside_[0] = {.budget = levels_, .size = table.options().size};
  }

  // A call begins inside `depth` others: whether it is shown. `rule` may be null. `is_kept` is false for one
  // that what comes later leaves out. May be asked again of the same call.
  bool enter(std::size_t depth, const FunctionRule* rule, bool is_kept, bool condition_holds = true) {
    if (depth + 1 >= inside_.size()) inside_.resize(2 * depth + 2);
    const Inside& around = inside_[depth];
    Inside& inside = inside_[depth + 1];
    inside = around;
    inside.is_dropped = false;
    if (rule == nullptr && is_kept) {
      if (!is_open(around) || !is_tracing_ || around.budget <= 0) return false;
      --inside.budget;
      return true;
    }
    return enter_slowly(inside, rule, is_kept, condition_holds);
  }
  // Whether a call of that rule would be left out there whatever it holds, and say nothing of those inside
  // it.
  bool leaves_out(std::size_t depth, const FunctionRule* rule) const {
    if (depth >= inside_.size()) return false;
    const Inside& around = inside_[depth];
    if (around.is_out || (rule != nullptr && rule->is_passed_over)) return true;
    return !is_open(around) && (rule == nullptr || !rule->has(Setting::Filter));
  }
  // The call that was entered there last is left out because its function is too small.
  bool is_too_small(std::size_t depth, const FunctionRule& rule) const {
    return inside_[depth + 1].size != 0 && rule.size < inside_[depth + 1].size;
  }
  // Whether an event in so many open calls is shown. What was read at a call goes with it.
  bool shows_event(std::size_t depth, bool is_of_call = false) const {
    const Inside& around = inside_[std::min(depth, inside_.size() - 1)];
    return is_open(around) && around.budget > 0 && is_tracing_ && !(is_of_call && around.is_dropped);
  }
  // Another program begins.
  void start_over() { is_tracing_ = starts_tracing_; }

 private:
  // What holds in a call.
  struct Inside {
    bool is_in = false, is_out = false;  // of a function that is filtered so
    bool is_dropped = false;             // it is too short, or calls none that is wanted
    std::int32_t budget = 0;             // levels that may be shown
    std::uint64_t size = 0;              // of the smallest function
  };

  static std::int32_t levels_of(const FilterOptions& options) {
    return static_cast<std::int32_t>(options.depth.value_or(std::numeric_limits<std::int32_t>::max()));
  }
  bool is_open(const Inside& around) const { return !around.is_out && (around.is_in || !has_filter_); }
  bool enter_slowly(Inside& inside, const FunctionRule* rule, bool is_kept, bool condition_holds);

  bool has_filter_, starts_tracing_;
  std::int32_t levels_;
  bool is_tracing_;
  std::vector<Inside> inside_ = std::vector<Inside>(64);  // by the number of calls
};

}  // namespace convert::uftrace
