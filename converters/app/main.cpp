// fxt-convert: uftrace recordings and GDB trace files as FXT timelines.
#include "converters/app/convert.h"
#include "converters/app/options.h"
#include "fxt/tools/program/program.h"

int main(int argc, char** argv) {
  return fxt::tools::run_program("fxt-convert", [&] {
    const auto options = convert::parse_options(argc, argv);
    return options ? convert::run(*options) : fxt::tools::ExitCode::Done;
  });
}
