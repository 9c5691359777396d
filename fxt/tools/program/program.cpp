#include "fxt/tools/program/program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <unistd.h>

#include "fxt/tools/options/option.h"
#include "fxt/tools/program/standard_output.h"
#include "fxt/tools/text/printable.h"

namespace fxt::tools {
namespace {

// A standard stream that was closed from outside must not become one of our files: what is said would go into
// it. Opened the wrong way round, so that using it stays an error.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int run_program(const std::string& name, const std::function<ExitCode()>& work) {
  const auto say = [&](std::string_view problem, std::string_view advice = "") {
    std::fputs(fmt::format("{}: {}\n{}", name, printable(problem), advice).c_str(), stderr);
  };
  keep_standard_streams();
  // A reader that goes away, or a limit on the size of files, is an error of write(), with its own message.
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
  } catch (const std::exception& error) {
    say(error.what());
  }
  return static_cast<int>(ExitCode::Failed);
}

}  // namespace fxt::tools
