#include "converters/uftrace/recording/sessions.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <variant>

#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/hash.h"

namespace convert::uftrace {
namespace {

// Limits the search through ancestors for a program. In damaged files, a task may be its own ancestor. In
// intact files, every process has its own line in task.txt, so the search is short.
constexpr fxt::Limit kAncestors{"ancestors of a process that are searched for its program", 32, 0};
constexpr fxt::Limit kPrograms{"programs that a thread runs one after the other", 4096, 0};

ThreadId leader_of(ProcessId pid) { return ThreadId{number_of(pid)}; }

// `items` are sorted by `time`. Returns the last item that is not later than `time_ns`, or null.
template <typename Items, typename Time>
auto* latest_at(Items& items, std::uint64_t time_ns, Time time) {
  auto after = std::ranges::upper_bound(items, time_ns, {}, time);
  return after == items.begin() ? nullptr : &*--after;
}

// Guesses the program if task.txt does not mention the map. It is the module with the lowest address that is
// not a library.
std::string program_of(const MemoryMap& map) {
  const auto found = std::ranges::find_if(
      map.modules, [](const Module& m) { return m.path.find(".so") == std::string::npos; });
  return found != map.modules.end() ? found->path : std::string();
}

// Completes the program's module in a map. The path of this module may have been cut at the first blank, and
// its build-id may be missing.
class ProgramFinder {
 public:
  // The map must outlive this object.
  explicit ProgramFinder(MemoryMap& map) {
    for (Module& module : map.modules) by_path_.emplace(module.path, &module);
  }

  void identify(const std::string& exename, const Info& info) {
    auto program = by_path_.find(exename);
    if (program == by_path_.end()) program = by_path_.find(exename.substr(0, exename.find(' ')));
    if (program == by_path_.end()) return;
    Module& module = *program->second;
    by_path_.erase(program);
    by_path_.emplace(exename, &module);
    module.path = exename;
    if (module.build_id.empty() && info.exename == exename) module.build_id = info.build_id;
  }

 private:
  fxt::SeededMap<std::string, Module*> by_path_;
};

// Adds a note if process 1 was forked. It is then the first process of a pid namespace, because the first
// process of the machine has no parent.
void note_pid_namespaces(const Directory& directory, const std::vector<TaskEvent>& events, Notes& notes) {
  for (const TaskEvent& event : events)
    if (const auto* const fork = std::get_if<Fork>(&event);
        fork != nullptr && number_of(recorded(fork->child)) == 1)
      notes.add(kPidNamespace, [&] {
        return fmt::format("{}: process {} forked process 1", directory.file("task.txt").text(),
                           number_of(recorded(fork->parent)));
      });
}

}  // namespace

std::size_t AddressSpace::libraries_at(std::uint64_t time_ns) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(libraries, time_ns, {}, &Library::time_ns) -
                                  libraries.begin());
}

Sessions::Sessions(const Directory& directory, const Info& info, const std::vector<TaskEvent>& events,
                   Notes& notes) {
  add_sessions(directory, info, events, notes);
  for (AddressSpace& space : spaces_) space.names = ModuleNames(space.map.modules);
  add_libraries(events);
  note_reloaded_libraries(directory, info, notes);
  for (const TaskEvent& event : events) {
    if (const auto* const start = std::get_if<TaskStart>(&event)) start_task(*start);
    if (const auto* const fork = std::get_if<Fork>(&event)) fork_task(*fork);
  }
  note_pid_namespaces(directory, events, notes);
  add_unlisted_tasks(directory, info, notes);
  if (left_out_ > 0)
    notes.add(kOverLimit, Location::file(directory.file("task.txt").text()),
              kPrograms.exceeded() + "; later programs are left out", left_out_);
  for (auto& [tid, task] : tasks_)
    if (!name_task(task))
      notes.add(kNoSession, [id = recorded(tid)] {
        return fmt::format("thread {}: the program of this thread is unknown", number_of(id));
      });
}

AddressSpace& Sessions::space_of(const std::string& sid, const Directory& directory, Notes& notes) {
  const auto [found, is_new] = space_of_sid_.try_emplace(sid, nullptr);
  if (!is_new) return *found->second;
  AddressSpace& space = spaces_.emplace_back(AddressSpace{.sid = sid});
  found->second = &space;

  const fxt::FilePlace place = directory.file(fmt::format("sid-{}.map", sid));
  const bool listed = std::ranges::binary_search(directory.session_maps, sid);
  const auto text = listed ? read_optional_file(place, notes) : std::nullopt;
  if (text) {
    space.map = parse_map(*text, place.text(), notes);
  } else if (!listed) {  // for a listed map, read_optional_file() has added a note
    const auto status = place.status();
    const bool is_missing = status.kind == fxt::FilePlace::Status::Kind::Missing;
    notes.add(kNoMap, Location::file(place.text()), is_missing ? "is missing" : status.problem);
  }
  return space;
}

