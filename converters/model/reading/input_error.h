// The position of a problem in an input, and the errors of importing.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace convert {

// A position in an input: a file, a line of a text file, or a byte of a binary file. Its text looks like
// "demo/info", "demo/task.txt:3" or "demo/1234.dat:+0x48".
class Location {
 public:
  static Location file(std::string_view path) { return Location(std::string(path)); }
  static Location line(std::string_view path, std::uint64_t line_number) {  // counted from 1
    return Location(fmt::format("{}:{}", path, line_number));
  }
  static Location byte(std::string_view path, std::uint64_t offset) {  // offset from the start of the file
    return Location(fmt::format("{}:+{:#x}", path, offset));
  }

  const std::string& text() const { return text_; }

 private:
  explicit Location(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// The error if an input can't be understood from `where` on. what() is "<where>: <problem>".
class InputError : public std::runtime_error {
 public:
  InputError(const Location& where, std::string_view problem)
      : std::runtime_error(where.text() + ": " + std::string(problem)) {}
};

// The error if a file exceeds a limit. SECURITY.md lists the limits. If the file is needed only for names or
// types, the error becomes a note. See note_over_limit().
class OverLimit : public InputError {
 public:
  OverLimit(std::string_view path, std::string_view limit)
      : InputError(Location::file(path), limit), path_(path), limit_(limit) {}

  const std::string& path() const { return path_; }
  const std::string& limit() const { return limit_; }  // "more than 4 MiB of …"

 private:
  std::string path_, limit_;
};

// The error if an importer breaks a promise to the model, such as the order of times. This is a fault in the
// importer, not in its input. Promises are checked in every build.
class BrokenContract : public std::logic_error {
 public:
  explicit BrokenContract(std::string_view what)
      : std::logic_error(fmt::format(
            "{}; this is a bug in fxt-convert, not a problem of the input; please report it", what)) {}
};

// Calls `action`. If `action` throws BrokenContract, throws an InputError with the name of the input.
template <typename Action>
void naming_input(std::string_view input, Action action) {
  try {
    action();
  } catch (const BrokenContract& broken) {
    throw InputError(Location::file(input), broken.what());
  }
}

}  // namespace convert
