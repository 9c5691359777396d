#include "tests/model/event_text.h"

#include <array>
#include <bit>
#include <cstddef>
#include <fmt/format.h>

namespace convert {
namespace {

// The names of the states, in the order of ThreadState.
constexpr std::array<std::string_view, 6> kStates{"new", "running", "suspended", "blocked", "dying", "dead"};

}  // namespace

void EventText::add_lanes(std::span<const LaneInfo> lanes) {
  for (const LaneInfo& info : lanes) {
    ids_.push_back(fmt::format("{}/{}", static_cast<std::uint64_t>(info.process),
                               static_cast<std::uint64_t>(info.thread)));
    threads_.push_back(fmt::format("{} {} of {}", ids_.back(), info.thread_name, info.process_name));
  }
}

std::string EventText::text_of(const Argument& argument) const {
  switch (argument.kind) {
    case ArgumentKind::Null:
      return "null";
    case ArgumentKind::Int64:
      return fmt::format("{}", static_cast<std::int64_t>(argument.bits));
    case ArgumentKind::Uint64:
      return fmt::format("{}", argument.bits);
    case ArgumentKind::Double:
      return fmt::format("{}", std::bit_cast<double>(argument.bits));
    case ArgumentKind::Text:
      return fmt::format("\"{}\"", argument.text);
    case ArgumentKind::Pointer:
      return fmt::format("{:#x}", argument.bits);
    case ArgumentKind::Name:
      return fmt::format("'{}'", names_.text(static_cast<NameId>(argument.bits)));
  }
  return "?";
}

void EventText::write(std::span<const MergedRun> runs) {
  for (const auto& [events, lane] : runs)
    for (const PendingEvent& event : events)
      lines_.push_back(fmt::format("{} {}", ids_[lane], text_of(event)));
}

std::string EventText::text_of(const PendingEvent& event) const {
  const auto label = [&] {
    const auto parts = names_.label(event.label);
    return fmt::format("{}:{}", names_.text(parts.category), names_.text(parts.name));
  };
  const auto id = [&](std::string_view what) {
    return fmt::format("@{} {} {} #{}", event.time_ns, what, label(), event.id());
  };
  std::string text;
  switch (event.kind) {
    case EventKind::Open:
      text = "OPEN " + label();
      break;  // sinks never receive this event
    case EventKind::Retracted:
      text = "LEFT OUT " + label();
      break;  // sinks never receive this event
    case EventKind::Complete:
      text = fmt::format("[{}, {}] {}", event.time_ns, event.end_ns(), label());
      break;
    case EventKind::Begin:
      text = fmt::format("[{} {}", event.time_ns, label());
      break;
    case EventKind::End:
      text = fmt::format("{}] {}", event.time_ns, label());
      break;
    case EventKind::Instant:
      text = fmt::format("@{} {}", event.time_ns, label());
      break;
    case EventKind::Counter:
      text = id("counter");
      break;
    case EventKind::FlowBegin:
      text = id("flow from");
      break;
    case EventKind::FlowEnd:
      text = id("flow to");
      break;
    case EventKind::Blob:
      return fmt::format("blob {} {} bytes", event.text(), event.bytes().size());
    case EventKind::BufferFull:
      text = fmt::format("@{} buffer full", event.time_ns);
      break;
    case EventKind::ContextSwitch: {
      const ContextSwitch s = event.context_switch();
      return fmt::format(
          "@{} cpu {}: {} ({}) -> {}{}", event.time_ns, s.cpu, static_cast<std::uint64_t>(s.outgoing_thread),
          kStates[static_cast<std::size_t>(s.outgoing_state)], static_cast<std::uint64_t>(s.incoming_thread),
          s.priority == kNormalPriority ? "" : fmt::format(" of priority {}", s.priority));
    }
    case EventKind::Wakeup: {
      const Wakeup w = event.wakeup();
      return fmt::format("@{} cpu {}: {} wakes {}", event.time_ns, w.cpu, static_cast<std::uint64_t>(w.waker),
                         static_cast<std::uint64_t>(w.thread));
    }
  }
  for (const Argument& argument : event.arguments())
    text += fmt::format(" {}={}", names_.text(argument.name), text_of(argument));
  return text;
}

}  // namespace convert
