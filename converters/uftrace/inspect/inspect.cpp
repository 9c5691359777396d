#include "converters/uftrace/inspect/inspect.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/events/event_ids.h"
#include "converters/uftrace/events/user_events.h"
#include "converters/uftrace/inspect/inspect_files.h"
#include "converters/uftrace/kernel/kernel_outline.h"
#include "converters/uftrace/perf/perf_outline.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/recording/text_file.h"
#include "converters/uftrace/records/record_survey.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kKeptDamage = RecordSurvey::kKeptDamage;  // of all files together

// All that is known before the records are read.
struct Head {
  Head(const std::filesystem::path& input, Notes& notes)
      : directory(list_directory(input)),
        info(read_info(input, notes)),
        events(read_task_file(input, info.order, notes)),
        sessions(directory, info, events, notes),
        perf(scan_perf(directory.perf_cpus, {.order = info.order, .notes = &notes})) {}

  Directory directory;
  Info info;
  std::vector<TaskEvent> events;
  Sessions sessions;
  PerfThreads perf;  // what the perf files say of threads
};

struct SurveyedFile {
  const ThreadFile* file;
  RecordSurvey survey;
};
using Surveys = std::map<ThreadId, SurveyedFile>;

template <typename Id>
std::uint64_t number(Id id) {
  return static_cast<std::uint64_t>(id);
}

std::string format_seconds(std::uint64_t time_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

Outline format_of(const Info& info) {
  Outline outline;
  if (!info.present) outline["guessed"] = true;  // what uftrace assumes without the file
  outline["version"] = info.version;
  outline["byte order"] = info.order == std::endian::little ? "little" : "big";
  outline["word bits"] = info.bits;
  if (info.present) outline["features"] = feature_names(info.features);
  if (info.max_stack) outline["max stack"] = *info.max_stack;
  return outline;
}

Outline sessions_of(const Head& head) {
  Outline list = Outline::array();
  for (const Session& session : head.sessions.sessions()) {
    Outline outline{{"session", session.space->sid},
                    {"process", number(session.pid)},
                    {"program", session.exename},
                    {"start ns", session.start_ns},
                    {"mappings", session.space->map.mappings},
                    {"modules", session.space->map.modules.size()}};
    if (!session.space->libraries.empty()) {
      Outline libraries = Outline::array();
      for (const Library& library : session.space->libraries) libraries.push_back(library.path);
      outline["loaded later"] = std::move(libraries);
    }
    list.push_back(std::move(outline));
  }
  return list;
}

Surveys survey_threads(const Head& head, Notes& notes) {
  Names names;
  Symbolizer symbolizer(head.directory, head.sessions, Demangle::No, names, notes);
  const SpecTable specs(head.info, (head.directory.path / "info").native(), names, notes);
  DebugFiles debug(head.directory, names, notes);
  PayloadLayouts layouts({.symbolizer = symbolizer,
                          .specs = specs,
                          .debug = debug,
                          .names = names,
                          .demangle = Demangle::No,
                          .order = head.info.order});
  Surveys surveys;
  std::size_t kept_damage = 0;
  for (const ThreadFile& file : head.directory.threads) {
    const Task* const task = head.sessions.find_task(file.tid);
    if (task == nullptr) continue;
    PayloadDecoder payloads(layouts, *task);
    RecordSurvey survey =
        survey_records(file.path.string(), facts_of(*task, head.info, symbolizer), &payloads, notes);
    survey.damage.resize(std::min(survey.damage.size(), kKeptDamage - kept_damage));
    survey.damage.shrink_to_fit();
    kept_damage += survey.damage.size();
    surveys.emplace(file.tid, SurveyedFile{&file, std::move(survey)});
  }
  return surveys;
}

// How often each process forked, and how often its program was replaced.
struct Deeds {
  std::map<ProcessId, std::uint64_t> forks, execs;
  explicit Deeds(const Head& head) {
    std::map<ProcessId, std::uint64_t> images;
    for (const auto& [tid, task] : head.sessions.tasks()) {
      if (!task.parent) continue;
      ++forks[*task.parent];
      ++images[task.pid];  // the parent's
    }
    for (const Session& session : head.sessions.sessions())
      if (++images[session.pid] > 1) ++execs[session.pid];
  }
};

void add_records(Outline& outline, const RecordSurvey& survey) {
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count > 0) outline[name] = count;
  };
  outline["records"] = survey.records;
  outline["entries"] = survey.entries;
  outline["exits"] = survey.exits;
  add("with arguments", survey.with_arguments);
  add("with return value", survey.with_return_value);
  add("events", survey.events);
  add("lost records", survey.lost);
  add("times going back", survey.went_back);
  add("damaged bytes", survey.damaged_bytes);
  add("damaged ranges", survey.damaged_ranges);
  outline["calls open at once"] = survey.max_depth;
  if (!survey.first_ns) return;
  outline["first ns"] = *survey.first_ns;
  outline["last ns"] = survey.last_ns;
}

void add_perf_events(Outline& outline, const PerfThread& thread) {
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count > 0) outline[name] = count;
  };
  add("switched out", thread.switched_out);
  add("preempted", thread.preempted);
  add("names given", thread.names_given);
}