void Sessions::add_sessions(const Directory& directory, const Info& info,
                            const std::vector<TaskEvent>& events, Notes& notes) {
  std::vector<const SessionStart*> starts;
  for (const TaskEvent& event : events) {
    if (const auto* const start = std::get_if<SessionStart>(&event)) starts.push_back(start);
  }
  std::ranges::stable_sort(starts, {}, &SessionStart::time_ns);
  std::map<const AddressSpace*, ProgramFinder> programs;
  for (const SessionStart* const start : starts) {
    AddressSpace& space = space_of(start->sid, directory, notes);
    programs.try_emplace(&space, space.map).first->second.identify(start->exename, info);
    const Session& session = sessions_.emplace_back(
        Session{.start_ns = start->time_ns, .pid = start->pid, .exename = start->exename, .space = &space});
    sessions_of_process_[start->pid].push_back(&session);
  }

  // Without session lines, the program is taken from the map file, if the recording has only one.
  if (!sessions_.empty() || directory.session_maps.size() != 1 || directory.threads.empty()) return;
  const AddressSpace& space = space_of(directory.session_maps.front(), directory, notes);
  const ProcessId pid{static_cast<std::uint64_t>(directory.threads.front().tid)};  // the lowest tid
  const Session& session =
      sessions_.emplace_back(Session{.start_ns = 0,
                                     .pid = pid,
                                     .exename = info.exename.empty() ? program_of(space.map) : info.exename,
                                     .space = &space});
  sessions_of_process_[pid].push_back(&session);
}

void Sessions::add_libraries(const std::vector<TaskEvent>& events) {
  for (const TaskEvent& event : events) {
    const auto* const load = std::get_if<LibraryLoad>(&event);
    if (load == nullptr) continue;
    const auto space = space_of_sid_.find(load->sid);
    if (space == space_of_sid_.end()) continue;
    space->second->libraries.push_back({.time_ns = load->time_ns, .base = load->base, .path = load->libname});
  }
  for (AddressSpace& space : spaces_) std::ranges::stable_sort(space.libraries, {}, &Library::time_ns);
}

// From version 0.17 on, the recorder reports only the first load of a library. If another library was later
// loaded at the same address, calls at this address may belong to either library.
void Sessions::note_reloaded_libraries(const Directory& directory, const Info& info, Notes& notes) const {
  if (!info.tells_first_loads_only()) return;
  for (const AddressSpace& space : spaces_) {
    std::map<std::uint64_t, const Library*> first_at;
    for (const Library& library : space.libraries) {
      const Library& first = *first_at.try_emplace(library.base, &library).first->second;
      if (first.path == library.path) continue;
      notes.add(kLibraryReloaded, [&] {
        return fmt::format(
            "{0}: {1} was loaded at {2:#x}, where {3} was before; if {3} was loaded at this address again, "
            "calls of {3} have the names of {1}",
            directory.file("task.txt").text(), library.path, library.base, first.path);
      });
    }
  }
}

const Session* Sessions::session_of_process(ProcessId pid, std::uint64_t time_ns) const {
  if (const auto own = sessions_of_process_.find(pid); own != sessions_of_process_.end()) {
    const auto start = [](const Session* s) { return s->start_ns; };
    if (const auto* const latest = latest_at(own->second, time_ns, start)) return *latest;
  }
  const Task* const leader = find_task(leader_of(pid));
  return leader != nullptr ? session_at(*leader, time_ns).session : nullptr;
}

namespace {

// Returns false if the task has too many spans.
bool add_span(Task& task, const Session* session, std::uint64_t from_ns) {
  if (task.sessions.size() == kPrograms.of(0)) return false;
  const auto after = std::ranges::upper_bound(task.sessions, from_ns, {}, &SessionSpan::from_ns);
  const auto added =
      task.sessions.insert(after, {.session = session, .from_ns = from_ns, .until_ns = kForever});
  if (added != task.sessions.begin()) std::prev(added)->until_ns = from_ns;
  if (std::next(added) != task.sessions.end()) added->until_ns = std::next(added)->from_ns;
  return true;
}

}  // namespace

Task& Sessions::task_of(ThreadId tid, ProcessId pid) {
  return tasks_.try_emplace(tid, Task{.tid = tid, .pid = pid}).first->second;
}

