#include "converters/uftrace/recording.h"

#include <algorithm>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/records/call_walk.h"

namespace convert::uftrace {
namespace {

// Finds the first record that is not before a given time.
class RecordSearch {
 public:
  explicit RecordSearch(std::uint64_t time_ns) : time_ns_(time_ns) {}
  std::optional<std::uint64_t> found() const { return found_; }  // offset in the file

  // ---- For CallWalk ----

  bool is_done() const { return found_.has_value(); }
  std::uint64_t plain_until_ns() const { return time_ns_; }
  static bool may_skip(const CallRecord&) { return true; }
  static void skipped(const CallRecord&, std::uint64_t) {}
  void before_call(const RecordItem& item) { look_at(item); }
  static void after_call(const RecordItem&) {}
  void other_record(const RecordItem& item) {
    if (item.what == RecordItem::What::Event) look_at(item);
  }

 private:
  void look_at(const RecordItem& item) {
    if (!found_ && item.call.time_ns >= time_ns_) found_ = item.begin;
  }

  std::uint64_t time_ns_;
  std::optional<std::uint64_t> found_;
};

}  // namespace

ReusedIds reused_ids_of(std::vector<TaskEvent>& events, const Directory& directory, const Info& info) {
  if (!ReusedIds::asks_for_forks(events)) return ReusedIds(events);
  return ReusedIds(events, find_forks(directory.perf_cpus, info.order));
}

std::vector<TaskRecords> tasks_of(const ThreadFile& file, Recording& recording) {
  std::vector<TaskRecords> all;
  for (const auto& [thread, begin_ns] : recording.reused.owners_of(file.tid)) {
    const Task* const task = recording.sessions.find_task(thread);
    if (task == nullptr) continue;
    if (all.empty()) {
      all.push_back({task, {}});
      continue;
    }
    auto& [before, part] = all.back();
    ThreadFacts facts = facts_of(*before, recording);
    facts.part = part;
    PayloadDecoder payload_decoder(recording.layouts, *before);
    const std::vector<std::uint64_t> inherited;
    RecordSearch search(begin_ns);
    try {
      CallWalk<>({*before, file.place, facts, &payload_decoder, inherited}).run(search);
    } catch (const InputError&) {
      // The conversion of the records will report that the file can't be read.
    }
    if (!search.found()) continue;
    part.end = *search.found();
    all.push_back({task, {.begin = part.end}});
  }
  return all;
}

std::uint64_t size_of(const FilePart& part, const ThreadFile& file) {
  const std::uint64_t end = std::min(part.end, file.size_bytes);
  return end - std::min(part.begin, end);
}

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

// A task begins at its first line in task.txt. If the perf files have its exit, the task ends there.
// Otherwise, it may last until the end of the recording.
std::optional<PossibleTimes> possible_times_of(const Task& task, const Recording& recording,
                                               const RecordHead& head) {
  // The times of lines in task.txt can differ slightly from the times of records.
  constexpr std::uint64_t kLineSlackNs = 4'000'000;
  // The recorder measures the elapsed time with another clock, and may end before the last task.
  constexpr std::uint64_t kRecorderSlackNs = 1'000'000'000;
  PossibleTimes times;
  if (!task.sessions.empty()) {
    const std::uint64_t begin_ns = std::min(task.sessions.front().from_ns, task.fork_ns.value_or(kForever));
    times.first_ns = begin_ns - std::min(begin_ns, kLineSlackNs);
  }
  // With the option --clock, the records may have times from a clock that does not stop while the machine
  // sleeps. Then the elapsed time does not limit the times of records.
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
