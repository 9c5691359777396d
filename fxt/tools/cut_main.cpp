// fxt-cut: parts of traces in the Fuchsia trace format.
#include <cstdio>
#include <exception>

#include "fxt/tools/cut.h"

int main(int argc, char** argv) {
  try {
    return fxt::tools::run(fxt::tools::parse_cut_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fxt-cut: %s\n", error.what());
    return 2;
  }
}
