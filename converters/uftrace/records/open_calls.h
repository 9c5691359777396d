// The calls that are open at a record. The next record must match them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/records.h"

namespace convert::uftrace {

class OpenCalls {
 public:
  virtual ~OpenCalls() = default;
  virtual std::size_t depth() const = 0;
  virtual std::uint64_t address_at(std::size_t depth) const = 0;  // 0 if unknown
};

// The open calls of a thread whose records are only scanned. During the conversion, StackRepair has the open
// calls.
class ScannedCalls : public OpenCalls {
 public:
  explicit ScannedCalls(std::vector<std::uint64_t> addresses = {}) : open_(std::move(addresses)) {}

  std::size_t depth() const override { return open_.size(); }
  std::uint64_t address_at(std::size_t depth) const override { return open_[depth]; }
  const std::vector<std::uint64_t>& addresses() const { return open_; }  // outermost first

  // Applies a call if it matches the open ones. Otherwise returns false and changes nothing.
  bool try_follow(const CallRecord& call) {
    if (call.is_entry()) {
      if (call.depth != open_.size() || call.depth >= kMaxOpen) return false;
      open_.push_back(call.address);
    } else {
      if (call.depth + 1 != open_.size() || open_.back() != call.address) return false;
      open_.pop_back();
    }
    return true;
  }
  // Applies any call. Open calls that do not match have ended without a record.
  void follow(const CallRecord& call) {
    open_.resize(std::min(call.depth, kMaxOpen));
    if (call.is_entry()) open_.push_back(call.address);
  }

 private:
  // The recorder counts with 16 bits, so deeper calls are damage.
  static constexpr std::size_t kMaxOpen = 65536;
  std::vector<std::uint64_t> open_;
};

}  // namespace convert::uftrace
