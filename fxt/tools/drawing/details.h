// The details of shapes: the lines that a tooltip shows below the name. Each line is kept once, because most
// arguments have few different values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/hash.h"

namespace fxt::tools {

class Details {
 public:
  // The maximum memory for lines and references to lines. If it is full, further details are left out.
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

  // Returns the index of the details with these lines. Returns 0 (no details) if the text is empty or if
  // there is no room.
  std::uint32_t keep(std::string_view text) {
    if (text.empty()) return 0;
    const std::size_t cost =
        sizeof(std::uint32_t) * (2 + static_cast<std::size_t>(std::ranges::count(text, '\n')));
    if (bytes_ + cost + text.size() > kMaxBytes) {
      ++left_out_;
      return 0;
    }
    bytes_ += cost;
    for (bool is_last = false; !is_last;) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      references_.push_back(index_of(text.substr(0, end)));
      is_last = end == text.size();
      text.remove_prefix(is_last ? end : end + 1);
    }
    ends_.push_back(references_.size());
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }
  // The number of texts for which there was no room.
  std::uint64_t left_out() const { return left_out_; }

  // The indices of the lines of these details.
  std::span<const std::uint32_t> lines_of(std::uint32_t details) const {
    if (details == 0) return {};
    return std::span(references_).subspan(ends_[details - 1], ends_[details] - ends_[details - 1]);
  }
  const std::string& line(std::uint32_t index) const { return *lines_[index]; }
  std::size_t line_count() const { return lines_.size(); }

 private:
  std::uint32_t index_of(std::string_view line) {
    const auto [known, is_new] =
        indices_.try_emplace(std::string(line), static_cast<std::uint32_t>(lines_.size()));
    if (is_new) {
      lines_.push_back(&known->first);
      bytes_ += line.size();
    }
    return known->second;
  }

  SeededMap<std::string, std::uint32_t> indices_;
  std::vector<const std::string*> lines_;
  std::vector<std::uint32_t> references_;
  std::vector<std::size_t> ends_{0};  // by details: the index after their last reference
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace fxt::tools
