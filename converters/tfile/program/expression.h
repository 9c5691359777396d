// Evaluates collected C expressions, such as "*p", "a[2]@3" and "it->next->name", on what a frame holds.
#pragma once

#include <string_view>
#include <vector>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/program/value.h"

namespace convert::tfile {

// The value of an expression. Its type may be known even if its storage is not.
Value evaluate(std::string_view expression, const EvaluationContext& context);

// The values that an item is shown as: one, several or none. Their texts are borrowed from item and scope.
struct ItemValue {
  std::string_view text;
  Value value;
};
std::vector<ItemValue> evaluate_item(const CollectItem& item, const EvaluationContext& context);

}  // namespace convert::tfile
