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
  auto& used = ids.used;
  if (id == 0 || id >= id_limit_ || used.contains(id)) {
    std::uint64_t free = kFirstMadeUpId;
    if (!used.empty() && *used.rbegin() + 1 < id_limit_) free = std::max(free, *used.rbegin() + 1);
    while (used.contains(free)) ++free;
    entry->second = free;
    if (id < kFirstMadeUpId || id >= id_limit_)
      notes_->add(kRenumbered, Location::file(input_), fmt::format("{} {} is shown as {}", what, id, free));
  }
  used.insert(entry->second);
  if (id >= kFirstMadeUpId && id - kFirstMadeUpId < kMadeUpIds) ids.made_up.try_emplace(entry->second, 0);
  return entry->second;
}

void ShownIds::settle() {
  for (const auto& [made_up, id] : threads_.preferred)
    if (const auto found = threads_.made_up.find(made_up);
        found != threads_.made_up.end() && id != 0 && id < id_limit_ && threads_.used.insert(id).second)
      found->second = id;
}

std::uint64_t ShownIds::settled_id(Ids& ids, std::uint64_t id) {
  const auto made_up = ids.made_up.find(id);
  if (made_up == ids.made_up.end()) return id;
  while (made_up->second == 0)
    if (!ids.used.contains(++ids.last_settled)) made_up->second = ids.last_settled;
  return made_up->second;
}

ProcessId ShownIds::shown(ProcessId process) {
  return ProcessId{shown_id(processes_, number_of(process), "process")};
}

ThreadId ShownIds::shown(ThreadId thread) {
  return ThreadId{shown_id(threads_, number_of(thread), "thread")};
}

}  // namespace convert
