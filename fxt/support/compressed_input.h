// Opens a trace for reading: a file or standard input, plain, gzip or zstd, recognized by content.
#pragma once

#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fxt/input.h"

namespace fxt {

// The file can't be opened or decompressed; the text names it.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `path` "-" is standard input. Throws FileError, here and when reading.
std::unique_ptr<Input> open_input(const std::string& path);

}  // namespace fxt
