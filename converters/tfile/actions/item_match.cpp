#include "converters/tfile/actions/item_match.h"

#include <string_view>

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

// True if an expression of this form may record an item of this kind. `variable` is the name of the variable,
// if the expression only records a trace state variable.
bool may_record(const ExpressionShape& shape, std::string_view variable, const CollectItem& item, Kind kind) {
  switch (kind) {
    case Kind::Variable:
      return shape.only_variable && variable == std::string_view(item.text).substr(1);
    case Kind::Evaluate:
      return shape.blocks.empty();
    case Kind::ReturnAddress:
    case Kind::Variables:
    case Kind::Name:
    case Kind::Expression:
      return !shape.only_variable && (!shape.records_string || item.is_string);
    case Kind::Value:  // for a value, only its operands are recorded
      return !shape.only_variable && !shape.records_result;
    default:
      return false;
  }
}

bool may_have_no_expression(const CollectItem& item) {
  switch (item.kind) {
    case Kind::Variable:
    case Kind::Evaluate:
    case Kind::Value:
      return false;
    case Kind::Expression:
      return item.text.starts_with('{') || item.text.starts_with('$');
    default:  // may be static, in a register, or optimized out
      return true;
  }
}

}  // namespace

bool ItemMatch::match(const ExpectedBlocks& expected, Evidence* evidence) {
  const auto& items = expected.items;
  const std::size_t expressions = expected.shapes.size();
  alignment_.start(items.size(), expressions);
  const bool is_too_large = Alignment::is_too_large(items.size(), expressions);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == Kind::Variables) alignment_.allow_many(i);
    const auto has_expression = evidence != nullptr ? evidence->has_expression(i) : std::nullopt;
    if (has_expression ? !*has_expression : may_have_no_expression(items[i])) alignment_.allow_none(i);
    // An item is of the kind Value if its text looks like C for a value without an address. In another
    // language, this may be wrong. With evidence from the program, the item is matched like an Expression.
    const Kind kind = evidence != nullptr && items[i].kind == Kind::Value ? Kind::Expression : items[i].kind;
    for (std::size_t j = 0; !is_too_large && j < expressions; ++j)
      if (may_record(expected.shapes[j], expected.variables[j], items[i], kind))
        alignment_.allow(i, j, evidence != nullptr && !evidence->fits(i, j));
  }
  return alignment_.solve();
}

std::optional<std::size_t> ItemMatch::item_in_range(const ExpectedBlocks& expected) const {
  std::optional<std::size_t> found;
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    const CollectItem& item = expected.items[i];
    // GDB records static variables as ranges, including those of $locals.
    const bool may_be_in_range =
        item.kind == Kind::Name || item.text.starts_with('{') || item.text.starts_with("$loc");
    if (!may_be_in_range || !alignment_.can_have_none(i)) continue;
    ++candidates;
    if (!alignment_.can_have_one(i)) found = i;
  }
  return candidates == 1 ? found : std::nullopt;
}

}  // namespace convert::tfile
