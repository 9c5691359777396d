// The open calls of a lane, outermost first. Lane::run() may write to the place above the top before it knows
// whether a call begins.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert {

// While a call is pending, `event` is an Open event in the lane's queue. When the call ends, this event
// becomes Complete, or a Begin if an End is added. A call is *released* if its start may be written before
// its end is known. In this case, `event` points to a Begin that the stack owns. It is a copy of the event in
// the queue. A call that is too deep has no event in the queue, and counts as released.
struct OpenCall {
  PendingEvent* event;
  std::uint64_t key;

  std::uint64_t begin_ns() const { return event->time_ns; }  // only for calls that are not filtered
  bool is_pending() const { return event->kind == EventKind::Open; }
};

class OpenCallStack {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t unfiltered_size() const { return size_ - filtered_; }
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

  void push(PendingEvent* event, std::uint64_t key) {
    if (size_ == calls_.size()) calls_.resize(std::max(kFirstCapacity, 2 * size_));
    calls_[size_++] = {event, key};
  }
  void push_filtered(std::uint64_t key) {
    ++filtered_;
    push(&filtered_event_, key);
  }
  // Pushes a released call. `end_arguments` are the arguments for which its Begin had no room.
  void push_released(std::uint64_t time_ns, LabelId label, std::uint64_t key,
                     const ArgumentRow& end_arguments = {}) {
    push(make_own(size_, time_ns, label), key);
    own_[size_ - 1]->end_arguments.add(end_arguments);
  }
  // The arguments for the End of the latest released call at `depth`.
  Arguments& end_arguments(std::size_t depth) { return own_[depth]->end_arguments; }
  void set_released(std::size_t depth) {
    PendingEvent*& event = (*this)[depth].event;
    event = make_own(depth, event->time_ns, event->label);
  }
  bool is_filtered(std::size_t depth) const { return (*this)[depth].event == &filtered_event_; }
  bool top_is_filtered() const { return is_filtered(size_ - 1); }

  void pop() {
    assert(size_ > 0);
    --size_;
  }
  // Like pop(), but the call need not be pending.
  void pop_released() {
    pop();
    first_pending_ = std::min(first_pending_, size_);
  }
  void pop_filtered() {
    --filtered_;
    pop_released();
  }

  // Removes the call at `depth`. Calls inside this call move out by one level.
  void remove(std::size_t depth) {
    for (; depth + 1 < size_; ++depth) {
      calls_[depth] = calls_[depth + 1];
      if (depth + 1 < own_.size()) own_[depth].swap(own_[depth + 1]);
    }
    pop();
  }

  // Removes the top `count` calls. resume_top() pushes them back, inside the calls that are open at that
  // time.
  void suspend_top(std::size_t count) {
    assert(suspended_.empty());
    own_.resize(std::max(own_.size(), size_));
    for (std::size_t depth = size_ - count; depth < size_; ++depth)
      suspended_.push_back({calls_[depth], std::move(own_[depth])});
    size_ -= count;
  }
  void resume_top() {
    for (Suspended& suspended : suspended_) {
      push(suspended.call.event, suspended.call.key);
      own_.resize(std::max(own_.size(), size_));
      own_[size_ - 1] = std::move(suspended.own);
    }
    suspended_.clear();
  }

  // The depth of the outermost pending call; at least size() if no call is pending.
  std::size_t oldest_pending() {
    while (first_pending_ < size_ && !calls_[first_pending_].is_pending()) ++first_pending_;
    return first_pending_;
  }

  // Memory for capacity() calls, of which size() are in use. Lane::run() writes to this memory.
  OpenCall* data() { return calls_.data(); }
  std::size_t capacity() const { return calls_.size(); }
  void set_size(std::size_t size) {
    assert(size <= capacity());
    size_ = size;
  }

 private:
  struct Released {
    PendingEvent event;
    Arguments end_arguments;
  };
  struct Suspended {
    OpenCall call;
    std::unique_ptr<Released> own;
  };

  PendingEvent* make_own(std::size_t depth, std::uint64_t time_ns, LabelId label) {
    if (depth >= own_.size()) own_.resize(depth + 1);
    if (own_[depth] == nullptr) own_[depth] = std::make_unique<Released>();
    own_[depth]->event = {time_ns, 0, nullptr, label, EventKind::Begin};
    own_[depth]->end_arguments.clear();
    return &own_[depth]->event;
  }

  static constexpr std::size_t kFirstCapacity = 16;

  std::vector<OpenCall> calls_;  // empty before the first call
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Released>> own_;  // indexed by depth; null if never released
  std::vector<Suspended> suspended_;            // outermost first
  // Shared by all filtered calls.
  PendingEvent filtered_event_{
      .time_ns = 0, .last_word = 0, .block = nullptr, .label = {}, .kind = EventKind::Begin};
  std::size_t filtered_ = 0;
  std::size_t first_pending_ = 0;  // no call at a lower depth is pending
};

}  // namespace convert
