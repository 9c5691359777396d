// Watches the events of each thread as a Writer gets them: time order, nesting, balance, flows that lie
// inside a duration and have begun (fxt-notes W15, W16, W17, W21). Internal to the Writer; in a header for
// the sake of its short way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fxt/checking/open_flows.h"
#include "fxt/records.h"

namespace fxt {

// The durations of one thread that are open where its last event was, outermost first.
class DurationStack {
 public:
  // What a duration needs to be ended: the category and name refs of its begin, as they lie in the header.
  struct Pending {
    Thread thread;
    std::uint64_t names = 0;
  };

  explicit DurationStack(const Thread& thread) : thread_(thread) {}
  DurationStack(const DurationStack&) = delete;
  DurationStack& operator=(const DurationStack&) = delete;

  // Take an event, if it is at its place; false, and nothing changed, if it is not.
  bool add_complete(std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return add_point(begin);
    Open* const around = around_event_at(begin);
    return around != nullptr && end <= around->end && open(around, begin, {.end = end});
  }
  // The same for the most frequent kind of them, which changes least: it follows a sibling, and so lies no
  // earlier than all before it. False for others, too.
  bool add_sibling(std::uint64_t begin, std::uint64_t end) {
    Open* const sibling = top_;
    if (begin >= end || begin < last_time_ || sibling->end > begin || end > sibling[-1].end || points_ != 0)
      return false;
    sibling->end = end;
    last_time_ = begin;
    return true;
  }
  bool add_begin(std::uint64_t time, std::uint64_t names) {
    Open* const around = around_event_at(time);
    return around != nullptr && open(around, time, {.end = kOpen, .names = names});
  }
  bool add_end(std::uint64_t time) {
    Open* const ended = around_event_at(time);
    if (ended == nullptr || ended->end != kOpen || ended == open_.data()) return false;
    go_to(ended - 1, time);
    return true;
  }
  // An event of no length. Perfetto stacks those that follow each other at one time.
  bool add_point(std::uint64_t time);

  // What is wrong with the event at this place, in the caller's terms; empty if nothing is.
  std::string objection(const Event& event) const;
  // Takes an event that has no objection.
  void add(const Event& event, std::uint64_t names);
  // What still waits for its end event, innermost first.
  void append_pending(std::vector<Pending>& all) const;

 private:
  static constexpr std::size_t kMaxDepth = 512;  // Perfetto's
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  struct Open {
    std::uint64_t end = 0;    // kOpen: waits for its end event
    std::uint64_t names = 0;  // of those
  };

  // The innermost duration around an event at `time`; null if that is back in time.
  Open* around_event_at(std::uint64_t time) {
    if (time < last_time_) return nullptr;
    Open* open = top_;
    while (open->end <= time) --open;
    return open;
  }
  void go_to(Open* top, std::uint64_t time) {
    top_ = top;
    last_time_ = time;
    points_ = 0;
  }
  bool open(Open* around, std::uint64_t time, const Open& duration) {
    if (++around == open_.data() + open_.size() && (around = grow()) == nullptr) return false;
    *around = duration;
    go_to(around, time);
    return true;
  }
  // Makes room for one more at the end and returns it; null at the largest depth.
  Open* grow();
  std::size_t depth() const { return static_cast<std::size_t>(top_ - open_.data()); }
  std::size_t depth_at(std::uint64_t time) const;
  std::size_t points_at(std::uint64_t time) const { return time == last_time_ ? points_ : 0; }

  Thread thread_;
  std::uint64_t last_time_ = 0;
  std::size_t points_ = 0;  // events of no length that came last, all at last_time_
  std::vector<Open> open_ = std::vector<Open>(8, {.end = kOpen});  // the first one encloses the whole trace
  Open* top_ = open_.data();
};

class DurationGuard {
 public:
  // The same object for the same thread, good as long as the guard.
  DurationStack& stack_of(const Thread& thread);

  // What is wrong with the event at this place, in the caller's terms; empty if nothing is.
  std::string objection(const Event& event);
  // Takes an event that has no objection and was written; `names` as in DurationStack::Pending.
  void add(const Event& event, std::uint64_t names);
  // What still waits for its end event, innermost first, thread by thread.
  std::vector<DurationStack::Pending> pending() const;

 private:
  std::string flow_objection(const Event& event) const;

  std::map<std::pair<std::uint64_t, std::uint64_t>, DurationStack> stacks_;  // by process and thread
  DurationStack* last_stack_ = nullptr;
  Thread last_thread_;
  OpenFlows flows_;  // by the times of their begins
};

}  // namespace fxt
