// QEMU's plugin gives exits the depth of their caller, and begins to count at 1 (uftrace.md, sections 12 and
// 16). A thread does so always or never.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

namespace convert::uftrace {

struct DepthShift {
  std::size_t entry = 0;  // what its depth has too much
  std::size_t exit = 0;   // what its depth lacks

  bool is_none() const { return entry == 0 && exit == 0; }
};

// Decided by the first records of a file: the way that pairs more of their exits with the innermost open
// call.
DepthShift find_depth_shift(std::span<const std::byte> head, std::endian order);

}  // namespace convert::uftrace
