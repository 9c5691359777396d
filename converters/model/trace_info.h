// The facts about a recording besides its events: its time, its machine and its programs. All of them may be
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
    std::uint64_t time_ns;  // of the recording's clock
    std::uint64_t utc_ns;   // since 1970, at that moment
    std::size_t input = 0;  // of a Timeline
  };

  std::string session = {};         // the name of the recording, for people
  std::string system = {};          // "Linux"
  std::string system_release = {};  // "6.1.0-18-amd64"
  std::optional<WallClock> wall_clock = {};
  std::vector<ProcessInfo> processes = {};
};

}  // namespace convert
