// Writing, and what can go wrong with it.
#include "fxt/tools/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace fxt::tools {

void StandardOutput::flush() {
  if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) throw QuietEnd();
    throw std::runtime_error(std::string("standard output: ") + std::strerror(errno));
  }
  text_.clear();
}

}  // namespace fxt::tools
