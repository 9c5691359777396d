// Known names that are similar to a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fxt {

class SimilarNames {
 public:
  // Ignores the characters of `wanted` that are part of patterns, not of names.
  explicit SimilarNames(std::string_view wanted);

  void see(const std::string& name);
  // At most three, the nearest first, of one distance by the alphabet.
  std::vector<std::string> nearest() const;

 private:
  static constexpr std::size_t kKept = 3;

  std::string wanted_;
  std::size_t farthest_;                                    // the greatest distance that counts as similar
  std::vector<std::pair<std::size_t, std::string>> found_;  // distance and name
};

}  // namespace fxt
