// Runs, disassembles and analyzes any bytes as an agent expression.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/emulator.h"

namespace {

// A target that has only the registers with even numbers. A read of memory gives the inverted address.
class Target : public convert::tfile::EmulatorTarget {
 public:
  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return number % 2 == 0 ? std::optional(number) : std::nullopt;
  }
  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t) override { return ~address; }
  std::optional<std::uint64_t> read_variable(std::uint64_t number) override { return number; }
  bool record(const MemoryRecord& recording) override { return !recording.is_string; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert::tfile;
  const auto code = std::as_bytes(std::span(data, size));
  Target target;
  run(code, target);
  disassemble(code);
  is_well_formed(code);
  shape_of(code);
  return 0;
}
