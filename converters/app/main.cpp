// fxt-convert: uftrace recordings and GDB trace files as FXT timelines.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <unistd.h>

#include "converters/app/convert.h"
#include "converters/app/options.h"
#include "converters/app/standard_output.h"
#include "converters/model/input_error.h"
#include "converters/model/printable.h"

namespace {

// A standard stream that was closed from outside must not become one of our files: what is said would go into
// it. Opened the wrong way round, so that using it stays an error.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void say(std::string_view problem, std::string_view advice = "") {
  std::fputs(fmt::format("fxt-convert: {}\n{}", convert::printable(problem), advice).c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
  using convert::ExitCode;
  keep_standard_streams();
  // A reader that goes away, or a limit on the size of files, is an error of write(), with its own message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto options = convert::parse_options(argc, argv);
    const ExitCode code = options ? convert::run(*options) : ExitCode::Done;
    convert::check_standard_output();
    return static_cast<int>(code);
  } catch (const convert::UsageError& error) {
    say(error.what(), "Try 'fxt-convert --help'.\n");
    return static_cast<int>(ExitCode::WrongUsage);
  } catch (const std::bad_alloc&) {
    say("out of memory");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return static_cast<int>(ExitCode::Failed);
}
