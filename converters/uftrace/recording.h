// Everything known of a recording before its records are read. The conversion and --inspect use the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/events/user_events.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/recording/task_file.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

struct Recording {
  struct Reading {
    Names& names;
    Notes& notes;
    // The threads that use symbols and debug files add their notes here while records are read.
    Notes& symbol_notes;
    Notes& debug_notes;
    Demangle demangle = Demangle::No;
    ElfOptions elf = {};
    std::uint64_t shortest_ns = 0;  // as scan_perf() takes it
  };
  // Reads all files but those of records. Borrows names and notes. Throws InputError if the directory or info
  // can't be read at all.
  Recording(const std::filesystem::path& path, const Reading& reading)
      : directory(list_directory(path)),
        info(read_info(directory, reading.notes)),
        events(read_task_file(directory, info.order, reading.notes)),
        sessions(directory, info, events, reading.notes),
        perf(
            scan_perf(directory.perf_cpus, {.order = info.order, .notes = &perf_notes}, reading.shortest_ns)),
        user_events(directory, sessions, reading.notes),
        symbolizer(directory, sessions, reading.demangle, reading.names, reading.symbol_notes, reading.elf),
        specs(info, directory.file("info").text(), reading.names, reading.notes),
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

  Directory directory;
  Info info;
  std::vector<TaskEvent> events;
  Sessions sessions;
  Notes perf_notes;
  PerfThreads perf;  // the threads in the perf files
  UserEvents user_events;
  Symbolizer symbolizer;
  SpecTable specs;
  DebugFiles debug;
  PayloadLayouts layouts;
};

// Of a thread, without the times that its records may have. Borrows the task and the recording.
ThreadFacts facts_of(const Task& task, Recording& recording);
// The times that its records may have, by all that is known beforehand. Nothing if its first record, which
// `head` has, contradicts that.
std::optional<PossibleTimes> possible_times_of(const Task& task, const Recording& recording,
                                               const RecordHead& head);

}  // namespace convert::uftrace
