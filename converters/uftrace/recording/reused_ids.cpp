#include "converters/uftrace/recording/reused_ids.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace convert::uftrace {
namespace {

// What a line of task.txt tells of the owners of ids.
struct Line {
  enum class What : std::uint8_t { Session, Fork, Task } what;  // in the order of lines of one time
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

// The latest owner of an id, as far as the lines tell.
struct Latest {
  std::uint64_t process;
  bool is_begun;  // by a SESS or FORK line

  // A process begins with FORK or SESS, or both if it runs a program then. An exec is another SESS. A TASK
  // line of a process is the first thread's, and comes for each program; that of another thread comes once.
  bool is_replaced_by(const Line& line) const {
    if (line.process != process) return true;
    switch (line.what) {
      case Line::What::Session:
        return false;
      case Line::What::Fork:
        return is_begun;
      case Line::What::Task:
        return line.id != line.process;
    }
    return false;
  }
};

}  // namespace

ReusedIds::ReusedIds(std::vector<TaskEvent>& events) {
  std::map<std::uint64_t, Latest> latest;  // by id
  for (const Line& line : lines_of(events)) {
    const bool begins = line.what != Line::What::Task;
    const auto [known, is_new] = latest.try_emplace(line.id, Latest{line.process, begins});
    if (is_new) continue;
    if (known->second.is_replaced_by(line)) {
      later_[line.id].push_back(line.time_ns);
      known->second = {line.process, begins};
    } else if (begins) {
      known->second.is_begun = true;
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

void ReusedIds::begin_with(ThreadId id, std::span<const std::uint64_t> forks_ns) {
  const auto later = later_.find(number_of(id));
  if (later == later_.end()) return;
  std::uint64_t before_ns = 0;  // the line of the owner before
  for (std::uint64_t& begin_ns : later->second) {
    const std::uint64_t line_ns = begin_ns;
    const auto after = std::ranges::upper_bound(forks_ns, line_ns);
    if (after != forks_ns.begin() && *std::prev(after) > before_ns) begin_ns = *std::prev(after);
    before_ns = line_ns;
  }
}

}  // namespace convert::uftrace
