// Kernel ids that several threads or processes had, one after the other. Internally, each owner of an id has
// its own number. The number of the first owner is the id. A later owner's number is larger than any id.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/recording/task_file.h"

namespace convert::uftrace {

inline constexpr unsigned kIdBits = 32;

// Returns the kernel's id for an internal number.
template <typename Id>
constexpr Id recorded(Id number) {
  return Id{number_of(number) & ((std::uint64_t{1} << kIdBits) - 1)};
}

class ReusedIds {
 public:
  // A thread that had an id from `begin_ns` on. The first thread of a process also stands for the process.
  struct Owner {
    ThreadId thread;         // internal number
    std::uint64_t begin_ns;  // 0 for the first owner
  };

  // By id: the times of the forks that gave this id to a new task. The times are from perf files, and sorted.
  using Forks = std::map<ThreadId, std::vector<std::uint64_t>>;

  // Finds the owners in the lines of task.txt, and replaces the ids in the lines by internal numbers.
  explicit ReusedIds(std::vector<TaskEvent>& events, const Forks& forks = {});
  // True if the forks in perf files are needed in addition to the lines: an id has several owners, or a
  // process seems to have several programs. The forks show whether a later program was started by exec or by
  // a new process.
  static bool asks_for_forks(const std::vector<TaskEvent>& events);

  bool has_any() const { return !later_.empty(); }
  // The internal number of the thread that owned the id at this time.
  ThreadId at(ThreadId id, std::uint64_t time_ns) const {
    return ThreadId{number_at(number_of(id), time_ns)};
  }
  ProcessId at(ProcessId id, std::uint64_t time_ns) const {
    return ProcessId{number_at(number_of(id), time_ns)};
  }
  // Returns all owners of the id, in the order of time.
  std::vector<Owner> owners_of(ThreadId id) const;

 private:
  void begin_with(const Forks& forks);
  std::uint64_t number_at(std::uint64_t id, std::uint64_t time_ns) const;

  std::map<std::uint64_t, std::vector<std::uint64_t>> later_;  // by id: start of each owner except the first
};

}  // namespace convert::uftrace
