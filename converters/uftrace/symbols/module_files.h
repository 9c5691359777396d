// The images to which addresses in a recording can belong, and their files `<image>.sym` and `<image>.dbg`.
// If several modules have the same basename, all of their files except one have a suffix.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/sessions.h"

namespace convert::uftrace {

struct Image {
  enum class Kind : std::uint8_t {
    Module,   // mapped when the session began
    Library,  // loaded later; only its base and path are known
    Kernel,
    Python,  // a traced Python program; its records have indices of symbols, not addresses
  };
  Kind kind;
  std::string path;           // a library's path may be relative, as the program passed it
  std::uint64_t base = 0;     // addresses of symbols are relative to this address
  std::string build_id = {};  // empty if unknown
  std::optional<std::uint64_t> size_bytes = {};
  const SymbolTable* symbols = nullptr;  // null without symbols

  std::string_view name() const { return basename_of(path); }

  static Image of(const Module& module) {
    return {.kind = Kind::Module,
            .path = module.path,
            .base = module.start,
            .build_id = module.build_id,
            .size_bytes = module.end - module.start};
  }
  static Image of(const Library& library) {
    return {.kind = Kind::Library, .path = library.path, .base = library.base};
  }
};

// The symbols of the kernel: /proc/kallsyms of the recorded machine.
inline constexpr std::string_view kKernelSymbols = "kallsyms";

// The header of a .sym or .dbg file. Before uftrace 0.10, files have no header, so the members are empty.
struct ModuleFileHeader {
  std::string module_path;
  std::string build_id;
};

ModuleFileHeader parse_module_file_header(std::string_view text);

// The first line of a function in a .dbg file: "F: <offset> <name>".
struct DebugFunction {
  static constexpr std::string_view kKey = "F: ";
  std::uint64_t offset;
  std::string_view name;  // mangled
};

// Returns nothing if the text after the key is damaged.
std::optional<DebugFunction> parse_debug_function(std::string_view line);

// Safe to use from several threads.
class ModuleFiles {
 public:
  // `names` are the names of the files that end with `extension`, such as ".sym".
  ModuleFiles(const Directory& directory, const std::vector<std::string>& names, std::string_view extension)
      : directory_(directory), names_(names), extension_(extension) {}

  // Returns the name of the image's file. Nothing for the kernel, or if no file matches.
  std::optional<std::string> of(const Image& image);
  ModuleFileHeader header_of(const Image& image);  // empty if no file matches

 private:
  std::optional<std::string> of_module(std::string_view path, std::string_view build_id);
  std::optional<std::string> of_library(std::string_view path);
  std::vector<std::string> files_of(std::string_view basename) const;
  const ModuleFileHeader& header_of(const std::string& file_name);

  const Directory& directory_;
  const std::vector<std::string>& names_;
  std::string_view extension_;
  std::mutex mutex_;
  std::map<std::string, ModuleFileHeader, std::less<>> headers_;
};

// Reads the symbols in a text file, and adds notes about damaged lines. `path` is for these notes.
std::unique_ptr<SymbolTable> read_symbol_table(std::string_view text, std::string_view path, Notes& notes);

// Reads .sym files on demand. If the recorder was killed, .dbg files provide build-ids and starts of
// functions instead. The tables are valid while this object exists.
class SymbolFiles {
 public:
  SymbolFiles(const Directory& directory, Notes& notes)
      : directory_(directory),
        notes_(notes),
        files_(directory, directory.symbol_files, ".sym"),
        debug_files_(directory, directory.debug_files, ".dbg") {}

  // Returns null if no file matches.
  const SymbolTable* of(const Image& image);
  // If the image has no build-id, sets it. If a library has a relative path, replaces it by the absolute
  // path. Both come from the header of the .sym file or the .dbg file.
  void identify(Image& image);
  // Returns the name of the .dbg file and the table of its functions. The table is null if there are none.
  std::pair<std::string, const SymbolTable*> from_debug_file(const Image& image);

 private:
  const Directory& directory_;
  Notes& notes_;
  ModuleFiles files_, debug_files_;
  std::map<std::string, std::unique_ptr<SymbolTable>, std::less<>> tables_;  // indexed by file name
};

}  // namespace convert::uftrace
