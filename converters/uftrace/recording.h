// All data of a recording that are read before the records. The conversion and --inspect use
// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/events/user_events.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/reused_ids.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Finds ids that were reused, and replaces them in the events by the internal numbers of the result.
ReusedIds reused_ids_of(std::vector<TaskEvent>& events, const Directory& directory, const Info& info);

struct Recording {
  struct Reading {
    Names& names;
    Notes& notes;
    // While records are read, notes about symbols and debug files are added to these objects.
    Notes& symbol_notes;
    Notes& debug_notes;
    Demangle demangle = Demangle::No;
    ElfOptions elf = {};
    std::uint64_t shortest_ns = 0;  // see scan_perf()
    std::shared_ptr<PatternUse> pattern_use = std::make_shared<PatternUse>();
  };
  // Reads info, task.txt, maps, events.txt and perf's files. Throws InputError if the directory can't be
  // read, or if info has an unknown version.
  Recording(const std::filesystem::path& path, const Reading& reading)
      : directory(list_directory(path)),
        info(read_info(directory, reading.notes)),
        events(read_task_file(directory, info.order, reading.notes)),
        reused(reused_ids_of(events, directory, info)),
        sessions(directory, info, events, reading.notes),
        perf(scan_perf(directory.perf_cpus,
                       {.order = info.order, .notes = &perf_notes, .reused = reused_if_any()},
                       reading.shortest_ns)),
        user_events(directory, sessions, reading.notes),
        symbolizer(directory, sessions, reading.demangle, reading.names, reading.symbol_notes, reading.elf),
        specs(info, directory.file("info").text(), reading.names, reading.notes, reading.debug_notes,
              reading.pattern_use),
        debug(directory, reading.names, reading.debug_notes),
        layouts({.symbolizer = symbolizer,
                 .specs = specs,
                 .debug = debug,
                 .names = reading.names,
                 .demangle = reading.demangle,
                 .order = info.order}) {
    reading.notes.join(perf_notes, directory.is_growing ? &kTruncatedTail : nullptr);
    for (const std::string& problem : directory.refused)
      reading.notes.add(kUnreadableFile, [&] { return problem; });
  }

  const ReusedIds* reused_if_any() const { return reused.has_any() ? &reused : nullptr; }

  Directory directory;
  Info info;
  std::vector<TaskEvent> events;  // with the internal numbers that `reused` gives to ids
  ReusedIds reused;
  Sessions sessions;
  Notes perf_notes;
  PerfThreads perf;
  UserEvents user_events;
  Symbolizer symbolizer;
  SpecTable specs;
  DebugFiles debug;
  PayloadLayouts layouts;
};

struct TaskRecords {
  const Task* task;
  FilePart part;
};
// Returns the tasks that wrote a file, in the order of time. If an id was reused, there are several tasks.
std::vector<TaskRecords> tasks_of(const ThreadFile& file, Recording& recording);
std::uint64_t size_of(const FilePart& part, const ThreadFile& file);
// Returns the facts about a thread, except the possible times of its records. Task and recording must outlive
// the facts.
ThreadFacts facts_of(const Task& task, Recording& recording);
// Derives the possible times of a task's records from other files. Returns nothing if the first record in
// `head` contradicts these times.
std::optional<PossibleTimes> possible_times_of(const Task& task, const Recording& recording,
                                               const RecordHead& head);

}  // namespace convert::uftrace
