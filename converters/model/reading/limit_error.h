// The error if a file exceeds a limit. SECURITY.md lists the limits.
#pragma once

#include <string>
#include <string_view>

#include "converters/model/reading/input_error.h"

namespace convert {

// If the file is needed only for names or types, the error becomes a note. See note_over_limit().
class OverLimit : public InputError {
 public:
  OverLimit(std::string_view path, std::string_view limit)
      : InputError(Location::file(path), limit), path_(path), limit_(limit) {}

  const std::string& path() const { return path_; }
  const std::string& limit() const { return limit_; }  // "more than 4 MiB of …"

 private:
  std::string path_, limit_;
};

}  // namespace convert
