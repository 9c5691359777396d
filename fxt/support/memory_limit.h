// Limits the memory of the program by the sizes of its inputs. What a program keeps of an input, for example
// open calls, threads and names, may be much larger than in the file, in particular in a compressed file.
#pragma once

#include <cstdint>
#include <string>

namespace fxt {

enum class Packing : std::uint8_t { Plain, Packed };

// From now on, the other functions have an effect. A program that only uses this library has a memory of its
// own, so its memory is not limited.
void enforce_memory_limit();

// Limits the memory from now on. `bytes` of the input have been read, or will be.
void limit_memory(const std::string& input, Packing packing, std::uint64_t bytes);

// Allows so many more bytes for another file.
void allow_memory(const std::string& file, std::uint64_t bytes);

// Throws FileError if the memory is limited, and the program needs more, or would need more with `more`
// bytes.
void check_memory(std::uint64_t more = 0);

}  // namespace fxt
