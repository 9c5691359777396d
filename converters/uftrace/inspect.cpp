#include "converters/uftrace/inspect.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "converters/model/reading/text.h"
#include "converters/uftrace/events/event_ids.h"
#include "converters/uftrace/record_survey.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

struct SurveyedFile {
  const ThreadFile* file;
  std::uint64_t size_bytes;  // size of the thread's part of the file
  RecordSurvey survey;
};
using Surveys = std::map<ThreadId, SurveyedFile>;

Outline format_of(const Info& info) {
  Outline outline;
  if (!info.present) outline["guessed"] = true;  // uftrace assumes these values if info is missing
  outline["version"] = info.version;
  outline["byte order"] = info.order == std::endian::little ? "little" : "big";
  outline["word bits"] = info.bits;
  if (info.present) outline["features"] = feature_names(info.features);
  if (info.max_stack) outline["max stack"] = *info.max_stack;
  return outline;
}

Outline sessions_of(const Recording& recording) {
  Outline list = Outline::array();
  for (const Session& session : recording.sessions.sessions()) {
    Outline outline{{"session", session.space->sid},
                    {"process", number_of(recorded(session.pid))},
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

ThreadFacts facts_with_times(Recording& recording, const TaskRecords& records, const fxt::FilePlace& place) {
  ThreadFacts facts = facts_of(*records.task, recording);
  facts.part = records.part;
  try {
    if (const auto times = possible_times_of(*records.task, recording, read_head(place, facts)))
      facts.times = *times;
  } catch (const InputError&) {
    // The survey adds a note if the file can't be read.
  }
  return facts;
}

Surveys survey_threads(Recording& recording, Notes& notes) {
  Surveys surveys;
  std::size_t damage_left = RecordSurvey::kMaxDamage;  // for all files together
  for (const ThreadFile& file : recording.directory.threads) {
    for (const TaskRecords& records : tasks_of(file, recording)) {
      PayloadDecoder payload_decoder(recording.layouts, *records.task);
      RecordSurvey survey = survey_records(file.place, facts_with_times(recording, records, file.place),
                                           payload_decoder, notes);
      survey.damage.resize(std::min(survey.damage.size(), damage_left));
      survey.damage.shrink_to_fit();
      damage_left -= survey.damage.size();
      surveys.emplace(records.task->tid, SurveyedFile{&file, size_of(records.part, file), std::move(survey)});
    }
  }
  return surveys;
}

struct ForksAndExecs {
  std::map<ProcessId, std::uint64_t> forks, execs;

  explicit ForksAndExecs(const Sessions& sessions) {
    for (const auto& [tid, task] : sessions.tasks())
      if (task.parent) ++forks[*task.parent];
    for (const Session* session : sessions.execs()) ++execs[session->pid];
  }
};

void add_count(Outline& outline, const char* name, std::uint64_t count) {
  if (count > 0) outline[name] = count;
}

void add_records(Outline& outline, const RecordSurvey& survey) {
  outline["records"] = survey.records;
  outline["entries"] = survey.entries;
  outline["exits"] = survey.exits;
  add_count(outline, "with arguments", survey.with_arguments);
  add_count(outline, "with return value", survey.with_return_value);
  add_count(outline, "events", survey.events);
  add_count(outline, "lost records", survey.lost);
  add_count(outline, "times going back", survey.reversed);
  add_count(outline, "damaged bytes", survey.damaged_bytes);
  add_count(outline, "damaged ranges", survey.damaged_ranges);
  outline["calls open at once"] = survey.max_depth;
  if (!survey.first_ns) return;
  outline["first ns"] = *survey.first_ns;
  outline["last ns"] = survey.last_ns;
}

Outline threads_of(const Recording& recording, const Surveys& surveys) {
  const ForksAndExecs counts(recording.sessions);
  Outline list = Outline::array();
  for (const auto& [tid, task] : recording.sessions.tasks()) {
    const auto of_perf = recording.perf.find(tid);
    const auto surveyed = surveys.find(tid);
    Outline outline{{"thread", number_of(recorded(tid))}, {"process", number_of(recorded(task.pid))}};
    outline["name"] =
        of_perf != recording.perf.end() && !of_perf->second.name.empty() ? of_perf->second.name : task.name;
    if (task.parent) outline["forked by"] = number_of(recorded(*task.parent));
    if (task.fork_ns) outline["forked at ns"] = *task.fork_ns;
    if (task.is_leader()) {
      if (const auto forks = counts.forks.find(task.pid); forks != counts.forks.end())
        outline["forks"] = forks->second;
      if (const auto execs = counts.execs.find(task.pid); execs != counts.execs.end())
        outline["execs"] = execs->second;
    }
    if (surveyed == surveys.end()) {
      outline["file"] = "none";
    } else {
      outline["file"] = surveyed->second.file->place.name();
      outline["bytes"] = surveyed->second.size_bytes;
      add_records(outline, surveyed->second.survey);
    }
    if (of_perf != recording.perf.end()) {
      add_count(outline, "switched out", of_perf->second.switched_out);
      add_count(outline, "preempted", of_perf->second.preempted);
      add_count(outline, "names given", of_perf->second.names_given);
    }
    list.push_back(std::move(outline));
  }
  return list;
}

std::string name_of_event(std::uint64_t id, const UserEvents& user_events) {
  if (const KnownEvent* const event = find_event(id)) return std::string(event->uftrace_name);
  const std::string* const name = user_events.name_of(id);
  return name != nullptr ? *name : fmt::format("event {}", id);
}

Outline records_of(const Surveys& surveys, const RecordSurvey& all, const UserEvents& user_events) {
  std::uint64_t bytes = 0;
  for (const auto& [tid, surveyed] : surveys) bytes += surveyed.size_bytes;
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
  if (all.events_by_id.empty()) return outline;
  Outline by_kind = Outline::object();
  for (const auto& [id, count] : all.events_by_id) by_kind[name_of_event(id, user_events)] = count;
  outline["events by kind"] = std::move(by_kind);
  return outline;
}

Outline time_of(const RecordSurvey& all, const Info& info) {
  Outline outline = Outline::object();
  if (!all.first_ns) return outline;
  outline["of"] = "records";  // the times are those of records; other events can be earlier or later
  outline["first ns"] = *all.first_ns;
  outline["last ns"] = all.last_ns;
  outline["span"] = format_seconds(all.last_ns - *all.first_ns);
  if (info.utc_offset_s)
    outline["first unix s"] = static_cast<std::int64_t>(*all.first_ns / kNsPerSecond) + *info.utc_offset_s;
  return outline;
}

// Returns the texts of the recording. For messages, returns only their number, because there can be many.
Outline texts_of(const Directory& directory, Notes& notes) {
  Outline outline = Outline::object();
  const auto read = [&](const char* name) {
    return read_optional_file(directory.file(name), notes).value_or("");
  };
  if (const std::string note = read("note.txt"); !note.empty()) outline["note"] = note;
  if (const std::string options = read("default.opts"); !options.empty())
    outline["default options"] = options;
  if (const auto messages = read_extern_file(directory, notes); !messages.empty())
    outline["external messages"] = messages.size();
  return outline;
}

Outline damage_of(const Surveys& surveys) {
  Outline list = Outline::array();
  for (const auto& [tid, surveyed] : surveys)
    for (const DamagedRange& range : surveyed.survey.damage)
      list.push_back({{"file", surveyed.file->place.name()},
                      {"problem", range.problem},
                      {"begin", fmt::format("{:#x}", range.begin)},
                      {"end", fmt::format("{:#x}", range.end)}});
  return list;
}

}  // namespace

Outline inspect(const std::filesystem::path& input, Notes& notes) {
  Names names;
  Recording recording(input, {.names = names, .notes = notes, .symbol_notes = notes, .debug_notes = notes});
  const Surveys surveys = survey_threads(recording, notes);
  RecordSurvey all;
  for (const auto& [tid, surveyed] : surveys) all.add(surveyed.survey);

  Outline outline;
  outline["input"] = input.string();
  outline["kind"] = "uftrace recording";
  outline["format"] = format_of(recording.info);
  outline["info"] = outline_of_info(recording.info);
  outline["arguments"] = outline_of_arguments(recording.info);
  outline["sessions"] = sessions_of(recording);
  outline["threads"] = threads_of(recording, surveys);
  outline["records"] = records_of(surveys, all, recording.user_events);
  outline["time"] = time_of(all, recording.info);
  outline["kernel"] = outline_of_kernel(recording.directory, notes);
  outline["perf"] = outline_of_perf(recording.directory.perf_cpus, recording.info.order);
  outline["symbols"] = outline_of_symbols(recording.directory, notes);
  outline["debug information"] = outline_of_debug_files(recording.directory, recording.debug);
  outline["texts"] = texts_of(recording.directory, notes);
  // An empty entry means that nothing is damaged. If only files without records are damaged, there is no
  // entry, and the notes describe the damage.
  if (Outline damage = damage_of(surveys); !damage.empty() || notes.count(kDamagedBytes) == 0)
    outline["damage"] = std::move(damage);
  return outline;
}

}  // namespace convert::uftrace
