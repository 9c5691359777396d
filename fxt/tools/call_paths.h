// All calls of a trace, grouped by path. The path of a call consists of the names of the calls around it and
// of its own name. Folded stacks, flame graphs and the graphs of callers and callees are made from the paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/hash.h"
#include "fxt/reader.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"

namespace fxt::tools {

// A tree of paths. Each path is one name longer than its parent. A parent comes before its children.
class PathTree {
 public:
  static constexpr std::uint32_t kRoot = ~0U;  // the parent of roots

  struct Path {
    std::uint32_t parent, name;
    std::uint64_t calls = 0, self_ns = 0;
    std::uint64_t total_ns = 0;  // 0 in a tree of all calls
  };

  // Returns the child of `parent` with this name, and creates the child if necessary. If there are too many
  // paths, returns `parent`.
  std::uint32_t child_of(std::uint32_t parent, std::uint32_t name);
  std::vector<Path>& paths() { return paths_; }
  const std::vector<Path>& paths() const { return paths_; }

 private:
  std::vector<Path> paths_;
  SeededMap<std::uint64_t, std::uint32_t> indices_;  // by parent and name
};

// The lines of a graph: each function with its callers or callees, the greatest total first.
struct CallGraph {
  struct Line {
    std::size_t depth;      // 0 for the functions whose callers or callees are shown
    std::string_view name;  // valid as long as the CallPaths exist
    std::uint64_t calls, total_ns, self_ns;
  };
  std::vector<Line> lines = {};
  std::uint64_t cut = 0;  // number of calls whose callers are not shown, because there are too many paths
};

class CallPaths : private CallListener {
 public:
  enum class Root : std::uint8_t { All, Process, Thread };

  struct Node {
    std::string_view name = {};                          // valid as long as the CallPaths exist
    std::uint64_t calls = 0, self_ns = 0, total_ns = 0;  // the total includes the children
    std::vector<const Node*> children = {};              // the greatest total first
    bool is_off_cpu = false;
  };

  CallPaths(const Selection& selection, Root root) : root_(root), calls_(selection, *this) {}
  void add(const Entry& entry, const Reader& reader) { calls_.add(entry, reader); }
  // Must be called once, after the last record and before the functions below.
  void finish();

  // The parent of all roots. It has no name.
  const Node& all() const { return all_; }
  // Trees of callers and of callees, as `uftrace graph FUNCTION` shows them. The roots are the functions
  // whose name matches a shell pattern. If a matching call is inside another, only the outer call is a root.
  CallGraph callers_of(const std::string& pattern) const;
  CallGraph callees_of(const std::string& pattern) const;
  std::vector<std::string> notes() const { return calls_.notes(); }
  // The number of calls that were added to the path of the call around them, because there are too many paths
  // or the calls are too deep.
  std::uint64_t joined() const { return joined_; }
  // Appends a line for each path, with its self time in ns: "main;work;leaf 1200". A ":" replaces each ";" in
  // a name. After the text of each line, calls `line_done`, which must append the newline. The lines may be
  // far longer than the trace, because each line has all names of its path.
  void append_folded(TextBuffer& out, const std::function<void()>& line_done) const;
  std::uint64_t folded_bytes() const;  // the size of the output of append_folded()

 private:
  using Path = PathTree::Path;

  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  std::vector<std::uint32_t>& stack_of(const CallTrack& thread);
  std::string root_name(const ThreadKey& key) const;
  std::vector<bool> paths_of(const std::string& pattern) const;
  CallGraph graph_of(const PathTree& tree) const;
  template <typename See>
  void for_each_folded(See see) const;

  Root root_;
  CallStream calls_;
  PathTree tree_;
  std::vector<std::vector<std::uint32_t>> stacks_;  // by thread: its root, and the paths of its open calls
  std::vector<ThreadKey> roots_;                    // keys of the first paths
  std::map<ThreadKey, std::uint32_t> root_indices_;
  std::uint64_t joined_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::string> root_names_;
  Node all_;
};

}  // namespace fxt::tools
