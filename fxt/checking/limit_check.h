// Checks Tracy's limits for a whole file: its length in time, and its source locations (rules W5, W26).
// Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/hash.h"
#include "fxt/records.h"

namespace fxt {

class LimitCheck {
 public:
  explicit LimitCheck(Findings& findings) : findings_(&findings) {}

  // Adds the times of an event, in ticks. In Tracy, a tick is 1 ns, and the first event is at time 0.
  void add_times(std::uint64_t first, std::uint64_t last) {
    if (is_too_long_ || last >= kTimeLimit) return;
    first_ = std::min(first_, first);
    last_ = std::max(last_, last);
    is_too_long_ = last_ - first_ >= kSpanLimit;
    if (is_too_long_) findings_->add(Fault::LongSpan, "the times of the file span 2^47 ns or more");
  }
  // Adds the name and the source location of a duration.
  void add_location(const Event& event) {
    if (locations_.size() > kMaxLocations) return;
    const std::size_t index = event.name.index;
    const bool only_a_name = event.arguments.empty() && event.name.storage == Storage::Table;
    if (only_a_name && located_.size() > index && located_[index]) return;
    locations_.insert(hash_of_location(event));
    if (only_a_name) {
      if (located_.size() <= index) located_.resize(index + 1);
      located_[index] = true;
    }
    if (locations_.size() > kMaxLocations)
      findings_->add(Fault::ManyLocations, "more than 32,767 pairs of duration name and source location");
  }
  // From this call on, an index of the string table may mean another name.
  void string_replaced() { located_.clear(); }

 private:
  static std::uint64_t hash_of_location(const Event& event) {
    const SeededHash hash;
    std::uint64_t location = hash(event.name.text);
    for (const Argument& argument : event.arguments)
      if (const auto* text = std::get_if<String>(&argument.value);
          text != nullptr && argument.name.text == "loc")
        location = location * 31 + hash(text->text);
    return location;
  }

  Findings* findings_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
  bool is_too_long_ = false;
  std::unordered_set<std::uint64_t> locations_;  // hashes of the locations
  std::vector<bool> located_;  // by string index: true if locations_ has the name without a location
};

}  // namespace fxt
