// Limits the memory of the program by the sizes of its inputs. Without this limit, a small input could make a
// program use much memory, for example for open calls, threads and names. A compressed input could do this
// even more easily.
#pragma once

#include <cstdint>
#include <string>

namespace fxt {

enum class Packing : std::uint8_t { Plain, Packed };

// Enables the functions below. Only run_program() calls this function. Other programs that use this library
// may need memory for other purposes, so their memory is not limited.
void enforce_memory_limit();

// Limits the memory from now on. `bytes` is the number of bytes of the input that were read, or will be read.
void limit_memory(const std::string& input, Packing packing, std::uint64_t bytes);

// Raises the limit by `bytes`, for another file. Of several calls for the same file, only the one with the
// largest `bytes` counts.
void allow_memory(const std::string& file, std::uint64_t bytes);

// Throws FileError if the program uses more memory than the limit, or would use more with `more` additional
// bytes. If `more` is 0, checks only from time to time.
void check_memory(std::uint64_t more = 0);

}  // namespace fxt
