// SPDX-License-Identifier: Apache-2.0
// Words on their way to an Output: numbers until the buffer is full, then the file's bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fxt/output.h"

namespace FXT_API fxt {

class WordBuffer {
 public:
  explicit WordBuffer(Output& output) : output_(&output), sends_each_record_(output.takes_each_record()) {
    flush();  // fetches the first buffer
  }
  WordBuffer(WordBuffer&&) = default;  // the one that was moved from must not be used
  WordBuffer& operator=(WordBuffer&&) = default;

  // Room for `words` (at most kMinBufferWords) words, valid until any other call.
  std::span<std::uint64_t> reserve(std::size_t words) {
    make_room(words);
    return {cursor_, words};
  }
  // Appends the first `words` words of the reserved room.
  void commit(std::size_t words) { cursor_ += words; }
  // Both at once, to be filled by the caller.
  std::uint64_t* claim(std::size_t words) {
    make_room(words);
    std::uint64_t* const start = cursor_;
    cursor_ += words;
    return start;
  }
  void append(std::span<const std::uint64_t> words) { std::ranges::copy(words, claim(words.size())); }

  // To be called after each record: sends it, if the Output takes each record.
  void end_record() {
    if (sends_each_record_) [[unlikely]]
      flush();
  }
  // Sends everything to the Output.
  void flush();
  // Tells the Output that nothing follows. What is written afterwards is a std::logic_error.
  void finish();
  // All words so far, those not yet sent included.
  std::uint64_t words_written() const {
    return exchanged_words_ + static_cast<std::uint64_t>(cursor_ - buffer_.data());
  }

 private:
  void make_room(std::size_t words) {
    if (static_cast<std::size_t>(limit_ - cursor_) < words) next_buffer(words);
  }
  void next_buffer(std::size_t words);

  Output* output_;
  std::span<std::uint64_t> buffer_;
  std::uint64_t* cursor_ = nullptr;
  std::uint64_t* limit_ = nullptr;
  std::uint64_t exchanged_words_ = 0;
  bool is_finished_ = false;
  bool sends_each_record_ = false;
};

}  // namespace fxt
