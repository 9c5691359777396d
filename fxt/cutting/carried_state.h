// State that is valid until a later record changes it: names, hints for viewers, modules and mmaps of the
// profiler, values of counters, the thread that runs on each CPU. Each piece repeats it at its start.
// Internal to the Cutter.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/held_texts.h"
#include "fxt/cutting/piece.h"
#include "fxt/records.h"

namespace fxt {

class CarriedState {
 public:
  explicit CarriedState(HeldTexts& texts) : texts_(&texts) {}

  void add(const KernelObject& object) { keep(kernel_objects_[{object.type, object.koid}], object); }
  void add(const UserspaceObject& object) {
    keep(userspace_objects_[{object.process.process, object.pointer}], object);
  }
  void add(const Event& counter);
  // Adds a blob that describes the whole trace.
  void add(const Blob& blob) { keep(hints_.emplace_back(), blob); }
  void add(const ProfilerModule& module) {
    keep(modules_[{module.thread.process, module.module_id}], module);
  }
  void add(const ProfilerMmap& mmap) { keep(mmaps_[{mmap.thread.process, mmap.start}], mmap); }
  void add(const LegacyContextSwitch& change) {
    run(change.cpu, change, change.incoming == kIdleThread, [&change](const LegacyContextSwitch& before) {
      return before.incoming == change.outgoing || before.incoming == kIdleThread;
    });
  }
  void add(const ContextSwitch& change);

  // write_names() writes the names, which have no time. write_state() writes the other records, with the
  // first time of the piece.
  void write_names(Piece& piece) const;
  void write_state(Piece& piece) const;

 private:
  // The incoming thread of a ContextSwitch. Only the record's arguments show whether it is the idle thread.
  struct Running {
    std::uint64_t time = 0;
    std::uint64_t thread = 0;
    bool is_idle = false;
  };

  // For each CPU, the switch with the latest time counts, because threads may report their switches late. At
  // equal times, a switch to the idle thread may come after the switch from the idle thread to the next
  // thread. Then the switch to the idle thread does not count.
  template <typename T, typename Follows>
  void run(std::uint16_t cpu, const T& incoming, bool is_idle, Follows follows) {
    auto& known = running_[cpu];
    const std::uint64_t known_time = std::visit([](const auto& before) { return before.time; }, known);
    const T* const before = std::get_if<T>(&known);
    const bool is_told_late =
        is_idle && known_time == incoming.time && before != nullptr && !follows(*before);
    if (known_time <= incoming.time && !is_told_late) known = incoming;
  }
  template <typename T>
  void keep(Held<T>& held, const T& record) {
    held.assign(record, *texts_);
  }

  struct Counter {
    std::vector<HeldTexts::Use> names = {};  // names of the category, the counter and its values
    Held<Event> latest = {};
  };

  HeldTexts* texts_;
  std::map<std::pair<KernelObjectType, std::uint64_t>, Held<KernelObject>> kernel_objects_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Held<UserspaceObject>> userspace_objects_;
  std::vector<Held<Blob>> hints_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, Held<ProfilerModule>> modules_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Held<ProfilerMmap>> mmaps_;  // by process and address
  std::map<std::string, Counter> counters_;  // by process, counter id, and the number() of each name
  std::string key_;
  std::map<std::uint16_t, std::variant<LegacyContextSwitch, Running>> running_;
};

inline void CarriedState::add(const Event& counter) {
  key_ = std::to_string(counter.thread.process) + '/' + std::to_string(counter.id);
  std::vector<HeldTexts::Use> names;
  const auto add_name = [&](const String& text) {
    const HeldTexts::Use& name = names.emplace_back(texts_->use(text.text));
    key_.append(1, '/').append(std::to_string(name.number()));
  };
  add_name(counter.category);
  add_name(counter.name);
  for (const Argument& argument : counter.arguments) add_name(argument.name);
  Counter& known = counters_[key_];
  if (known.names.empty()) known.names = std::move(names);
  keep(known.latest, counter);
}

inline void CarriedState::add(const ContextSwitch& change) {
  if (!uses_cpu(change)) return;
  const Running incoming{.time = change.time,
                         .thread = change.incoming_thread,
                         .is_idle = is_idle(change.arguments, kIncomingWeight)};
  run(change.cpu, incoming, incoming.is_idle,
      [&change](const Running& before) { return before.is_idle || before.thread == change.outgoing_thread; });
}

inline void CarriedState::write_names(Piece& piece) const {
  for (const auto& [key, object] : kernel_objects_) piece.write(object.record());
  for (const auto& [key, object] : userspace_objects_) piece.write(object.record());
  for (const Held<Blob>& blob : hints_) piece.write(Record(blob.record()));
}

inline void CarriedState::write_state(Piece& piece) const {
  const auto write = [&piece](const auto& held) {
    auto record = held.record();
    record.time = piece.span.start;
    piece.write(record);
  };
  const auto write_all = [&write](const auto& all) {
    for (const auto& [key, held] : all) write(held);
  };
  for (const auto& [key, counter] : counters_) write(counter.latest);
  write_all(modules_);
  write_all(mmaps_);
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
