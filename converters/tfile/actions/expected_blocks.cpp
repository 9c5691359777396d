#include "converters/tfile/actions/expected_blocks.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

// A memory block has at most 65535 bytes. A damaged length must not make an endless shape.
std::size_t blocks_of_range(std::uint64_t length) {
  constexpr std::uint64_t kBlockBytes = 65535, kMaxBlocks = 1024;
  return static_cast<std::size_t>(std::min((length + kBlockBytes - 1) / kBlockBytes, kMaxBlocks));
}

// Which item each expression records, where all possible alignments agree. Of a single memory range, too.
void align(ExpectedBlocks& blocks, const Description& description, bool has_one_range) {
  Alignment alignment;
  alignment.start(blocks.items.size(), blocks.shapes.size());
  for (std::size_t i = 0; i < blocks.items.size(); ++i) {
    if (may_have_no_expression(blocks.items[i])) alignment.allow_none(i);
    if (blocks.items[i].kind == Kind::Variables) alignment.allow_many(i);
    for (std::size_t j = 0; j < blocks.shapes.size(); ++j)
      if (may_record(blocks.shapes[j], variable_name(description, blocks.shapes[j]), blocks.items[i]))
        alignment.allow(i, j);
  }
  const bool is_possible = alignment.solve();
  for (std::size_t j = 0; j < blocks.shapes.size(); ++j)
    blocks.item_of.push_back(is_possible ? alignment.item_of(j) : std::nullopt);
  if (!is_possible || !has_one_range) return;
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < blocks.items.size(); ++i) {
    // GDB records static variables as ranges, among them those of $locals.
    const bool may_be_in_range = blocks.items[i].kind == Kind::Name ||
                                 blocks.items[i].text.starts_with('{') ||
                                 blocks.items[i].text.starts_with("$loc");
    if (!may_be_in_range || !alignment.can_have_none(i)) continue;
    ++candidates;
    if (!alignment.can_have_one(i)) blocks.range_item = i;
  }
  if (candidates != 1) blocks.range_item.reset();
}

ExpectedBlocks expect(const TracepointLocation& location, std::span<const TracepointAction> actions,
                      std::span<const CollectItem> items, const Description& description,
                      const RegisterLayout* layout, Names& names) {
  ExpectedBlocks blocks;
  blocks.actions = actions;
  for (const CollectItem& item : items)
    blocks.items.push_back({{item}, names.intern(value_argument_name(item.text))});
  blocks.wanted = wanted_registers(items, actions, !location.commands.empty(), layout);
  std::size_t ranges = 0;
  for (const TracepointAction& action : actions) {
    switch (action.kind) {
      case TracepointAction::Kind::Registers:
        blocks.shape += 'R';
        break;
      case TracepointAction::Kind::StaticData:
        blocks.shape += 'S';
        break;
      case TracepointAction::Kind::Memory:
        ++ranges;
        blocks.shape.append(blocks_of_range(action.length), 'M');
        break;
      case TracepointAction::Kind::Expression:
        blocks.shapes.push_back(shape_of(action.code));
        blocks.shape += blocks.shapes.back().blocks;
    }
  }
  align(blocks, description, ranges == 1);
  for (std::size_t j = 0; j < blocks.shapes.size(); ++j) {
    const auto item = blocks.item_of[j];
    const bool is_evaluation = item && blocks.items[*item].kind == Kind::Evaluate;
    blocks.is_needed.push_back(!blocks.shapes[j].only_variable && !is_evaluation);
  }
  return blocks;
}

}  // namespace

std::string_view variable_name(const Description& description, const ExpressionShape& shape) {
  if (!shape.only_variable) return {};
  const auto found = std::ranges::find(description.variables, *shape.only_variable, &TraceVariable::number);
  return found != description.variables.end() ? std::string_view(found->name) : std::string_view();
}

bool may_record(const ExpressionShape& shape, std::string_view variable, const CollectItem& item) {
  switch (item.kind) {
    case Kind::Variable:
      return shape.only_variable && variable == std::string_view(item.text).substr(1);
    case Kind::Evaluate:
      return shape.blocks.empty();
    case Kind::ReturnAddress:
    case Kind::Variables:
    case Kind::Name:
    case Kind::Expression:
      return !shape.only_variable && (!shape.records_string || item.is_string);
    case Kind::Value:  // only its operands are recorded
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
    default:  // static, in a register, or optimized out
      return true;
  }
}

LocationTable::LocationTable(std::vector<ExpectedFrames> locations)
    : locations_(std::move(locations)), ranges_(0x10000) {
  std::erase_if(locations_, [&](const ExpectedFrames& e) { return e.location->number >= ranges_.size(); });
  std::ranges::stable_sort(locations_, {}, [](const ExpectedFrames& e) { return e.location->number; });
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    auto& [first, count] = ranges_[locations_[i].location->number];
    if (count++ == 0) first = static_cast<std::uint32_t>(i);
  }
}

std::span<const ExpectedFrames> LocationTable::of(std::int16_t tracepoint) const {
  const auto [first, count] = ranges_[static_cast<std::uint16_t>(tracepoint)];
  return std::span(locations_).subspan(first, count);
}

ExpectedFrames expect_frames(const TracepointLocation& location, const Description& description,
                             const RegisterLayout* layout, Names& names) {
  const CollectItems items = collect_items(
      location.commands, [&](std::string_view name) { return description.has_variable(name); },
      [&](std::string_view name) { return is_register_name(name, layout); });
  return {.location = &location,
          .hit = expect(location, location.hit_actions, items.hit, description, layout, names),
          .step = expect(location, location.step_actions, items.step, description, layout, names)};
}

LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout, Names& names) {
  std::vector<ExpectedFrames> locations;
  for (const TracepointLocation& location : description.locations)
    locations.push_back(expect_frames(location, description, layout, names));
  return LocationTable(std::move(locations));
}

}  // namespace convert::tfile
