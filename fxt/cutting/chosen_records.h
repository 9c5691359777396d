// Decides which records of a trace are kept: records of the chosen threads, and the chosen
// events. Internal to the Cutter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "fxt/checking/by_thread.h"
#include "fxt/checking/links.h"
#include "fxt/checking/value_rules.h"
#include "fxt/cutter.h"
#include "fxt/records.h"

namespace fxt {

// Decides which events of a thread are kept, if CutOptions::keeps chooses events.
class KeptEvents {
 public:
  // Returns whether an event is kept. An end is kept together with its begin, whatever the end's name is.
  bool is_kept(const Event& event, const std::function<bool(const Event&)>& keeps) {
    Durations& durations = threads_[event.thread];
    if (event.type == EventType::DurationEnd && !durations.open.empty()) {
      const bool is_kept = durations.open.back();
      durations.open.pop_back();
      durations.kept_open -= is_kept ? 1 : 0;
      return is_kept;
    }
    const bool is_kept = keeps(event);
    if (event.type == EventType::DurationBegin) {
      durations.open.push_back(is_kept);
      durations.kept_open += is_kept ? 1 : 0;
    }
    if (event.type == EventType::DurationComplete && is_kept)
      durations.complete_until = std::max(durations.complete_until, event.end);
    return is_kept;
  }
  // Returns whether the event is inside a duration that is kept.
  bool is_in_duration(const Event& event) const {
    const Durations* const durations = threads_.find(event.thread);
    return durations != nullptr && (event.time <= durations->complete_until || durations->kept_open != 0);
  }

 private:
  struct Durations {
    std::vector<bool> open;  // for each open duration, outermost first: whether it is kept
    std::size_t kept_open = 0;
    std::uint64_t complete_until = 0;  // the latest end of complete events that are kept
  };
  ByThread<Durations> threads_;
};

// A flow event that is not kept. Other events of its flow may be kept.
struct LeftOutFlow {
  const Event& event;
};

// ---- Context switches ----

inline std::uint64_t outgoing_of(const LegacyContextSwitch& change) { return change.outgoing.thread; }
inline std::uint64_t incoming_of(const LegacyContextSwitch& change) { return change.incoming.thread; }
inline std::uint64_t outgoing_of(const ContextSwitch& change) { return change.outgoing_thread; }
inline std::uint64_t incoming_of(const ContextSwitch& change) { return change.incoming_thread; }

inline LegacyContextSwitch with_idle(LegacyContextSwitch change, bool from_stays, bool to_stays) {
  if (!from_stays) change.outgoing = kIdleThread, change.outgoing_priority = 0;
  if (!to_stays) change.incoming = kIdleThread, change.incoming_priority = 0;
  return change;
}
inline ContextSwitch with_idle(ContextSwitch change, bool from_stays, bool to_stays) {
  std::vector<Argument> arguments;
  for (const Argument& argument : change.arguments)
    if (argument.name.text == kOutgoingWeight ? from_stays
                                              : argument.name.text != kIncomingWeight || to_stays)
      arguments.push_back(argument);
  if (!from_stays) arguments.push_back({kOutgoingWeight, kIdleWeight});
  if (!to_stays) arguments.push_back({kIncomingWeight, kIdleWeight});
  if (!from_stays) change.outgoing_thread = 0;
  if (!to_stays) change.incoming_thread = 0;
  change.arguments = Arguments(std::move(arguments));
  return change;
}

class ChosenRecords {
 public:
  explicit ChosenRecords(const CutOptions& options) : threads_(options.threads), keeps_(options.keeps) {}

