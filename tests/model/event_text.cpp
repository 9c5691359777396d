#include "tests/model/event_text.h"

#include <fmt/format.h>
#include <type_traits>
#include <variant>

namespace convert {

void EventText::add_lanes(std::span<const LaneInfo> lanes) {
  for (const LaneInfo& info : lanes) {
    ids_.push_back(fmt::format("{}/{}", static_cast<std::uint64_t>(info.process),
                               static_cast<std::uint64_t>(info.thread)));
    threads_.push_back(fmt::format("{} {} of {}", ids_.back(), info.thread_name, info.process_name));
  }
}

std::string EventText::text_of(const Value& value) const {
  return std::visit(
      [&](const auto& v) -> std::string {
        using Type = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<Type, std::monostate>)
          return "null";
        else if constexpr (std::is_same_v<Type, std::string>)
          return fmt::format("\"{}\"", v);
        else if constexpr (std::is_same_v<Type, Pointer>)
          return fmt::format("{:#x}", v.address);
        else if constexpr (std::is_same_v<Type, Koid>)
          return fmt::format("koid {}", v.koid);
        else if constexpr (std::is_same_v<Type, NameId>)
          return fmt::format("'{}'", names_.text(v));
        else
          return fmt::format("{}", v);
      },
      value);
}

std::string EventText::text_of(const Arguments& arguments) const {
  std::string text;
  for (const Argument& argument : arguments)
    text += fmt::format(" {}={}", names_.text(argument.name), text_of(argument.value));
  return text;
}

void EventText::write(std::size_t lane, Lane& events, std::span<const Slot> slots) {
  static const Details kNone;
  for (const Slot& slot : slots) {
    if (slot.kind() == SlotKind::Formed) {
      const Form& form = names_.form(slot.form());
      for (const FormRecord& record : form.records) {
        const PlainEvent plain = plain_event(record, slot.time_ns, {events.fields(slot), form.fields});
        say(lane, plain.slot, plain.details);
      }
      events.drop_fields(slot, form.fields);
      continue;
    }
    say(lane, slot, slot.details() == DetailsId::None ? kNone : events.details(slot.details()));
    if (slot.details() != DetailsId::None) events.drop_details(slot.details());
  }
}

void EventText::say(std::size_t lane, const Slot& slot, const Details& details) {
  const auto label = [&] {
    const auto parts = names_.parts(slot.label);
    return fmt::format("{}:{}", names_.text(parts.category), names_.text(parts.name));
  };
  const auto id = [&](std::string_view what) {
    return fmt::format("@{} {} {} #{}", slot.time_ns, what, label(), slot.end_ns);
  };
  std::string text;
  switch (slot.kind()) {
    case SlotKind::Open:
      text = "OPEN " + label();
      break;  // must not happen
    case SlotKind::Formed:
      break;  // neither
    case SlotKind::Complete:
      text = fmt::format("[{}, {}] {}", slot.time_ns, slot.end_ns, label());
      break;
    case SlotKind::Begin:
      text = fmt::format("[{} {}", slot.time_ns, label());
      break;
    case SlotKind::End:
      text = fmt::format("{}] {}", slot.time_ns, label());
      break;
    case SlotKind::Instant:
      text = fmt::format("@{} {}", slot.time_ns, label());
      break;
    case SlotKind::Counter:
      text = id("counter");
      break;
    case SlotKind::FlowBegin:
      text = id("flow from");
      break;
    case SlotKind::FlowStep:
      text = id("flow over");
      break;
    case SlotKind::FlowEnd:
      text = id("flow to");
      break;
    case SlotKind::Log:
      text = fmt::format("@{} log {}", slot.time_ns, details.text);
      break;
    case SlotKind::Blob:
      text = fmt::format("blob {} {} bytes", details.text, details.bytes.size());
      break;
    case SlotKind::BufferFull:
      text = fmt::format("@{} buffer full", slot.time_ns);
      break;
    case SlotKind::ContextSwitch:
      text = fmt::format("@{} cpu {}: {} -> {}", slot.time_ns, details.context_switch.cpu,
                         static_cast<std::uint64_t>(details.context_switch.outgoing_thread),
                         static_cast<std::uint64_t>(details.context_switch.incoming_thread));
      break;
  }
  lines_.push_back(fmt::format("{} {}{}", ids_[lane], text, text_of(details.arguments)));
}

}  // namespace convert
