// Finds out which programs ran in which processes and threads, and when. Uses task.txt, the maps, `info`, and
// the names of the record files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/reused_ids.h"
#include "converters/uftrace/recording/task_file.h"

namespace convert::uftrace {

// The kernel stores 15 bytes of a task's name.
inline constexpr std::size_t kTaskNameSize = 15;

struct Library {
  std::uint64_t time_ns;
  std::uint64_t base;
  std::string path;  // as the program passed it to dlopen()
};

// The modules and libraries of a session. Sessions with the same sid share an AddressSpace.
struct AddressSpace {
  std::string sid;
  MemoryMap map = {};  // empty if there is no map file
  ModuleNames names = {};
  std::vector<Library> libraries = {};  // loaded while the program ran, in the order of time

  std::size_t libraries_at(std::uint64_t time_ns) const;
};

// A program that a process runs from `start_ns` on: from the start of the process, or from an exec.
struct Session {
  std::uint64_t start_ns;
  ProcessId pid;
  std::string exename;
  const AddressSpace* space;
};

// The session of a task in [from_ns, until_ns); null if it is unknown.
struct SessionSpan {
  const Session* session = nullptr;
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = kForever;
};

struct Task {
  ThreadId tid;  // internal numbers, see ReusedIds
  ProcessId pid;
  std::optional<ProcessId> parent = {};
  std::optional<std::uint64_t> fork_ns = {};
  std::string name = {};                   // basename of the task's program, up to 15 bytes; "" if unknown
  std::vector<SessionSpan> sessions = {};  // in the order of time; the last span never ends
  bool is_leader() const { return number_of(tid) == number_of(pid); }
};

class Sessions {
 public:
  // Reads the maps of `directory`. Adds notes about missing or contradictory information.
  Sessions(const Directory& directory, const Info& info, const std::vector<TaskEvent>& events, Notes& notes);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Every thread that task.txt, `info` or the name of a record file mentions, indexed by tid.
  const std::map<ThreadId, Task>& tasks() const { return tasks_; }
  const Task* find_task(ThreadId tid) const;
  // Sorted by start.
  const std::deque<Session>& sessions() const { return sessions_; }
  // Returns the sessions that began with an exec during the recording. The first session of a process is one
  // of them only if the process was forked.
  std::vector<const Session*> execs() const;

  // Returns the session of the task at `time_ns`. Before the first session of the task, this is the session
  // of its process or parent. If that session is unknown, returns the first session of the task. The returned
  // span may be only a part of the time in which the session applies.
  SessionSpan session_at(const Task& task, std::uint64_t time_ns) const;
  // Gives a child the session that its parent had at the call of fork. At the time of the child's FORK line,
  // the parent may already run another program.
  void forked_in(ThreadId child, const Task& parent, std::uint64_t call_ns);
  // Returns the address spaces of all sessions that session_at() can return for the task. Null stands for an
  // unknown program.
  std::set<const AddressSpace*> spaces_of(const Task& task) const;

 private:
  void add_sessions(const Directory& directory, const Info& info, const std::vector<TaskEvent>& events,
                    Notes& notes);
  AddressSpace& space_of(const std::string& sid, const Directory& directory, Notes& notes);
  void add_libraries(const std::vector<TaskEvent>& events);
  void note_reloaded_libraries(const Directory& directory, const Info& info, Notes& notes) const;
  // Returns the task, and adds it if it is new.
  Task& task_of(ThreadId tid, ProcessId pid);
  void start_task(const TaskStart& start);
  void fork_task(const Fork& fork);
  void add_unlisted_tasks(const Directory& directory, const Info& info, Notes& notes);
  bool name_task(Task& task);  // returns false if no program is known

  const Session* session_of_process(ProcessId pid, std::uint64_t time_ns) const;
  const Task* predecessor_of(const Task& task) const;

  std::deque<AddressSpace> spaces_;
  std::map<std::string, AddressSpace*, std::less<>> space_of_sid_;
  std::deque<Session> sessions_;  // sorted by start; in file order if starts are equal
  std::map<ProcessId, std::vector<const Session*>> sessions_of_process_;  // sorted by start
  std::map<ThreadId, Task> tasks_;
  std::uint64_t left_out_ = 0;  // number of programs omitted because a task has too many
};

}  // namespace convert::uftrace
