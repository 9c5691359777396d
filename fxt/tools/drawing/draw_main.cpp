// fxt-draw: pictures of traces in the Fuchsia trace format.
#include "fxt/tools/drawing/draw.h"
#include "fxt/tools/program/program.h"

int main(int argc, char** argv) {
  return fxt::tools::run_program("fxt-draw",
                                 [&] { return fxt::tools::run(fxt::tools::parse_draw_options(argc, argv)); });
}
