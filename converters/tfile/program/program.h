// The traced program: an ELF file with symbols, and with DWARF if it was built with debug information. Most
// functions use addresses of the recording, which include the load bias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/symbols/demangle.h"
#include "converters/tfile/program/program_layout.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

class Program : public ProgramSymbols {
 public:
  // Throws InputError if the file can't be opened or is not an ELF file. Throws OverLimit if the file exceeds
  // a limit.
  Program(const std::filesystem::path& path, Demangle demangle);
  ~Program() override;

  const std::string& path() const;
  // The name of a missing file that has the program's debug information, or a part of it that several
  // programs share. Empty if no file is missing.
  const std::string& missing_debug_file() const;
  void add_notes(Notes& notes) const override;
  // False if the program has no debug information, or files with parts of it are missing.
  bool has_all_debug_information() const;
  const ProgramLayout& layout() const;
  void set_load_bias(std::uint64_t bias);

  // The functions from here to line_addresses() use addresses of the file, without the load bias.
  struct Function {
    std::uint64_t address = 0, size = 0;
  };
  // Also finds labels, which have size 0. "b" also finds "a::b".
  std::vector<Function> functions(std::string_view name) const;
  std::optional<Function> function_at(std::uint64_t address) const;
  // The last address where GDB may set a tracepoint on the function: the end of its prologue. The prologue
  // ends where the first line after the opening line begins, or at the function's end if the line table lacks
  // this line.
  std::uint64_t prologue_end(const Function& function) const;
  // True if GDB may choose `address` for a tracepoint on the function. Such an address is the
  // function's start, the start of a line, or the end of the instructions that set up the function's frame.
  // Also true if this is unknown.
  bool may_begin_at(const Function& function, std::uint64_t address) const;
  // A function may have a cold part: code that rarely runs. If the address is in a cold part before the
  // function's entry, returns the function. GDB moves a tracepoint from such an address to the entry.
  std::optional<Function> function_entered_after(std::uint64_t address) const;
  // The addresses, in ascending order, where the code of a line begins according to GDB. A line without code
  // has the addresses of the next line with code. Includes all files of that name.
  std::vector<std::uint64_t> line_addresses(const std::string& file, int line) const;
  std::optional<DataObject> object(const std::string& symbol) const override;
  std::optional<std::uint64_t> function(const std::string& symbol) const override;

  bool was_at(std::uint64_t address) const;  // true if the program contains this address of the recording
  CodeInfo code_at(std::uint64_t address) const override;
  const CodeScope* scope_at(std::uint64_t address) const override;
  std::string symbol_at(std::uint64_t address) const override;
  std::span<const std::byte> constant_bytes(std::uint64_t address) const override;
  DebugInfo& debug_info() const;
  DebugInfo* debug_info_at(std::uint64_t address) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace convert::tfile
