// One walk over the records of a thread, before they are converted, that follows its open calls. Who wants to
// know something of them watches it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/record_cursor.h"

namespace convert::uftrace {

class CallWalk {
 public:
  // Borrows facts and payloads, which may be null; `inherited` is what the thread started with. Throws
  // InputError if the file can't be read.
  CallWalk(const std::string& path, const ThreadFacts& facts, PayloadDecoder* payloads,
           std::vector<std::uint64_t> inherited)
      : file_(path, true), open_(std::move(inherited)), cursor_(file_, facts, open_, payloads) {}

  const CallStack& open() const { return open_; }
  std::uint64_t seen_ns() const { return seen_ns_; }  // the latest time of a call
  bool is_over() const { return cursor_.is_done(); }  // there are no more records

  // The watcher has:
  //   is_over()            nothing more is wanted
  //   plain_until_ns()            calls before that time may pass: those that
  //   may_pass(call)       and are plain, of which it is only told by
  //   passed(call, offset)
  //   see(item)            another call, with a time that can be right; the open ones are those before it
  //   taken(item)          that call, or one with an impossible time; the open ones are those behind it
  //   passed_by(item)      if it has that: an event or a loss
  // Goes on where the last run() was over.
  template <typename Watcher>
  void run(Watcher& watcher) {
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    std::vector<std::byte> block(kBlock);
    while (!watcher.is_over() && !cursor_.is_done()) {
      cursor_.read(block);
      while (!watcher.is_over()) {
        const auto plain = [&](const auto& records, std::uint64_t offset) {
          return records.count_while([&](const CallRecord& call) {
            if (call.time_ns < seen_ns_ || !watcher.may_pass(call) || !open_.try_take(call)) return false;
            seen_ns_ = call.time_ns;
            watcher.passed(call, offset);
            offset += kRecordSize;
            return true;
          });
        };
        const auto item = cursor_.next({.plain_until_ns = watcher.plain_until_ns()}, plain);
        if (!item) break;
        take(*item, watcher);
      }
    }
  }

 private:
  template <typename Watcher>
  void take(const RecordItem& item, Watcher& watcher) {
    const CallRecord& call = item.call;
    if (item.what == RecordItem::What::Call) {
      watcher.see(item);
      seen_ns_ = std::max(seen_ns_, call.time_ns);
    } else if (item.what != RecordItem::What::BadTime || !is_call(item)) {
      if constexpr (requires { watcher.passed_by(item); }) watcher.passed_by(item);
      return;
    }
    open_.take(call);
    watcher.taken(item);
  }
  static bool is_call(const RecordItem& item) {
    return item.call.type == RecordType::Entry || item.call.type == RecordType::Exit;
  }

  const InputFile file_;
  CallStack open_;
  RecordCursor cursor_;
  std::uint64_t seen_ns_ = 0;
};

}  // namespace convert::uftrace
