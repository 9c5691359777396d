// What the user wants of a GDB trace file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace convert::tfile {

// Which registers of a frame become arguments. Auto: those that the tracepoint's actions name, and the
// general ones where they collect $regs.
enum class Registers : std::uint8_t { Auto, None, General, All };

struct Options {
  Registers registers = Registers::Auto;
  std::filesystem::path program = {};           // the traced program, for names; empty: none
  std::filesystem::path symbols = {};           // a kernel's kallsyms or System.map; empty: none
  std::optional<std::uint64_t> load_bias = {};  // of the program; nothing: found out
};

}  // namespace convert::tfile
