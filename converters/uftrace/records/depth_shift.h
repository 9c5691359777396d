// QEMU's plugin (contrib/plugins/uftrace) gives exits the depth of their caller, and begins to count at 1. A
// thread has this shift in all of its records or in none.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/open_calls.h"

namespace convert::uftrace {

struct DepthShift {
  std::size_t entry = 0;  // the depth of entries is too large by this number
  std::size_t exit = 0;   // the depth of exits is too small by this number

  bool is_none() const { return entry == 0 && exit == 0; }
  // The depth that uftrace would have written for an entry or exit, modulo 1024. `open` is the number of open
  // calls before it. The outermost call has no caller, so its exit is an exception.
  std::size_t undo(const Record& record, std::size_t open) const {
    if (record.type() == RecordType::Entry) return record.depth() - std::min(record.depth(), entry);
    return exit != 0 && open == 1 ? 0 : (record.depth() + exit) % kDepthModulus;
  }
};

// Counts the exits that match a thread's entries if the depths of exits are too small by `shift`.
class DepthShiftTrial {
 public:
  explicit DepthShiftTrial(std::size_t shift) : shift_(shift) {}

  void add(const Record& record) {
    CallRecord call = record.call();
    if (!call.is_entry()) {
      call.depth += shift_;
      ++exits_;
      if (open_.fits(call)) ++right_;
    }
    open_.follow(call);
  }
  std::size_t right() const { return right_; }
  bool is_sure() const { return right_ == exits_; }  // no other shift can match more exits

 private:
  std::size_t shift_;
  ScannedCalls<> open_;
  std::size_t exits_ = 0, right_ = 0;
};

// Chooses the shift with which more exits match, from the first records of a file.
inline DepthShift find_depth_shift(std::span<const std::byte> head, std::endian order) {
  DepthShiftTrial as_entered(0), as_callers(1);
  std::size_t lowest = kDepthModulus;
  const auto try_all = [&](DepthShiftTrial& trial) {
    for (std::size_t at = 0; at + kRecordSize <= head.size(); at += kRecordSize) {
      const Record record = load_record(head.data() + at, order);
      if (!record.is_plain()) break;  // the plugin writes only plain records
      trial.add(record);
      if (record.type() == RecordType::Entry) lowest = std::min(lowest, record.depth());
    }
  };
  try_all(as_entered);
  if (as_entered.is_sure()) return {};
  try_all(as_callers);
  if (as_callers.right() <= as_entered.right()) return {};
  return lowest == 0 ? DepthShift{.entry = 0, .exit = 1} : DepthShift{.entry = 1, .exit = 0};
}

}  // namespace convert::uftrace
