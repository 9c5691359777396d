// Which .sym file of a recording belongs to which module. Several modules may have one basename; then all but
// one of the files carry a suffix.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/symbols/symbol_file.h"

namespace convert::uftrace {

class SymbolFiles {
 public:
  // Borrows both for its whole life.
  SymbolFiles(const Directory& directory, Notes& notes) : directory_(directory), notes_(notes) {}

  // The symbols of a mapped module: <basename>.sym, or one with a suffix if that is another module's.
  // `build_id` may be empty. Null if none fits. Read when first asked for, valid as long as this object.
  const SymbolTable* of_module(std::string_view path, std::string_view build_id);
  // The symbols of a library loaded later; `path` may be relative to a directory that is not known.
  const SymbolTable* of_library(std::string_view path);
  // The symbols in the file of that name, null if there is none.
  const SymbolTable* of_file(std::string_view file_name);

 private:
  const SymbolFileHeader& header_of(const std::string& file_name);

  const Directory& directory_;
  Notes& notes_;
  std::map<std::string, SymbolFileHeader, std::less<>> headers_;
  std::map<std::string, std::unique_ptr<SymbolTable>, std::less<>> tables_;  // by file name
};

}  // namespace convert::uftrace
