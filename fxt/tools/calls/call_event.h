// What an event says of calls, with its times in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "fxt/reader.h"

namespace fxt::tools {

struct CallEvent {
  EventType type;  // a duration's begin, end, or both
  std::uint64_t begin_ns;
  std::uint64_t end_ns;                            // but for what is complete: begin_ns
  std::pair<std::uint64_t, std::uint64_t> thread;  // process and thread

  bool is_complete() const { return type == EventType::DurationComplete; }
  bool is_begin() const { return type == EventType::DurationBegin; }
  bool is_end() const { return type == EventType::DurationEnd; }
};

// None if it says nothing of calls, or its times are none.
inline std::optional<CallEvent> call_event(const Event& event, const Reader& reader) {
  const bool is_complete = event.type == EventType::DurationComplete;
  if (!is_complete && event.type != EventType::DurationBegin && event.type != EventType::DurationEnd)
    return std::nullopt;
  const auto begin_ns = reader.to_ns(event.time);
  const auto end_ns = is_complete ? reader.to_ns(event.end) : begin_ns;
  if (!begin_ns || !end_ns || *end_ns < *begin_ns) return std::nullopt;
  return CallEvent{event.type, *begin_ns, *end_ns, {event.thread.process, event.thread.thread}};
}

}  // namespace fxt::tools
