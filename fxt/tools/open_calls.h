// Calls of a trace: what an event does to one, and the calls that are open on a thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fxt/reader.h"

namespace fxt::tools {

using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;  // process and thread

// A duration event with its times in nanoseconds.
struct CallEvent {
  EventType type;  // a duration's begin, end, or both
  std::uint64_t begin_ns;
  std::uint64_t end_ns;  // begin_ns unless the event is complete
  ThreadKey thread;

  bool is_complete() const { return type == EventType::DurationComplete; }
  bool is_begin() const { return type == EventType::DurationBegin; }
  bool is_end() const { return type == EventType::DurationEnd; }
};

// Nothing if the event is not a duration, or its times are impossible.
inline std::optional<CallEvent> call_event(const Event& event, const Reader& reader) {
  const bool is_complete = event.type == EventType::DurationComplete;
  if (!is_complete && event.type != EventType::DurationBegin && event.type != EventType::DurationEnd)
    return std::nullopt;
  const auto begin_ns = reader.to_ns(event.time);
  const auto end_ns = is_complete ? reader.to_ns(event.end) : begin_ns;
  if (!begin_ns || !end_ns || *end_ns < *begin_ns) return std::nullopt;
  return CallEvent{event.type, *begin_ns, *end_ns, {event.thread.process, event.thread.thread}};
}

// The durations that are open on a thread, from its events in the order of the file. Where that is the order
// of time, as writers of whole traces keep it, they are exactly the durations around the next event.
class OpenCalls {
 public:
  struct Call {
    std::size_t name = 0;  // chosen by the caller
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;    // once it is known
    bool awaits_end = false;     // its end is an event of its own
    std::uint64_t inner_ns = 0;  // total of the calls directly inside it

    std::uint64_t total_ns() const { return end_ns - begin_ns; }
    std::uint64_t self_ns() const { return total_ns() - std::min(inner_ns, total_ns()); }
  };

  std::size_t depth() const { return calls_.size(); }
  std::uint64_t last_ns() const { return last_ns_; }

  // To be called with the begin of each event. Calls ended(call) for each call that has ended by then,
  // innermost first. False, and nothing is done, if an earlier event of the thread had a later time: the
  // calls around this event are then unknown.
  template <typename Ended>
  bool advance(std::uint64_t time_ns, Ended ended) {
    if (time_ns < last_ns_) return false;
    last_ns_ = time_ns;
    while (!calls_.empty() && !calls_.back().awaits_end && calls_.back().end_ns <= time_ns) pop(ended);
    return true;
  }
  void push(const Call& call) {
    calls_.push_back(call);
    if (call.awaits_end) ++awaiting_;
  }
  // An end event: ends the innermost call that awaits one, and the calls inside it. False if there is none.
  template <typename Ended>
  bool end(std::uint64_t time_ns, Ended ended) {
    if (awaiting_ == 0) return false;
    while (!calls_.back().awaits_end) pop(ended);
    calls_.back().end_ns = time_ns;
    pop(ended);
    return true;
  }
  // No event follows: calls without an end event end at the latest time of the thread.
  template <typename Ended>
  void finish(Ended ended) {
    for (const Call& call : calls_) last_ns_ = std::max(last_ns_, call.end_ns);
    while (!calls_.empty()) {
      if (calls_.back().awaits_end) calls_.back().end_ns = last_ns_;
      pop(ended);
    }
  }

 private:
  template <typename Ended>
  void pop(Ended ended) {
    const Call call = calls_.back();
    calls_.pop_back();
    if (call.awaits_end) --awaiting_;
    if (!calls_.empty()) calls_.back().inner_ns += call.total_ns();
    ended(call);
  }

  std::vector<Call> calls_;   // outermost first
  std::size_t awaiting_ = 0;  // calls that await their end event
  std::uint64_t last_ns_ = 0;
};

// "1234.567": exact, not rounded.
inline std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

}  // namespace fxt::tools
