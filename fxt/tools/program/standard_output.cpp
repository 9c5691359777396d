// Writing, and what can go wrong with it.
#include "fxt/tools/program/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "fxt/tools/files/output_file.h"
#include "fxt/tools/program/program.h"

namespace fxt::tools {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && errno == EPIPE) throw QuietEnd();
}

void check_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno != EPIPE) throw OutputError("standard output: can't write all that there is to say");
}

void StandardOutput::flush() {
  if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) throw QuietEnd();
    throw OutputError(std::string("standard output: ") + std::strerror(errno));
  }
  text_.clear();
}

}  // namespace fxt::tools
