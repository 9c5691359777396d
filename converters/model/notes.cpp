#include "converters/model/notes.h"

#include <algorithm>

namespace convert {

Notes::Group& Notes::group_of(const NoteKind& kind) {
  const auto found = std::ranges::find_if(groups_, [&](const Group& g) { return g.kind->name == kind.name; });
  return found != groups_.end() ? *found : groups_.emplace_back(Group{.kind = &kind});
}

void Notes::add(const NoteKind& kind, const Location& where, std::string_view problem, std::uint64_t count) {
  add(
      kind, [&] { return where.text() + ": " + std::string(problem); }, count);
}

void Notes::join(const Notes& later, const NoteKind* except) {
  for (const Group& from : later.groups_) {
    if (from.kind == except) continue;
    Group& group = group_of(*from.kind);
    group.count += from.count;
    group.notes += from.notes;
    for (const std::string& text : from.first)
      if (group.first.size() < kKeptPerKind) group.first.push_back(text);
  }
}

bool Notes::has_only_remarks() const {
  return std::ranges::all_of(groups_, [](const Group& group) { return group.kind->is_remark; });
}

std::uint64_t Notes::count(const NoteKind& kind) const {
  const auto found = std::ranges::find_if(groups_, [&](const Group& g) { return g.kind->name == kind.name; });
  return found != groups_.end() ? found->count : 0;
}

}  // namespace convert
