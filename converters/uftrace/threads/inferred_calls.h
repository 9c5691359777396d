// The calls of a thread that are opened without a record, and a limit for their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/records.h"

namespace convert::uftrace {

// Calls without a record reduce a budget, which grows with every 16 bytes of the file. Therefore, a few bytes
// of damage can't become gigabytes of calls. The budget is sufficient for real gaps.
class InferredCalls {
 public:
  static constexpr std::uint64_t kBudget = 8192;
  static constexpr std::uint64_t kPerRecord = 2;

  // Before the first record, only `first` calls can be opened, because a recording may have many threads.
  explicit InferredCalls(std::uint64_t first = kBudget) : budget_(std::min(first, kBudget)) {}

  // Must be called when the file has been read up to `offset`.
  void pass(std::uint64_t offset) {
    const std::uint64_t passed = offset - std::exchange(offset_, offset);
    budget_ = std::min(budget_ + passed / kRecordSize * kPerRecord, kBudget);
  }
  // Returns false, and changes nothing, if the budget is smaller than `calls`.
  bool try_spend(std::uint64_t calls) {
    if (calls > budget_) return false;
    budget_ -= calls;
    return true;
  }

  // Adds a call that was opened inside `depth` other calls. Earlier calls at this depth or deeper have ended.
  void add(std::size_t depth, std::uint64_t address) {
    while (!calls_.empty() && calls_.back().depth >= depth) calls_.pop_back();
    calls_.push_back({depth, address});
  }
  // True if the open call with this depth and address was opened without a record.
  bool contains(std::size_t depth, std::uint64_t address) const {
    const auto call = std::ranges::lower_bound(calls_, depth, {}, &Call::depth);
    return call != calls_.end() && call->depth == depth && call->address == address;
  }

 private:
  struct Call {
    std::size_t depth;
    std::uint64_t address;
  };
  std::uint64_t budget_;
  std::uint64_t offset_ = 0;  // offset in the last pass()
  std::vector<Call> calls_;   // outermost first; some may have ended
};

}  // namespace convert::uftrace
