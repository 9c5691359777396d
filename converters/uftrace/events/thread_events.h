// Shows the event records of one thread. Memory, page faults, processor counters, watched CPUs and variables
// become counters. User events become instants. The growth of counters during a call, and the call site,
// become arguments of the call.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/events/event_ids.h"
#include "converters/uftrace/events/user_events.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// The data that are the same for the events of all threads.
struct EventContext {
  Symbolizer& symbolizer;
  Names& names;
  UserEvents& user_events;
  Demangle demangle;
  std::size_t word_size;  // size of a pointer in the recorded program
  std::endian order;
};

class ThreadEvents {
 public:
  ThreadEvents(const EventContext& context, const Task& task)
      : context_(context), task_(task), symbols_(context.symbolizer, task) {}

  // Emits an event at `time_ns` on the lane, or stores arguments if the event belongs to a call. If `lane` is
  // null, the event is hidden. Returns false if the id is unknown or the data have a wrong size.
  bool emit(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);

  // Add the arguments that were stored for an entry (or an exit), and drop all other stored arguments.
  void add_to_entry(Arguments& arguments);
  void add_to_exit(Arguments& arguments);
  bool is_waiting() const { return !for_entry_.empty() || !for_exit_.empty(); }
  // Drops the stored arguments. Must be called if records are missing, because then the arguments do not
  // belong to the next call.
  void forget() { for_entry_.clear(), for_exit_.clear(); }

 private:
  struct Variable {
    NameId name = {};
    std::size_t size = sizeof(std::uint64_t);  // size of the type, or else of the symbol, if known
    std::optional<ScalarType::Kind> kind = {};
  };

  bool emit_known(const KnownEvent& event, std::uint64_t time_ns, std::span<const std::byte> data,
                  Lane* lane);
  bool emit_variable(std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);
  void emit_user_event(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane);
  void emit_counter(std::uint64_t time_ns, NameId name, std::uint64_t id, Lane* lane);
  const Variable& variable_at(std::uint64_t address, std::uint64_t time_ns);
  void add_call_site(std::uint64_t address, std::uint64_t time_ns);
  LabelId label(NameId name) { return context_.names.intern_label(context_.names.intern("event"), name); }

  EventContext context_;
  const Task& task_;
  TaskSymbols symbols_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Variable> variables_;  // indexed by epoch and address
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::optional<NameId>>
      call_sites_;  // names of call sites, indexed by epoch and address; nothing if unknown
  SessionSpan registered_ = {.until_ns = 0};  // the last result of add_use()
  Arguments for_entry_;
  Arguments for_exit_;
  Arguments values_;
};

}  // namespace convert::uftrace
