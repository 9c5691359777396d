// Counts the bytes of a file outside of holes. A file with holes can be large, but need little disk space.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "fxt/support/budget.h"

namespace convert {

// Returns the number of bytes outside of holes. The file must be kept open. The number of disk blocks is not
// used, because it is too small if the file system compresses or writes late.
inline std::uint64_t stored_bytes(const InputFile& file) {
  std::uint64_t stored = 0, at = file.end_of_hole(0);
  while (at < file.size()) {
    const off_t hole = ::lseek(file.descriptor(), static_cast<off_t>(at), SEEK_HOLE);
    const auto end =
        hole < 0 ? file.size() : std::clamp(static_cast<std::uint64_t>(hole), at + 1, file.size());
    stored += end - at;
    at = file.end_of_hole(end);
  }
  return stored;
}

inline constexpr fxt::Limit kWithHoles{"MiB of a file with holes", 4 * fxt::kMiB, 16 * fxt::kKiB};

// Throws OverLimit if a file of `size` bytes consists mostly of holes. Such a file takes few bytes on the
// disk, but much time or memory.
inline void check_holes(const InputFile& file, std::uint64_t size) {
  if (size <= kWithHoles.of(0)) return;
  const std::uint64_t stored = stored_bytes(file);
  if (size > kWithHoles.of(stored))
    throw OverLimit(file.path(), fmt::format("{0}: only {2} of {1} bytes are stored in the file, and the "
                                             "others are holes",
                                             kWithHoles.exceeded(stored), file.size(), stored));
}

}  // namespace convert
