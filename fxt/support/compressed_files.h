// Files that may be compressed: inputs are recognized by content, outputs are compressed by the end of their
// names.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/input.h"
#include "fxt/output_file.h"

namespace fxt {

// A file can't be read, decompressed or written; the text names it.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file was read, but is no compressed file, though it begins like one.
class DamagedFile : public FileError {
 public:
  using FileError::FileError;
};

// Opens a file or standard input (`path` "-"), plain, gzip or zstd. Throws FileError, here and when reading.
std::unique_ptr<Input> open_input(const std::string& path);

// Writes bytes to a file, compressed or not.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Both throw std::runtime_error.
  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual void finish() = 0;  // writes the rest
};

// By the end of `target`: ".gz" is gzip, compressed by `jobs` threads; ".zst" is Zstandard; others are plain.
// Borrows `file`.
std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file, unsigned jobs);

}  // namespace fxt
