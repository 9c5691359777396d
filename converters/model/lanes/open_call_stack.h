// The open calls of a lane, outermost first. Like a vector, but with places behind the top that may be
// written before it is known whether they are needed (Lane::take_run()).
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
  PendingEvent* slot;
  std::uint64_t key;

  bool waits() const { return slot->kind == EventKind::Open; }
};

class OpenCallStack {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  OpenCall& operator[](std::size_t depth) {
    assert(depth < size_);
    return places_[depth];
  }
  const OpenCall& operator[](std::size_t depth) const {
    assert(depth < size_);
    return places_[depth];
  }
  OpenCall& back() { return (*this)[size_ - 1]; }
  const OpenCall& back() const { return (*this)[size_ - 1]; }

  // A call that waits in `slot`.
  void push(PendingEvent* slot, std::uint64_t key) {
    if (size_ == places_.size()) places_.resize(2 * size_);
    places_[size_++] = {slot, key};
  }
  // One that does not; `rest` arguments of its begin are left for its end.
  void push_said(std::uint64_t time_ns, LabelId label, std::uint64_t key, std::size_t rest = 0) {
    push(own_slot(size_), key);
    *back().slot = {time_ns, rest, nullptr, label, EventKind::Begin};
  }
  // The call at `depth` waits no longer.
  void set_said(std::size_t depth) {
    OpenCall& frame = (*this)[depth];
    PendingEvent* const own = own_slot(depth);
    *own = {frame.slot->time_ns, 0, nullptr, frame.slot->label, EventKind::Begin};
    frame.slot = own;
  }
  static std::size_t rest_of(const PendingEvent& said) { return said.end_ns; }

  void pop() {
    assert(size_ > 0);
    --size_;
  }

  // The call at `depth` is over; those inside it lie one place further out.
  void remove(std::size_t depth) {
    for (; depth + 1 < size_; ++depth) {
      const bool has_own = has_own_slot(depth + 1);
      places_[depth] = places_[depth + 1];
      if (has_own) take_slot(depth, *places_[depth].slot);
    }
    pop();
  }

  // The innermost calls step aside, so many, and lie inside those that are open when they come back.
  void suspend_top(std::size_t count) {
    assert(aside_.empty());
    for (std::size_t depth = size_ - count; depth < size_; ++depth)
      aside_.push_back({places_[depth], *places_[depth].slot, has_own_slot(depth)});
    size_ -= count;
  }
  void resume_top() {
    for (const Aside& call : aside_) {
      push(call.frame.slot, call.frame.key);
      if (call.has_own) take_slot(size_ - 1, call.slot);
    }
    aside_.clear();
  }

  // For who does the stack's work itself: all places, of which the first size() are in use.
  OpenCall* places() { return places_.data(); }
  std::size_t room() const { return places_.size(); }
  void set_size(std::size_t size) {
    assert(size <= room());
    size_ = size;
  }

 private:
  struct Aside {
    OpenCall frame;
    PendingEvent slot;
    bool has_own;  // then it is the stack's
  };

  PendingEvent* own_slot(std::size_t depth) {
    if (own_slots_.size() <= depth) own_slots_.resize(depth + 1);
    return &own_slots_[depth];
  }
  bool has_own_slot(std::size_t depth) const {
    return depth < own_slots_.size() && places_[depth].slot == &own_slots_[depth];
  }
  // The call at `depth` gets an own slot with what stands in another one.
  void take_slot(std::size_t depth, PendingEvent slot) {
    places_[depth].slot = own_slot(depth);
    *places_[depth].slot = slot;
  }

  std::vector<OpenCall> places_ = std::vector<OpenCall>(64);
  std::size_t size_ = 0;
  std::deque<PendingEvent> own_slots_;  // by depth; they stay where they are
  std::vector<Aside> aside_;            // outermost first
};

}  // namespace convert
