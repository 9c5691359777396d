#include "converters/tfile/actions/expected_blocks.h"

#include <algorithm>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/item_match.h"
#include "converters/tfile/description/collect_items.h"

namespace convert::tfile {
namespace {

class LocationResolver {
 public:
  LocationResolver(const Description& description, const RegisterLayout* layout,
                   const ProgramSymbols* symbols, Names& names)
      : description_(description), layout_(layout), symbols_(symbols), names_(names) {}

  ExpectedFrames expect(const TracepointLocation& location) const {
    const CollectItems items = collect_items(
        location.commands,
        [&](std::string_view name) {
          return std::ranges::find(description_.variables, name, &TraceVariable::name) !=
                 description_.variables.end();
        },
        [&](std::string_view name) { return is_register_name(name, layout_); });
    return {.location = &location,
            .hit = expect(location, location.hit_actions, items.hit),
            .step = expect(location, location.step_actions, items.step)};
  }

 private:
  ExpectedBlocks expect(const TracepointLocation& location, std::span<const TracepointAction> actions,
                        std::span<const CollectItem> items) const {
    const ItemMatch match = match_items(
        items, actions, [&](const CollectItem& item) { return facts_of(location, item); },
        [&](std::uint64_t number) { return variable_name(number); });
    ExpectedBlocks blocks;
    add_variables(blocks, location, items);
    blocks.wanted = wanted_registers(items, actions, !location.commands.empty(), layout_);
    std::size_t expression = 0, memory = 0;
    for (const TracepointAction& action : actions) {
      switch (action.kind) {
        case TracepointAction::Kind::Registers:
          blocks.shape += 'R';
          break;
        case TracepointAction::Kind::StaticData:
          blocks.shape += 'S';
          break;
        case TracepointAction::Kind::Memory:
          blocks.actions.push_back(range(location, action, match.memory[memory++], items));
          blocks.shape.append(blocks_of_range(action.length), 'M');
          break;
        case TracepointAction::Kind::Expression:
          add_expression(blocks, location, action, match.expressions[expression++]);
      }
    }
    return blocks;
  }

  // A memory block has at most 65535 bytes. A damaged length must not make an endless shape.
  static std::size_t blocks_of_range(std::uint64_t length) {
    constexpr std::uint64_t kBlockBytes = 65535, kMaxBlocks = 1024;
    return static_cast<std::size_t>(std::min((length + kBlockBytes - 1) / kBlockBytes, kMaxBlocks));
  }

  MemoryAction range(const TracepointLocation& location, const TracepointAction& action,
                     const CollectItem* item, std::span<const CollectItem> items) const {
    MemoryAction memory;
    memory.base = action.base;
    memory.offset = static_cast<std::uint64_t>(action.offset);
    memory.length = action.length;
    if (action.base == -1) add_objects(memory, location, items);
    if (memory.parts.empty() && item != nullptr)
      memory.parts.push_back({.name = names_.intern(value_argument_name(item->text)),
                              .size = action.length,
                              .is_string = item->is_string,
                              .layout = layout_of(location, *item)});
    return memory;
  }

  // GDB joins adjacent objects to one range. Names those that the program knows.
  void add_objects(MemoryAction& range, const TracepointLocation& location,
                   std::span<const CollectItem> items) const {
    if (symbols_ == nullptr) return;
    std::vector<std::uint64_t> seen;  // addresses
    const auto add = [&](const std::string& name, const DataObject& object, bool is_string,
                         const std::shared_ptr<const ValueLayout>& layout) {
      if (object.size == 0 || object.address < range.offset || std::ranges::count(seen, object.address) != 0)
        return;
      const std::uint64_t offset = object.address - range.offset;
      if (offset > range.length || object.size > range.length - offset) return;
      seen.push_back(object.address);
      range.parts.push_back({.name = names_.intern(value_argument_name(name)),
                             .offset = offset,
                             .size = object.size,
                             .is_string = is_string,
                             .layout = layout});
    };
    for (const CollectItem& item : items) {
      if (item.kind != CollectItem::Kind::Name) continue;
      if (const auto object = symbols_->object(location.address, item.text))
        add(item.text, *object, item.is_string, layout_of(location, item));
    }
    const auto is_locals = [](const CollectItem& item) {
      return item.kind == CollectItem::Kind::Variables && !item.text.starts_with("$arg");
    };
    const auto locals = std::ranges::find_if(items, is_locals);
    if (locals == items.end()) return;
    for (const StaticLocal& local : symbols_->static_locals(location.address))
      add(local.name, local.object, locals->is_string, layout_of(local.type, local.name));
  }

