// Text files of an input. They are read as a whole, and split into lines and fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "converters/model/reading/input_error.h"
#include "fxt/support/file_place.h"

namespace convert {

// Returns the first `limit_bytes` bytes of a file, or nothing if the file does not exist. Throws InputError
// if the file can't be read or is not a regular file.
std::optional<std::string> read_text_file(const fxt::FilePlace& place,
                                          std::size_t limit_bytes = std::string::npos);

// Splits a text into lines without line breaks ("\n" or "\r\n"). The last line may lack its line break.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Returns the next line, or nothing at the end. The line is valid as long as the text.
  std::optional<std::string_view> next();
  std::uint64_t number() const { return number_; }  // number of the latest line, counted from 1

 private:
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

// Parses one line from left to right. If a function fails, it throws an InputError with the file and line.
class LineReader {
 public:
  LineReader(std::string_view line, std::string_view path, std::uint64_t number)
      : rest_(line), path_(path), number_(number) {}

  std::string_view rest() const { return rest_; }
  std::uint64_t number() const { return number_; }  // number of the line
  // Both functions consume `text` if it comes next. Otherwise, accept() returns false, and expect() fails.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  void skip_blanks();
  std::uint64_t decimal(std::string_view what);
  std::uint64_t hexadecimal(std::string_view what);  // without 0x
  std::string_view word(std::string_view what);      // ends at a blank; not empty
  // Returns "<seconds>.<fraction>" in ns. The fraction may have any length. Digits below ns are cut off.
  std::uint64_t seconds_as_ns(std::string_view what);
  // Returns the text between the next quote and the last quote of the line. uftrace does not escape quotes.
  std::string_view quoted(std::string_view what);

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  std::string_view rest_;
  std::string_view path_;
  std::uint64_t number_;
};

}  // namespace convert
