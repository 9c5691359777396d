// Inputs that hold recordings: tar archives, compressed trace files, and standard input. They are unpacked
// into a private temporary folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converters/app/importers.h"

namespace convert {

class UnpackedInputs {
 public:
  // The recordings and trace files that `input` holds; `input` itself if it is one, or no archive. Throws
  // InputError if an archive is damaged or holds none.
  std::vector<std::string> recordings_in(const std::string& input, const Importers& importers);
  // A message about unpacked files, with the names of the inputs that they came from.
  std::string with_input_names(std::string text) const;

 private:
  std::shared_ptr<const std::string> folder_;               // of all inputs; removed with the last owner
  std::vector<std::pair<std::string, std::string>> names_;  // unpacked path, name for the user
};

std::string library_of_archives();  // "libarchive 3.6.2"

}  // namespace convert
