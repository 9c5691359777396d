// Drives a Writer with random records of all kinds, valid and invalid.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fxt::test {

// Random numbers from a generator, or from the bytes of a fuzzer. After the last byte, all numbers are 0. A
// copy continues with the same numbers.
class Choice {
 public:
  explicit Choice(std::uint64_t seed) : state_(seed) {}
  explicit Choice(std::span<const std::uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  // A number from 0 to `count` - 1; `count` is at most 256.
  std::uint64_t pick(std::uint64_t count);
  bool one_in(std::uint64_t count) { return pick(count) == count - 1; }
  bool is_used_up() const { return from_bytes_ && bytes_.empty(); }

 private:
  std::uint64_t state_ = 0;
  std::span<const std::uint8_t> bytes_;
  bool from_bytes_ = false;
};

// Records from a Writer must be equal after reading, and records without an encoding must be missing. Records
// that a CheckedOutput has repaired must have no errors except the findings of the CheckedOutput. Returns a
// violation, or an empty text.
std::string fault_of_random_writing(Choice choice);

}  // namespace fxt::test
