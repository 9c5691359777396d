// What the event records of one thread say (fact sheet 10): candidate_layouts of memory, page faults and
// processor counters, watched cpus and variables as counters; user events as instants; differences and call
// sites as arguments of the calls that they belong to.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/events/event_names.h"
#include "converters/uftrace/events/event_programs.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// What the events of a recording share.
struct EventContext {
  Symbolizer& symbolizer;
  Names& names;
  const EventNames& user_events;
  EventPrograms& programs;
  Demangle demangle;
  std::size_t word_size;  // bytes of a pointer of the recorded program
  std::endian order;
};

class ThreadEvents {
 public:
  // Events of the user and of SDT probes have these ids; others belong to the calls that they were read at.
  static constexpr std::uint64_t kFirstUserEvent = 1'000'000;

  // Borrows both for its whole life.
  ThreadEvents(const EventContext& shop, const Task& task)
      : shop_(shop), task_(task), symbols_(shop.symbolizer, task) {}

  // Says an event, or keeps what belongs to a call. False, and nothing is done, if its id is not known or its
  // data are too short. `time_ns` is where it stands in the lane; without a lane nothing is said.
  bool take(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);

  // Adds what was kept for the call that begins or ends now, and forgets the rest.
  void add_to_entry(Arguments& arguments);
  void add_to_exit(Arguments& arguments);
  bool is_waiting() const { return !for_entry_.empty() || !for_exit_.empty(); }
  // Records are missing here: what was kept belongs to none of the next.
  void forget() { for_entry_.clear(), for_exit_.clear(); }

 private:
  bool take_values(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);
  std::string name_of_user_event(std::uint64_t id, std::uint64_t time_ns);
  bool take_variable(std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);
  void count(std::uint64_t time_ns, NameId name, std::uint64_t id, Lane* lane);
  NameId variable_at(std::uint64_t address, std::uint64_t time_ns);
  LabelId label(NameId name) { return shop_.names.intern_label(shop_.names.intern("event"), name); }
  std::uint64_t load(std::span<const std::byte> bytes) const;

  EventContext shop_;
  const Task& task_;
  TaskSymbols symbols_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, NameId> variables_;  // by epoch and address
  SessionSpan told_ = {.until_ns = 0};  // of whose user events the programs know
  Arguments for_entry_;
  Arguments for_exit_;
  Arguments values_;  // of the counter at hand
};

}  // namespace convert::uftrace
