// The environment of all programs: standard streams, the terminal, signals, messages and exit codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/support/text.h"

namespace fxt {

enum class ExitCode : int {
  Done = 0,
  Failed = 1,         // an input is damaged, or the output could not be written
  WrongUsage = 2,     // nothing was done
  DoneWithNotes = 3,  // with --strict: some recorded data are not shown
};

// Thrown if the reader of the output has ended. This is not an error.
struct QuietEnd : std::exception {};

// Runs `work` and returns the exit code. Prints exceptions to standard error.
int run_program(const std::string& name, const std::function<ExitCode()>& work);

// Prints to standard error. Ignores failures, because the exit code shows the result as well.
void print_message(const std::string& text);

// ---- Standard output ----

// Appends to a buffer of standard output. Throws QuietEnd if the reader of the output has ended, and
// std::runtime_error if writing fails.
void print(std::string_view text);

// Writes the rest of the buffer. Throws std::runtime_error on failure, unless the output's reader has ended.
void check_standard_output();

// Standard output, written in blocks.
class StandardOutput {
 public:
  TextBuffer& text() { return text_; }
  std::uint64_t bytes() const { return flushed_ + text_.size(); }  // since the start of the program
  void line_done() {
    text_.push_back('\n');
    flush_if_large();
  }
  void flush_if_large() {
    if (text_.size() >= kBlock) flush();
  }
  // Throws like print().
  void flush();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  TextBuffer text_;
  std::uint64_t flushed_ = 0;
};

// ---- The terminal ----

// True if the stream is a terminal that supports escape sequences.
bool is_terminal(int stream);
// The number of columns of the terminal. Nothing if `stream` is not a terminal, or if the number is unknown.
std::optional<std::uint16_t> terminal_width(int stream);
// False if NO_COLOR is set and not empty, see https://no-color.org.
bool wants_color();

}  // namespace fxt