void Sessions::start_task(const TaskStart& start) {
  const Session* const session = session_of_process(start.pid, start.time_ns);
  Task& task = task_of(start.tid, start.pid);
  if (session != nullptr && !add_span(task, session, start.time_ns)) ++left_out_;
}

void Sessions::fork_task(const Fork& fork) {
  const Session* const session = session_of_process(fork.parent, fork.time_ns);
  Task& task = task_of(leader_of(fork.child), fork.child);
  task.parent = fork.parent;
  task.fork_ns = fork.time_ns;
  if (session != nullptr && !add_span(task, session, fork.time_ns)) ++left_out_;
}

// Adds the threads that only `info` or the name of a record file mentions. If the recording has one process,
// they belong to this process. If it has several, each of these threads is treated as a process.
void Sessions::add_unlisted_tasks(const Directory& directory, const Info& info, Notes& notes) {
  const auto add = [&](ThreadId tid) {
    const bool one_process = sessions_of_process_.size() == 1;
    const ProcessId pid = one_process ? sessions_of_process_.begin()->first : ProcessId{number_of(tid)};
    task_of(tid, pid);
  };
  for (const ThreadId tid : info.tids) add(tid);
  for (const ThreadFile& file : directory.threads) {
    add(file.tid);
    if (!info.tids.empty() && !std::ranges::binary_search(info.tids, file.tid))
      notes.add(kUnlistedThread, Location::file(file.place.text()),
                "the thread of this file is not listed in info");
  }
  for (auto& [tid, task] : tasks_) {
    const auto sessions = sessions_of_process_.find(task.pid);
    if (!task.sessions.empty() || sessions == sessions_of_process_.end()) continue;
    for (const Session* const session : sessions->second)
      if (!add_span(task, session, session->start_ns)) ++left_out_;
  }
}

bool Sessions::name_task(Task& task) {
  // The last session, because exec changes the task's name.
  const Session* const session = session_at(task, kForever).session;
  if (session != nullptr) task.name = basename_of(session->exename).substr(0, kTaskNameSize);
  return session != nullptr;
}

void Sessions::forked_in(ThreadId child, const Task& parent, std::uint64_t call_ns) {
  Task& task = tasks_.at(child);
  const auto span = std::ranges::find(task.sessions, task.fork_ns, &SessionSpan::from_ns);
  if (span == task.sessions.end()) return;
  span->session = session_at(parent, call_ns).session;
  name_task(task);
}

std::vector<const Session*> Sessions::execs() const {
  std::set<ProcessId> begun;
  for (const auto& [tid, task] : tasks_)
    if (task.parent) begun.insert(static_cast<ProcessId>(tid));
  std::vector<const Session*> execs;
  for (const Session& session : sessions_)
    if (!begun.insert(session.pid).second) execs.push_back(&session);
  return execs;
}

const Task* Sessions::find_task(ThreadId tid) const {
  const auto found = tasks_.find(tid);
  return found != tasks_.end() ? &found->second : nullptr;
}

// Returns the task whose sessions also apply to `task`, at times before the first session of `task` itself.
// For the first thread of a process, this is the first thread of the parent process. For other threads, it is
// the first thread of their process.
const Task* Sessions::predecessor_of(const Task& task) const {
  if (!task.is_leader()) return find_task(leader_of(task.pid));
  return task.parent ? find_task(leader_of(*task.parent)) : nullptr;
}

SessionSpan Sessions::session_at(const Task& task, std::uint64_t time_ns) const {
  std::uint64_t until_ns = kForever;
  const Task* current = &task;
  for (std::size_t i = 0; i < kAncestors.of(0) && current != nullptr;
       ++i, current = predecessor_of(*current)) {
    if (const auto* const span = latest_at(current->sessions, time_ns, &SessionSpan::from_ns))
      return {
          .session = span->session, .from_ns = span->from_ns, .until_ns = std::min(until_ns, span->until_ns)};
    if (!current->sessions.empty()) until_ns = std::min(until_ns, current->sessions.front().from_ns);
  }
  const Session* const first = task.sessions.empty() ? nullptr : task.sessions.front().session;
  return {.session = first, .from_ns = 0, .until_ns = until_ns};
}

std::set<const AddressSpace*> Sessions::spaces_of(const Task& task) const {
  std::set<const AddressSpace*> spaces;
  const Task* current = &task;
  for (std::size_t i = 0; i < kAncestors.of(0) && current != nullptr; ++i, current = predecessor_of(*current))
    for (const SessionSpan& span : current->sessions)
      spaces.insert(span.session != nullptr ? span.session->space : nullptr);
  return spaces;
}

}  // namespace convert::uftrace
