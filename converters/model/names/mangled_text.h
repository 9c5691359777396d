// What the reader of Rust's mangled names stands on: a position in the text that can't leave it, and a limit
// to nesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "converters/model/reading/text.h"

namespace convert {

// Thrown and caught inside a reader of names: this one can't be understood.
struct NotUnderstood {};

class MangledText {
 public:
  explicit MangledText(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  // The next character; '\0' behind the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool next_is_digit() const { return is_digit(peek()); }

  char take() {
    if (at_end()) throw NotUnderstood();
    return text_[at_++];
  }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw NotUnderstood();
  }
  std::string_view take(std::size_t size) {
    if (size > text_.size() - at_) throw NotUnderstood();
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }
  // A decimal number, as large as a text can be long.
  std::size_t number() {
    if (!next_is_digit()) throw NotUnderstood();
    std::size_t value = 0;
    while (next_is_digit()) {
      value = value * 10 + static_cast<std::size_t>(take() - '0');
      if (value > kLargestNumber) throw NotUnderstood();
    }
    return value;
  }

  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

 private:
  static constexpr std::size_t kLargestNumber = 1'000'000'000;
  std::string_view text_;
  std::size_t at_ = 0;
};

// Counts how deep a reader's functions call each other; too deep is not understood.
class NestingGuard {
 public:
  explicit NestingGuard(unsigned& depth) : depth_(depth) {
    if (depth_ == kLimit) throw NotUnderstood();
    ++depth_;
  }
  ~NestingGuard() { --depth_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  static constexpr unsigned kLimit = 1000;
  unsigned& depth_;
};

}  // namespace convert
