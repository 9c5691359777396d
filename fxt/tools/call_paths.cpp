#include "fxt/tools/call_paths.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fxt::tools {
namespace {

constexpr std::uint32_t kRoot = ~0U;  // the parent of roots
constexpr std::size_t kMaxPaths = 250'000, kMaxDepth = 1000;

}  // namespace

// If a path can't be created, its parent's path is used.
std::uint32_t CallPaths::below(std::uint32_t parent, std::uint32_t name) {
  const std::uint64_t key = std::uint64_t{parent} << 32 | name;
  if (const auto known = indices_.find(key); known != indices_.end()) return known->second;
  if (parent != kRoot && paths_.size() >= kMaxPaths) return parent;
  const auto index = static_cast<std::uint32_t>(paths_.size());
  paths_.push_back({.parent = parent, .name = name});
  indices_.emplace(key, index);
  return index;
}

std::vector<std::uint32_t>& CallPaths::stack_of(const CallTrack& thread) {
  if (thread.index >= stacks_.size()) stacks_.resize(thread.index + 1);
  std::vector<std::uint32_t>& stack = stacks_[thread.index];
  if (!stack.empty()) return stack;
  ThreadKey key = thread.thread;
  if (root_ != Root::Thread) key.second = 0;
  if (root_ == Root::All) key.first = 0;
  const auto [root, is_new] = root_indices_.try_emplace(key, static_cast<std::uint32_t>(roots_.size()));
  if (is_new) roots_.push_back(key);
  stack.push_back(below(kRoot, root->second));
  return stack;
}

void CallPaths::started(CallTrack& thread, Call& call, const Event&) {
  std::vector<std::uint32_t>& stack = stack_of(thread);
  stack.push_back(call.is_chosen && stack.size() < kMaxDepth ? below(stack.back(), call.name_index)
                                                             : stack.back());
}

void CallPaths::ended(CallTrack& thread, const Call& call) {
  std::vector<std::uint32_t>& stack = stack_of(thread);
  const std::uint32_t own = stack.back();
  stack.pop_back();
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen || part.is_empty) return;
  if (own == stack.back()) ++joined_;
  ++paths_[own].calls;
  paths_[own].self_ns += part.length_ns() - std::min(call.inner_ns, part.length_ns());
}

std::string CallPaths::root_name(const ThreadKey& key) const {
  if (root_ == Root::All) return "all";
  return root_ == Root::Process ? calls_.objects().text_of_process(key.first) : calls_.objects().text_of(key);
}

// Children come after their parents.
void CallPaths::finish() {
  calls_.finish();
  for (const ThreadKey& root : roots_) root_names_.push_back(root_name(root));
  nodes_.resize(paths_.size());
  for (std::size_t i = paths_.size(); i-- > 0;) {
    const Path& path = paths_[i];
    Node& node = nodes_[i];
    if (path.parent == kRoot)
      node.name = root_names_[path.name];
    else
      node.name = calls_.names()[path.name].name;
    node.calls = path.calls;
    node.self_ns = path.self_ns;
    node.total_ns += path.self_ns;
    std::ranges::stable_sort(node.below, std::greater(), &Node::total_ns);
    Node& parent = path.parent == kRoot ? all_ : nodes_[path.parent];
    parent.total_ns += node.total_ns;
    if (node.total_ns != 0) parent.below.push_back(&node);
  }
  std::ranges::stable_sort(all_.below, std::greater(), &Node::total_ns);
}

// Calls `see` with the names and the self time of each path that has self time. A name is escaped only once,
// because many paths may end in it.
template <typename See>
void CallPaths::for_each_folded(See see) const {
  std::unordered_map<std::string_view, std::string> texts;
  const auto folded = [&](std::string_view name) -> const std::string& {
    const auto [text, is_new] = texts.try_emplace(name);
    if (is_new) {
      text->second = printable(name);
      std::ranges::replace(text->second, ';', ':');
    }
    return text->second;
  };
  // A node, and the number of nodes around it.
  std::vector<std::pair<const Node*, std::size_t>> open{{&all_, 0}};
  std::vector<const std::string*> path;
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    path.resize(depth);
    if (node != &all_) path.push_back(&folded(node->name));
    if (node->self_ns != 0) see(path, node->self_ns);
    for (auto at = node->below.rbegin(); at != node->below.rend(); ++at) open.emplace_back(*at, path.size());
  }
}

std::uint64_t CallPaths::folded_bytes() const {
  std::uint64_t bytes = 0;
  for_each_folded([&](const std::vector<const std::string*>& path, std::uint64_t self_ns) {
    for (const std::string* const name : path) bytes += name->size() + 1;
    bytes += std::to_string(self_ns).size() + 1;
  });
  return bytes;
}

void CallPaths::append_folded(TextBuffer& out, const std::function<void()>& line_done) const {
  for_each_folded([&](const std::vector<const std::string*>& path, std::uint64_t self_ns) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i != 0) out.push_back(';');
      append_text(out, *path[i]);
    }
    out.push_back(' ');
    append_number(out, self_ns);
    line_done();
  });
}

}  // namespace fxt::tools
