// Writes random records, as random_writer.h describes. The bytes of the input replace the random numbers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "tests/fxt/random_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string fault = fxt::test::fault_of_random_writing(fxt::test::Choice(std::span(data, size)));
  if (fault.empty()) return 0;
  std::fputs(fault.c_str(), stderr);
  std::abort();
}
