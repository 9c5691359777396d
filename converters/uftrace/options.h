// What the user wants of a uftrace recording.
#pragma once

#include "converters/uftrace/filters/filter_options.h"
#include "converters/uftrace/symbols/elf_files.h"

namespace convert::uftrace {

struct Options {
  bool no_args = false;          // no arguments and return values of calls
  bool no_event = false;         // no events
  bool no_sched = false;         // no scheduling events
  bool no_kernel = false;        // nothing of the kernel's files
  bool kernel_only = false;      // nothing but what the kernel did, and losses
  bool kernel_skip_out = false;  // nothing that the kernel did outside of calls of the program
  bool utc = false;              // times of the wall clock
  FilterOptions filters = {};    // which calls are shown
  ElfOptions elf = {};           // which ELF files outside the recording give names
};

}  // namespace convert::uftrace
