// Removes a temporary file when a signal ends the program (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <string>

namespace fxt::tools {

class TemporaryName {
 public:
  // From now on until release(), `path` is unlinked when one of the signals ends the program. One path at a
  // time.
  static void guard(const std::string& path);
  static void release();
};

}  // namespace fxt::tools
