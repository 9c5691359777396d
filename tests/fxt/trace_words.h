// Words for tests: the words at the start of each Writer's file, and words that a test writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "fxt/writer.h"

namespace fxt::test {

using Words = std::vector<std::uint64_t>;

inline constexpr Thread kMain{.process = 100, .thread = 101};

// The start of every file: magic, provider info "fxt" (id 1), initialization.
inline const Words kStart = {
    0x0016'5478'4604'0010,  // "FxT" and a byte chosen at random
    0x0030'0000'0011'0020,  // name of 3 bytes, provider 1, provider info (1), 2 words
    0x0000'0000'0074'7866,  // "fxt"
    0x0000'0000'0000'0021,  // 2 words, initialization (1)
    1'000'000'000};         // ticks per second

// All words of a file.
inline Words file_of(const std::function<void(Writer&)>& write, const WriterOptions& options = {}) {
  MemoryOutput output;
  Writer writer(output, options);
  write(writer);
  writer.flush();
  return {output.words().begin(), output.words().end()};
}

// The words of a file after its start.
inline Words words_of(const std::function<void(Writer&)>& write, const WriterOptions& options = {}) {
  Words words = file_of(write, options);
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kStart.size()));
  return words;
}

// Returns the words that `second` writes. Before that, `first` can register the strings and threads that
// `second` uses.
inline Words words_after(const std::function<void(Writer&)>& first,
                         const std::function<void(Writer&)>& second, const WriterOptions& options = {}) {
  std::ptrdiff_t before = 0;
  Words words = file_of(
      [&](Writer& writer) {
        first(writer);
        before = static_cast<std::ptrdiff_t>(writer.words_written());
        second(writer);
      },
      options);
  words.erase(words.begin(), words.begin() + before);
  return words;
}

inline Words joined(const Words& a, const Words& b) {
  Words words = a;
  words.insert(words.end(), b.begin(), b.end());
  return words;
}

}  // namespace fxt::test
