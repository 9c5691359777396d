// Finds the calls that -t, -C and their triggers keep, before a thread is converted. A call is kept if it is
// long enough, if its function matches, or if it contains a kept call. The scan runs in steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// The set of a thread's calls that are kept. It contains the offsets of the calls' entries in the record
// file. The set takes less than 1 % of the file's size, and much less if few calls are kept.
class KeptCalls {
 public:
  // Offsets may be added in any order.
  void keep(std::uint64_t offset);
  // Offsets must be ascending. Frees parts of the set that are before this offset.
  bool is_kept(std::uint64_t offset) {
    const std::uint64_t part = offset / kPartBytes;
    if (part != part_) enter(part);
    const std::size_t bit = bit_of(offset);
    return (words_[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
  }

 private:
  // A record has at least this number of bytes, so each record has its own bit.
  static constexpr std::size_t kBytesPerBit = 16;
  static constexpr std::size_t kBits = 65536;
  static constexpr std::uint64_t kPartBytes = kBits * kBytesPerBit;
  static constexpr std::size_t kWordBits = 64;
  // If `listed` had more elements, it would take more space than `words`.
  static constexpr std::size_t kMaxListed = kBits / 16;
  using Words = std::array<std::uint64_t, kBits / kWordBits>;

  struct Part {
    std::vector<std::uint16_t> listed;  // indices of the set bits; empty if `words` has them
    std::vector<std::uint64_t> words;
  };

  static std::size_t bit_of(std::uint64_t offset) { return offset % kPartBytes / kBytesPerBit; }
  void enter(std::uint64_t part);

  std::vector<Part> parts_;
  std::uint64_t part_ = ~std::uint64_t{0};  // the part that is_kept() used last
  Words words_{};                           // the bits of that part
};

class KeptCallScan {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  struct CallData {
    std::uint64_t begin_ns = 0;
    std::uint64_t offset = kNowhere;       // offset of the entry; kNowhere without an entry
    std::uint64_t time_ns = 0;             // limit of -t, for this call and the calls inside it
    std::uint64_t size = 0;                // limit of -Z, for this call and the calls inside it
    std::uint64_t shortest_ns = kForever;  // minimum length that keeps this call; kForever if no length does
    bool is_kept = false;
  };
  using Walk = CallWalk<CallData>;

 public:
  // Throws InputError if the file can't be read.
  KeptCallScan(const WalkedThread& thread, FilterTable& table, Symbolizer& symbolizer, KeptCalls& kept_calls);

  // Scans about a million records. Returns false when the scan is finished.
  bool step();

  // ---- For CallWalk ----

  bool is_done() const { return left_ <= 0; }
  std::uint64_t plain_until_ns() const { return !needs_functions_ ? kForever : symbols_.until_ns(); }
  bool may_skip(const CallRecord& call) const {
    return !needs_functions_ || !call.is_entry() || rules_.find(call.address) != nullptr;
  }
  void skipped(const CallRecord& call, std::uint64_t offset) {
    --left_;
    if (call.is_entry()) enter(call, offset);
  }
  void before_call(const RecordItem& item);
  void after_call(const RecordItem& item);
  void other_record(const RecordItem& item);
  // A call without an exit or without an entry is kept, because its length is unknown.
  void ended(const Walk::Call&) { keep_open(); }
  void inferred(Walk::Call& call);
  void exited(const Walk::Call& call, const CallRecord& exit) {
    const CallData& data = call.data;
    const std::uint64_t took_ns = exit.time_ns > data.begin_ns ? exit.time_ns - data.begin_ns : 0;
    const bool is_long = data.shortest_ns != kForever && took_ns >= data.shortest_ns;
    // If the exit belongs to another function, the open call has no exit, and its length is unknown.
    if (is_long || call.address != exit.address) keep_open();
  }

 private:
  static constexpr std::int64_t kStep = std::int64_t{1} << 20;  // number of records

  void enter(const CallRecord& call, std::uint64_t offset);
  // Keeps the innermost open call, and with it all calls around it.
  void keep_open() {
    const auto calls = walk_.open().calls();
    for (std::size_t i = calls.size(); i-- > 0 && !calls[i].data.is_kept;) {
      calls[i].data.is_kept = true;
      if (calls[i].data.offset != kNowhere) kept_calls_.keep(calls[i].data.offset);
    }
  }
  const FunctionRule* rule_at(std::uint64_t address);

  FilterTable& table_;
  KeptCalls& kept_calls_;
  bool needs_functions_;
  Walk walk_;
  TaskSymbols symbols_;
  FunctionRuleCache rules_;  // for the current symbols
  std::int64_t left_ = 0;    // number of records that this step may still read
};

}  // namespace convert::uftrace
