// The order of events as a Writer gets them: durations of each thread nest, flows lie inside them, flows and
// async operations begin before they go on, and come in time order, whatever their threads (rules W15 to W17,
// W21). An event that is written although it is misplaced, because WriterOptions::allow takes that, is
// followed as readers do: dropped, or what it cuts ends. Internal to the Writer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/checking/by_thread.h"
#include "fxt/checking/links.h"
#include "fxt/checking/value_rules.h"
#include "fxt/nesting.h"
#include "fxt/records.h"
#include "fxt/writer.h"

namespace fxt {

class WriterTables;

// BeginTag::names of a begin.
std::uint64_t names_of(std::uint64_t header, const Event& event);

// The time of the last event of each id, for which the events of an id must be in time order. Of ids that
// are over, the latest 65,536 to 131,072 are remembered: memory does not grow with the trace.
class LastTimes {
 public:
  // 0 if nothing is known.
  std::uint64_t of(std::uint64_t id) const {
    for (const auto* const times : {&open_, &over_, &over_before_})
      if (const auto found = times->find(id); found != times->end()) return found->second;
    return 0;
  }
  void set(std::uint64_t id, std::uint64_t time, bool is_open) {
    if (is_open) {
      open_[id] = time;
      return;
    }
    open_.erase(id);
    over_[id] = time;
    if (over_.size() < kRemembered) return;
    over_before_ = std::exchange(over_, {});
  }

 private:
  static constexpr std::size_t kRemembered = std::size_t{1} << 16;
  std::unordered_map<std::uint64_t, std::uint64_t> open_, over_, over_before_;
};

class EventOrder {
 public:
  explicit EventOrder(const WriterTables& tables) : tables_(&tables) {}

  // The same object for the same thread, valid as long as this one.
  ThreadNesting& nesting_of(const Thread& thread) { return threads_[thread]; }

  // Reports what is wrong with the event at its place.
  void check(const Event& event, FaultSink& faults);
  // Adds an event that has been written.
  void add(const Event& event, std::uint64_t header);
  // What is wrong with an end with these names.
  ThreadNesting::Misplaced check_end(const ThreadNesting& nesting, std::uint64_t time,
                                     std::uint64_t names) const;

  // Ends everything that is open by calling `write(event)` or, for durations, `end(thread, time, names)`.
  // Each ends as early as it may; durations and async operations not before `last_time`, if that is allowed.
  template <typename Write, typename End>
  void finish(std::uint64_t last_time, Write write, End end);

 private:
  struct EventIdentity {
    Thread thread = {};
    std::string category = {};  // both as written
    std::string name = {};
    std::size_t hash() const { return hash_of_names(category, name); }
    Event event(EventType type, std::uint64_t time, std::uint64_t id) const {
      return {.type = type, .time = time, .thread = thread, .category = category, .name = name, .id = id};
    }
  };
  struct Flow {
    std::uint64_t begin_time = 0;
    EventIdentity begin = {}, last = {};
  };

  static EventIdentity identity_of(const Event& event);
  std::uint64_t hash_of(std::uint64_t names) const;
  ThreadNesting::Misplaced misplaced(const Event& event, const ThreadNesting& nesting) const;
  void check_flow(const Event& event, FaultSink& faults);
  void check_async(const Event& event, FaultSink& faults);
  void add_flow(const Event& event);
  OpenAsyncs<EventIdentity>::End find_end(const Event& event);
  void add_async(const Event& event);

  const WriterTables* tables_;
  ByThread<ThreadNesting> threads_;
  OpenFlows<Flow> flows_;
  std::map<std::uint64_t, OpenAsyncs<EventIdentity>> asyncs_;  // by id, which all processes share
  LastTimes flow_times_, async_times_;
  ArgumentNames argument_names_;
};

template <typename Write, typename End>
void EventOrder::finish(std::uint64_t last_time, Write write, End end) {
  struct FlowEnd {
    std::uint64_t id;
    EventIdentity last;
  };
  // A flow ends at its last event, unless another flow of its id is open there by then.
  std::vector<FlowEnd> flows;
  flows_.for_each([&](std::uint64_t process, std::uint64_t id, const Flow& flow) {
    const bool is_alone = flows_.find(flow.last.thread.process, id).is_of(process);
    flows.push_back({id, is_alone ? flow.last : flow.begin});
  });
  // Flows end in the durations that are open on their threads; those that are in none get one of no length.
  const auto end_flows = [&](bool in_none) {
    std::erase_if(flows, [&](const FlowEnd& flow) {
      const auto& [id, last] = flow;
      ThreadNesting& nesting = nesting_of(last.thread);
      const std::uint64_t time = std::max(nesting.last_time(), flow_times_.of(id));
      const bool is_enclosed = !nesting.check_flow(time);
      if (!is_enclosed && !in_none) return false;
      // Where too many events of no length are stacked already, a begin ends them all.
      const bool is_crowded = !is_enclosed && nesting.check_point(time);
      if (is_crowded) {
        write(last.event(EventType::DurationBegin, time, 0));
        nesting.add_begin(time, {});
      } else if (!is_enclosed) {
        Event around = last.event(EventType::DurationComplete, time, 0);
        around.end = time;
        write(around);
        nesting.add_point(time, true);
      }
      write(last.event(EventType::FlowEnd, time, id));
      nesting.add_flow(time);
      if (is_crowded) {
        write(last.event(EventType::DurationEnd, time, 0));
        nesting.add_end(time);
      }
      flow_times_.set(id, time, true);
      return true;
    });
  };
  end_flows(false);
  for (auto& [thread, nesting] : threads_) {
    for (std::size_t depth = nesting.depth(); depth > 0; --depth) {
      const ThreadNesting::Duration duration = nesting.at(depth);
      if (duration.end != ThreadNesting::kOpen) continue;
      const std::uint64_t time = std::max(nesting.last_time(), std::min(duration.limit(), last_time));
      end(Thread{.process = thread.process, .thread = thread.thread}, time, duration.tag.names);
      nesting.add_end(time);
    }
  }
  end_flows(true);
  for (auto& [id, async] : asyncs_) {
    const std::uint64_t time = std::max(async_times_.of(id), last_time);
    for (; !async.open.empty(); async.open.pop_back())
      write(async.open.back().tag.event(EventType::AsyncEnd, time, id));
  }
  flows_ = {};
  asyncs_ = {};
}

}  // namespace fxt
