// SPDX-License-Identifier: Apache-2.0
// A buffer for an Output. The words are numbers until they are sent in the byte order of the file.
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
  WordBuffer(WordBuffer&&) = default;  // the moved-from buffer must not be used
  WordBuffer& operator=(WordBuffer&&) = default;

  // Returns space for `words` (at most kMinBufferWords) words, valid until the next call.
  std::span<std::uint64_t> reserve(std::size_t words) {
    make_room(words);
    return {cursor_, words};
  }
  // Appends the first `words` words of the reserved space.
  void commit(std::size_t words) { cursor_ += words; }
  // Reserves and commits; the caller then fills the words.
  std::uint64_t* claim(std::size_t words) {
    make_room(words);
    std::uint64_t* const start = cursor_;
    cursor_ += words;
    return start;
  }
  void append(std::span<const std::uint64_t> words) { std::ranges::copy(words, claim(words.size())); }

  // Must be called after each record. Sends the record if Output::takes_each_record().
  void end_record() {
    if (sends_each_record_) [[unlikely]]
      flush();
  }
  // Sends all words to the Output.
  void flush();
  // Finishes the Output. Writing afterwards throws std::logic_error.
  void finish();
  // The number of added words, including those that are not sent yet.
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
