#include "converters/uftrace/filters/function_rule.h"

namespace convert::uftrace {

void FunctionRule::take(const FilterItem& item) {
  const Actions& later = item.actions;
  actions.given.remove(item.clears);
  actions.given.add(later.given);
  if (later.given.has(Setting::Filter)) actions.is_in = later.is_in;
  if (later.given.has(Setting::Depth)) actions.depth = later.depth;
  if (later.given.has(Setting::Time)) actions.time_ns = later.time_ns;
  if (later.given.has(Setting::Size)) actions.size = later.size;
  if (later.given.has(Setting::Condition)) actions.condition = later.condition;
}

}  // namespace convert::uftrace
