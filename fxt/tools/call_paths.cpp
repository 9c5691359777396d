#include "fxt/tools/call_paths.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace fxt::tools {
namespace {

constexpr std::uint32_t kRoot = ~0U;  // the parent of roots
constexpr std::size_t kMaxPaths = 250'000, kMaxDepth = 1000;

}  // namespace

// A path that can't be had is that of its parent.
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

// Children come behind their parents.
void CallPaths::finish() {
  calls_.finish();
  nodes_.resize(paths_.size());
  for (std::size_t i = paths_.size(); i-- > 0;) {
    const Path& path = paths_[i];
    Node& node = nodes_[i];
    node.name = path.parent == kRoot ? root_name(roots_[path.name]) : calls_.names()[path.name].name;
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

void CallPaths::append_folded(TextBuffer& out) const {
  const auto folded = [](const std::string& name) {
    std::string text = printable(name);
    std::ranges::replace(text, ';', ':');
    return text;
  };
  // The path of the node is a prefix of the text.
  std::vector<std::pair<const Node*, std::size_t>> open{{&all_, 0}};
  std::string path;
  while (!open.empty()) {
    const auto [node, size] = open.back();
    open.pop_back();
    path.resize(size);
    if (node != &all_) path += (size == 0 ? "" : ";") + folded(node->name);
    if (node->self_ns != 0) append(out, "{} {}\n", path, node->self_ns);
    for (auto at = node->below.rbegin(); at != node->below.rend(); ++at) open.emplace_back(*at, path.size());
  }
}

}  // namespace fxt::tools
