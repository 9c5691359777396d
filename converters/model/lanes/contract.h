// The error if an importer does not keep a promise to the model. Promises are checked in every build.
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

namespace convert {

// A fault in the importer, not in its input. what() describes the broken promise.
class BrokenContract : public std::logic_error {
 public:
  explicit BrokenContract(std::string_view what)
      : std::logic_error(fmt::format(
            "{}; this is a bug in fxt-convert, not a problem of the input; please report it", what)) {}
};

}  // namespace convert
