#include "converters/tfile/actions/action_plan.h"

#include <algorithm>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/frame_expression.h"
#include "converters/tfile/actions/item_match.h"
#include "converters/tfile/actions/own_names.h"

namespace convert::tfile {
namespace {

class Planner {
 public:
  Planner(const Description& description, const RegisterLayout* layout, const Symbols* symbols, Names& names)
      : description_(description), layout_(layout), symbols_(symbols), names_(names) {}

  LocationActions plan(const TracepointLocation& location) const {
    const CollectItems items = collect_items(
        location.commands,
        [&](std::string_view name) {
          return std::ranges::find(description_.variables, name, &Variable::name) !=
                 description_.variables.end();
        },
        [&](std::string_view name) { return is_register_name(name, layout_); });
    return {.hit = plan(location, location.hit_actions, items.hit),
            .step = plan(location, location.step_actions, items.step)};
  }

 private:
  ActionPlan plan(const TracepointLocation& location, std::span<const Action> actions,
                  std::span<const CollectItem> items) const {
    const ItemMatch match = match_items(
        items, actions, [&](const CollectItem& item) { return facts_of(location, item); },
        [&](std::uint64_t number) { return variable_name(number); });
    ActionPlan plan;
    add_registers(plan, location, items);
    plan.wanted = wanted_registers(items, actions, !location.commands.empty(), layout_);
    std::size_t expression = 0, memory = 0;
    for (const Action& action : actions) {
      switch (action.kind) {
        case Action::Kind::Registers:
          plan.shape += 'R';
          break;
        case Action::Kind::StaticData:
          plan.shape += 'S';
          break;
        case Action::Kind::Memory:
          plan.actions.push_back(range(location, action, match.memory[memory++], items));
          plan.shape.append((action.length + 65534) / 65535 < 1024 ? (action.length + 65534) / 65535 : 1024,
                            'M');
          break;
        case Action::Kind::Expression:
          add_expression(plan, location, action, match.expressions[expression++]);
      }
    }
    return plan;
  }

  PlannedAction range(const TracepointLocation& location, const Action& action, const CollectItem* item,
                      std::span<const CollectItem> items) const {
    PlannedAction planned;
    planned.base = action.base;
    planned.offset = static_cast<std::uint64_t>(action.offset);
    planned.length = action.length;
    if (action.base == -1) add_objects(planned, location, items);
    if (planned.parts.empty() && item != nullptr)
      planned.parts.push_back({.name = names_.intern(name_of_value(item->text)),
                               .size = action.length,
                               .is_string = item->is_string,
                               .layout = layout_of(location, *item)});
    return planned;
  }

