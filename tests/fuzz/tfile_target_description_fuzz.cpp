// Reads any text as a target description.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "converters/tfile/description/register_layout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    convert::tfile::read_target_description({reinterpret_cast<const char*>(data), size});
  } catch (const std::runtime_error&) {
  }
  return 0;
}
