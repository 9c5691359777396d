// What all programs share around their work: standard streams, the terminal, signals, messages and exit
// codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "fxt/support/text.h"

namespace fxt {

enum class ExitCode : int {
  Done = 0,
  Failed = 1,         // an input is not as it should be, or the output could not be written
  WrongUsage = 2,     // nothing was done
  DoneWithNotes = 3,  // with --strict: something recorded is not shown
};

// Nobody reads the output any more; nothing to complain about.
struct QuietEnd : std::exception {};

// Does the work and returns the exit code. Prints exceptions to standard error.
int run_program(const std::string& name, const std::function<ExitCode()>& work);

// Prints to standard error. Nothing happens if that fails: the exit code tells how the work ended.
void print_message(const std::string& text);

// ---- Standard output ----

// Prints to a buffer. Throws QuietEnd if nobody reads any more, std::runtime_error if writing fails.
void print(std::string_view text);

// Writes what is left in the buffer. Throws std::runtime_error if that fails, unless nobody reads any more.
void check_standard_output();

// Standard output, in blocks.
class StandardOutput {
 public:
  TextBuffer& text() { return text_; }
  std::uint64_t bytes() const { return flushed_ + text_.size(); }  // since the start
  void line_done() {
    text_.push_back('\n');
    if (text_.size() >= kBlock) flush();
  }
  // Throws as print() does.
  void flush();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  TextBuffer text_;
  std::uint64_t flushed_ = 0;
};

// ---- The terminal ----

// Whether the stream is a terminal that obeys escape sequences.
bool is_terminal(int stream);
// False if NO_COLOR is set to anything, see https://no-color.org.
bool wants_color();

}  // namespace fxt
