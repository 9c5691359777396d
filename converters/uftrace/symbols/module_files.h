// Finds the files of modules in a recording: `<module>.sym`, `<module>.dbg`. If several modules have one
// basename, all files but one have a suffix.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// The head of a .sym or .dbg file; empty before uftrace 0.10.
struct ModuleFileHeader {
  std::string module_path;
  std::string build_id;
};

ModuleFileHeader parse_module_file_header(std::string_view text);

// Safe to use from several threads.
class ModuleFiles {
 public:
  // Borrows all references; `names` are the files with the extension (".sym").
  ModuleFiles(const Directory& directory, const std::vector<std::string>& names, std::string_view extension,
              Notes& notes)
      : directory_(directory), names_(names), extension_(extension), notes_(notes) {}

  // The name of a mapped module's file: <basename>.sym, or one with a suffix if that belongs to another
  // module. `build_id` may be empty. Nothing if no file fits.
  std::optional<std::string> of_module(std::string_view path, std::string_view build_id);
  // The same for a library loaded later; `path` may be relative to an unknown directory.
  std::optional<std::string> of_library(std::string_view path);

 private:
  std::vector<std::string> files_of(std::string_view basename) const;
  const ModuleFileHeader& header_of(const std::string& file_name);

  const Directory& directory_;
  const std::vector<std::string>& names_;
  std::string_view extension_;
  Notes& notes_;
  std::mutex mutex_;
  std::map<std::string, ModuleFileHeader, std::less<>> headers_;
};

// The symbols in a text file; notes its damaged lines. `path` is for the notes.
std::unique_ptr<SymbolTable> read_symbol_table(std::string text, std::string_view path, Notes& notes);

// Reads .sym files on demand. Tables are valid as long as this object.
class SymbolFiles {
 public:
  // Borrows both.
  SymbolFiles(const Directory& directory, Notes& notes)
      : directory_(directory), notes_(notes), files_(directory, directory.symbol_files, ".sym", notes) {}

  // As in ModuleFiles; null if no file fits.
  const SymbolTable* of_module(std::string_view path, std::string_view build_id);
  const SymbolTable* of_library(std::string_view path);
  // The symbols in the file of this name; null if there is none.
  const SymbolTable* of_file(std::string_view file_name);

 private:
  const Directory& directory_;
  Notes& notes_;
  ModuleFiles files_;
  std::map<std::string, std::unique_ptr<SymbolTable>, std::less<>> tables_;  // by file name
};

}  // namespace convert::uftrace