  // Several objects that lie side by side were joined to one range.
  void add_objects(PlannedAction& range, const TracepointLocation& location,
                   std::span<const CollectItem> items) const {
    if (symbols_ == nullptr) return;
    std::vector<std::uint64_t> seen;  // where
    const auto add = [&](const std::string& name, const DataObject& object, bool is_string,
                         const std::shared_ptr<const ValueLayout>& layout) {
      if (object.size == 0 || object.address < range.offset || std::ranges::count(seen, object.address) != 0)
        return;
      const std::uint64_t offset = object.address - range.offset;
      if (offset > range.length || object.size > range.length - offset) return;
      seen.push_back(object.address);
      range.parts.push_back({.name = names_.intern(name_of_value(name)),
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

  // The blocks that an expression without jumps leads to are certain.
  void add_expression(ActionPlan& plan, const TracepointLocation& location, const Action& action,
                      const CollectItem* item) const {
    const bool is_value = item != nullptr && item->kind == CollectItem::Kind::Value;
    bool records_memory = false, ends_with_own_block = false, has_values_on_the_way = false;
    for (std::size_t at = 0; at < action.code.size();) {
      const auto instruction = instruction_at(action.code, at);
      if (!instruction) break;
      at += instruction->size;
      switch (instruction->opcode) {
        case Opcode::TraceVariable:
          plan.shape += 'V';
          break;
        case Opcode::Trace:
        case Opcode::TraceQuick:
        case Opcode::Trace16:
        case Opcode::TraceString: {
          const auto next = instruction_at(action.code, at);
          const bool on_the_way =
              next && next->opcode >= Opcode::Ref8 && next->opcode <= Opcode::RefLongDouble;
          records_memory = true;
          ends_with_own_block |= !on_the_way;
          has_values_on_the_way |= on_the_way;
          plan.shape += 'M';
          break;
        }
        case Opcode::Goto:
        case Opcode::IfGoto:
          plan.shape_is_certain = false;
          break;
        default:
          break;
      }
    }
    // A value may be computed from registers alone.
    if (!records_memory && !is_value) return;
    PlannedAction planned;
    planned.is_expression = true;
    planned.code = action.code;
    const bool is_named = item != nullptr && item->kind != CollectItem::Kind::Variables;
    if (is_named) {
      planned.name = names_.intern(name_of_value(item->text));
      planned.layout = layout_of(location, *item);
    } else if (const auto place = frame_place(location, action); place) {
      if (const auto local = symbols_->local(location.address, *place)) {
        planned.name = names_.intern(name_of_value(local->name));
        planned.layout = layout_of(local->type, local->name);
      }
    }
    planned.is_string = item != nullptr && item->is_string && !planned.layout;
    planned.is_value = is_named && !ends_with_own_block && (has_values_on_the_way || is_value);
    plan.actions.push_back(std::move(planned));
  }

  // Where in its frame the variable lies that an expression records. GDB leaves additions of 0 out, so the
  // program has to tell whether one of them belongs to the frame base.
  std::optional<FramePlace> frame_place(const TracepointLocation& location, const Action& action) const {
    if (symbols_ == nullptr) return std::nullopt;
    const auto constants = frame_constants_of(action.code);
    if (!constants) return std::nullopt;
    const std::size_t of_base = symbols_->frame_base_adds(location.address) ? 1 : 0;
    const std::vector<std::int64_t>& added = constants->added;
    if (added.size() != of_base && added.size() != of_base + 1) return std::nullopt;
    return FramePlace{added.size() == of_base ? 0 : added.back(), constants->is_indirect};
  }

  const Type* type_of(const TracepointLocation& location, const CollectItem& item) const {
    return symbols_ != nullptr ? symbols_->type_of(location.address, item.text) : nullptr;
  }

  std::vector<RegisterVariable> register_variables(const TracepointLocation& location) const {
    return symbols_ != nullptr ? symbols_->register_variables(location.address)
                               : std::vector<RegisterVariable>{};
  }

  void add_registers(ActionPlan& plan, const TracepointLocation& location,
                     std::span<const CollectItem> items) const {
    using Place = RegisterVariable::Place;
    std::vector<std::string> seen;  // the inner one of a name hides the outer ones
    for (const RegisterVariable& variable : register_variables(location)) {
      if (std::ranges::find(seen, variable.name) != seen.end()) continue;
      seen.push_back(variable.name);
      const auto is_wanted = [&](const CollectItem& item) {
        if (item.kind == CollectItem::Kind::Variables)
          return item.text.starts_with("$arg") == variable.is_parameter;
        return item.kind == CollectItem::Kind::Name && item.text == variable.name;
      };
      if (std::ranges::none_of(items, is_wanted)) continue;
      const auto find = [&](const std::string& name) -> const Register* {
        return layout_ != nullptr && !name.empty() ? layout_->find(name) : nullptr;
      };
      if (variable.place == Place::Nowhere) ++plan.optimized_out;
      if (variable.place == Place::Nowhere || variable.type == nullptr) continue;
      const auto steps = planned(variable.steps, layout_);
      const Register* const reg = find(variable.register_name);
      if (!steps || (variable.place == Place::Register && reg == nullptr)) continue;
      PlannedRegister& planned_variable = plan.registers.emplace_back();
      planned_variable = {.name = names_.intern(name_of_value(variable.name)),
                          .layout = layout_of(variable.type, variable.name),
                          .place = variable.place,
                          .reg = reg,
                          .steps = *steps};
      for (const RegisterVariable::Piece& piece : variable.pieces) {
        const Register* const its = find(piece.register_name);
        const auto its_steps = planned(piece.steps, layout_);
        const bool is_there = its != nullptr || (piece.place == Place::Computed && its_steps);
        planned_variable.pieces.push_back({.place = is_there ? piece.place : Place::Nowhere,
                                           .reg = its,
                                           .steps = its_steps.value_or(Computation{}),
                                           .size = piece.size});
      }
    }
  }

  ItemFacts facts_of(const TracepointLocation& location, const CollectItem& item) const {
    ItemFacts facts;
    if (const Type* const type = type_of(location, item); type != nullptr && type->size > 0)
      facts.size = type->size;
    if (item.kind != CollectItem::Kind::Name || symbols_ == nullptr || !symbols_->knows_objects())
      return facts;
    const auto object = symbols_->object(location.address, item.text);
    facts.is_static = object.has_value();
    facts.takes_no_memory =
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
        {.name = names_.intern(name_of_value(text)), .form = Leaf::Form::Pointer, .size = pc->size});
    return std::make_shared<const ValueLayout>(std::move(layout));
  }
  std::shared_ptr<const ValueLayout> layout_of(const Type* type, const std::string& text) const {
    if (type == nullptr) return nullptr;
    auto layout = std::make_shared<ValueLayout>();
    layout->is_reference = type->kind == Type::Kind::Reference && type->target != nullptr;
    if (layout->is_reference) type = type->target;
    // Nobody knows its size: it is shown as where it lies, as GDB does.
    if (type->kind == Type::Kind::Array && type->size == 0) return address_layout(text);
    layout->size = type->size;
    Leaves leaves = leaves_of(*type, text);
    for (const Leaf& leaf : leaves.first) {
      PlannedLeaf& planned =
          layout->leaves.emplace_back(PlannedLeaf{.name = names_.intern(name_of_value(leaf.name)),
                                                  .form = leaf.form,
                                                  .offset = leaf.offset,
                                                  .size = leaf.size,
                                                  .bit_offset = leaf.bit_offset,
                                                  .bit_size = leaf.bit_size});
      if (leaf.form == Leaf::Form::Enum)
        for (const auto& [value, name] : leaf.type->enumerators)
          planned.enumerators.emplace_back(value, names_.intern(name));
    }
    layout->more = leaves.more;
    if (layout->more > 0) layout->more_name = names_.intern(text + ".more");
    return layout;
  }

  std::string_view variable_name(std::uint64_t number) const {
    const auto found = std::ranges::find(description_.variables, number, &Variable::number);
    return found != description_.variables.end() ? std::string_view(found->name) : std::string_view();
  }

  const Description& description_;
  const RegisterLayout* layout_;
  const Symbols* symbols_;
  Names& names_;
};

}  // namespace

LocationActions plan_location(const TracepointLocation& location, const Description& description,
                              const RegisterLayout* layout, const Symbols* symbols, Names& names) {
  return Planner(description, layout, symbols, names).plan(location);
}

}  // namespace convert::tfile
