// How much of a file is not a hole. A file with holes may claim any size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sys/types.h>
#include <unistd.h>

#include "converters/model/reading/input_file.h"

namespace convert {

// The bytes of an open file that are outside of its holes. The number of blocks would say less: file systems
// that compress, or that write late, count fewer.
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

}  // namespace convert
