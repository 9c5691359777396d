// The interface of the uftrace importer: recognizes and imports a recording, with options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "converters/model/importer.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "converters/uftrace/filters/filter_options.h"
#include "converters/uftrace/records/record_index.h"
#include "converters/uftrace/symbols/elf_files.h"

namespace convert::uftrace {

struct RecordingOptions {
  bool no_args = false;  // omit arguments and return values of calls
  bool no_event = false;
  bool no_sched = false;          // omit scheduling events
  bool no_sched_preempt = false;  // omit linux:schedule calls in which a thread was preempted
  // Also write switches as records. From these records, viewers make tracks for CPUs and thread states.
  bool cpu_tracks = false;
  bool no_kernel = false;        // ignore the kernel's files
  bool kernel_only = false;      // show only kernel calls, kernel tracepoints and lost records
  bool kernel_skip_out = false;  // omit kernel calls outside of calls of the program
  bool event_skip_out = false;   // omit events and switches outside of calls of the program
  bool utc = false;              // use times of the wall clock
  std::string index = {};        // directory with indexes; empty: use no index
  std::uint64_t index_step_bytes = RecordIndex::kStepBytes;
  FilterOptions filters = {};  // which calls are shown
  ElfOptions elf = {};         // which ELF files outside the recording provide names
  // Copies of the options share this object, so its limits are for all recordings and all passes of --fit.
  std::shared_ptr<PatternUse> pattern_use = std::make_shared<PatternUse>();
};

// True for a directory that has an `info` file of uftrace, a task.txt, or record files.
bool recognizes(const std::filesystem::path& input);

// Plans the conversion, and adds a lane and a source for every shown thread. Throws InputError if the
// recording can't be read, or if its info has an unknown version.
void import(const std::filesystem::path& input, ImportContext& context, const RecordingOptions& options = {});

std::unique_ptr<Importer> make_importer();

}  // namespace convert::uftrace
