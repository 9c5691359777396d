// Limits the memory of the program if it reads a compressed file. What the program keeps of such a file, for
// example open calls, threads and names, may take less than a byte each in the file.
#pragma once

#include <cstdint>
#include <string>

namespace fxt {

// Limits the memory from now on. `file_bytes` of the compressed file have been read.
void limit_memory(const std::string& packed_file, std::uint64_t file_bytes);

// Allows memory for another file, which is not compressed.
void allow_memory(const std::string& file, std::uint64_t file_bytes);

// Throws FileError if the memory is limited, and the program needs more, or would need more with `more` bytes.
void check_memory(std::uint64_t more = 0);

}  // namespace fxt
