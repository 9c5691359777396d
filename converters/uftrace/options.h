// What the user wants of a uftrace recording.
#pragma once

#include <filesystem>

#include "converters/uftrace/filters/filter_options.h"

namespace convert::uftrace {

struct Options {
  bool no_args = false;                // no arguments and return values of calls
  bool no_event = false;               // no events
  bool no_sched = false;               // no scheduling events
  bool no_kernel = false;              // nothing of the kernel's files
  bool kernel_only = false;            // nothing but what the kernel did, and losses
  bool kernel_skip_out = false;        // nothing that the kernel did outside of calls of the program
  bool no_elf = false;                 // no names from ELF files outside the recording
  bool utc = false;                    // times of the wall clock
  FilterOptions filters = {};          // which calls are shown
  std::filesystem::path sysroot = {};  // where the ELF files lie that a map names; empty: where it says
};

}  // namespace convert::uftrace
