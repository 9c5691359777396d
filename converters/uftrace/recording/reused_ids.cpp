#include "converters/uftrace/recording/reused_ids.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace convert::uftrace {
namespace {

// The fields of a line in task.txt that are needed to find the owners of ids.
struct Line {
  // Lines with equal times are sorted in this order.
  enum class What : std::uint8_t { Session, Fork, Task } what;
  std::uint64_t time_ns;
  std::uint64_t id;
  std::uint64_t process;
};

std::vector<Line> lines_of(const std::vector<TaskEvent>& events) {
  std::vector<Line> lines;
  for (const TaskEvent& event : events) {
    if (const auto* const session = std::get_if<SessionStart>(&event))
      lines.push_back(
          {Line::What::Session, session->time_ns, number_of(session->pid), number_of(session->pid)});
    if (const auto* const fork = std::get_if<Fork>(&event))
      lines.push_back({Line::What::Fork, fork->time_ns, number_of(fork->child), number_of(fork->child)});
    if (const auto* const task = std::get_if<TaskStart>(&event))
      lines.push_back({Line::What::Task, task->time_ns, number_of(task->tid), number_of(task->pid)});
  }
  std::ranges::stable_sort(lines, {}, [](const Line& line) { return std::pair(line.time_ns, line.what); });
  return lines;
}

// Returns the time of the latest fork that assigned the id in (from_ns, until_ns], or 0.
std::uint64_t latest_fork_ns(const ReusedIds::Forks& forks, std::uint64_t id, std::uint64_t from_ns,
                             std::uint64_t until_ns) {
  const auto of_id = forks.find(ThreadId{id});
  if (of_id == forks.end()) return 0;
  const auto after = std::ranges::upper_bound(of_id->second, until_ns);
  return after != of_id->second.begin() && *std::prev(after) > from_ns ? *std::prev(after) : 0;
}

// The latest owner of an id in the lines read so far.
struct Latest {
  std::uint64_t process;
  bool is_begun;  // true if a SESS or FORK line began this owner
  std::uint64_t line_ns;

  // True if the line shows that the id has a new owner. A process begins with a FORK or SESS line, or with
  // both if it runs a program after the fork. A second SESS line comes from an exec, unless a fork assigned
  // the id between the two lines. The first thread of a process has a TASK line for each program of the
  // process. Any other thread has only one TASK line, so a second TASK line belongs to a new thread.
  bool is_replaced_by(const Line& line, const ReusedIds::Forks& forks) const {
    if (line.process != process) return true;
    switch (line.what) {
      case Line::What::Session:
        return is_begun && latest_fork_ns(forks, line.id, line_ns, line.time_ns) != 0;
      case Line::What::Fork:
        return is_begun;
      case Line::What::Task:
        return line.id != line.process;
    }
    return false;
  }
};

}  // namespace

bool ReusedIds::asks_for_forks(const std::vector<TaskEvent>& events) {
  std::map<ProcessId, unsigned> programs;
  for (const TaskEvent& event : events)
    if (const auto* const session = std::get_if<SessionStart>(&event))
      if (++programs[session->pid] > 1) return true;
  std::vector<TaskEvent> lines = events;
  return ReusedIds(lines).has_any();
}

ReusedIds::ReusedIds(std::vector<TaskEvent>& events, const Forks& forks) {
  std::map<std::uint64_t, Latest> latest;  // indexed by id
  for (const Line& line : lines_of(events)) {
    const bool begins = line.what != Line::What::Task;
    const auto [known, is_new] = latest.try_emplace(line.id, Latest{line.process, begins, line.time_ns});
    if (is_new) continue;
    if (known->second.is_replaced_by(line, forks)) {
      later_[line.id].push_back(line.time_ns);
      known->second = {line.process, begins, line.time_ns};
    } else if (begins) {
      known->second.is_begun = true;
      known->second.line_ns = line.time_ns;
    }
  }
  if (!has_any()) return;
  for (TaskEvent& event : events) {
    if (auto* const session = std::get_if<SessionStart>(&event))
      session->pid = at(session->pid, session->time_ns);
    if (auto* const load = std::get_if<LibraryLoad>(&event)) load->tid = at(load->tid, load->time_ns);
    if (auto* const fork = std::get_if<Fork>(&event)) {
      fork->child = at(fork->child, fork->time_ns);
      fork->parent = at(fork->parent, fork->time_ns);
    }
    if (auto* const task = std::get_if<TaskStart>(&event)) {
      task->tid = at(task->tid, task->time_ns);
      task->pid = at(task->pid, task->time_ns);
    }
  }
  begin_with(forks);
}

std::uint64_t ReusedIds::number_at(std::uint64_t id, std::uint64_t time_ns) const {
  const auto later = later_.find(id);
  if (later == later_.end()) return id;
  const auto owner = std::ranges::upper_bound(later->second, time_ns) - later->second.begin();
  return id + (static_cast<std::uint64_t>(owner) << kIdBits);
}

std::vector<ReusedIds::Owner> ReusedIds::owners_of(ThreadId id) const {
  std::vector<Owner> owners{{id, 0}};
  if (const auto later = later_.find(number_of(id)); later != later_.end())
    for (const std::uint64_t begin_ns : later->second) owners.push_back({at(id, begin_ns), begin_ns});
  return owners;
}

// The fork of an owner is slightly earlier than the first line of this owner in task.txt. Moves the start of
// each owner to the time of its fork, if the fork is known.
void ReusedIds::begin_with(const Forks& forks) {
  for (auto& [id, later_ns] : later_) {
    std::uint64_t before_ns = 0;  // time of the previous owner's first line
    for (std::uint64_t& begin_ns : later_ns) {
      const std::uint64_t line_ns = begin_ns;
      if (const std::uint64_t fork_ns = latest_fork_ns(forks, id, before_ns, line_ns); fork_ns != 0)
        begin_ns = fork_ns;
      before_ns = line_ns;
    }
  }
}

}  // namespace convert::uftrace
