// Flows that have begun and not ended, joined by their ids as Perfetto joins them (fxt-notes W21). Internal
// to the Writer and the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace fxt {

class OpenFlows {
 public:
  enum class Match : std::uint8_t {
    Found,
    NoneBegan,      // no flow of this id is open
    SeveralOthers,  // it was begun in several processes, none of them this one
  };
  struct Found {
    Match match = Match::NoneBegan;
    std::uint64_t process = 0;  // the one that began it
    std::uint64_t where = 0;    // as given to begin()

    bool is_of(std::uint64_t beginner) const { return match == Match::Found && process == beginner; }
  };

  // Begins a flow. If this process has one of the id open already, nothing changes and the answer is where
  // that one began.
  std::optional<std::uint64_t> begin(std::uint64_t process, std::uint64_t id, std::uint64_t where);
  // The flow that a step or end in this process belongs to.
  Found find(std::uint64_t process, std::uint64_t id) const;
  // Ends a flow that find() has found.
  void end(const Found& found, std::uint64_t id);

  // Calls `visit(process, id, where)` for each open flow, in the order of ids.
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [key, where] : open_) visit(key.second, key.first, where);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // id, process
  struct Owner {
    std::uint64_t process = 0;
    bool several = false;  // another process began one of the id meanwhile
  };
  std::map<Key, std::uint64_t> open_;
  std::map<std::uint64_t, Owner> owners_;  // by id: who answers for other processes; gone with the first end
};

inline std::optional<std::uint64_t> OpenFlows::begin(std::uint64_t process, std::uint64_t id,
                                                     std::uint64_t where) {
  const auto [flow, is_new] = open_.try_emplace(Key{id, process}, where);
  if (!is_new) return flow->second;
  const auto [owner, is_first] = owners_.try_emplace(id, Owner{.process = process});
  if (!is_first && owner->second.process != process) owner->second.several = true;
  return std::nullopt;
}

inline OpenFlows::Found OpenFlows::find(std::uint64_t process, std::uint64_t id) const {
  const auto own = open_.find({id, process});
  if (own != open_.end()) return {.match = Match::Found, .process = process, .where = own->second};
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return {};
  if (owner->second.several) return {.match = Match::SeveralOthers};
  const auto other = open_.find({id, owner->second.process});
  if (other == open_.end()) return {};
  return {.match = Match::Found, .process = owner->second.process, .where = other->second};
}

inline void OpenFlows::end(const Found& found, std::uint64_t id) {
  open_.erase({id, found.process});
  owners_.erase(id);
}

}  // namespace fxt
