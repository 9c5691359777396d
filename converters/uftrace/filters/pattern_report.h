// What becomes of the patterns that fit no call: told at the end, when all inputs are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

class PatternReport {
 public:
  enum class Fit : std::uint8_t { Called, NeverCalled, Nothing };

  // There is one more input.
  void expect() { ++inputs_; }
  // What the pattern, by its number among all, fits in one input; `text` says which and why.
  void add(std::size_t pattern, Fit fit, std::string text);
  // That was all of one input. All is told with the last of them.
  void finish(Notes& notes);

 private:
  struct Finding {
    std::size_t pattern;
    Fit fit;
    std::string text;
  };

  std::size_t inputs_ = 0;  // that are not finished
  std::vector<Finding> findings_;
};

}  // namespace convert::uftrace
