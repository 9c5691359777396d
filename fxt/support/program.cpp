#include "fxt/support/program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include "fxt/support/memory_limit.h"
#include "fxt/support/options.h"

namespace fxt {
namespace {

// If the parent has closed a standard stream, the next opened file would get the stream's number, and
// messages could be written into this file. Therefore, this function opens /dev/null for each closed stream.
// Standard input is opened for writing and the outputs for reading, so using them is an error.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int run_program(const std::string& name, const std::function<ExitCode()>& work) {
  const auto say = [&](std::string_view problem, std::string_view advice = "") {
    print_message(fmt::format("{}: {}\n{}", name, printable(problem), advice));
  };
  keep_standard_streams();
  enforce_memory_limit();
  // These signals would end the program if the reader of a pipe has ended, or if a file exceeds its size
  // limit. If the signals are ignored, write() fails instead, and the program can print a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const ExitCode code = work();
    check_standard_output();
    return static_cast<int>(code);
  } catch (const QuietEnd&) {
    return static_cast<int>(ExitCode::Done);
  } catch (const UsageError& error) {
    say(error.what(), fmt::format("Try '{} --help'.\n", name));
    return static_cast<int>(ExitCode::WrongUsage);
  } catch (const std::bad_alloc&) {
    say("out of memory");
  } catch (const std::system_error& error) {
    // A system error from std::thread has only the text of its cause. All other system errors also say what
    // failed.
    const bool is_of_thread = error.what() == error.code().message();
    say((is_of_thread ? "can't start a thread: " : "") + std::string(error.what()));
  } catch (const std::exception& error) {
    say(error.what());
  }
  return static_cast<int>(ExitCode::Failed);
}

void print_message(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

// ---- Standard output ----

namespace {

[[noreturn]] void fail_to_print() {
  if (errno == EPIPE) throw QuietEnd();
  throw std::runtime_error(std::string("standard output: can't write: ") + std::strerror(errno));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_to_print();
}

void check_standard_output() {
  if (std::fflush(stdout) != 0 && errno != EPIPE) fail_to_print();
}

void StandardOutput::flush() {
  print({text_.data(), text_.size()});
  if (std::fflush(stdout) != 0) fail_to_print();
  flushed_ += text_.size();
  text_.clear();
}

// ---- The terminal ----

bool is_terminal(int stream) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(stream) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

std::optional<std::uint16_t> terminal_width(int stream) {
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

bool wants_color() {
  const char* const no = std::getenv("NO_COLOR");
  return no == nullptr || *no == '\0';
}

}  // namespace fxt
