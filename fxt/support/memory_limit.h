// Limits the memory of the program by the sizes of its inputs. What a program keeps of an input, for example
// open calls, threads and names, may be much larger than in the file, in particular in a compressed file.
#pragma once

#include <cstdint>
#include <string>

namespace fxt {

enum class Packing : std::uint8_t { Plain, Packed };

// From now on, the other functions have an effect. Only run_program() calls this function. Other users of
// this library need memory for other purposes, so their memory is not limited.
void enforce_memory_limit();

// Limits the memory from now on. `bytes` of the input have been read, or will be.
void limit_memory(const std::string& input, Packing packing, std::uint64_t bytes);

// Raises the limit by `bytes`, for another file. Of several calls for one file, only the largest `bytes`
// counts.
void allow_memory(const std::string& file, std::uint64_t bytes);

// Throws FileError if the memory is limited, and the program needs more, or would need more with `more`
// bytes.
void check_memory(std::uint64_t more = 0);

}  // namespace fxt
