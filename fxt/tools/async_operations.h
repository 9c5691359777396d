// The async operations of a trace: each begin with its end. What else a program knows of an operation is
// `Tag`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fxt/checking/links.h"
#include "fxt/records.h"

namespace fxt::tools {

template <typename Tag>
class AsyncOperations {
 public:
  struct Operation {
    std::uint64_t begin_ns = 0;
    Tag tag = {};
  };

  // Null if too many of this id are open.
  Operation* begin(const Event& event, std::uint64_t time_ns) {
    auto& asyncs = open_[event.id];
    if (asyncs.is_full()) return nullptr;
    asyncs.open.push_back({.process = event.thread.process,
                           .names = hash_of_names(event.category.text, event.name.text),
                           .tag = {.begin_ns = time_ns}});
    return &asyncs.open.back().tag;
  }
  // The innermost operation of the event's id; null if none is open. Until the next begin() or end().
  const Operation* around(const Event& event) const {
    const auto asyncs = open_.find(event.id);
    return asyncs == open_.end() ? nullptr : &asyncs->second.open.back().tag;
  }
  // Takes off what the event ends: the innermost operation with its id, category and name. Nothing if none is
  // open.
  std::optional<Operation> end(const Event& event) {
    const auto asyncs = open_.find(event.id);
    if (asyncs == open_.end()) return std::nullopt;
    auto& open = asyncs->second.open;
    auto* const found = asyncs->second.innermost(hash_of_names(event.category.text, event.name.text));
    if (found == nullptr) return std::nullopt;
    Operation ended = std::move(found->tag);
    open.erase(open.begin() + (found - open.data()));
    if (open.empty()) open_.erase(asyncs);
    return ended;
  }
  // Calls `visit(operation)` for each one that is open.
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [id, asyncs] : open_)
      for (const auto& operation : asyncs.open) visit(operation.tag);
  }

 private:
  std::map<std::uint64_t, OpenAsyncs<Operation>> open_;  // by id
};

}  // namespace fxt::tools
