#include "converters/model/shown_ids.h"

#include <algorithm>
#include <fmt/format.h>

namespace convert {
namespace {

constexpr std::uint64_t kKoidLimit = std::uint64_t{1} << 32;

}  // namespace

void ShownIds::begin_input(std::string_view name) {
  input_ = name;
  processes_.of_input.clear();
  threads_.of_input.clear();
}

std::uint64_t ShownIds::koid(Ids& ids, std::uint64_t id, std::string_view what) {
  const auto [entry, is_new] = ids.of_input.try_emplace(id, id);
  if (!is_new) return entry->second;
  auto& taken = ids.taken;
  if (id == 0 || id >= kKoidLimit || taken.contains(id)) {
    std::uint64_t free = kFirstMadeUpId;
    if (!taken.empty() && *taken.rbegin() + 1 < kKoidLimit) free = std::max(free, *taken.rbegin() + 1);
    while (taken.contains(free)) ++free;
    entry->second = free;
    if (id < kFirstMadeUpId || id >= kKoidLimit)
      notes_->add(kRenumbered, Location::file(input_), fmt::format("{} {} is shown as {}", what, id, free));
  }
  taken.insert(entry->second);
  return entry->second;
}

ProcessId ShownIds::of(ProcessId process) {
  return ProcessId{koid(processes_, static_cast<std::uint64_t>(process), "process")};
}

ThreadId ShownIds::of(ThreadId thread) {
  return ThreadId{koid(threads_, static_cast<std::uint64_t>(thread), "thread")};
}

}  // namespace convert
