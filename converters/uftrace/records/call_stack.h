// The calls that are open at a record. What may come next depends on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converters/uftrace/records/records.h"

namespace convert::uftrace {

class OpenCalls {
 public:
  virtual ~OpenCalls() = default;
  virtual std::size_t depth() const = 0;
  virtual std::uint64_t address_at(std::size_t depth) const = 0;  // 0 if it is not known
};

// The open calls of a thread, for who only looks at its records.
class CallStack : public OpenCalls {
 public:
  explicit CallStack(std::vector<std::uint64_t> addresses = {}) : open_(std::move(addresses)) {}

  std::size_t depth() const override { return open_.size(); }
  std::uint64_t address_at(std::size_t depth) const override { return open_[depth]; }
  const std::vector<std::uint64_t>& addresses() const { return open_; }  // outermost first

  // Takes a call that fits the open ones. False (and nothing done) if it does not.
  bool try_take(const CallRecord& call) {
    if (call.is_entry()) {
      if (call.depth != open_.size() || call.depth >= kMaxOpen) return false;
      open_.push_back(call.address);
    } else {
      if (call.depth + 1 != open_.size() || open_.back() != call.address) return false;
      open_.pop_back();
    }
    return true;
  }
  // Takes any call; what it does not fit was opened or ended unseen.
  void take(const CallRecord& call) {
    open_.resize(std::min(call.depth, kMaxOpen));
    if (call.is_entry()) open_.push_back(call.address);
  }

 private:
  // More than the recorder can count (its limit has 16 bits) are damage.
  static constexpr std::size_t kMaxOpen = 65536;
  std::vector<std::uint64_t> open_;
};

}  // namespace convert::uftrace
