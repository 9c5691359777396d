// Estimated exits (`uftrace record -e`) that context switches or kernel calls disprove. The recorder puts an
// exit half way between the entry of its call and the next entry. But no call returns while its thread is off
// the CPU or in the kernel. Therefore, as in uftrace, such an exit moves to half way between the thread's
// return to the CPU and the next entry. The exits that directly follow also move, as far as necessary to
// remain after this exit.
//
// For example, f is entered at 10, and the next function at 50, so the recorder puts the exit of f at 30. If
// the thread was off the CPU from 20 to 40, the exit moves to 45.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/recording/records.h"

namespace convert::uftrace {

class MovedExits {
 public:
  bool empty() const { return exits_.empty(); }
  std::size_t size() const { return exits_.size(); }
  // The new time of the first exit. kForever if there is no exit, or while no call of the thread can return.
  std::uint64_t next_ns() const { return empty() || is_refuted_ ? kForever : due_ns_; }

  // Adds a disproved exit, or an exit directly after it. `entered_ns` is the start of the exit's call. If
  // `is_refuted`, the thread is off the CPU or in the kernel. Otherwise, it came back at `returned_ns`.
  void add(const CallRecord& exit, std::uint64_t entered_ns, bool is_refuted, std::uint64_t returned_ns) {
    if (empty()) {
      due_ns_ = exit.time_ns;
      limit_ns_ = kForever;
      next_entry_ns_ = exit.time_ns + (exit.time_ns - std::min(entered_ns, exit.time_ns));
      is_refuted_ = is_refuted;
      if (!is_refuted) due_ns_ = std::max(due_ns_, middle(returned_ns, next_entry_ns_));
      returned_ns_ = returned_ns;
    }
    exits_.push_back(exit);
  }

  // Must be called at each event that shows whether calls of the thread can return now. `is_refuted` is true
  // if they can't.
  void update(std::uint64_t time_ns, bool is_refuted) {
    if (is_refuted_ && !is_refuted && due_ns_ <= time_ns) due_ns_ = middle(time_ns, next_entry_ns_);
    if (!is_refuted) returned_ns_ = time_ns;
    is_refuted_ = is_refuted;
  }

  // Must be called at the thread's next record that is not a moved exit, and at the thread's end. No exit is
  // later than `time_ns`.
  void end_before(std::uint64_t time_ns) {
    if (!is_refuted_ && due_ns_ >= time_ns) due_ns_ = middle(std::min(returned_ns_, time_ns), time_ns);
    if (is_refuted_) due_ns_ = time_ns;
    is_refuted_ = false;
    limit_ns_ = time_ns;
  }

  // Removes the first exit, and returns it with its new time.
  CallRecord take_next() {
    CallRecord exit = exits_.front();
    exits_.pop_front();
    exit.time_ns = std::min(due_ns_, limit_ns_);
    if (!empty()) due_ns_ = std::max(due_ns_ + 1, exits_.front().time_ns);
    return exit;
  }

 private:
  static std::uint64_t middle(std::uint64_t from_ns, std::uint64_t to_ns) {
    return from_ns + (std::max(to_ns, from_ns) - from_ns) / 2;
  }

  std::deque<CallRecord> exits_;
  bool is_refuted_ = false;
  std::uint64_t due_ns_ = 0;           // time of the first exit
  std::uint64_t limit_ns_ = kForever;  // no exit is later
  std::uint64_t next_entry_ns_ = 0;    // time of the next entry, computed from the first exit's recorded time
  std::uint64_t returned_ns_ = 0;      // time of the latest event after which the thread's calls could return
};

}  // namespace convert::uftrace
