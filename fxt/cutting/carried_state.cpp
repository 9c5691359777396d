#include "fxt/cutting/carried_state.h"

#include <array>

#include "fxt/checking/value_rules.h"

namespace fxt {

void CarriedState::add(const Event& counter) {
  key_ = std::to_string(counter.thread.process) + '/' + std::to_string(counter.id);
  const auto add_text = [this](const String& text) { key_.append(1, '\0').append(text.text); };
  add_text(counter.category);
  add_text(counter.name);
  for (const Argument& argument : counter.arguments) add_text(argument.name);
  keep(counters_[key_], counter);
}

void CarriedState::add(const ContextSwitch& change) {
  if (uses_cpu(change))
    running_[change.cpu] =
        Running{.thread = change.incoming_thread, .is_idle = is_idle(change.arguments, kIncomingWeight)};
}

void CarriedState::write_names(Piece& piece) const {
  for (const auto& [key, object] : kernel_objects_) piece.write(object.record());
  for (const auto& [key, object] : userspace_objects_) piece.write(object.record());
  for (const Held<Blob>& blob : hints_) piece.write(Record(blob.record()));
}

void CarriedState::write_state(Piece& piece) const {
  for (const auto& [key, counter] : counters_) {
    Event event = counter.record();
    event.time = piece.span.start;
    piece.write(event);
  }
  for (const auto& [cpu, incoming] : running_) {
    if (const auto* const change = std::get_if<LegacyContextSwitch>(&incoming)) {
      if (change->incoming == kIdleThread) continue;
      piece.write(LegacyContextSwitch{.time = piece.span.start,
                                      .cpu = cpu,
                                      .incoming = change->incoming,
                                      .incoming_priority = change->incoming_priority});
    } else if (const auto& running = std::get<Running>(incoming); !running.is_idle) {
      const std::array<Argument, 1> from_idle{Argument{kOutgoingWeight, kIdleWeight}};
      piece.write(ContextSwitch{.time = piece.span.start,
                                .cpu = cpu,
                                .incoming_thread = running.thread,
                                .arguments = std::span<const Argument>(from_idle)});
    }
  }
}

}  // namespace fxt
