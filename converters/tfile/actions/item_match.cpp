#include "converters/tfile/actions/item_match.h"

#include <algorithm>
#include <limits>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/emulator.h"

namespace convert::tfile {
namespace {

using Kind = CollectItem::Kind;

// An expression's form, and the memory that it records last, as far as it is the same in all frames.
struct RecordedShape : ExpressionShape {
  std::optional<std::uint64_t> address, length;

  // Whether it records only the operands of its value.
  bool is_value() const { return records && !records_string && !length; }

  static RecordedShape of(std::span<const std::byte> code) {
    class UnknownTarget : public EmulatorTarget {
     public:
      std::optional<std::uint64_t> read_register(std::uint64_t) override { return std::nullopt; }
      std::optional<std::uint64_t> read_memory(std::uint64_t, std::size_t) override { return std::nullopt; }
      std::optional<std::uint64_t> read_variable(std::uint64_t) override { return std::nullopt; }
      bool record(const MemoryRecord& recording) override {
        if (!recording.is_operand && !recording.is_string) last = recording;
        return true;
      }
      MemoryRecord last;
    };
    UnknownTarget target;
    run(code, target);
    RecordedShape shape;
    static_cast<ExpressionShape&>(shape) = shape_of(code);
    shape.address = target.last.address;
    shape.length = target.last.length;
    return shape;
  }
};

// Aligns items with expressions, both in order, at the lowest cost, and keeps the matches that all cheapest
// alignments have in common. Items of `default-collect` are not in the source: expressions without an item
// may come first.
class Alignment {
 public:
  static constexpr int kImpossible = std::numeric_limits<int>::max() / 4;
  static constexpr std::size_t kMaxCells = std::size_t{1} << 20;

  Alignment(std::span<const CollectItem> items, std::span<const RecordedShape> shapes,
            std::span<const TracepointAction> actions,
            const std::function<ItemFacts(const CollectItem&)>& facts,
            const std::function<std::string_view(std::uint64_t)>& variable_name)
      : items_(items), shapes_(shapes), actions_(actions), variable_name_(variable_name) {
    for (const CollectItem& item : items) {
      const bool has_value =
          item.kind == Kind::Name || item.kind == Kind::Expression || item.kind == Kind::Value;
      facts_.push_back(has_value ? facts(item) : ItemFacts{});
    }
  }

  ItemMatch match() {
    ItemMatch result;
    result.expressions.resize(shapes_.size());
    if ((items_.size() + 1) * (shapes_.size() + 1) > kMaxCells) return result;
    const int best = fill();
    if (best >= kImpossible) return result;

    std::vector<bool> is_ambiguous(shapes_.size()), was_seen(shapes_.size());
    std::vector<bool> can_skip(items_.size()), can_match(items_.size());
    for (std::size_t i = 0; i <= items_.size(); ++i) {
      for (std::size_t j = 0; j <= shapes_.size(); ++j) {
        const auto is_best = [&](int cost, std::size_t to_i, std::size_t to_j) {
          return cost_before(i, j) + cost + cost_after(to_i, to_j) == best;
        };
        const auto assign = [&](const CollectItem* item) {
          if (was_seen[j] && result.expressions[j] != item) is_ambiguous[j] = true;
          was_seen[j] = true;
          result.expressions[j] = item;
        };
        if (i == 0 && j < shapes_.size() && is_best(kUnusual, 0, j + 1)) assign(nullptr);
        if (i == items_.size()) continue;
        if (is_best(skip_cost(i), i + 1, j)) can_skip[i] = true;
        if (j == shapes_.size()) continue;
        if (is_best(match_cost(i, j), i + 1, j + 1)) {
          assign(&items_[i]);
          can_match[i] = true;
        }
        if (items_[i].kind == Kind::Variables && is_best(match_cost(i, j), i, j + 1)) assign(&items_[i]);
      }
    }
    for (std::size_t j = 0; j < shapes_.size(); ++j)
      if (is_ambiguous[j]) result.expressions[j] = nullptr;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind == Kind::Name && can_skip[i] && !can_match[i]) result.memory.push_back(&items_[i]);
    return result;
  }

 private:
  static constexpr int kUnusual = 4;    // possible, but unlikely
  static constexpr int kUnlikely = 16;  // contradicts what is known

  // The cost of an item without an expression of its own.
  int skip_cost(std::size_t i) const {
    switch (items_[i].kind) {
      case Kind::Registers:
      case Kind::ReturnAddress:
      case Kind::Variables:
      case Kind::StaticData:
        return 0;
      case Kind::Name:
        if (facts_[i].is_static) return *facts_[i].is_static && is_in_a_range(facts_[i]) ? 0 : kUnlikely;
        return has_ranges() ? 0 : kUnusual;
      case Kind::Expression:
      case Kind::Value:
        return kUnlikely;
      default:
        return kImpossible;
    }
  }

