// Finds out which collected item each expression of a tracepoint records. A trace file does not contain this.
// It follows from the order of items and expressions, and from the pairs that are ruled out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convert::tfile {

// Items come from the commands of a tracepoint, and expressions are among its actions. Both are in the same
// order. An item has no expression, one, or several. Items of `default-collect` are not in the commands.
// Therefore, if there is no other way to explain all expressions, the first expressions may have no item. A
// misfit is a pair of an item and an expression that the program contradicts. The best alignments are those
// with the fewest misfits.
class Alignment {
 public:
  static constexpr std::size_t kMaxCells = std::size_t{1} << 16;

  static bool is_too_large(std::size_t items, std::size_t expressions) {
    return items >= kMaxCells || expressions >= kMaxCells || (items + 1) * (expressions + 1) > kMaxCells;
  }
  // If there are too many items and expressions, solve() returns false.
  void start(std::size_t items, std::size_t expressions);
  void allow(std::size_t item, std::size_t expression, bool is_misfit = false) {
    if (!is_too_large_) cost_[item * expressions_ + expression] = is_misfit ? 1 : 0;
  }
  void allow_none(std::size_t item) { none_[item] = true; }
  void allow_many(std::size_t item) { many_[item] = true; }
  // Returns false if no alignment is possible, even with misfits.
  bool solve();

  // The item of an expression, if all best alignments give it the same item.
  std::optional<std::size_t> item_of(std::size_t expression) const { return item_of_[expression]; }
  // can_have_one() is true if a best alignment gives the item an expression. can_have_none() is true if a
  // best alignment gives it no expression, or if both allow_none() and allow_many() were called for the item.
  bool can_have_one(std::size_t item) const { return can_have_one_[item]; }
  bool can_have_none(std::size_t item) const { return can_have_none_[item]; }
  // True if a best alignment gives the item an expression that is a misfit.
  bool can_be_misfit(std::size_t item) const { return can_be_misfit_[item]; }
  bool has_misfits() const { return misfits_ > 0; }

 private:
  using Cost = std::uint32_t;
  static constexpr Cost kNever = ~Cost{0};

  Cost count_misfits(bool has_prefix);
  void find_items(bool has_prefix);
  std::size_t cell(std::size_t item, std::size_t expression) const {
    return item * (expressions_ + 1) + expression;
  }
  template <typename Step>
  void for_each_step(std::size_t item, std::size_t expression, bool has_prefix, Step&& step) const;

  std::size_t items_ = 0, expressions_ = 0;
  std::vector<Cost> cost_;  // by item and expression: 1 for a misfit
  std::vector<bool> none_, many_;
  std::vector<Cost> from_start_, to_end_;  // the fewest misfits before and after each cell
  Cost misfits_ = 0;
  std::vector<std::optional<std::size_t>> item_of_;
  std::vector<bool> can_have_one_, can_have_none_, can_be_misfit_;
  bool is_too_large_ = false;
};

}  // namespace convert::tfile
