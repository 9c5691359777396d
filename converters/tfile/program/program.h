// The traced program: an ELF file with symbols, and DWARF if it was built with it. Addresses are those of the
// recording once the load bias is set.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/symbols/demangle.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

class Program : public ProgramSymbols {
 public:
  // Throws InputError when the file can't be opened or is no ELF file.
  Program(const std::filesystem::path& path, Demangle demangle);
  ~Program() override;

  const std::string& path() const;
  MachineHint machine() const;
  bool is_position_independent() const;
  void set_load_bias(std::uint64_t bias);

  // Addresses before the load bias is added.
  struct Function {
    std::uint64_t address = 0, size = 0;
  };
  // Also labels, of size 0. "b" also finds "a::b".
  std::vector<Function> functions(std::string_view name) const;
  std::optional<Function> function_at(std::uint64_t address) const;
  // Where the code of a line begins. For a line without code, as for GDB, that of the next line with code.
  std::vector<std::uint64_t> line_addresses(const std::string& file, int line) const;
  bool contains(std::uint64_t address) const;                         // between its first and last segment
  bool is_code(std::uint64_t address) const;                          // in an executable segment
  std::optional<DataObject> object(const std::string& symbol) const;  // from the symbol table

  bool was_at(std::uint64_t address) const;  // contains() of an address of the recording
  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(std::uint64_t address, const std::string& name) const override;
  std::vector<StaticLocal> static_locals(std::uint64_t address) const override;
  bool knows_objects() const override;
  std::optional<LocalVariable> local(std::uint64_t address, FrameOffset offset) const override;
  std::vector<RegisterVariable> register_variables(std::uint64_t address) const override;
  bool frame_base_adds(std::uint64_t address) const override;
  const Type* type_of(std::uint64_t address, const std::string& expression) const override;

 private:
  struct Impl;
  std::optional<Dwarf_Die> qualified_variable(std::string_view name) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace convert::tfile
