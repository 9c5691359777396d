#include "converters/tfile/actions/alignment.h"

#include <algorithm>

namespace convert::tfile {

void Alignment::start(std::size_t items, std::size_t expressions) {
  is_too_large_ = is_too_large(items, expressions);
  items_ = items;
  expressions_ = expressions;
  cost_.assign(is_too_large_ ? 0 : items * expressions, kNever);
  none_.assign(items, false);
  many_.assign(items, false);
  item_of_.assign(expressions, std::nullopt);
  can_have_one_.assign(items, false);
  can_have_none_.assign(items, false);
  can_be_misfit_.assign(items, false);
}

// Calls `step(next item, next expression, found, cost)` for each possible step. `found` is the item that the
// step gives to `expression`, or kNone.
template <typename Step>
void Alignment::for_each_step(std::size_t item, std::size_t expression, bool has_prefix, Step&& step) const {
  constexpr std::size_t kNone = ~std::size_t{0};
  if (item == 0 && has_prefix && expression < expressions_) step(item, expression + 1, kNone, 0);
  if (item == items_) return;
  if (none_[item]) step(item + 1, expression, kNone, 0);
  const Cost cost = expression < expressions_ ? cost_[item * expressions_ + expression] : kNever;
  if (cost == kNever) return;
  step(item + 1, expression + 1, item, cost);
  if (many_[item]) step(item, expression + 1, item, cost);
}

bool Alignment::solve() {
  if (is_too_large_) return false;
  const bool has_prefix = count_misfits(false) > 0 && count_misfits(true) == 0;
  misfits_ = count_misfits(has_prefix);
  if (misfits_ == kNever) return false;
  find_items(has_prefix);
  return true;
}

Alignment::Cost Alignment::count_misfits(bool has_prefix) {
  from_start_.assign((items_ + 1) * (expressions_ + 1), kNever);
  from_start_.front() = 0;
  for (std::size_t i = 0; i <= items_; ++i)
    for (std::size_t j = 0; j <= expressions_; ++j)
      if (const Cost here = from_start_[cell(i, j)]; here != kNever)
        for_each_step(i, j, has_prefix, [&](std::size_t next_i, std::size_t next_j, std::size_t, Cost cost) {
          Cost& next = from_start_[cell(next_i, next_j)];
          next = std::min(next, here + cost);
        });
  return from_start_.back();
}

void Alignment::find_items(bool has_prefix) {
  to_end_.assign(from_start_.size(), kNever);
  to_end_.back() = 0;
  std::vector<bool> was_seen(expressions_), is_ambiguous(expressions_);
  for (std::size_t i = items_ + 1; i-- > 0;)
    for (std::size_t j = expressions_ + 1; j-- > 0;) {
      const Cost here = from_start_[cell(i, j)];
      if (here == kNever) continue;
      for_each_step(i, j, has_prefix,
                    [&](std::size_t next_i, std::size_t next_j, std::size_t item, Cost cost) {
                      const Cost rest = to_end_[cell(next_i, next_j)];
                      if (rest == kNever) return;
                      to_end_[cell(i, j)] = std::min(to_end_[cell(i, j)], cost + rest);
                      if (here + cost + rest > misfits_) return;
                      if (next_j == j) {
                        can_have_none_[i] = true;
                        return;
                      }
                      const auto found = item < items_ ? std::optional(item) : std::nullopt;
                      if (was_seen[j] && item_of_[j] != found) is_ambiguous[j] = true;
                      was_seen[j] = true;
                      item_of_[j] = found;
                      if (found) can_have_one_[*found] = true;
                      if (found && cost > 0) can_be_misfit_[*found] = true;
                    });
    }
  for (std::size_t j = 0; j < expressions_; ++j)
    if (is_ambiguous[j]) item_of_[j].reset();
}

}  // namespace convert::tfile
