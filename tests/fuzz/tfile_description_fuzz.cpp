// Any bytes as a whole trace file behind its magic: description, target description, actions, bytecode and
// frames.

#include <cstddef>
#include <cstdint>

#include "converters/tfile/bytecode.h"
#include "converters/tfile/emulator.h"
#include "tests/fuzz/tfile_convert.h"

namespace {

// A target that knows every other register and remembers nothing.
class Target : public convert::tfile::Surroundings {
 public:
  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return number % 2 == 0 ? std::optional(number) : std::nullopt;
  }
  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t) override { return ~address; }
  std::optional<std::uint64_t> read_variable(std::uint64_t number) override { return number; }
  bool record(const Recording& recording) override { return !recording.is_string; }
};

}  // namespace

// The bytes are also run as bytecode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto code = std::as_bytes(std::span(data, size));
  Target target;
  convert::tfile::run(code, target);
  convert::tfile::disassemble(code.first(std::min<std::size_t>(size, 512)));
  convert::convert_trace("\x7fTRACE0\n" + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
