// Names that somebody may have meant who wrote another one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fxt {

class SimilarNames {
 public:
  // Those to `wanted`, whose characters that no name has do not count.
  explicit SimilarNames(std::string_view wanted);

  void see(const std::string& name);
  // At most three, the nearest first, of one distance by the alphabet.
  std::vector<std::string> nearest() const;

 private:
  static constexpr std::size_t kKept = 3;

  std::string wanted_;
  std::size_t farthest_;                                    // that is still similar
  std::vector<std::pair<std::size_t, std::string>> found_;  // distance and name
};

}  // namespace fxt
