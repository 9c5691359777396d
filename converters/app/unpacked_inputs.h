// Inputs that contain recordings: tar archives, compressed trace files, and standard input. These inputs are
// unpacked into a private temporary folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converters/app/importers.h"

namespace convert {

class UnpackedInputs {
 public:
  // Unpacks into `folder`, and keeps the files. If no folder is given, uses a temporary folder.
  // Throws std::runtime_error if the folder is not an empty directory.
  explicit UnpackedInputs(const std::string& folder = {});
  // The recordings and trace files in `input`. Returns `input` itself if it is a recording, or not an
  // archive. Throws InputError if an archive is damaged or contains no recording.
  std::vector<std::string> recordings_in(const std::string& input, const Importers& importers);
  // Replaces the names of unpacked files in a message by the names of their inputs.
  std::string with_input_names(std::string text) const;

 private:
  // The folder for all unpacked inputs. A temporary folder is removed when its last owner is destroyed.
  std::shared_ptr<const std::string> folder_;
  std::vector<std::pair<std::string, std::string>> names_;  // the unpacked path, and the name for the user
};

std::string library_of_archives();  // for example "libarchive 3.6.2"

}  // namespace convert