Outline threads_of(const Head& head, const Surveys& surveys) {
  const Deeds deeds(head);
  Outline list = Outline::array();
  for (const auto& [tid, task] : head.sessions.tasks()) {
    const auto of_perf = head.perf.find(tid);
    const auto surveyed = surveys.find(tid);
    Outline outline{{"thread", number(tid)}, {"process", number(task.pid)}};
    outline["name"] =
        of_perf != head.perf.end() && !of_perf->second.name.empty() ? of_perf->second.name : task.name;
    if (task.parent) outline["forked by"] = number(*task.parent);
    if (task.fork_ns) outline["forked at ns"] = *task.fork_ns;
    if (task.is_leader()) {
      if (const auto forks = deeds.forks.find(task.pid); forks != deeds.forks.end())
        outline["forks"] = forks->second;
      if (const auto execs = deeds.execs.find(task.pid); execs != deeds.execs.end())
        outline["execs"] = execs->second;
    }
    if (surveyed == surveys.end()) {
      outline["file"] = "none";
    } else {
      outline["file"] = surveyed->second.file->path.filename().string();
      outline["bytes"] = surveyed->second.file->size_bytes;
      add_records(outline, surveyed->second.survey);
    }
    if (of_perf != head.perf.end()) add_perf_events(outline, of_perf->second);
    list.push_back(std::move(outline));
  }
  return list;
}

std::string name_of_event(std::uint64_t id, const UserEvents& user_events) {
  if (const KnownEvent* const event = find_event(id)) return std::string(event->uftrace_name);
  const std::string* const name = user_events.name_of(id);
  return name != nullptr ? *name : fmt::format("event {}", id);
}

Outline records_of(const Surveys& surveys, const UserEvents& user_events) {
  RecordSurvey all;
  std::uint64_t bytes = 0;
  for (const auto& [tid, surveyed] : surveys) {
    const RecordSurvey& one = surveyed.survey;
    bytes += surveyed.file->size_bytes;
    all.records += one.records;
    all.entries += one.entries;
    all.exits += one.exits;
    all.with_arguments += one.with_arguments;
    all.with_return_value += one.with_return_value;
    all.events += one.events;
    all.losses += one.losses;
    all.lost += one.lost;
    for (const auto& [id, count] : one.events_of) all.events_of[id] += count;
  }
  Outline outline{{"files", surveys.size()},
                  {"bytes", bytes},
                  {"records", all.records},
                  {"entries", all.entries},
                  {"exits", all.exits},
                  {"with arguments", all.with_arguments},
                  {"with return value", all.with_return_value},
                  {"events", all.events},
                  {"gaps", all.losses},
                  {"lost records", all.lost}};
  if (all.events_of.empty()) return outline;
  Outline by_kind = Outline::object();
  for (const auto& [id, count] : all.events_of) by_kind[name_of_event(id, user_events)] = count;
  outline["events by kind"] = std::move(by_kind);
  return outline;
}

Outline time_of(const Surveys& surveys, const Info& info) {
  std::optional<std::uint64_t> first_ns;
  std::uint64_t last_ns = 0;
  for (const auto& [tid, surveyed] : surveys) {
    if (!surveyed.survey.first_ns) continue;
    first_ns = std::min(*surveyed.survey.first_ns, first_ns.value_or(*surveyed.survey.first_ns));
    last_ns = std::max(last_ns, surveyed.survey.last_ns);
  }
  Outline outline = Outline::object();
  if (!first_ns) return outline;
  outline["first ns"] = *first_ns;
  outline["last ns"] = last_ns;
  outline["span"] = format_seconds(last_ns - *first_ns);
  if (info.utc_offset_s)
    outline["first unix s"] = static_cast<std::int64_t>(*first_ns / 1'000'000'000) + *info.utc_offset_s;
  return outline;
}

// What people wrote: shown in full, but for messages, which can be many.
Outline texts_of(const Head& head, Notes& notes) {
  Outline outline = Outline::object();
  const auto read = [&](const char* name) {
    return read_optional_file(head.directory.path / name, notes).value_or("");
  };
  if (const std::string note = read("note.txt"); !note.empty()) outline["note"] = note;
  if (const std::string options = read("default.opts"); !options.empty())
    outline["default options"] = options;
  if (const auto messages = read_extern_file(head.directory.path, notes); !messages.empty())
    outline["external messages"] = messages.size();
  return outline;
}

Outline damage_of(const Surveys& surveys) {
  Outline list = Outline::array();
  for (const auto& [tid, surveyed] : surveys)
    for (const DamagedRange& range : surveyed.survey.damage)
      list.push_back({{"file", surveyed.file->path.filename().string()},
                      {"problem", range.problem},
                      {"begin", fmt::format("{:#x}", range.begin)},
                      {"end", fmt::format("{:#x}", range.end)}});
  return list;
}

}  // namespace

Outline inspect(const std::filesystem::path& input, Notes& notes) {
  const Head head(input, notes);
  const UserEvents user_events(head.directory.path, head.sessions, notes);
  const Surveys surveys = survey_threads(head, notes);

  Outline outline;
  outline["input"] = input.string();
  outline["kind"] = "uftrace recording";
  outline["format"] = format_of(head.info);
  outline["info"] = outline_of_info(head.info);
  outline["arguments"] = outline_of_arguments(head.info);
  outline["sessions"] = sessions_of(head);
  outline["threads"] = threads_of(head, surveys);
  outline["records"] = records_of(surveys, user_events);
  outline["time"] = time_of(surveys, head.info);
  outline["kernel"] = outline_of_kernel(head.directory, notes);
  outline["perf"] = outline_of_perf(head.directory.perf_cpus, head.info.order);
  outline["symbols"] = outline_of_symbols(head.directory, notes);
  outline["debug information"] = outline_of_debug_files(head.directory, notes);
  outline["texts"] = texts_of(head, notes);
  outline["damage"] = damage_of(surveys);
  return outline;
}

}  // namespace convert::uftrace
