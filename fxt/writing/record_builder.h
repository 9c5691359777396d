// Builds one record word by word in a scratch area of the largest size a record may have. Internal to the
// Writer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fxt/words.h"
#include "fxt/writer.h"

namespace fxt {

// Reverses the bytes of each word: for hosts that are not little-endian.
void swap_bytes(std::span<std::uint64_t> words);

// A name in a message, cut when it is long.
std::string quoted(std::string_view name);

class Writer::Builder {
 public:
  // `kind` and `name` are for the message when the record grows too large.
  Builder(std::span<std::uint64_t> scratch, std::string_view kind, std::string_view name)
      : scratch_(scratch), kind_(kind), name_(name) {}

  void word(std::uint64_t word) { *next(1) = word; }
  // A stream: its bytes, padded with zeros. Nothing for an empty one.
  void bytes(std::span<const std::byte> bytes) {
    put_bytes(next(words_of(bytes.size())), bytes.data(), bytes.size());
  }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  // The koids of a thread, if it is not in the table.
  void thread(const ThreadUse& thread);
  void arguments(Arguments arguments, const ArgumentUses& uses);

  std::size_t size() const { return size_; }
  // The record with its size in the header. The header's other fields were put by the caller.
  std::span<const std::uint64_t> finish();
  // The same for a large record of `words` words in all.
  std::span<const std::uint64_t> finish_large(std::size_t words);

 private:
  // Room for so many words more.
  std::uint64_t* next(std::size_t words);
  void argument(const Argument& argument, const ArgumentUse& use);

  std::span<std::uint64_t> scratch_;
  std::string_view kind_, name_;
  std::size_t size_ = 0;
};

}  // namespace fxt
