// Reads any bytes as the part of a trace file that comes after the magic: the description, the target
// description, actions and frames.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/tfile_convert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convert::convert_trace("\x7fTRACE0\n" + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
