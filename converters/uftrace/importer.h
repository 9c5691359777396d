// The front door of the uftrace room: what the program calls it, its options, and the import of a recording
// directory onto the timeline.
#pragma once

#include <filesystem>
#include <memory>

#include "converters/model/importer.h"
#include "converters/uftrace/filters/filter_options.h"
#include "converters/uftrace/symbols/elf_files.h"

namespace convert::uftrace {

// What the user chooses of a recording.
struct RecordingOptions {
  bool no_args = false;           // no arguments and return values of calls
  bool no_event = false;          // no events
  bool no_sched = false;          // no scheduling events
  bool no_sched_preempt = false;  // no calls off the cpu where a thread was pre-empted
  bool cpu_tracks = false;        // switches as records, too, which fill tracks of cpus and thread states
  bool no_kernel = false;         // nothing from the kernel's files
  bool kernel_only = false;       // only what the kernel did, and losses
  bool kernel_skip_out = false;   // nothing that the kernel did outside of calls of the program
  bool event_skip_out = false;    // no events and switches outside of calls of the program
  bool utc = false;               // times of the wall clock
  FilterOptions filters = {};     // which calls are shown
  ElfOptions elf = {};            // which ELF files outside the recording give names
};

// True for a directory that holds an `info` file of uftrace, a list of tasks, or record files.
bool recognizes(const std::filesystem::path& input);

// Reads everything but the records, and adds a lane and a source for every thread. Throws InputError if the
// directory can't be listed, or its info has an unknown version.
void import(const std::filesystem::path& input, ImportContext& context, const RecordingOptions& options = {});

// With the options of the command line.
std::unique_ptr<Importer> make_importer();

}  // namespace convert::uftrace
