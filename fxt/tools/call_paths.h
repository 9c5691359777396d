// All calls of a trace by their paths, the names of the calls around each: folded stacks and flame graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"

namespace fxt::tools {

class CallPaths : private CallListener {
 public:
  // What stands at the root.
  enum class Root : std::uint8_t { All, Process, Thread };

  struct Node {
    std::string_view name = {};                          // valid as long as the paths
    std::uint64_t calls = 0, self_ns = 0, total_ns = 0;  // total: with what is below
    std::vector<const Node*> below = {};                 // the greatest total first
  };

  CallPaths(const Selection& selection, Root root) : root_(root), calls_(selection, *this) {}
  void add(const Entry& entry, const Reader& reader) { calls_.add(entry, reader); }
  // No record follows. To be called once, before the functions below.
  void finish();

  // Without a name of its own; below it are the roots.
  const Node& all() const { return all_; }
  std::vector<std::string> notes() const { return calls_.notes(); }
  // Calls that had no path of their own: too many paths, or too deep.
  std::uint64_t joined() const { return joined_; }
  // "main;work;leaf 1200": a line for each path, with its time in ns. What stands at the root has no ";".
  // `line_done` is called behind each line, before its end. The lines may be far longer than the trace, as
  // each has all names of its path.
  void append_folded(TextBuffer& out, const std::function<void()>& line_done) const;
  std::uint64_t folded_bytes() const;  // what append_folded() appends

 private:
  struct Path {
    std::uint32_t parent, name;
    std::uint64_t calls = 0, self_ns = 0;
  };

  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  std::uint32_t below(std::uint32_t parent, std::uint32_t name);
  std::vector<std::uint32_t>& stack_of(const CallTrack& thread);
  std::string root_name(const ThreadKey& key) const;
  template <typename See>
  void for_each_folded(See see) const;

  Root root_;
  CallStream calls_;
  std::vector<Path> paths_;
  std::unordered_map<std::uint64_t, std::uint32_t> indices_;  // by parent and name
  std::vector<std::vector<std::uint32_t>> stacks_;  // by thread: its root, and the paths of its open calls
  std::vector<ThreadKey> roots_;                    // of the first paths
  std::map<ThreadKey, std::uint32_t> root_indices_;
  std::uint64_t joined_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::string> root_names_;
  Node all_;
};

}  // namespace fxt::tools
