// fxt-cut: parts of traces in the Fuchsia trace format.
#include "fxt/tools/cut.h"
#include "fxt/tools/program/program.h"

int main(int argc, char** argv) {
  return fxt::tools::run_program("fxt-cut",
                                 [&] { return fxt::tools::run(fxt::tools::parse_cut_options(argc, argv)); });
}