  // Calls `consume(record)` with the record, or with the kept part of the record. If no part of a flow event
  // is kept, calls `consume` with a LeftOutFlow. Drops other records without a kept part.
  template <typename T, typename Consume>
  void filter(const T& record, Consume consume) {
    if constexpr (std::is_same_v<T, Event>) {
      if (is_async(record.type) && !takes_all())
        filter_async(record, consume);
      else if (is_chosen(record.thread.thread))
        filter_event(record, consume);
      else
        leave_out(record, consume);
    } else if constexpr (std::is_same_v<T, LegacyContextSwitch> || std::is_same_v<T, ContextSwitch>) {
      filter_switch(record, consume);
    } else if constexpr (std::is_same_v<T, ThreadWakeup>) {
      if (is_chosen(record.thread)) consume(record);
    } else if constexpr (std::is_same_v<T, KernelObject>) {
      if (record.type != KernelObjectType::Thread || is_chosen(record.koid)) consume(record);
    } else if constexpr (std::is_same_v<T, ProfilerModule> || std::is_same_v<T, ProfilerMmap>) {
      consume(record);  // modules and mmaps belong to the whole process
    } else if constexpr (requires { record.thread.thread; }) {
      if (is_chosen(record.thread.thread)) consume(record);
    } else {
      consume(record);
    }
  }

 private:
  bool is_chosen(std::uint64_t thread) const {
    return threads_.empty() || std::ranges::find(threads_, thread) != threads_.end();
  }

  bool takes_all() const { return threads_.empty() && !keeps_; }

  // An end is kept if its begin is kept. An instant is kept if any open operation of its id is kept. If no
  // such operation is open, the event's own thread and `keeps_` decide. They also decide about each begin.
  template <typename Consume>
  void filter_async(const Event& event, Consume consume) {
    const bool is_own_choice = is_chosen(event.thread.thread) && (!keeps_ || keeps_(event));
    const bool is_kept = event.type == EventType::AsyncEnd ? has_kept_begin(event).value_or(is_own_choice)
                         : event.type == EventType::AsyncInstant ? is_in_kept(event).value_or(is_own_choice)
                                                                 : is_own_choice;
    if (event.type == EventType::AsyncBegin)
      if (OpenAsyncs<bool>& async = asyncs_[event.id]; !async.is_full())
        async.open.push_back({.process = event.thread.process, .names = names_of(event), .tag = is_kept});
    if (is_kept) consume(event);
  }
  // Ends the operation, and returns whether its begin was kept. Nothing if it is not open.
  std::optional<bool> has_kept_begin(const Event& end) {
    const auto async = asyncs_.find(end.id);
    if (async == asyncs_.end()) return std::nullopt;
    auto& open = async->second.open;
    const auto* const ended = async->second.find_end(end.thread.process, names_of(end), 0, {}).operation;
    if (ended == nullptr) return std::nullopt;
    const bool is_kept = ended->tag;
    open.erase(open.begin() + (ended - open.data()));
    if (open.empty()) asyncs_.erase(async);
    return is_kept;
  }
  // Returns whether an open operation of the id is kept; nothing if no operation is open.
  std::optional<bool> is_in_kept(const Event& instant) const {
    const auto async = asyncs_.find(instant.id);
    if (async == asyncs_.end()) return std::nullopt;
    return std::ranges::any_of(async->second.open, [](const auto& operation) { return operation.tag; });
  }
  static std::size_t names_of(const Event& event) {
    return hash_of_names(event.category.text, event.name.text);
  }

  // A flow event outside of the kept durations is written with a new duration of no length around it.
  template <typename Consume>
  void filter_event(const Event& event, Consume consume) {
    if (!keeps_) return consume(event);
    if (!kept_.is_kept(event, keeps_)) return leave_out(event, consume);
    if (is_flow(event.type) && !kept_.is_in_duration(event)) {
      Event duration = event;
      duration.type = EventType::DurationComplete;
      duration.end = event.time;
      duration.arguments = {};
      consume(duration);
    }
    consume(event);
  }

  template <typename Consume>
  static void leave_out(const Event& event, Consume consume) {
    if (is_flow(event.type)) consume(LeftOutFlow{event});
  }

  // The idle thread replaces a thread that is not chosen.
  template <typename T, typename Consume>
  void filter_switch(const T& change, Consume consume) const {
    const bool from = is_chosen(outgoing_of(change)), to = is_chosen(incoming_of(change));
    if (from && to) return consume(change);
    if (from || to) consume(with_idle(change, from, to));
  }

  std::vector<std::uint64_t> threads_;
  std::function<bool(const Event&)> keeps_;
  KeptEvents kept_;
  std::map<std::uint64_t, OpenAsyncs<bool>> asyncs_;  // by id: whether the operations are kept
};

}  // namespace fxt
