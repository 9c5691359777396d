// One nesting per thread, one table of flows, one of async operations.
#include "fxt/writing/event_order.h"

#include <algorithm>

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

// 32 bits of the names as they are written, above 0; 0 for an event without names.
std::uint64_t hash_of(std::string_view category, std::string_view name) {
  if (category.empty() && name.empty()) return 0;
  const auto of_text = [](std::string_view text) {
    std::string repaired;
    return std::hash<std::string_view>{}(as_written(text, kMaxStringBytes, repaired));
  };
  return Low::get(of_text(category) * 31 + of_text(name)) | 1;
}

}  // namespace

std::size_t EventOrder::hash_of(const Place& place) {
  return hash_of_names({.category = place.category, .name = place.name});
}

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

Misplaced EventOrder::check_end(const ThreadNesting& nesting, std::uint64_t time, std::uint64_t names) const {
  const std::uint64_t hash = hash_of(names);
  return nesting.check_end(time, [&](const BeginTag& begin) {
    return hash == 0 || names == begin.names || hash == hash_of(begin.names);
  });
}

Misplaced EventOrder::check(const Event& event, const ThreadNesting& nesting) const {
  switch (event.type) {
    case EventType::Instant:
      return nesting.check_point(event.time);
    case EventType::DurationBegin:
      return nesting.check_begin(event.time);
    case EventType::DurationEnd:
      return check_end(nesting, event.time, Low::put(fxt::hash_of(event.category.text, event.name.text)));
    case EventType::DurationComplete:
      return nesting.check_complete(event.time, event.end);
    case EventType::FlowBegin:
    case EventType::FlowStep:
    case EventType::FlowEnd:
      return nesting.check_flow(event.time);
    case EventType::Counter:
    case EventType::AsyncBegin:
    case EventType::AsyncInstant:
    case EventType::AsyncEnd:
      break;  // lie beside the durations of their thread
  }
  return Misplaced::No;
}

std::string describe(Misplaced misplaced, const Event& event, const ThreadNesting& nesting) {
  const ThreadNesting::Duration& around = nesting.around(event.time);
  switch (misplaced) {
    case Misplaced::No:
      return "";
    case Misplaced::BackInTime:
      return "at " + at(event.time) + " comes after one at " + at(nesting.last_time()) +
             on_thread(event.thread) + ": its events must be in time order, outer durations first";
    case Misplaced::AroundEnded:
      return "comes while a duration is still open that had to end at " + at(around.limit()) +
             ", with the one around it";
    case Misplaced::BeyondAround:
      return "lasts until " + at(event.end) + ", beyond the one around it, which ends at " +
             at(around.limit());
    case Misplaced::NeverBegan:
      return "ends a duration that never began" + on_thread(event.thread);
    case Misplaced::InnerIsOpen:
      return "ends a duration before the one inside it, which lasts until " + at(around.end);
    case Misplaced::NamesOuter:
      return "ends a duration by its name while another is open inside it: readers pair without names";
    case Misplaced::TooDeep:
      return "lies deeper than 512 durations, where Perfetto drops it";
    case Misplaced::TooManyAtOnce:
      return "follows too many events of no length at one time: Perfetto stacks them and drops what lies "
             "deeper than 512";
    case Misplaced::NotEnclosed:
      return "lies in no duration" + on_thread(event.thread) + ": viewers would drop it";
    case Misplaced::BehindEnded:
      return "follows a complete duration or an instant that is over" + on_thread(event.thread) +
             ": Perfetto would bind it to that, not to the duration around both";
  }
  return "";
}

EventOrder::Place EventOrder::place_of(const Event& event) {
  const auto written = [](std::string_view text) {
    std::string kept;
    return std::string(as_written(text, kMaxStringBytes, kept));
  };
  return {.thread = event.thread, .category = written(event.category.text), .name = written(event.name.text)};
}

ThreadNesting& EventOrder::nesting_of(const Thread& thread) {
  if (last_nesting_ == nullptr || last_thread_ != thread) {
    last_nesting_ = &threads_[{thread.process, thread.thread}];
    last_thread_ = thread;
  }
  return *last_nesting_;
}

