#include "fxt/tools/call_paths.h"

#include <algorithm>
#include <utility>

namespace fxt::tools {
namespace {

constexpr std::size_t kMaxPaths = 250'000, kMaxDepth = 1000;

}  // namespace

std::uint32_t PathTree::child_of(std::uint32_t parent, std::uint32_t name) {
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
  stack.push_back(tree_.child_of(PathTree::kRoot, root->second));
  return stack;
}

void CallPaths::started(CallTrack& thread, Call& call, const Event&) {
  std::vector<std::uint32_t>& stack = stack_of(thread);
  stack.push_back(call.is_chosen && stack.size() < kMaxDepth ? tree_.child_of(stack.back(), call.name_index)
                                                             : stack.back());
}

void CallPaths::ended(CallTrack& thread, const Call& call) {
  std::vector<std::uint32_t>& stack = stack_of(thread);
  const std::uint32_t own = stack.back();
  stack.pop_back();
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen || part.is_empty) return;
  if (own == stack.back()) ++joined_;
  Path& path = tree_.paths()[own];
  ++path.calls;
  path.self_ns += part.length_ns() - std::min(call.inner_ns, part.length_ns());
}

std::string CallPaths::root_name(const ThreadKey& key) const {
  if (root_ == Root::All) return "all";
  return root_ == Root::Process ? calls_.objects().text_of_process(key.first) : calls_.objects().text_of(key);
}

// The loop over the paths goes backward, so that the total of a path is complete before it is added to the
// parent's total.
void CallPaths::finish() {
  calls_.finish();
  for (const ThreadKey& root : roots_) root_names_.push_back(root_name(root));
  const std::vector<Path>& paths = tree_.paths();
  nodes_.resize(paths.size());
  for (std::size_t i = paths.size(); i-- > 0;) {
    const Path& path = paths[i];
    Node& node = nodes_[i];
    if (path.parent == PathTree::kRoot)
      node.name = root_names_[path.name];
    else
      node.name = calls_.names()[path.name].name;
    node.is_off_cpu = path.parent != PathTree::kRoot && is_off_cpu(calls_.names()[path.name]);
    node.calls = path.calls;
    node.self_ns = path.self_ns;
    node.total_ns += path.self_ns;
    std::ranges::stable_sort(node.children, std::greater(), &Node::total_ns);
    Node& parent = path.parent == PathTree::kRoot ? all_ : nodes_[path.parent];
    parent.total_ns += node.total_ns;
    if (node.total_ns != 0) parent.children.push_back(&node);
  }
  std::ranges::stable_sort(all_.children, std::greater(), &Node::total_ns);
}

std::vector<bool> CallPaths::paths_of(const std::string& pattern) const {
  const Selection selection{.names = {pattern}};
  std::vector<bool> names;
  for (std::uint32_t i = 0; i < calls_.names().size(); ++i)
    names.push_back(selection.has_names({}, calls_.names()[i].name));
  std::vector<bool> matches;
  for (const Path& path : tree_.paths())
    matches.push_back(path.parent != PathTree::kRoot && names[path.name]);
  return matches;
}

CallGraph CallPaths::callees_of(const std::string& pattern) const {
  const std::vector<bool> matches = paths_of(pattern);
  PathTree tree;
  // by path: index in `tree`, or kRoot if the path is not in `tree`
  std::vector<std::uint32_t> inside(matches.size(), PathTree::kRoot);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Path& path = tree_.paths()[i];
    const std::uint32_t around = path.parent == PathTree::kRoot ? PathTree::kRoot : inside[path.parent];
    if ((around == PathTree::kRoot && !matches[i]) || path.calls == 0) continue;  // 0: outside of the range
    inside[i] = tree.child_of(around, path.name);
    Path& joined = tree.paths()[inside[i]];
    joined.calls += path.calls;
    joined.self_ns += path.self_ns;
    joined.total_ns += nodes_[i].total_ns;
  }
  return graph_of(tree);
}

CallGraph CallPaths::callers_of(const std::string& pattern) const {
  const std::vector<bool> matches = paths_of(pattern);
  const std::vector<Path>& paths = tree_.paths();
  PathTree tree;
  std::vector<bool> is_inside(matches.size());  // by path: true if it is inside a path that matches
  std::uint64_t cut = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const std::uint32_t parent = paths[i].parent;
    is_inside[i] = parent != PathTree::kRoot && (is_inside[parent] || matches[parent]);
    if (!matches[i] || is_inside[i] || paths[i].calls == 0) continue;  // 0: outside of the range
    std::uint32_t callee = PathTree::kRoot;
    for (auto at = static_cast<std::uint32_t>(i); paths[at].parent != PathTree::kRoot;
         at = paths[at].parent) {
      const std::uint32_t caller = tree.child_of(callee, paths[at].name);
      if (caller == callee) {
        cut += paths[i].calls;
        break;
      }
      Path& joined = tree.paths()[caller];
      joined.calls += paths[i].calls;
      joined.self_ns += paths[i].self_ns;
      joined.total_ns += nodes_[i].total_ns;
      callee = caller;
    }
  }
  CallGraph graph = graph_of(tree);
  graph.cut = cut;
  return graph;
}

CallGraph CallPaths::graph_of(const PathTree& tree) const {
  const std::vector<Path>& paths = tree.paths();
  std::vector<std::vector<std::uint32_t>> below(paths.size());
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < paths.size(); ++i)
    (paths[i].parent == PathTree::kRoot ? roots : below[paths[i].parent]).push_back(i);
  CallGraph graph;
  std::vector<std::pair<std::uint32_t, std::size_t>> open;  // paths with their depths; the next path is last
  const auto push = [&](std::vector<std::uint32_t>& list, std::size_t depth) {
    std::ranges::stable_sort(list, std::greater(), [&](std::uint32_t i) { return paths[i].total_ns; });
    for (auto i = list.rbegin(); i != list.rend(); ++i) open.emplace_back(*i, depth);
  };
  push(roots, 0);
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const Path& path = paths[index];
    graph.lines.push_back({.depth = depth,
                           .name = calls_.names()[path.name].name,
                           .calls = path.calls,
                           .total_ns = path.total_ns,
                           .self_ns = path.self_ns});
    push(below[index], depth + 1);
  }
  return graph;
}

// Calls `see` with the names and the self time of each path that has self time. A name is escaped only once,
// because many paths may end with this name.
template <typename See>
void CallPaths::for_each_folded(See see) const {
  SeededMap<std::string_view, std::string> texts;
  const auto folded = [&](std::string_view name) -> const std::string& {
    const auto [text, is_new] = texts.try_emplace(name);
    if (is_new) {
      text->second = printable(name);
      std::ranges::replace(text->second, ';', ':');
    }
    return text->second;
  };
  // Nodes, each with the number of its ancestors.
  std::vector<std::pair<const Node*, std::size_t>> open{{&all_, 0}};
  std::vector<const std::string*> path;
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    path.resize(depth);
    if (node != &all_) path.push_back(&folded(node->name));
    if (node->self_ns != 0) see(path, node->self_ns);
    for (auto at = node->children.rbegin(); at != node->children.rend(); ++at)
      open.emplace_back(*at, path.size());
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
