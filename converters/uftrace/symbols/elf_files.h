// Reads the ELF files that the recording mentions, if they are the recorded builds. They provide types of
// parameters, return values and variables. They also provide symbols if the recorder was killed before it
// wrote a .sym file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/notes.h"
#include "converters/symbols/dwarf_info.h"
#include "converters/symbols/elf_symbols.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/symbols/module_files.h"

namespace convert::uftrace {

struct ElfOptions {
  bool is_off = false;                 // do not read ELF files outside the recording
  std::filesystem::path sysroot = {};  // the root directory of the recorded machine; empty for this machine
  bool names_parameters = false;       // use the program's names of parameters for arguments
};

class ElfFiles {
 public:
  // `recording` is the directory of the recording, for notes.
  ElfFiles(const std::filesystem::path& recording, const ElfOptions& options)
      : recording_(recording), options_(options) {}

  // The symbols of a module or library, read on demand; null if none are found. Valid as long as this object.
  const SymbolTable* of(const Image& image);
  bool names_parameters() const { return options_.names_parameters; }
  // The parameters and the return value of the function at the offset. Names of parameters are included if
  // options request them, and types if the file is certainly the recorded build.
  FunctionType function_at(const Image& image, std::uint64_t offset);
  // The type of the variable at the offset, if it is known and scalar.
  std::optional<ScalarType> variable_at(const Image& image, std::uint64_t offset);
  // The source line of the instruction at the offset.
  std::optional<SourceLine> line_at(const Image& image, std::uint64_t offset);
  // Adds to the note about an image without symbols that its functions have the names in this file.
  void replaced_by(const Image& image, std::string_view file);
  // Adds the notes about missing or uncertain files, in an order that does not depend on the order of calls.
  void add_notes(Notes& notes) const;

 private:
  struct Symbols {
    std::unique_ptr<SymbolTable> table = nullptr;
    const NoteKind* kind = nullptr;  // the kind of the note; null without a note
    std::string text = {};
  };
  struct Program {
    std::unique_ptr<ElfFile> file = nullptr;
    std::unique_ptr<ElfFile> debug = nullptr;  // the stripped part of the file, which may be missing
    std::string problem = {};                  // the reason if neither exists
    std::unique_ptr<DwarfInfo> dwarf = nullptr;
  };
  Symbols read(const Image& image) const;
  DwarfInfo* dwarf_of(const Image& image);
  Program open(const Image& image, bool (*is_complete)(const ElfImage&)) const;

  std::filesystem::path recording_;
  ElfOptions options_;
  std::map<std::pair<std::string, std::string>, Symbols> symbols_;   // by path and build-id
  std::map<std::pair<std::string, std::string>, Program> programs_;  // programs whose DWARF was requested
};

// True if a file with `build_id` is the recorded one. uftrace always writes 20 bytes, truncated or filled
// with zeros.
bool is_same_build(std::string_view recorded, std::string_view build_id);

}  // namespace convert::uftrace
