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
  return entry->second;
}

ProcessId ShownIds::of(ProcessId process) {
  return ProcessId{shown_id(processes_, static_cast<std::uint64_t>(process), "process")};
}

ThreadId ShownIds::of(ThreadId thread) {
  return ThreadId{shown_id(threads_, static_cast<std::uint64_t>(thread), "thread")};
}

}  // namespace convert
