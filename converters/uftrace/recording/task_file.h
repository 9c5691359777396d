// The file `task.txt` (before v0.6: `task`, binary): starts of threads, forks, execs and library loads. The
// lines are in the order in which the recorder wrote them, and not always in the order of time.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// SESS: a program started, in a new process or by exec. The program has its own memory map, sid-<sid>.map.
struct SessionStart {
  std::uint64_t time_ns;
  ProcessId pid = {};
  std::string sid = {};
  std::string exename = {};
  friend bool operator==(const SessionStart&, const SessionStart&) = default;
};

// TASK: a thread wrote its first record, or its first record after an exec.
struct TaskStart {
  std::uint64_t time_ns;
  ThreadId tid = {};
  ProcessId pid = {};
  friend bool operator==(const TaskStart&, const TaskStart&) = default;
};

// FORK: a child was forked. The recorder writes this line when the child reports the fork.
struct Fork {
  std::uint64_t time_ns;
  ProcessId child = {};
  ProcessId parent = {};
  friend bool operator==(const Fork&, const Fork&) = default;
};

// DLOP: the process loaded a library that was not mapped before.
struct LibraryLoad {
  std::uint64_t time_ns;
  ThreadId tid = {};
  std::string sid = {};
  std::uint64_t base = {};
  std::string libname = {};  // may be relative to the program's working directory
  friend bool operator==(const LibraryLoad&, const LibraryLoad&) = default;
};

using TaskEvent = std::variant<SessionStart, TaskStart, Fork, LibraryLoad>;

// Parses the text form. Skips damaged lines and adds notes.
std::vector<TaskEvent> parse_task_text(std::string_view text, std::string_view path, Notes& notes);

// Parses the binary form up to the first damage, about which a note is added.
std::vector<TaskEvent> parse_task_binary(std::string_view bytes, std::string_view path, std::endian order,
                                         Notes& notes);

// Reads <directory>/task if it exists, otherwise <directory>/task.txt. Adds a note if both are missing.
std::vector<TaskEvent> read_task_file(const Directory& directory, std::endian order, Notes& notes);

}  // namespace convert::uftrace
