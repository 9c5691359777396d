// A pass over the records of one thread before they are converted. The pass tracks the open calls, and calls
// a watcher, which examines records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/record_cursor.h"
#include "fxt/support/file_place.h"

namespace convert::uftrace {

// The data of a thread that a pass needs.
struct WalkedThread {
  const Task& task;
  const fxt::FilePlace& place;
  const ThreadFacts& facts;
  PayloadDecoder* payload_decoder;  // may be null
  // Addresses of the calls inside which the thread begins, outermost first.
  const std::vector<std::uint64_t>& inherited;
};

// `Data` is the type of the data that the watcher stores for each open call.
template <typename Data = NoCallData>
class CallWalk {
 public:
  using Call = typename ScannedCalls<Data>::Call;

  // Throws InputError if the file can't be read.
  explicit CallWalk(const WalkedThread& thread)
      : file_(thread.place, true),
        open_(thread.inherited),
        cursor_(file_, thread.facts, open_, thread.payload_decoder) {}

  ScannedCalls<Data>& open() { return open_; }
  const ScannedCalls<Data>& open() const { return open_; }
  std::uint64_t seen_ns() const { return seen_ns_; }  // the latest time of a call so far
  const DepthShift& shift() const { return cursor_.shift(); }
  bool is_at_end() const { return cursor_.is_done(); }  // there are no more records

  // Calls these functions of the watcher. A plain call is an entry or exit without a payload.
  //   is_done()                 returns true if no more records are needed
  //   plain_until_ns()          returns the time until which plain calls may be skipped
  //   may_skip(call)            returns true to skip a plain call
  //   skipped(call, offset)     called for a skipped call, instead of before_call() and after_call()
  //   before_call(item)         called before a call with a possible time changes open()
  //   after_call(item)          called after a call has changed open(), even if the call's time is impossible
  //   other_record(item)        optional; called for all other items, such as events and damage
  //   ended(call)               optional; called if the innermost open call has ended without an exit
  //   inferred(call)            optional; called if an innermost call was opened without an entry
  //   exited(call, exit)        optional; called if the innermost open call ends with this exit
  //
  // Continues where the last run() stopped.
  template <typename Watcher>
  void run(Watcher& watcher) {
    constexpr std::size_t kMaxBlock = std::size_t{64} << 10;
    std::size_t size = RecordCursor::kMinBlock / 2;
    std::unique_ptr<std::byte[]> block;
    while (!watcher.is_done() && !cursor_.is_done()) {
      // The first block is small, because most passes end soon.
      if (size != kMaxBlock) block = std::make_unique_for_overwrite<std::byte[]>(size *= 2);
      cursor_.read({block.get(), size});
      while (!watcher.is_done()) {
        const auto plain = [&](const auto& records, std::uint64_t offset) {
          return records.count_while([&](const CallRecord& call) {
            if (call.time_ns < seen_ns_ || !watcher.may_skip(call) || !open_.fits(call)) return false;
            seen_ns_ = call.time_ns;
            if (!call.is_entry()) exited(open_.calls().back(), call, watcher);
            open_.follow_fitting(call);
            watcher.skipped(call, offset);
            offset += kRecordSize;
            return true;
          });
        };
        const auto item = cursor_.next({.plain_until_ns = watcher.plain_until_ns()}, plain);
        if (!item) break;
        follow(*item, watcher);
      }
    }
  }

 private:
  template <typename Watcher>
  void follow(const RecordItem& item, Watcher& watcher) {
    const CallRecord& call = item.call;
    if (item.what == RecordItem::What::Call) {
      watcher.before_call(item);
      seen_ns_ = std::max(seen_ns_, call.time_ns);
    } else if (item.what != RecordItem::What::BadTime || !is_call(call.type)) {
      if constexpr (requires { watcher.other_record(item); }) watcher.other_record(item);
      return;
    }
    open_.follow(
        call, [&](Call& open) { ended(open, watcher); },
        [&](Call& open) {
          if constexpr (requires { watcher.inferred(open); }) watcher.inferred(open);
        },
        [&](Call& open) {
          if (item.what == RecordItem::What::Call)
            exited(open, call, watcher);
          else
            ended(open, watcher);
        });
    watcher.after_call(item);
  }
  template <typename Watcher>
  static void ended(Call& call, Watcher& watcher) {
    if constexpr (requires { watcher.ended(call); }) watcher.ended(call);
  }
  template <typename Watcher>
  static void exited(Call& call, const CallRecord& exit, Watcher& watcher) {
    if constexpr (requires { watcher.exited(call, exit); }) watcher.exited(call, exit);
  }

  const InputFile file_;
  ScannedCalls<Data> open_;
  RecordCursor cursor_;
  std::uint64_t seen_ns_ = 0;
};

}  // namespace convert::uftrace
