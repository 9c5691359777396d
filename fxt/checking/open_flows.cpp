// Looked up by process and id first; a flow of another process only if that is the only one.
#include "fxt/checking/open_flows.h"

namespace fxt {

std::optional<std::uint64_t> OpenFlows::begin(std::uint64_t process, std::uint64_t id, std::uint64_t where) {
  const auto [flow, is_new] = open_.try_emplace(Key{id, process}, where);
  if (!is_new) return flow->second;
  const auto [owner, is_first] = owners_.try_emplace(id, Owner{.process = process});
  if (!is_first && owner->second.process != process) owner->second.several = true;
  return std::nullopt;
}

OpenFlows::Found OpenFlows::find(std::uint64_t process, std::uint64_t id) const {
  const auto own = open_.find({id, process});
  if (own != open_.end()) return {.match = Match::Found, .process = process, .where = own->second};
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return {};
  if (owner->second.several) return {.match = Match::SeveralOthers};
  const auto other = open_.find({id, owner->second.process});
  if (other == open_.end()) return {};
  return {.match = Match::Found, .process = owner->second.process, .where = other->second};
}

void OpenFlows::end(const Found& found, std::uint64_t id) {
  open_.erase({id, found.process});
  owners_.erase(id);
}

}  // namespace fxt
