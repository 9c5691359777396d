#include "converters/tfile/actions/alignment.h"

namespace convert::tfile {

void Alignment::start(std::size_t items, std::size_t expressions) {
  is_too_large_ =
      items >= kMaxCells || expressions >= kMaxCells || (items + 1) * (expressions + 1) > kMaxCells;
  items_ = items;
  expressions_ = expressions;
  fits_.assign(is_too_large_ ? 0 : items * expressions, false);
  none_.assign(items, false);
  many_.assign(items, false);
  item_of_.assign(expressions, std::nullopt);
  can_have_one_.assign(items, false);
  can_have_none_.assign(items, false);
}

// Step is called with the next cell, and the item of the expression that the step passes.
template <typename Step>
void Alignment::for_each_step(std::size_t item, std::size_t expression, bool has_prefix, Step&& step) const {
  constexpr std::size_t kNone = ~std::size_t{0};
  if (item == 0 && has_prefix && expression < expressions_) step(item, expression + 1, kNone);
  if (item == items_) return;
  if (none_[item]) step(item + 1, expression, kNone);
  if (expression == expressions_ || !fits_[item * expressions_ + expression]) return;
  step(item + 1, expression + 1, item);
  if (many_[item]) step(item, expression + 1, item);
}

bool Alignment::solve() { return !is_too_large_ && (solve(false) || solve(true)); }

bool Alignment::solve(bool has_prefix) {
  const std::size_t cells = (items_ + 1) * (expressions_ + 1);
  from_start_.assign(cells, false);
  to_end_.assign(cells, false);
  from_start_[0] = true;
  to_end_[cells - 1] = true;
  for (std::size_t i = 0; i <= items_; ++i)
    for (std::size_t j = 0; j <= expressions_; ++j)
      if (from_start_[cell(i, j)])
        for_each_step(i, j, has_prefix, [&](std::size_t next_i, std::size_t next_j, std::size_t) {
          from_start_[cell(next_i, next_j)] = true;
        });
  if (!from_start_[cells - 1]) return false;
  for (std::size_t i = items_ + 1; i-- > 0;)
    for (std::size_t j = expressions_ + 1; j-- > 0;)
      for_each_step(i, j, has_prefix, [&](std::size_t next_i, std::size_t next_j, std::size_t) {
        if (to_end_[cell(next_i, next_j)]) to_end_[cell(i, j)] = true;
      });

  std::vector<bool> was_seen(expressions_), is_ambiguous(expressions_);
  for (std::size_t i = 0; i <= items_; ++i)
    for (std::size_t j = 0; j <= expressions_; ++j)
      if (from_start_[cell(i, j)])
        for_each_step(i, j, has_prefix, [&](std::size_t next_i, std::size_t next_j, std::size_t item) {
          if (!to_end_[cell(next_i, next_j)]) return;
          if (next_j == j) {
            can_have_none_[i] = true;
            return;
          }
          const auto found = item < items_ ? std::optional(item) : std::nullopt;
          if (was_seen[j] && item_of_[j] != found) is_ambiguous[j] = true;
          was_seen[j] = true;
          item_of_[j] = found;
          if (found) can_have_one_[*found] = true;
        });
  for (std::size_t j = 0; j < expressions_; ++j)
    if (is_ambiguous[j]) item_of_[j].reset();
  return true;
}

}  // namespace convert::tfile
