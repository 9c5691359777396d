// fxt-dump --tree: calls in the order of the file, indented by their nesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/tools/open_calls.h"
#include "fxt/tools/record_text.h"

namespace fxt::tools {

// A line for each duration: begin, process and thread, length and name. A duration of a begin and an end
// event gets two lines, with `{` and `}`.
class CallTree {
 public:
  // True if it appends a line, without the line's end.
  bool add(const Event& event, const Reader& reader, TextBuffer& out);

 private:
  std::size_t index_of(std::string_view name);
  void append(const ThreadKey& thread, std::uint64_t time_ns, std::string_view duration, std::size_t depth,
              std::string_view before, std::string_view name, std::string_view behind, TextBuffer& out) const;

  std::map<ThreadKey, OpenCalls> threads_;
  std::map<std::string, std::size_t, std::less<>> indices_;
  std::vector<const std::string*> names_;  // by index; keys of the map
};

}  // namespace fxt::tools
