// What all options together say of one function.
#pragma once

#include <cstdint>

#include "converters/uftrace/filters/condition.h"
#include "converters/uftrace/filters/filter_item.h"
#include "converters/uftrace/symbols/label_cache.h"

namespace convert::uftrace {

struct FunctionRule {
  Actions actions = {};
  std::uint64_t size = 0;       // of its symbol in bytes; 0 if it has none
  bool is_passed_over = false;  // its calls are left out, and change nothing for others

  bool has(Setting setting) const { return actions.given.has(setting); }
  // As a later item has it.
  void take(const FilterItem& item);
};

// By addresses of one epoch of symbols; null if nothing is said of the function.
using FunctionRuleCache = AddressCache<const FunctionRule*>;

}  // namespace convert::uftrace
