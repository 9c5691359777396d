// What the program says on its standard output. Whether it arrived is asked once, at the end: what is printed
// meanwhile may wait in a buffer, or fail at once.
#pragma once

#include <cstdio>
#include <string_view>

#include "fxt/tools/output_file.h"

namespace convert {

inline void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Throws fxt::tools::OutputError.
inline void check_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw fxt::tools::OutputError("standard output: can't write all that there is to say");
}

}  // namespace convert
