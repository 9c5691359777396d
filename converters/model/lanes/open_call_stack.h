// The open calls of a lane, outermost first. Like a vector, but with places behind the top that may be
// written before it is known whether they are needed (Lane::add_plain_run()).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// An open call. While it waits for its end to become one event, its slot is the lane's, and Open. Written as
// a pair, or hidden, its begin is not the stack's any more; then the slot is the stack's own copy, a Begin.
struct OpenCall {
  PendingEvent* event;
  std::uint64_t key;

  bool is_pending() const { return event->kind == EventKind::Open; }
};

class OpenCallStack {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  OpenCall& operator[](std::size_t depth) {
    assert(depth < size_);
    return calls_[depth];
  }
  const OpenCall& operator[](std::size_t depth) const {
    assert(depth < size_);
    return calls_[depth];
  }
  OpenCall& back() { return (*this)[size_ - 1]; }
  const OpenCall& back() const { return (*this)[size_ - 1]; }

  // A call that waits in `slot`.
  void push(PendingEvent* event, std::uint64_t key) {
    if (size_ == calls_.size()) calls_.resize(2 * size_);
    calls_[size_++] = {event, key};
  }
  // One that does not; `rest` arguments of its begin are left for its end.
  void push_emitted(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t end_arguments = 0) {
    push(own_event(size_), key);
    *back().event = {time_ns, end_arguments, nullptr, label, EventKind::Begin};
  }
  // The call at `depth` waits no longer.
  void set_emitted(std::size_t depth) {
    OpenCall& call = (*this)[depth];
    PendingEvent* const own = own_event(depth);
    *own = {call.event->time_ns, 0, nullptr, call.event->label, EventKind::Begin};
    call.event = own;
  }
  static std::size_t end_argument_count(const PendingEvent& begin) { return begin.end_ns; }

  void pop() {
    assert(size_ > 0);
    --size_;
  }

  // The call at `depth` is over; those inside it lie one place further out.
  void remove(std::size_t depth) {
    for (; depth + 1 < size_; ++depth) {
      const bool has_own = has_own_event(depth + 1);
      calls_[depth] = calls_[depth + 1];
      if (has_own) copy_to_own_event(depth, *calls_[depth].event);
    }
    pop();
  }

  // The innermost calls step aside, so many, and lie inside those that are open when they come back.
  void suspend_top(std::size_t count) {
    assert(suspended_.empty());
    for (std::size_t depth = size_ - count; depth < size_; ++depth)
      suspended_.push_back({calls_[depth], *calls_[depth].event, has_own_event(depth)});
    size_ -= count;
  }
  void resume_top() {
    for (const Suspended& call : suspended_) {
      push(call.call.event, call.call.key);
      if (call.has_own) copy_to_own_event(size_ - 1, call.slot);
    }
    suspended_.clear();
  }

  // For who does the stack's work itself: all places, of which the first size() are in use.
  OpenCall* data() { return calls_.data(); }
  std::size_t capacity() const { return calls_.size(); }
  void set_size(std::size_t size) {
    assert(size <= capacity());
    size_ = size;
  }

 private:
  struct Suspended {
    OpenCall call;
    PendingEvent slot;
    bool has_own;  // then it is the stack's
  };

  PendingEvent* own_event(std::size_t depth) {
    if (own_events_.size() <= depth) own_events_.resize(depth + 1);
    return &own_events_[depth];
  }
  bool has_own_event(std::size_t depth) const {
    return depth < own_events_.size() && calls_[depth].event == &own_events_[depth];
  }
  // The call at `depth` gets an own slot with what stands in another one.
  void copy_to_own_event(std::size_t depth, PendingEvent slot) {
    calls_[depth].event = own_event(depth);
    *calls_[depth].event = slot;
  }

  std::vector<OpenCall> calls_ = std::vector<OpenCall>(64);
  std::size_t size_ = 0;
  std::deque<PendingEvent> own_events_;  // by depth; they stay where they are
  std::vector<Suspended> suspended_;     // outermost first
};

}  // namespace convert
