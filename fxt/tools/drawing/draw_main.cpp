// fxt-draw: pictures of traces in the Fuchsia trace format.
#include "fxt/support/program.h"
#include "fxt/tools/drawing/draw.h"

int main(int argc, char** argv) {
  return fxt::run_program("fxt-draw",
                          [&] { return fxt::tools::run(fxt::tools::parse_draw_options(argc, argv)); });
}
