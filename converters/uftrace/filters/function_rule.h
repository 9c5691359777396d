// What all filter options together set for one function.
#pragma once

#include <cstdint>

#include "converters/uftrace/filters/condition.h"
#include "converters/uftrace/filters/filter_item.h"
#include "converters/uftrace/symbols/label_cache.h"

namespace convert::uftrace {

struct FunctionRule {
  Actions actions = {};
  std::uint64_t size = 0;       // of its symbol in bytes; 0 if it has none
  bool is_passed_over = false;  // its calls are hidden, and change nothing for the calls inside

  bool has(Setting setting) const { return actions.given.has(setting); }
  // Adds the settings of an item, which override earlier ones.
  void apply(const FilterItem& item) {
    const Actions& later = item.actions;
    actions.given.remove(item.clears);
    actions.given.add(later.given);
    if (later.given.has(Setting::Filter)) actions.is_in = later.is_in;
    if (later.given.has(Setting::Depth)) actions.depth = later.depth;
    if (later.given.has(Setting::Time)) actions.time_ns = later.time_ns;
    if (later.given.has(Setting::Size)) actions.size = later.size;
    if (later.given.has(Setting::Condition)) actions.condition = later.condition;
  }
};

// By address, for the symbols of one epoch; null if no option is about the function.
using FunctionRuleCache = AddressCache<const FunctionRule*>;

}  // namespace convert::uftrace
