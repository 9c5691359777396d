// The traced program: an ELF file with symbols, and DWARF if it was built with it. Addresses are those of the
// recording once the load bias is set.
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
  // Throws InputError when the file can't be opened or is no ELF file, OverLimit when it exceeds a limit.
  Program(const std::filesystem::path& path, Demangle demangle);
  ~Program() override;

  const std::string& path() const;
  // The file with its debug information, or with what others share with it, if that is not there; else empty.
  const std::string& missing_debug_file() const;
  void add_notes(Notes& notes) const override;
  // False if it has none, or files with some are not there.
  bool has_all_debug_information() const;
  const ProgramLayout& layout() const;
  void set_load_bias(std::uint64_t bias);

  // Addresses before the load bias is added.
  struct Function {
    std::uint64_t address = 0, size = 0;
  };
  // Also labels, of size 0. "b" also finds "a::b".
  std::vector<Function> functions(std::string_view name) const;
  std::optional<Function> function_at(std::uint64_t address) const;
  // The last address where GDB may set a tracepoint on the function: behind its prologue, where the first
  // line after its opening one begins. The function's end when the line table does not tell.
  std::uint64_t prologue_end(const Function& function) const;
  // Whether GDB may set a tracepoint on the function there: at its start, where a line begins, or behind
  // the instructions that set up its frame. True where that is not known.
  bool may_begin_at(const Function& function, std::uint64_t address) const;
  // The function of the code at the address, if it is entered behind it: a part that is rarely run may lie
  // before the rest. GDB moves a tracepoint from there to the function's begin.
  std::optional<Function> function_entered_after(std::uint64_t address) const;
  // Where the code of a line begins, for GDB; ascending. For a line without code that of the next line with
  // code; in each file of that name.
  std::vector<std::uint64_t> line_addresses(const std::string& file, int line) const;
  std::optional<DataObject> object(const std::string& symbol) const override;

  bool was_at(std::uint64_t address) const;  // whether the layout contains an address of the recording
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