  void add_expression(ExpectedBlocks& blocks, const TracepointLocation& location,
                      const TracepointAction& action, const CollectItem* item) const {
    const bool is_value = item != nullptr && item->kind == CollectItem::Kind::Value;
    bool records_memory = false, records_result = false, records_operands = false;
    for (std::size_t at = 0; at < action.code.size();) {
      const auto instruction = instruction_at(action.code, at);
      if (!instruction) break;
      at += instruction->size;
      switch (instruction->opcode) {
        case Opcode::TraceVariable:
          blocks.shape += 'V';
          break;
        case Opcode::Trace:
        case Opcode::TraceQuick:
        case Opcode::Trace16:
        case Opcode::TraceString: {
          const auto next = instruction_at(action.code, at);
          const bool is_operand =
              next && next->opcode >= Opcode::Ref8 && next->opcode <= Opcode::RefLongDouble;
          records_memory = true;
          records_result |= !is_operand;
          records_operands |= is_operand;
          blocks.shape += 'M';
          break;
        }
        default:
          break;
      }
    }
    // Operands may all be registers, which need no memory.
    if (!records_memory && !is_value) return;
    MemoryAction memory;
    memory.is_expression = true;
    memory.code = action.code;
    const bool is_named = item != nullptr && item->kind != CollectItem::Kind::Variables;
    if (is_named) {
      memory.name = names_.intern(value_argument_name(item->text));
      memory.layout = layout_of(location, *item);
    } else if (const auto offset = frame_offset(location, action); offset) {
      if (const auto local = symbols_->local(location.address, *offset)) {
        memory.name = names_.intern(value_argument_name(local->name));
        memory.layout = layout_of(local->type, local->name);
      }
    }
    memory.is_string = item != nullptr && item->is_string && !memory.layout;
    memory.is_value = is_named && !records_result && (records_operands || is_value);
    blocks.actions.push_back(std::move(memory));
  }

  // The frame offset of the variable that an expression records. GDB omits additions of 0, so only the
  // program tells whether a constant belongs to the frame base or to the variable.
  std::optional<FrameOffset> frame_offset(const TracepointLocation& location,
                                          const TracepointAction& action) const {
    if (symbols_ == nullptr) return std::nullopt;
    const auto constants = frame_constants_of(action.code);
    if (!constants) return std::nullopt;
    const std::size_t of_base = symbols_->frame_base_adds(location.address) ? 1 : 0;
    const std::vector<std::int64_t>& added = constants->added;
    if (added.size() != of_base && added.size() != of_base + 1) return std::nullopt;
    return FrameOffset{added.size() == of_base ? 0 : added.back(), constants->is_indirect};
  }

  const Type* type_of(const TracepointLocation& location, const CollectItem& item) const {
    return symbols_ != nullptr ? symbols_->type_of(location.address, item.text) : nullptr;
  }

  std::vector<RegisterVariable> register_variables(const TracepointLocation& location) const {
    return symbols_ != nullptr ? symbols_->register_variables(location.address)
                               : std::vector<RegisterVariable>{};
  }

