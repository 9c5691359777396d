// Text for standard output: a few lines, or many, written in blocks.
#pragma once

#include <cstddef>
#include <string_view>

#include "fxt/tools/text/text_format.h"

namespace fxt::tools {

// Whether it arrived is asked once, at the end: what is printed meanwhile may wait in a buffer, or fail at
// once. Throws QuietEnd if nobody reads any more.
void print(std::string_view text);

// Throws OutputError, but if nobody reads any more.
void check_standard_output();

// Standard output, in blocks.
class StandardOutput {
 public:
  Text& text() { return text_; }
  void line_done() {
    text_.push_back('\n');
    if (text_.size() >= kBlock) flush();
  }
  // Throws QuietEnd if nobody reads any more, OutputError for other reasons.
  void flush();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  Text text_;
};

}  // namespace fxt::tools
