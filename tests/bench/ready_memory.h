// An Output with memory that is allocated beforehand. When the memory is full, writing continues at its
// start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fxt/output.h"

class ReadyMemory final : public fxt::Output {
 public:
  explicit ReadyMemory(std::size_t bytes) : words_(bytes / 8 + 2 * fxt::kMinBufferWords, 1) {}
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    filled_ += filled_words;
    if (words_.size() - filled_ < fxt::kMinBufferWords) filled_ = 0;
    return std::span(words_).subspan(filled_);
  }
  void rewind() { filled_ = 0; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t filled_ = 0;
};
