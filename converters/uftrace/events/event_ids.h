// The ids of events. Everything that depends on the id of an event is decided by this table.
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
  ProcessCounter,   // values read at the entry of a function, of the whole process
  ThreadCounter,    // the same, of one thread
  Difference,       // how much the values of a counter grew in a call, read at its exit
  WatchedCpu,       // the number of the cpu
  WatchedVariable,  // address and value of a variable
  CallSite,         // where the next call is called from
};

// An event that uftrace itself records.
struct KnownEvent {
  std::uint64_t id;
  std::string_view uftrace_name;
  UftraceEventKind kind;
  std::string_view counter = {};  // the name of a counter
  // One for each 64-bit value of the event: the series of a counter, or arguments of the call that ends.
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
              "each id is that of one event, and they ascend");

// Null if uftrace has no event of that id.
constexpr const KnownEvent* find_event(std::uint64_t id) {
  const auto* const found = std::ranges::find(kKnownEvents, id, &KnownEvent::id);
  return found != kKnownEvents.end() ? found : nullptr;
}

// Events of the user and of SDT probes have ids from here on. All others belong to the call that they were
// recorded in.
inline constexpr std::uint64_t kFirstUserEvent = 1'000'000;

// Whether the id lies in a range that uftrace uses or reserves. Others are damage.
constexpr bool is_event_id(std::uint64_t id) {
  return (id >= 100'001 && id <= 100'100) || (id >= 200'001 && id <= 200'100) ||
         (id >= kFirstUserEvent && id <= 2'000'000);
}

}  // namespace convert::uftrace
