// One nesting per thread, one table of flows, one of async operations.
#include "fxt/writing/event_order.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "fxt/checking/value_rules.h"
#include "fxt/writing/tables.h"

namespace fxt {
namespace {

using Low = Field<0, 31>;
constexpr std::uint64_t kNames = EventHeader::Category::kMask | EventHeader::Name::kMask;

std::string on_thread(const Thread& thread) {
  return " on thread " + std::to_string(thread.thread) + " of process " + std::to_string(thread.process);
}

std::string at(std::uint64_t time) { return std::to_string(time) + " ns"; }

std::string nesting_problem(Fault fault, const Event& event, const ThreadNesting& nesting) {
  const ThreadNesting::Duration& around = nesting.around(event.time);
  switch (fault) {
    case Fault::OutOfWindow:
      return "at " + at(event.time) + " comes after one at " + at(nesting.last_time()) +
             on_thread(event.thread);
    case Fault::OpenWhenEnded:
      return "comes while a duration is still open that had to end at " + at(around.limit()) +
             ", with the one around it";
    case Fault::Overlaps:
    case Fault::OverlapsBegun:
      return "lasts until " + at(event.end) + ", beyond the one around it, which ends at " +
             at(around.limit());
    case Fault::Crosses:
      return "ends a duration before the one inside it, which lasts until " + at(around.end);
    case Fault::NamesOuter:
    case Fault::TooDeep:
      return problem_of(fault);
    default:
      return problem_of(fault) + on_thread(event.thread);
  }
}

void check_link_time(const Event& event, const LastTimes& times, std::string_view what, FaultSink& faults) {
  if (const std::uint64_t last = times.of(event.id); event.time < last)
    faults.fault(Fault::OutOfWindow, "at " + at(event.time) + " comes after one of " + std::string(what) +
                                         std::to_string(event.id) + " at " + at(last));
}

// 32 bits of the names as they are written, above 0; 0 for an event without names.
std::uint64_t hash_of(std::string_view category, std::string_view name) {
  std::string kept_category, kept_name;
  const std::size_t hash = hash_of_names(as_written(category, kMaxStringBytes, kept_category),
                                         as_written(name, kMaxStringBytes, kept_name));
  return hash == 0 ? 0 : Low::get(hash) | 1;
}

}  // namespace

std::uint64_t names_of(std::uint64_t header, const Event& event) {
  const std::uint64_t category = EventHeader::Category::get(header), name = EventHeader::Name::get(header);
  const auto in_table = [](std::uint64_t ref) { return StringRef::IsInline::get(ref) == 0; };
  return in_table(category) && in_table(name) ? header & kNames
                                              : Low::put(hash_of(event.category.text, event.name.text));
}

std::uint64_t EventOrder::hash_of(std::uint64_t names) const {
  if (Low::get(names) != 0) return Low::get(names);
  return fxt::hash_of(tables_->text_of(EventHeader::Category::get(names)),
                      tables_->text_of(EventHeader::Name::get(names)));
}

ThreadNesting::Misplaced EventOrder::check_end(const ThreadNesting& nesting, std::uint64_t time,
                                               std::uint64_t names) const {
  const std::uint64_t hash = hash_of(names);
  return nesting.check_end(time, [&](const BeginTag& begin) {
    return hash == 0 || names == begin.names || hash == hash_of(begin.names);
  });
}

ThreadNesting::Misplaced EventOrder::misplaced(const Event& event, const ThreadNesting& nesting) const {
  switch (event.type) {
    case EventType::Instant:
      return nesting.check_point(event.time);
    case EventType::DurationBegin:
      return nesting.check_begin(event.time);
    case EventType::DurationEnd:
      return check_end(nesting, event.time, Low::put(fxt::hash_of(event.category.text, event.name.text)));
    case EventType::DurationComplete:
      return nesting.check_complete(event.time, event.end);
    default:
      return nesting.check_flow(event.time);
  }
}

EventOrder::EventIdentity EventOrder::identity_of(const Event& event) {
  const auto written = [](std::string_view text) {
    std::string kept;
    return std::string(as_written(text, kMaxStringBytes, kept));
  };
  return {.thread = event.thread, .category = written(event.category.text), .name = written(event.name.text)};
}

void EventOrder::check(const Event& event, FaultSink& faults) {
  if (event.type == EventType::Counter || ends_before_it_begins(event)) return;
  if (is_async(event.type)) return check_async(event, faults);
  const ThreadNesting& nesting = nesting_of(event.thread);
  if (const auto fault = misplaced(event, nesting))
    faults.fault(*fault, nesting_problem(*fault, event, nesting));
  if (event.type == EventType::DurationEnd && !event.arguments.empty() && !nesting.has_dropped() &&
      argument_names_.share(nesting.around(event.time).tag.arguments,
                            argument_names_.number_of(event.arguments)))
    faults.fault(Fault::NameOfBegin, problem_of(Fault::NameOfBegin));
  if (is_flow(event.type)) check_flow(event, faults);
}

void EventOrder::add(const Event& event, std::uint64_t header) {
  if (event.type == EventType::Counter || ends_before_it_begins(event)) return;
  if (is_async(event.type)) return add_async(event);
  ThreadNesting& nesting = nesting_of(event.thread);
  const auto add = [&] {
    switch (event.type) {
      case EventType::Instant:
        return nesting.add_point(event.time, false);
      case EventType::DurationBegin:
        return nesting.add_begin(event.time, {.names = names_of(header, event),
                                              .arguments = argument_names_.number_of(event.arguments)});
      case EventType::DurationEnd:
        return nesting.add_end(event.time);
      case EventType::DurationComplete:
        return nesting.add_complete(event.time, event.end, {});
      default:
        return nesting.add_flow(event.time);
    }
  };
  constexpr auto kIgnore = [](const auto&, const auto&) {};
  auto misplaced = add();
  if (misplaced == Fault::OpenWhenEnded) {
    nesting.outlived(event.time, kIgnore);
    misplaced = add();
  }
  if (misplaced == Fault::Crosses) nesting.end_around(kIgnore);
  if (misplaced == Fault::TooDeep && event.type == EventType::DurationBegin) nesting.drop_begin();
  if (is_flow(event.type)) add_flow(event);
}

// ---- Flows ----

void EventOrder::check_flow(const Event& event, FaultSink& faults) {
  const auto flow = flows_.find(event.thread.process, event.id);
  if (const auto fault = flows_.fault_of(event.type, event.thread.process, flow))
    faults.fault(*fault, problem_of(*fault, event.id) +
                             (fault == Fault::FlowInUse ? ' ' + at(flow.tag->begin_time) : ""));
  check_link_time(event, flow_times_, "flow ", faults);
}

void EventOrder::add_flow(const Event& event) {
  if (event.type == EventType::FlowBegin)
    flows_.begin(event.thread.process, event.id, {.begin_time = event.time, .begin = identity_of(event)});
  const auto flow = flows_.find(event.thread.process, event.id);
  if (!flow) return;
  if (event.type == EventType::FlowEnd)
    flows_.end(flow, event.id);
  else
    flow.tag->last = identity_of(event);
  flow_times_.set(event.id, event.time, flows_.has(event.id));
}

// ---- Async operations ----

OpenAsyncs<EventOrder::EventIdentity>::End EventOrder::find_end(const Event& event) {
  const auto async = asyncs_.find(event.id);
  if (async == asyncs_.end()) return {};
  return async->second.find_end(event.thread.process, identity_of(event).hash(),
                                argument_names_.number_of(event.arguments), argument_names_);
}

void EventOrder::check_async(const Event& event, FaultSink& faults) {
  const auto report = [&](Fault fault) { faults.fault(fault, problem_of(fault, event.id)); };
  check_link_time(event, async_times_, "async operation ", faults);
  const auto async = asyncs_.find(event.id);
  if (event.type == EventType::AsyncBegin) {
    if (async != asyncs_.end() && async->second.is_full()) report(Fault::AsyncTooDeep);
  } else if (event.type == EventType::AsyncInstant) {
    if (async == asyncs_.end()) report(Fault::AsyncInstantOutside);
  } else if (event.type == EventType::AsyncEnd) {
    const auto end = find_end(event);
    if (end.operation == nullptr) report(Fault::AsyncStrayEnd);
    if (end.is_around_open)
      faults.fault(Fault::AsyncOpenWhenEnded, "ends async operation " + std::to_string(event.id) +
                                                  " before the one of the same id inside it");
    if (end.is_of_other) report(Fault::AsyncOfOtherProcess);
    if (end.repeats_a_name) report(Fault::NameOfBegin);
  }
}

void EventOrder::add_async(const Event& event) {
  auto& async = asyncs_[event.id];
  if (event.type == EventType::AsyncBegin && !async.is_full()) {
    EventIdentity identity = identity_of(event);
    const std::size_t names = identity.hash();
    async.open.push_back({.process = event.thread.process,
                          .names = names,
                          .arguments = argument_names_.number_of(event.arguments),
                          .tag = std::move(identity)});
  } else if (event.type == EventType::AsyncEnd) {
    if (const auto* const ended = find_end(event).operation)
      async.open.erase(async.open.begin() + (ended - async.open.data()));
  }
  async_times_.set(event.id, event.time, !async.open.empty());
  if (async.open.empty()) asyncs_.erase(event.id);
}

}  // namespace fxt
