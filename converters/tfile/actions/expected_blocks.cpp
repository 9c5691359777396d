#include "converters/tfile/actions/expected_blocks.h"

#include <algorithm>

#include "converters/tfile/actions/item_match.h"
#include "converters/tfile/description/argument_name.h"

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

// The number of memory blocks that hold a range. A block has at most 65535 bytes. kMaxBlocks limits the
// number if the length is damaged and very large.
std::size_t blocks_of_range(std::uint64_t length) {
  constexpr std::uint64_t kBlockBytes = 65535, kMaxBlocks = 128;
  return static_cast<std::size_t>(std::min((length + kBlockBytes - 1) / kBlockBytes, kMaxBlocks));
}

// Finds the item of each expression. If there is exactly one memory range, also finds its item. An item is
// found only if no other item is possible.
void match_items(ExpectedBlocks& blocks, bool has_one_range, fxt::Budget& matches) {
  blocks.item_of.resize(blocks.shapes.size());
  ItemMatch match;
  const std::size_t items = blocks.items.size(), expressions = blocks.shapes.size();
  if (Alignment::is_too_large(items, expressions) || !matches.take(items * expressions) ||
      !match.match(blocks, nullptr))
    return;
  for (std::size_t j = 0; j < blocks.shapes.size(); ++j) blocks.item_of[j] = match.item_of(j);
  if (has_one_range) blocks.range_item = match.item_in_range(blocks);
}

bool records_from(const Register& reg, const TracepointAction& action) {
  if (action.kind == TracepointAction::Kind::Memory) return action.base == std::int64_t{reg.number};
  const auto is_of_register = [&](const Instruction& instruction) {
    return instruction.opcode == Opcode::Reg && instruction.operand == reg.number;
  };
  return action.kind == TracepointAction::Kind::Expression &&
         std::ranges::any_of(instructions_of(action.code), is_of_register);
}

std::string_view variable_name(const VariableIndex& variables, const ExpressionShape& shape) {
  const TraceVariable* const found = shape.only_variable ? variables.numbered(*shape.only_variable) : nullptr;
  return found != nullptr ? std::string_view(found->name) : std::string_view();
}

ExpectedBlocks expect(const TracepointLocation& location, std::span<const TracepointAction> actions,
                      std::span<const CollectItem> items, const VariableIndex& variables,
                      const RegisterLayout* layout, Names& names, fxt::Budget& matches) {
  ExpectedBlocks blocks;
  blocks.actions = actions;
  for (const CollectItem& item : items)
    blocks.items.push_back({{item}, names.intern(argument_name(item.text))});
  blocks.wanted = wanted_registers(items, actions, !location.commands.empty(), layout);
  std::size_t ranges = 0;
  const Register* const stack_pointer = layout != nullptr ? layout->sp() : nullptr;
  for (const TracepointAction& action : actions) {
    blocks.records_stack |= stack_pointer != nullptr && records_from(*stack_pointer, action);
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
        blocks.variables.push_back(variable_name(variables, blocks.shapes.back()));
    }
  }
  match_items(blocks, ranges == 1, matches);
  for (std::size_t j = 0; j < blocks.shapes.size(); ++j) {
    const auto item = blocks.item_of[j];
    const bool is_evaluation = item && blocks.items[*item].kind == Kind::Evaluate;
    blocks.is_needed.push_back(!blocks.shapes[j].only_variable && !is_evaluation);
  }
  return blocks;
}

}  // namespace

LocationTable::LocationTable(std::vector<ExpectedFrames> locations)
    : locations_(std::move(locations)), ranges_(0x10000) {
  std::erase_if(locations_, [&](const ExpectedFrames& e) { return e.location->number >= ranges_.size(); });
  std::ranges::stable_sort(locations_, {}, [](const ExpectedFrames& e) { return e.location->number; });
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const auto& [location, hit, step] = locations_[i];
    Range& range = ranges_[location->number];
    if (range.count++ == 0) range.first = static_cast<std::uint32_t>(i);
    range.has_fast |= location->is_fast;
    by_address_.emplace_back(location->address, static_cast<std::uint32_t>(i));
    hit_shapes_.push_back(hit.shape);
    step_shapes_.push_back(step.shape);
  }
  for (const Range& range : ranges_) {
    if (range.count < 2) continue;
    const auto sort = [&](auto& all) { std::ranges::sort(std::span(all).subspan(range.first, range.count)); };
    sort(by_address_);
    sort(hit_shapes_);
    sort(step_shapes_);
  }
}

std::span<const ExpectedFrames> LocationTable::locations_of(std::int16_t tracepoint) const {
  const Range& range = range_of(tracepoint);
  return std::span(locations_).subspan(range.first, range.count);
}

const ExpectedFrames* LocationTable::location_at(std::int16_t tracepoint, std::uint64_t address) const {
  const Range& range = range_of(tracepoint);
  const auto all = std::span(by_address_).subspan(range.first, range.count);
  const auto found = std::ranges::lower_bound(all, std::pair(address, std::uint32_t{0}));
  return found != all.end() && found->first == address ? &locations_[found->second] : nullptr;
}

bool LocationTable::has_shape(std::int16_t tracepoint, const Shapes& shapes, std::string_view shape,
                              bool is_beginning) const {
  const Range& range = range_of(tracepoint);
  const auto all = std::span(shapes).subspan(range.first, range.count);
  const auto found = std::ranges::lower_bound(all, shape);
  return found != all.end() && (is_beginning ? found->starts_with(shape) : *found == shape);
}

ExpectedFrames expect_frames(const TracepointLocation& location, const VariableIndex& variables,
                             const RegisterLayout* layout, Names& names, fxt::Budget& matches) {
  const CollectItems items = collect_items(
      location.commands, [&](std::string_view name) { return variables.has(name); },
      [&](std::string_view name) { return is_register_name(name, layout); });
  return {.location = &location,
          .hit = expect(location, location.hit_actions, items.hit, variables, layout, names, matches),
          .step = expect(location, location.step_actions, items.step, variables, layout, names, matches)};
}

LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout, Names& names,
                                fxt::Budget& matches) {
  const VariableIndex variables(description.variables);
  std::vector<ExpectedFrames> locations;
  locations.reserve(description.locations.size());
  for (const TracepointLocation& location : description.locations)
    locations.push_back(expect_frames(location, variables, layout, names, matches));
  return LocationTable(std::move(locations));
}

}  // namespace convert::tfile
