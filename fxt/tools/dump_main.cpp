// fxt-dump: prints, summarises and checks traces in the Fuchsia trace format.
#include <unistd.h>

#include "fxt/tools/dump.h"
#include "fxt/tools/program.h"

int main(int argc, char** argv) {
  return fxt::tools::run_program("fxt-dump", [&] {
    return fxt::tools::run(fxt::tools::parse_options(argc, argv, isatty(STDOUT_FILENO) != 0));
  });
}