std::string EventOrder::objection(const Event& event) {
  if (event.type == EventType::Counter) return "";
  if (is_async(event.type)) return async_objection(event);
  const ThreadNesting& nesting = nesting_of(event.thread);
  const Misplaced misplaced = check(event, nesting);
  if (misplaced != Misplaced::No) return describe(misplaced, event, nesting);
  if (event.type == EventType::DurationEnd && !event.arguments.empty() &&
      argument_names_.share(nesting.around(event.time).tag.arguments,
                            argument_names_.number_of(event.arguments)))
    return std::string(kNamedLikeItsBegin);
  return is_flow(event.type) ? flow_objection(event) : "";
}

void EventOrder::take(const Event& event, std::uint64_t header) {
  if (event.type == EventType::Counter) return;
  if (is_async(event.type)) return take_async(event);
  ThreadNesting& nesting = nesting_of(event.thread);
  if (event.type == EventType::DurationComplete) {
    nesting.add_complete(event.time, event.end, {});
  } else if (event.type == EventType::DurationBegin) {
    nesting.add_begin(event.time, {.names = names_of(header, event),
                                   .arguments = argument_names_.number_of(event.arguments)});
  } else if (event.type == EventType::DurationEnd) {
    nesting.add_end(event.time);
  } else if (event.type == EventType::Instant) {
    nesting.add_point(event.time, false);
  } else {
    nesting.add_flow(event.time);
    take_flow(event);
  }
}

// ---- Flows ----

std::string EventOrder::flow_objection(const Event& event) {
  const std::string id = std::to_string(event.id);
  const auto flow = flows_.find(event.thread.process, event.id);
  if (event.type == EventType::FlowBegin) {
    if (flow.is_of(event.thread.process))
      return "begins flow " + id + ", which is open since " + at(flow.tag->begin_time);
  } else if (flow.match == decltype(flows_)::Match::NoneBegan) {
    return "continues flow " + id + ", which has not begun";
  } else if (flow.match == decltype(flows_)::Match::SeveralOthers) {
    return "continues flow " + id + ", which several other processes have begun";
  }
  if (const std::uint64_t last = flow_times_.of(event.id); event.time < last)
    return "at " + at(event.time) + " comes after one of flow " + id + " at " + at(last) +
           ": the events of an id must be in time order";
  return "";
}

void EventOrder::take_flow(const Event& event) {
  if (event.type == EventType::FlowBegin)
    flows_.begin(event.thread.process, event.id, {.begin_time = event.time, .begin = place_of(event)});
  const auto flow = flows_.find(event.thread.process, event.id);
  if (event.type == EventType::FlowEnd)
    flows_.end(flow, event.id);
  else
    flow.tag->last = place_of(event);
  flow_times_.set(event.id, event.time, flows_.has(event.id));
}

// ---- Async operations ----

std::string EventOrder::async_objection(const Event& event) {
  const std::string id = std::to_string(event.id);
  if (const std::uint64_t last = async_times_.of(event.id); event.time < last)
    return "at " + at(event.time) + " comes after one of async operation " + id + " at " + at(last) +
           ": the events of an id must be in time order";
  const auto async = asyncs_.find(event.id);
  if (event.type == EventType::AsyncInstant) return "";
  if (event.type == EventType::AsyncBegin)
    return async == asyncs_.end() || !async->second.is_full()
               ? ""
               : "begins more than 512 async operations of id " + id + " at once";
  const Place place = place_of(event);
  const auto end = async == asyncs_.end()
                       ? OpenAsyncs<Place>::End{}
                       : async->second.find_end(event.thread.process, hash_of(place),
                                                argument_names_.number_of(event.arguments), argument_names_);
  if (end.operation == nullptr)
    return "ends async operation " + id + ", which has not begun with this category and name";
  if (end.is_around_open) return "ends async operation " + id + " before the one of the same id inside it";
  if (end.is_of_other)
    return "ends async operation " + id + " while that of another process is open inside it";
  return end.repeats_a_name ? std::string(kNamedLikeItsBegin) : "";
}

void EventOrder::take_async(const Event& event) {
  auto& open = asyncs_[event.id].open;
  if (event.type == EventType::AsyncBegin) {
    Place place = place_of(event);
    const std::size_t names = hash_of(place);
    open.push_back({.process = event.thread.process,
                    .names = names,
                    .arguments = argument_names_.number_of(event.arguments),
                    .tag = std::move(place)});
  }
  if (event.type == EventType::AsyncEnd) open.pop_back();
  async_times_.set(event.id, event.time, !open.empty());
  if (open.empty()) asyncs_.erase(event.id);
}

}  // namespace fxt
