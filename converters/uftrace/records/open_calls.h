// The calls that are open between two records. The next record should match these calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converters/uftrace/recording/records.h"

namespace convert::uftrace {

class OpenCalls {
 public:
  virtual ~OpenCalls() = default;
  virtual std::size_t depth() const = 0;
  virtual std::uint64_t address_at(std::size_t depth) const = 0;  // 0 if unknown
};

struct NoCallData {};

// The open calls of a thread during a scan of its records, outermost first. Each call has the scan's data of
// type `Data`. During the conversion, StackRepair has the open calls instead.
template <typename Data = NoCallData>
class ScannedCalls : public OpenCalls {
 public:
  struct Call {
    std::uint64_t address = 0;  // address of the function; 0 for a call without an entry
    Data data = {};
  };

  explicit ScannedCalls(const std::vector<std::uint64_t>& addresses = {}) {
    for (const std::uint64_t address : addresses) calls_.push_back({address});
  }

  std::size_t depth() const override { return calls_.size(); }
  std::uint64_t address_at(std::size_t depth) const override { return calls_[depth].address; }
  std::vector<std::uint64_t> addresses() const {
    std::vector<std::uint64_t> addresses;
    for (const Call& call : calls_) addresses.push_back(call.address);
    return addresses;
  }
  std::span<Call> calls() { return calls_; }
  std::span<const Call> calls() const { return calls_; }

  // True if a call matches the open calls.
  bool fits(const CallRecord& call) const {
    return call.is_entry() ? call.depth == calls_.size() && call.depth < kMaxOpen
                           : call.depth + 1 == calls_.size() && calls_.back().address == call.address;
  }
  // Applies a call for which fits() is true.
  void follow_fitting(const CallRecord& call) {
    if (call.is_entry())
      calls_.push_back({call.address});
    else
      calls_.pop_back();
  }
  // Applies a call if it matches the open calls. Otherwise returns false and changes nothing.
  bool try_follow(const CallRecord& call) {
    const bool is_match = fits(call);
    if (is_match) follow_fitting(call);
    return is_match;
  }
  // Applies any entry or exit. First removes the open calls that are too deep for its depth, and passes each
  // to `ended` while it is still the innermost call. Then adds missing calls without an address, and passes
  // each to `inferred`. Before an exit removes the innermost call, this call is passed to `exited`.
  template <typename Ended, typename Inferred, typename Exited>
  void follow(const CallRecord& call, Ended ended, Inferred inferred, Exited exited) {
    const std::size_t open = std::min(call.depth, kMaxOpen) + (call.is_entry() ? 0 : 1);
    for (; calls_.size() > open; calls_.pop_back()) ended(calls_.back());
    while (calls_.size() < open) inferred(calls_.emplace_back());
    if (!call.is_entry()) exited(calls_.back());
    follow_fitting(call);
  }
  void follow(const CallRecord& call) {
    const auto ignore = [](const Call&) {};
    follow(call, ignore, ignore, ignore);
  }

 private:
  // The recorder counts depths with 16 bits, so a greater depth is damage.
  static constexpr std::size_t kMaxOpen = 65536;
  std::vector<Call> calls_;
};

}  // namespace convert::uftrace
