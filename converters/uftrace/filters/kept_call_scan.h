// The walk over a thread's records that finds which calls -t, -C and their triggers keep (fact sheet of
// filters, 5): those that are long enough, or wanted, and all around them. Done in steps, before the thread
// is converted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/filters/kept_calls.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

class KeptCallScan {
 public:
  // Borrows all but the path and `inherited`, which the thread started with; payloads may be null. Throws
  // InputError if the file can't be read.
  KeptCallScan(const std::string& path, const ThreadFacts& facts, const Task& task, PayloadDecoder* payloads,
               std::vector<std::uint64_t> inherited, FilterTable& table, Symbolizer& symbolizer,
               KeptCalls& kept_calls);

  // Walks on. False when all is known.
  bool step();

  // ---- As CallWalk asks ----

  bool is_over() const { return left_ <= 0; }
  std::uint64_t plain_until_ns() const {
    return !needs_functions_ ? RecordCursor::Limits::kNever : symbols_.until_ns();
  }
  bool may_pass(const CallRecord& call) const {
    return !needs_functions_ || !call.is_entry() || rules_.find(call.address) != nullptr;
  }
  void passed(const CallRecord& call, std::uint64_t offset) {
    --left_;
    if (call.is_entry())
      enter(call, offset);
    else
      leave(call.time_ns);
  }
  void see(const RecordItem& item);
  void taken(const RecordItem& item);
  void passed_by(const RecordItem& item);

 private:
  static constexpr std::int64_t kStep = std::int64_t{1} << 20;  // records
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  struct Open {
    std::uint64_t address;  // 0: not known
    std::uint64_t begin_ns;
    std::uint64_t offset;       // kNowhere: no entry is known
    std::uint64_t time_ns;      // the shortest time that counts in it
    std::uint64_t size;         // the smallest function that counts in it
    std::uint64_t shortest_ns;  // it is kept if it takes this long; never if that is kForever
    bool is_kept;
  };

  void open_inferred();
  void enter(const CallRecord& call, std::uint64_t offset);
  void leave(std::uint64_t time_ns) {
    const Open& call = open_.back();
    const std::uint64_t took_ns = time_ns > call.begin_ns ? time_ns - call.begin_ns : 0;
    if (call.shortest_ns != kForever && took_ns >= call.shortest_ns) keep_open();
    open_.pop_back();
  }
  // The innermost open call, and so all around it.
  void keep_open() {
    for (std::size_t i = open_.size(); i-- > 0 && !open_[i].is_kept;) {
      open_[i].is_kept = true;
      if (open_[i].offset != kNowhere) kept_calls_.keep(open_[i].offset);
    }
  }
  const FunctionRule* rule_at(std::uint64_t address);

  FilterTable& table_;
  KeptCalls& kept_calls_;
  bool needs_functions_;
  CallWalk walk_;
  std::vector<Open> open_;
  TaskSymbols symbols_;
  FunctionRuleCache rules_;  // of these symbols
  std::int64_t left_ = 0;    // records of this step
};

}  // namespace convert::uftrace
