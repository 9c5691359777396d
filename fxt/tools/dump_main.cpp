// fxt-dump: prints, summarises and checks traces in the Fuchsia trace format.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <unistd.h>

#include "fxt/tools/dump.h"
#include "fxt/tools/standard_output.h"

int main(int argc, char** argv) {
  // A closed pipe shows as a failed write, which ends the program quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto options = fxt::tools::parse_options(argc, argv, isatty(STDOUT_FILENO) != 0);
    return fxt::tools::run(options);
  } catch (const fxt::tools::QuietEnd&) {
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fxt-dump: %s\n", error.what());
    return 2;
  }
}
