// Agent expressions that GDB makes for the variables of a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace convert::tfile {

// The constants that such an expression adds to a register for the address that it records.
struct FrameConstants {
  std::vector<std::int64_t> added;
  bool is_indirect = false;
};
// Of "reg; const <base>; add; const <offset>; ext; add; const <size>; trace; end", before the size perhaps
// "trace_quick; ref" for a variable whose address lies there. Nothing for others.
std::optional<FrameConstants> frame_constants_of(std::span<const std::byte> code);

}  // namespace convert::tfile
