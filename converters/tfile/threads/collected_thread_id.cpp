#include "converters/tfile/threads/collected_thread_id.h"

#include <algorithm>
#include <array>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr std::array<std::string_view, 3> kNames{"tid", "gettid()", "thread_id"};
constexpr std::uint64_t kMaxThreadId = std::uint64_t{1} << 22;  // of Linux

// How many blocks an expression records.
std::size_t blocks_of(const std::vector<std::byte>& code) {
  std::size_t blocks = 0;
  for (std::size_t at = 0; at < code.size();) {
    const auto instruction = instruction_at(code, at);
    if (!instruction) break;
    at += instruction->size;
    switch (instruction->opcode) {
      case Opcode::TraceVariable:
      case Opcode::Trace:
      case Opcode::TraceQuick:
      case Opcode::Trace16:
      case Opcode::TraceString:
        ++blocks;
        break;
      default:
        break;
    }
  }
  return blocks;
}

// The block of the item, if each item that may have an expression has one: then they are in the same order.
std::optional<std::size_t> block_in(const TracepointLocation& location, const Description& description) {
  const auto is_variable = [&](std::string_view name) {
    return std::ranges::find(description.variables, name, &TraceVariable::name) !=
           description.variables.end();
  };
  using Kind = CollectItem::Kind;
  std::optional<std::size_t> wanted;  // among the expressions
  std::size_t expressions = 0;
  for (const CollectItem& item :
       collect_items(location.commands, is_variable, [](std::string_view) { return false; }).hit) {
    if (item.kind == Kind::Variables) return std::nullopt;
    if (item.kind == Kind::Registers || item.kind == Kind::StaticData) continue;
    if (std::ranges::count(kNames, item.text) != 0) wanted = expressions;
    ++expressions;
  }
  const auto is_expression = [](const TracepointAction& action) {
    return action.kind == TracepointAction::Kind::Expression;
  };
  const auto& actions = location.hit_actions;
  if (!wanted || std::ranges::count_if(actions, is_expression) != static_cast<std::ptrdiff_t>(expressions))
    return std::nullopt;
  std::size_t block = 0;
  for (const TracepointAction& action : actions) {
    if (is_expression(action) && (*wanted)-- == 0)
      return blocks_of(action.code) == 1 ? std::optional(block) : std::nullopt;
    block += is_expression(action) ? blocks_of(action.code) : 1;
  }
  return std::nullopt;
}

}  // namespace

CollectedThreadIds::CollectedThreadIds(const Description& description) {
  for (const TracepointLocation& location : description.locations)
    if (const auto block = block_in(location, description))
      block_of_.emplace(static_cast<std::int16_t>(static_cast<std::uint16_t>(location.number)), *block);
}

std::optional<std::uint64_t> CollectedThreadIds::of(const Frame& frame, std::endian order) const {
  const auto found = block_of_.find(frame.tracepoint);
  if (found == block_of_.end() || found->second >= frame.blocks.size()) return std::nullopt;
  const Block& block = frame.blocks[found->second];
  if (block.kind != Block::Kind::Memory || (block.bytes.size() != 4 && block.bytes.size() != 8))
    return std::nullopt;
  const std::uint64_t id = unsigned_bits(block.bytes, order);
  return id != 0 && id <= kMaxThreadId ? std::optional(id) : std::nullopt;
}

}  // namespace convert::tfile
