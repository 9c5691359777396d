// Drives a Writer at random, with all kinds of records, legal and not.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fxt::test {

// Numbers to choose by: a generator's, or the bytes of a fuzzer, then zeros. Copies go on alike.
class Choice {
 public:
  explicit Choice(std::uint64_t seed) : state_(seed) {}
  explicit Choice(std::span<const std::uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  // 0 to `count` - 1, at most 256 of them.
  std::uint64_t pick(std::uint64_t count);
  bool one_in(std::uint64_t count) { return pick(count) == count - 1; }
  bool is_used_up() const { return from_bytes_ && bytes_.empty(); }

 private:
  std::uint64_t state_ = 0;
  std::span<const std::uint8_t> bytes_;
  bool from_bytes_ = false;
};

// What a Writer has written is read back equal, and what has no encoding is not there. What a CheckedOutput
// has repaired has no errors but those of its findings. Returns what is not so, or an empty text.
std::string fault_of_random_writing(Choice choice);

}  // namespace fxt::test
