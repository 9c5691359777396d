// fxt-dump: prints, summarises and checks traces in the Fuchsia trace format.
#include <unistd.h>

#include "fxt/tools/dump.h"
#include "fxt/tools/program/program.h"
#include "fxt/tools/program/terminal.h"

int main(int argc, char** argv) {
  using namespace fxt::tools;
  return run_program("fxt-dump", [&] {
    return run(parse_options(argc, argv, is_terminal(STDOUT_FILENO) && wants_color()));
  });
}