  int match_cost(std::size_t i, std::size_t j) const {
    const RecordedShape& shape = shapes_[j];
    switch (items_[i].kind) {
      case Kind::Variable:
        return shape.only_variable && variable_name_(*shape.only_variable) == items_[i].text.substr(1)
                   ? 0
                   : kImpossible;
      case Kind::Evaluate:
        return shape.records ? kImpossible : 0;
      case Kind::ReturnAddress:
      case Kind::Name:
      case Kind::Variables:
      case Kind::Expression:
        if (shape.only_variable) return kImpossible;
        return kind_cost(items_[i], shape) + address_cost(facts_[i], shape) +
               (items_[i].kind != Kind::Expression && shape.is_value() ? kUnusual : 0);
      case Kind::Value:
        if (shape.only_variable) return kImpossible;
        return shape.length || shape.records_string ? kUnlikely : 0;
      default:
        return kImpossible;
    }
  }

  // Values that were optimized out record nothing. Arrays are recorded whole, even as strings.
  static int kind_cost(const CollectItem& item, const RecordedShape& shape) {
    if (shape.records_string && !item.is_string) return kUnlikely;
    return shape.records && shape.records_string == item.is_string ? 0 : 1;
  }

  static int address_cost(const ItemFacts& facts, const RecordedShape& shape) {
    // The expression of a variable without memory records nothing.
    int cost = facts.has_no_memory && shape.records ? kUnlikely : 0;
    if (facts.is_static.value_or(false) && (!shape.address || shape.address != facts.address))
      cost += kUnlikely;
    if (facts.size && shape.length && *facts.size != *shape.length) cost += kUnlikely;
    return cost;
  }

  bool has_ranges() const {
    return std::ranges::any_of(
        actions_, [](const TracepointAction& a) { return a.kind == TracepointAction::Kind::Memory; });
  }
  bool is_in_a_range(const ItemFacts& facts) const {
    if (!facts.address) return false;
    // Only memory actions have a length.
    return std::ranges::any_of(actions_, [&](const TracepointAction& action) {
      return action.base == -1 && *facts.address - static_cast<std::uint64_t>(action.offset) < action.length;
    });
  }

  int& cost_before(std::size_t i, std::size_t j) { return cost_before_[i * (shapes_.size() + 1) + j]; }
  int& cost_after(std::size_t i, std::size_t j) { return cost_after_[i * (shapes_.size() + 1) + j]; }

  // Computes the lowest cost from the start to each cell, and from each cell to the end.
  int fill() {
    const std::size_t cells = (items_.size() + 1) * (shapes_.size() + 1);
    cost_before_.assign(cells, kImpossible);
    cost_after_.assign(cells, kImpossible);
    cost_before(0, 0) = 0;
    cost_after(items_.size(), shapes_.size()) = 0;
    for (std::size_t i = 0; i <= items_.size(); ++i)
      for (std::size_t j = 0; j <= shapes_.size(); ++j)
        for_each_step(i, j, [&](int cost, std::size_t to_i, std::size_t to_j) {
          cost_before(to_i, to_j) = std::min(cost_before(to_i, to_j), sum(cost_before(i, j), cost));
        });
    for (std::size_t i = items_.size() + 1; i-- > 0;)
      for (std::size_t j = shapes_.size() + 1; j-- > 0;)
        for_each_step(i, j, [&](int cost, std::size_t to_i, std::size_t to_j) {
          cost_after(i, j) = std::min(cost_after(i, j), sum(cost_after(to_i, to_j), cost));
        });
    return cost_before(items_.size(), shapes_.size());
  }

  static int sum(int a, int b) { return std::min(a + b, kImpossible); }

  template <typename Step>
  void for_each_step(std::size_t i, std::size_t j, Step&& step) const {
    if (i == 0 && j < shapes_.size()) step(kUnusual, i, j + 1);
    if (i == items_.size()) return;
    step(skip_cost(i), i + 1, j);
    if (j == shapes_.size()) return;
    step(match_cost(i, j), i + 1, j + 1);
    if (items_[i].kind == Kind::Variables) step(match_cost(i, j), i, j + 1);
  }

  std::span<const CollectItem> items_;
  std::span<const RecordedShape> shapes_;
  std::span<const TracepointAction> actions_;
  const std::function<std::string_view(std::uint64_t)>& variable_name_;
  std::vector<ItemFacts> facts_;
  std::vector<int> cost_before_, cost_after_;
};

}  // namespace

ItemMatch match_items(std::span<const CollectItem> items, std::span<const TracepointAction> actions,
                      const std::function<ItemFacts(const CollectItem&)>& facts,
                      const std::function<std::string_view(std::uint64_t)>& variable_name) {
  std::vector<RecordedShape> shapes;
  std::size_t memory_actions = 0;
  for (const TracepointAction& action : actions) {
    if (action.kind == TracepointAction::Kind::Expression) shapes.push_back(RecordedShape::of(action.code));
    if (action.kind == TracepointAction::Kind::Memory) ++memory_actions;
  }
  ItemMatch match = Alignment(items, shapes, actions, facts, variable_name).match();
  // GDB sorts ranges by address and joins them, so only a single range of a single name is certain.
  const bool is_certain = match.memory.size() == 1 && memory_actions == 1;
  const CollectItem* only = is_certain ? match.memory.front() : nullptr;
  match.memory.assign(memory_actions, only);
  return match;
}

}  // namespace convert::tfile
