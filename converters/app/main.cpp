// fxt-convert: uftrace recordings and GDB trace files as FXT timelines.

#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <new>

#include "converters/app/convert.h"
#include "converters/app/options.h"

int main(int argc, char** argv) {
  using convert::ExitCode;
  // A reader that goes away, or a limit on the size of files, is an error of write(), with its own message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto options = convert::parse_options(argc, argv);
    if (!options) return static_cast<int>(ExitCode::Done);
    return static_cast<int>(convert::run(*options));
  } catch (const convert::UsageError& error) {
    fmt::print(stderr, "fxt-convert: {}\nTry 'fxt-convert --help'.\n", error.what());
    return static_cast<int>(ExitCode::WrongUsage);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "fxt-convert: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "fxt-convert: {}\n", error.what());
  }
  return static_cast<int>(ExitCode::Failed);
}
