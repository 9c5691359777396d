// Puts calls into the order of their begins. Some programs write complete events when calls end: what is
// inside a call stands before it in their traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/checking/complete_order.h"
#include "fxt/records.h"

namespace fxt::tools {

struct CallThread;

// A duration event with its times in ns.
struct CallEvent {
  CallThread* thread;
  std::uint64_t begin_ns, end_ns;
  std::uint32_t name;
  EventType type;  // DurationBegin, DurationEnd or DurationComplete
};

// Keeps events until one shows the order of the trace. Without such an event for long, the order of begins is
// assumed. Of the order of ends, about a million calls are sorted at a time.
class CallOrder {
 public:
  // With `is_by_begin` no event is to be kept.
  explicit CallOrder(bool is_by_begin)
      : order_(is_by_begin ? CompleteOrder::ByBegin : CompleteOrder::Unknown) {}

  // Events are in the order of begins from here on: none is to be kept.
  bool is_by_begin() const { return order_ == CompleteOrder::ByBegin; }
  // Returns the name of the call that the event is part of.
  std::uint32_t keep(const CallEvent& event);
  // The kept events that are ready, in order; most often none. An end follows its begin, or both have become
  // one complete event.
  std::vector<CallEvent> take_ready();
  // The same for all that are left.
  std::vector<CallEvent> take_all();

 private:
  struct BegunCall {
    CallEvent begin;
    bool is_taken = false;
  };
  struct ThreadOrder {
    CompleteOrderEvidence evidence = {};
    std::vector<BegunCall> begun = {};
  };
  struct KeptEvent {
    CallEvent event;
    std::uint64_t number;
  };

  std::uint32_t add(const CallEvent& event);
  void keep_begun(std::uint64_t until_ns);
  void sort();
  std::vector<CallEvent> take(std::size_t count);

  CompleteOrder order_;
  std::vector<CallEvent> as_written_ = {};  // while the order is unknown
  std::vector<KeptEvent> kept_ = {};        // calls that have ended, in case they are in the order of ends
  std::uint64_t number_ = 0;
  std::vector<ThreadOrder> threads_ = {};  // by their indices
};

}  // namespace fxt::tools
