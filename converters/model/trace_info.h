// Facts about a recording in addition to its events, such as its time, machine and programs. Each fact may be
// unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert {

struct ProcessInfo {
  ProcessId process;
  ProcessId parent = {};
  std::vector<std::string> command_line = {};
};

struct TraceInfo {
  struct WallClock {
    std::uint64_t time_ns;  // time on the recording's clock
    std::uint64_t utc_ns;   // UTC at that time, since 1970
    std::size_t input = 0;  // number of the input in the Timeline
  };

  std::string session = {};         // a readable name of the recording
  std::string system = {};          // "Linux"
  std::string system_release = {};  // "6.1.0-18-amd64"
  std::string machine = {};         // "x86_64"
  std::optional<WallClock> wall_clock = {};
  std::vector<ProcessInfo> processes = {};
};

}  // namespace convert
