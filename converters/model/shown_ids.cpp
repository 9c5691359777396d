#include "converters/model/shown_ids.h"

#include <algorithm>
#include <fmt/format.h>

namespace convert {

void ShownIds::begin_input(std::string_view name) {
  input_ = name;
  processes_.of_input.clear();
  threads_.of_input.clear();
}

std::uint64_t ShownIds::shown_id(Ids& ids, std::uint64_t id, std::string_view what) {
  const auto [entry, is_new] = ids.of_input.try_emplace(id, id);
  if (!is_new) return entry->second;
  if (id == 0 || id >= id_limit_ || ids.used.contains(id)) {
    // In viewers, the thread with the id of its process is the main thread. Therefore, only the main thread
    // gets this id. Importers request the id of a process before the ids of its threads.
    const auto process = processes_.of_input.find(id);
    const bool is_main =
        &ids == &threads_ && process != processes_.of_input.end() && !ids.used.contains(process->second);
    std::uint64_t free = is_main ? process->second : kFirstMadeUpId;
    if (!is_main) {
      for (const auto* const used : {&processes_.used, &threads_.used})
        if (!used->empty() && *used->rbegin() + 1 < id_limit_) free = std::max(free, *used->rbegin() + 1);
      while (processes_.used.contains(free) || threads_.used.contains(free)) ++free;
    }
    entry->second = free;
    if (id < kFirstMadeUpId || id >= id_limit_)
      notes_->add(kRenumbered, Location::file(input_), fmt::format("{} {} is shown as {}", what, id, free));
  }
  ids.used.insert(entry->second);
  if (id >= kFirstMadeUpId && id - kFirstMadeUpId < kMadeUpIds) ids.made_up.try_emplace(entry->second, 0);
  return entry->second;
}

void ShownIds::settle() {
  for (const auto& [made_up, id] : threads_.preferred)
    if (const auto found = threads_.made_up.find(made_up);
        found != threads_.made_up.end() && id != 0 && id < id_limit_ && threads_.used.insert(id).second)
      found->second = id;
  // Threads get their ids before processes. Therefore, the first thread gets the id 1, and no thread gets the
  // id of its process.
  const auto assign = [this](Ids& ids) {
    std::uint64_t& last = ids.last_settled;
    for (auto& [made_up, id] : ids.made_up) {
      if (id != 0) continue;
      while (processes_.used.contains(++last) || threads_.used.contains(last)) {
      }
      id = last;
    }
  };
  assign(threads_);
  processes_.last_settled = threads_.last_settled;
  assign(processes_);
}

std::uint64_t ShownIds::settled_id(Ids& ids, std::uint64_t id) {
  const auto made_up = ids.made_up.find(id);
  return made_up == ids.made_up.end() ? id : made_up->second;
}

ProcessId ShownIds::shown(ProcessId process) {
  return ProcessId{shown_id(processes_, number_of(process), "process")};
}

ThreadId ShownIds::shown(ThreadId thread) {
  return ThreadId{shown_id(threads_, number_of(thread), "thread")};
}

}  // namespace convert
