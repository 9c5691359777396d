// fxt-dump: prints, summarises and checks traces in the Fuchsia trace format.
#include <unistd.h>

#include "fxt/support/program.h"
#include "fxt/tools/dump.h"

int main(int argc, char** argv) {
  using namespace fxt;
  return run_program("fxt-dump", [&] {
    return tools::run(tools::parse_options(argc, argv, is_terminal(STDOUT_FILENO) && wants_color()));
  });
}
