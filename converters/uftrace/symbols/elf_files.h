// Reads the ELF files that the recording names, if they are the builds that were recorded. They give types of
// parameters, return values and variables, and symbols where the recorder was killed before it wrote a .sym
// file.
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
  bool is_off = false;                 // reads no ELF files outside the recording
  std::filesystem::path sysroot = {};  // the recorded machine's root directory; empty: of this machine
  bool names_parameters = false;       // arguments are called as the program calls its parameters
};

class ElfFiles {
 public:
  // `recording` is the directory without the .sym files.
  ElfFiles(const std::filesystem::path& recording, const ElfOptions& options)
      : recording_(recording), options_(options) {}

  // The symbols of a module or library, read on demand. Null if there are none. Valid as long as this object.
  const SymbolTable* of(const Image& image);
  bool names_parameters() const { return options_.names_parameters; }
  // What the function there takes and returns: its parameters' names if options ask for them, and types if
  // the file is the recorded build for certain.
  FunctionType function_at(const Image& image, std::uint64_t offset);
  // The type of the variable there, if it is known and a scalar one.
  std::optional<ScalarType> variable_at(const Image& image, std::uint64_t offset);
  // The source line of the instruction there.
  std::optional<SourceLine> line_at(const Image& image, std::uint64_t offset);
  // Says in the note on an image without symbols where its names come from instead.
  void replaced_by(const Image& image, std::string_view file);
  // Notes what is missing or unsure, in an order that does not depend on the order of calls.
  void add_notes(Notes& notes) const;

 private:
  struct Symbols {
    std::unique_ptr<SymbolTable> table = nullptr;
    const NoteKind* kind = nullptr;  // of a note; null: none
    std::string text = {};
  };
  struct Program {
    std::unique_ptr<ElfFile> file = nullptr;
    std::unique_ptr<ElfFile> debug = nullptr;  // what was stripped from the file, which may be missing
    std::string problem = {};                  // why there is neither
    std::unique_ptr<DwarfInfo> dwarf = nullptr;
  };
  Symbols read(const Image& image) const;
  DwarfInfo* dwarf_of(const Image& image);
  Program open(const Image& image, bool (*is_complete)(const ElfImage&)) const;

  std::filesystem::path recording_;
  ElfOptions options_;
  std::map<std::pair<std::string, std::string>, Symbols> symbols_;   // by path and build-id
  std::map<std::pair<std::string, std::string>, Program> programs_;  // whose DWARF was asked for
};

// True if a file with `build_id` is the recorded one. uftrace always writes 20 bytes, cut or filled with
// zeros.
bool is_same_build(std::string_view recorded, std::string_view build_id);

}  // namespace convert::uftrace