  void add_variables(ExpectedBlocks& blocks, const TracepointLocation& location,
                     std::span<const CollectItem> items) const {
    using Storage = RegisterVariable::Storage;
    std::vector<std::string> seen;  // inner variables hide outer ones of the same name
    for (const RegisterVariable& variable : register_variables(location)) {
      if (std::ranges::find(seen, variable.name) != seen.end()) continue;
      seen.push_back(variable.name);
      const auto is_collected = [&](const CollectItem& item) {
        if (item.kind == CollectItem::Kind::Variables)
          return item.text.starts_with("$arg") == variable.is_parameter;
        return item.kind == CollectItem::Kind::Name && item.text == variable.name;
      };
      if (std::ranges::none_of(items, is_collected)) continue;
      if (variable.storage == Storage::Nowhere) ++blocks.optimized_out;
      if (variable.storage == Storage::Nowhere || variable.type == nullptr) continue;
      const auto steps = resolved(variable.steps, layout_);
      const Register* const reg = find_register(variable.register_name);
      if (!steps || (variable.storage == Storage::Register && reg == nullptr)) continue;
      ResolvedVariable& added = blocks.variables.emplace_back();
      added = {.name = names_.intern(value_argument_name(variable.name)),
               .layout = layout_of(variable.type, variable.name),
               .storage = variable.storage,
               .reg = reg,
               .steps = *steps};
      for (const RegisterVariable::Piece& piece : variable.pieces) {
        const Register* const piece_register = find_register(piece.register_name);
        const auto piece_steps = resolved(piece.steps, layout_);
        const bool is_known =
            piece_register != nullptr || (piece.storage == Storage::Computed && piece_steps);
        added.pieces.push_back({.storage = is_known ? piece.storage : Storage::Nowhere,
                                .reg = piece_register,
                                .steps = piece_steps.value_or(Computation{}),
                                .size = piece.size});
      }
    }
  }

  const Register* find_register(const std::string& name) const {
    return layout_ != nullptr && !name.empty() ? layout_->find(name) : nullptr;
  }

  ItemFacts facts_of(const TracepointLocation& location, const CollectItem& item) const {
    ItemFacts facts;
    if (const Type* const type = type_of(location, item); type != nullptr && type->size > 0)
      facts.size = type->size;
    if (item.kind != CollectItem::Kind::Name || symbols_ == nullptr || !symbols_->knows_objects())
      return facts;
    const auto object = symbols_->object(location.address, item.text);
    facts.is_static = object.has_value();
    facts.has_no_memory =
        !object && std::ranges::count(register_variables(location), item.text, &RegisterVariable::name) != 0;
    if (object) facts.address = object->address;
    return facts;
  }

  std::shared_ptr<const ValueLayout> layout_of(const TracepointLocation& location,
                                               const CollectItem& item) const {
    if (item.kind == CollectItem::Kind::ReturnAddress) return address_layout(item.text);
    return layout_of(type_of(location, item), item.text);
  }
  std::shared_ptr<const ValueLayout> address_layout(const std::string& text) const {
    const Register* const pc = layout_ != nullptr ? layout_->pc() : nullptr;
    if (pc == nullptr) return nullptr;
    ValueLayout layout;
    layout.size = pc->size;
    layout.leaves.push_back(
        {.name = names_.intern(value_argument_name(text)), .form = ValueForm::Pointer, .size = pc->size});
    return std::make_shared<const ValueLayout>(std::move(layout));
  }
  std::shared_ptr<const ValueLayout> layout_of(const Type* type, const std::string& text) const {
    if (type == nullptr) return nullptr;
    const bool is_reference = type->kind == Type::Kind::Reference && type->target != nullptr;
    if (is_reference) type = type->target;
    // An array of unknown size is shown by its address, as GDB does.
    if (type->kind == Type::Kind::Array && type->size == 0) return address_layout(text);
    auto layout = std::make_shared<ValueLayout>(value_layout(*type, text, names_));
    layout->is_reference = is_reference;
    return layout;
  }

  std::string_view variable_name(std::uint64_t number) const {
    const auto found = std::ranges::find(description_.variables, number, &TraceVariable::number);
    return found != description_.variables.end() ? std::string_view(found->name) : std::string_view();
  }

  const Description& description_;
  const RegisterLayout* layout_;
  const ProgramSymbols* symbols_;
  Names& names_;
};

}  // namespace

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
                             const RegisterLayout* layout, const ProgramSymbols* symbols, Names& names) {
  return LocationResolver(description, layout, symbols, names).expect(location);
}

LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout,
                                const ProgramSymbols* symbols, Names& names) {
  std::vector<ExpectedFrames> locations;
  for (const TracepointLocation& location : description.locations)
    locations.push_back(expect_frames(location, description, layout, symbols, names));
  return LocationTable(std::move(locations));
}

}  // namespace convert::tfile
