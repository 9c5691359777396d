// Outputs that are compressed if their names say so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "fxt/support/atomic_file.h"

namespace fxt {

// Passes bytes on to a file, compressed if the file's name says so.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;  // throws OutputError
  virtual void finish() = 0;                                 // writes what is held back; throws OutputError
};

// By the end of `target`: ".gz" is gzip, by so many threads; ".zst" is Zstandard, all else is plain. Borrows
// `file`.
std::unique_ptr<ByteStream> open_stream(std::string_view target, AtomicFile& file, unsigned jobs);

}  // namespace fxt
