// Finds known names that are similar to an unknown name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/utf8.h"

namespace fxt {

class SimilarNames {
 public:
  // `wanted` may be a pattern. Its special characters, such as `*`, are ignored.
  explicit SimilarNames(std::string_view wanted);

  void consider(const std::string& name);
  // At most three names, the nearest first. Names with the same distance are sorted alphabetically.
  std::vector<std::string> nearest() const;

 private:
  static constexpr std::size_t kKept = 3;

  std::string wanted_;
  std::size_t farthest_;                                    // the greatest distance that counts as similar
  std::vector<std::pair<std::size_t, std::string>> found_;  // distance and name
};

// The number of changed, inserted, removed or swapped characters between `from` and `to`.
inline std::size_t letters_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, above, row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    before.swap(above);
    above = row;
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = above[j] + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({changed, row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

inline SimilarNames::SimilarNames(std::string_view wanted) {
  constexpr std::string_view kNoName = "^$*+?()[]{}|\\";
  for (const char c : fxt::lower(wanted))
    if (kNoName.find(c) == std::string_view::npos) wanted_ += c;
  constexpr std::size_t kAtLeast = 2;
  farthest_ = std::min(std::max(kAtLeast, wanted_.size() / 3), std::max<std::size_t>(wanted_.size(), 2) - 1);
}

inline void SimilarNames::consider(const std::string& name) {
  const std::string lowered = fxt::lower(name);
  // A name that contains `wanted` ranks after a misspelled name.
  const bool is_part = !wanted_.empty() && lowered.find(wanted_) != std::string::npos;
  const std::size_t difference =
      lowered.size() > wanted_.size() ? lowered.size() - wanted_.size() : wanted_.size() - lowered.size();
  if (!is_part && difference > farthest_) return;
  std::size_t far = is_part ? farthest_ + difference : letters_between(wanted_, lowered);
  if (!is_part && far > farthest_) return;
  if (lowered == wanted_) far = 0;
  std::pair<std::size_t, std::string> entry{far, name};
  if (found_.size() == kKept && found_.back() <= entry) return;
  if (std::ranges::count(found_, entry) != 0) return;
  found_.insert(std::ranges::upper_bound(found_, entry), std::move(entry));
  if (found_.size() > kKept) found_.pop_back();
}

inline std::vector<std::string> SimilarNames::nearest() const {
  std::vector<std::string> names;
  for (const auto& [far, name] : found_) names.push_back(name);
  return names;
}

}  // namespace fxt
