// What is drawn in a row of a picture: a call, a mark, or several of them that are too narrow to be told
// apart.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace fxt::tools {

// Shared by all that is called so.
using Name = std::shared_ptr<const std::string>;

struct Shape {
  enum class Kind : std::uint8_t { Call, Frame, Instant };

  Kind kind = Kind::Call;
  std::uint64_t begin_ns = 0, end_ns = 0;  // as it lies in its row
  std::uint64_t longest_ns = 0;            // what the longest of its calls took
  Name name = {};                          // of that one; of marks the first
  std::optional<std::uint64_t> frame = {};
  std::uint64_t count = 1;
  bool has_end = true;  // false if the trace does not tell where the call ends

  bool is_merged() const { return count > 1; }
};

}  // namespace fxt::tools
