// Reads the ELF files that the recording mentions, if they are the recorded builds. ELF files provide the
// types of parameters, return values and variables. They also provide symbols if the recorder was killed
// before it wrote .sym files.
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
  bool is_off = false;                 // if true, no ELF files are read
  std::filesystem::path sysroot = {};  // root directory of the recorded machine; empty for this machine
  bool names_parameters = false;       // name arguments like the parameters in the program
};

class ElfFiles {
 public:
  ElfFiles(const std::filesystem::path& recording, const ElfOptions& options)
      : recording_(recording), options_(options) {}

  // Returns the symbols of a module or library, or null. They are read on demand, and valid while this object
  // exists.
  const SymbolTable* of(const Image& image);
  bool names_parameters() const { return options_.names_parameters; }
  // Returns the parameters and the return value of the function at the offset. Names of parameters are
  // included if options request names. Types are included if the file is certainly the recorded build.
  FunctionType function_at(const Image& image, std::uint64_t offset);
  // Returns the type of the variable at the offset, if the type is known and scalar.
  std::optional<ScalarType> variable_at(const Image& image, std::uint64_t offset);
  std::optional<SourceLine> line_at(const Image& image, std::uint64_t offset);
  // Extends the note about an image without symbols. The note then also says that the names of functions come
  // from `file`.
  void replaced_by(const Image& image, std::string_view file);
  // Adds the notes about missing or uncertain files, in an order that does not depend on the requests.
  void add_notes(Notes& notes) const;

 private:
  struct Symbols {
    std::unique_ptr<SymbolTable> table = nullptr;
    const NoteKind* kind = nullptr;  // the kind of the note; null if there is none
    std::string text = {};
  };
  struct Program {
    std::unique_ptr<ElfFile> file = nullptr;
    std::unique_ptr<ElfFile> debug = nullptr;
    std::string problem = {};  // the reason if no file or no DWARF was found
    std::unique_ptr<DwarfInfo> dwarf = nullptr;
  };
  Symbols read(const Image& image) const;
  DwarfInfo* dwarf_of(const Image& image);
  Program open(const Image& image, bool (*is_complete)(const ElfImage&)) const;

  std::filesystem::path recording_;
  ElfOptions options_;
  std::map<std::pair<std::string, std::string>, Symbols> symbols_;   // indexed by path and build-id
  std::map<std::pair<std::string, std::string>, Program> programs_;  // images whose DWARF was requested
};

// True if `recorded` is what uftrace writes for a file with `build_id`. uftrace writes 20 bytes: it truncates
// a longer id, and appends zeros to a shorter id.
bool is_same_build(std::string_view recorded, std::string_view build_id);

}  // namespace convert::uftrace
