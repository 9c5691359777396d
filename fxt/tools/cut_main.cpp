// fxt-cut: parts of traces in the Fuchsia trace format.
#include "fxt/support/program.h"
#include "fxt/tools/cut.h"

int main(int argc, char** argv) {
  return fxt::run_program("fxt-cut",
                          [&] { return fxt::tools::run(fxt::tools::parse_cut_options(argc, argv)); });
}
