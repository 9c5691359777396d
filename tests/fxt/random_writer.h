// Writes random records of all kinds with a Writer, both valid and invalid ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fxt::test {

// Makes random numbers, from a generator or from the bytes of a fuzzer. When all bytes are used, the numbers
// are 0. A copy makes the same numbers as the original.
class Choice {
 public:
  explicit Choice(std::uint64_t seed) : state_(seed) {}
  explicit Choice(std::span<const std::uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  // Returns a number from 0 to `count` - 1. `count` is at most 256.
  std::uint64_t pick(std::uint64_t count);
  bool one_in(std::uint64_t count) { return pick(count) == count - 1; }
  bool is_used_up() const { return from_bytes_ && bytes_.empty(); }

 private:
  std::uint64_t state_ = 0;
  std::span<const std::uint8_t> bytes_;
  bool from_bytes_ = false;
};

// Writes random records, and reads the file. The file must have all written records that have an encoding. If
// a CheckedOutput repairs records, the file may have only errors that the CheckedOutput has reported. Returns
// the first violation, or an empty text.
std::string fault_of_random_writing(Choice choice);

}  // namespace fxt::test
