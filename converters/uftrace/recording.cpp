#include "converters/uftrace/recording.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace convert::uftrace {

ThreadFacts facts_of(const Task& task, Recording& recording) {
  const Info& info = recording.info;
  ThreadFacts facts{.order = info.order,
                    .max_stack = info.max_stack.value_or(0),
                    .elapsed_ns = elapsed_ns(info),
                    .is_growing = recording.directory.is_growing,
                    .has_estimated_exits = info.has<FeatureBits::EstimateReturn>(),
                    .code = std::make_shared<TaskCode>(recording.symbolizer, task)};
  if (task.fork_ns)
    facts.begun_ns = *task.fork_ns;
  else if (!task.sessions.empty() && task.sessions.front().session != nullptr)
    facts.begun_ns = task.sessions.front().session->start_ns;
  return facts;
}

// A task begins with its first line in task.txt and ends with perf's exit, while the recorder runs.
std::optional<PossibleTimes> possible_times_of(const Task& task, const Recording& recording,
                                               const RecordHead& head) {
  // Lines are written a little earlier or later than the records.
  constexpr std::uint64_t kLineSlackNs = 4'000'000;
  // The recorder measures its time by another clock, and its end before the last tasks end.
  constexpr std::uint64_t kRecorderSlackNs = 1'000'000'000;
  PossibleTimes times;
  if (!task.sessions.empty()) {
    const std::uint64_t begin_ns = std::min(task.sessions.front().from_ns, task.fork_ns.value_or(kForever));
    times.first_ns = begin_ns - std::min(begin_ns, kLineSlackNs);
  }
  // A clock that the user has chosen may go on while the machine sleeps.
  const bool has_usual_clock = recording.info.cmdline.find("--clock") == std::string::npos;
  const auto& sessions = recording.sessions.sessions();
  const auto elapsed = elapsed_ns(recording.info);
  if (elapsed && has_usual_clock && !sessions.empty() && sessions.front().start_ns != 0)
    times.last_ns =
        std::min(kForever - kRecorderSlackNs - sessions.front().start_ns, *elapsed + *elapsed / 8) +
        kRecorderSlackNs + sessions.front().start_ns;
  const auto perf = recording.perf.find(task.tid);
  if (perf != recording.perf.end() && perf->second.exited_ns)
    times.last_ns = std::min(times.last_ns, *perf->second.exited_ns + kLineSlackNs);
  if (!head.first_ns || !times.contain(*head.first_ns)) return std::nullopt;
  return times;
}

}  // namespace convert::uftrace
