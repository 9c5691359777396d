// Outputs, compressed by the end of their names.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "fxt/support/atomic_file.h"

namespace fxt {

// Writes bytes to a file, compressed or not.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;  // throws OutputError
  virtual void finish() = 0;                                 // writes the rest; throws OutputError
};

// By the end of `target`: ".gz" is gzip, compressed by `jobs` threads; ".zst" is Zstandard; others are plain.
// Borrows `file`.
std::unique_ptr<ByteStream> open_stream(std::string_view target, AtomicFile& file, unsigned jobs);

}  // namespace fxt
