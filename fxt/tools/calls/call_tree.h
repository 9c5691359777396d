// fxt-dump --tree: calls, indented by how they lie in each other, as they stand in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/tools/calls/open_calls.h"
#include "fxt/tools/text/text_format.h"

namespace fxt::tools {

// A line for each duration: when it began, its process and thread, how long it is, and its name. One whose
// end stands further down gets a line at either, with `{` and `}`.
class CallTree {
 public:
  // Whether it adds a line, without the line's end.
  bool add(const Event& event, const Reader& reader, TextBuffer& out);

 private:
  using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;  // process, thread

  std::size_t index_of(std::string_view name);
  void append(const ThreadKey& thread, std::uint64_t time_ns, std::string_view duration, std::size_t depth,
              std::string_view before, std::string_view name, std::string_view behind, TextBuffer& out) const;

  std::map<ThreadKey, OpenCalls> threads_;
  std::map<std::string, std::size_t, std::less<>> indices_;
  std::vector<const std::string*> names_;  // by index; they are keys of the map
};

}  // namespace fxt::tools
