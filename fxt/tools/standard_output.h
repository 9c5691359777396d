// Text for standard output, written in blocks.
#pragma once

#include <cstddef>
#include <exception>

#include "fxt/tools/text_format.h"

namespace fxt::tools {

// Nobody reads the output any more; nothing to complain about.
struct QuietEnd : std::exception {};

// Standard output, in blocks.
class StandardOutput {
 public:
  Text& text() { return text_; }
  void line_done() {
    text_.push_back('\n');
    if (text_.size() >= kBlock) flush();
  }
  // Throws QuietEnd if nobody reads any more.
  void flush();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  Text text_;
};

}  // namespace fxt::tools
