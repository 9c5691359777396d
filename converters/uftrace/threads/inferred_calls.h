// The calls of a thread that are opened without a record, and how many of them may be drawn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/records.h"

namespace convert::uftrace {

// The budget is plenty for real gaps, but a few bytes of damage must not become gigabytes of calls. Such
// calls spend it, and it grows again with every 16 bytes of the file: that does not depend on which records
// came here and which went straight to the lane.
class InferredCalls {
 public:
  static constexpr std::uint64_t kBudget = 8192;
  static constexpr std::uint64_t kPerRecord = 2;

  // The file was read up to that offset.
  void pass(std::uint64_t offset) {
    const std::uint64_t passed = offset - std::exchange(offset_, offset);
    budget_ = std::min(budget_ + passed / kRecordSize * kPerRecord, kBudget);
  }
  // False, and nothing spent, if the budget is too small for that many calls.
  bool try_spend(std::uint64_t calls) {
    if (calls > budget_) return false;
    budget_ -= calls;
    return true;
  }

  // A call was opened inside `depth` others. Those that were that deep are over.
  void add(std::size_t depth, std::uint64_t address) {
    while (!calls_.empty() && calls_.back().depth >= depth) calls_.pop_back();
    calls_.push_back({depth, address});
  }
  // Whether the open call of that address was opened without a record.
  bool contains(std::size_t depth, std::uint64_t address) const {
    const auto call = std::ranges::lower_bound(calls_, depth, {}, &Call::depth);
    return call != calls_.end() && call->depth == depth && call->address == address;
  }

 private:
  struct Call {
    std::size_t depth;
    std::uint64_t address;
  };
  std::uint64_t budget_ = kBudget;
  std::uint64_t offset_ = 0;  // where the budget grew last
  std::vector<Call> calls_;   // outermost first; they may be over
};

}  // namespace convert::uftrace
