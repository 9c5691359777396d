// The table of uftrace's events, with everything that depends on the id of an event.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "converters/uftrace/recording/argument_names.h"

namespace convert::uftrace {

enum class UftraceEventKind : std::uint8_t {
  ProcessCounter,  // values of the whole process, read at the entry of a function
  ThreadCounter,   // values of one thread, read at the entry of a function
  Difference,      // growth of a counter's values during a call, read at the exit
  WatchedCpu,
  WatchedVariable,  // address and value of a variable
  CallSite,         // the address from which the next call is made
};

// An event that uftrace defines.
struct KnownEvent {
  std::uint64_t id;
  std::string_view uftrace_name;
  UftraceEventKind kind;
  std::string_view counter = {};
  // The names of the event's 64-bit values. The values are those of a counter, or arguments of a call.
  std::array<std::string_view, 3> values = {};

  constexpr std::size_t value_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(values, [](auto name) { return !name.empty(); }));
  }
};

inline constexpr std::array<KnownEvent, 13> kKnownEvents{{
    {100001,
     "read:proc/statm",
     UftraceEventKind::ProcessCounter,
     "memory",
     {"vmsize KB", "vmrss KB", "shared KB"}},
    {100002,
     "read:page-fault",
     UftraceEventKind::ProcessCounter,
     "page-fault",
     {"major faults", "minor faults"}},
    {100003,
     "diff:proc/statm",
     UftraceEventKind::Difference,
     {},
     {"diff.vmsize", "diff.vmrss", "diff.shared"}},
    {100004, "diff:page-fault", UftraceEventKind::Difference, {}, {"diff.major", "diff.minor"}},
    {100005, "read:pmu-cycle", UftraceEventKind::ThreadCounter, "pmu-cycle", {"cycles", "instructions"}},
    {100006, "diff:pmu-cycle", UftraceEventKind::Difference, {}, {"diff.cycles", "diff.instructions"}},
    {100007,
     "read:pmu-cache",
     UftraceEventKind::ThreadCounter,
     "pmu-cache",
     {"cache references", "cache misses"}},
    {100008,
     "diff:pmu-cache",
     UftraceEventKind::Difference,
     {},
     {"diff.cache-references", "diff.cache-misses"}},
    {100009, "read:pmu-branch", UftraceEventKind::ThreadCounter, "pmu-branch", {"branches", "branch misses"}},
    {100010, "diff:pmu-branch", UftraceEventKind::Difference, {}, {"diff.branches", "diff.branch-misses"}},
    {100011, "watch:cpu", UftraceEventKind::WatchedCpu, "cpu"},
    {100012, "watch:var", UftraceEventKind::WatchedVariable},
    {100013, "callsite", UftraceEventKind::CallSite, {}, {kCallSite}},
}};
static_assert(std::ranges::adjacent_find(kKnownEvents, std::greater_equal{}, &KnownEvent::id) ==
                  kKnownEvents.end(),
              "the ids must be unique and in ascending order");

// Returns null if uftrace has no event with this id.
constexpr const KnownEvent* find_event(std::uint64_t id) {
  const auto* const found = std::ranges::find(kKnownEvents, id, &KnownEvent::id);
  return found != kKnownEvents.end() ? found : nullptr;
}

// User events (SDT probes) have ids from here on. All other events belong to the call in which they were
// recorded.
inline constexpr std::uint64_t kFirstUserEvent = 1'000'000;

// True if the id is in a range that uftrace uses or reserves. Other ids are damage.
constexpr bool is_event_id(std::uint64_t id) {
  return (id >= 100'001 && id <= 100'100) || (id >= 200'001 && id <= 200'100) ||
         (id >= kFirstUserEvent && id <= 2'000'000);
}

}  // namespace convert::uftrace
