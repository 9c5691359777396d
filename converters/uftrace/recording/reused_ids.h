// Ids of the kernel that several threads and processes had in turn. Inside, each of them has a number of its
// own: the first one has the id, and each later one a number that is not an id.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/recording/task_file.h"

namespace convert::uftrace {

inline constexpr unsigned kIdBits = 32;

// The kernel's id for one of our numbers.
template <typename Id>
constexpr Id recorded(Id number) {
  return Id{number_of(number) & ((std::uint64_t{1} << kIdBits) - 1)};
}

class ReusedIds {
 public:
  // A thread, or a process with its first thread, that had an id from some time on.
  struct Owner {
    ThreadId thread;         // our number
    std::uint64_t begin_ns;  // 0 for the first one
  };

  // When tasks were forked as perf tells, by the id that they got; the times are in order.
  using Forks = std::map<ThreadId, std::vector<std::uint64_t>>;

  // Finds the owners in the lines of task.txt, and puts our numbers into the lines.
  explicit ReusedIds(std::vector<TaskEvent>& events, const Forks& forks = {});
  // Whether perf's forks tell more than the lines: an id has several owners, or a process has several
  // programs. Each of these programs was started by exec, or by posix_spawn in a process that got the id
  // later.
  static bool asks_for_forks(const std::vector<TaskEvent>& events);

  bool has_any() const { return !later_.empty(); }
  // Our number for the one who had that id then.
  ThreadId at(ThreadId id, std::uint64_t time_ns) const {
    return ThreadId{number_at(number_of(id), time_ns)};
  }
  ProcessId at(ProcessId id, std::uint64_t time_ns) const {
    return ProcessId{number_at(number_of(id), time_ns)};
  }
  // All who had the id, in the order of time.
  std::vector<Owner> owners_of(ThreadId id) const;

 private:
  void begin_with(const Forks& forks);
  std::uint64_t number_at(std::uint64_t id, std::uint64_t time_ns) const;

  std::map<std::uint64_t, std::vector<std::uint64_t>> later_;  // by id: when each owner but the first began
};

}  // namespace convert::uftrace
