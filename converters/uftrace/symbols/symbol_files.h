// The symbols of the modules of a recording: each .sym file is read when it is first asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/symbols/module_files.h"
#include "converters/uftrace/symbols/symbol_file.h"

namespace convert::uftrace {

class SymbolFiles {
 public:
  // Borrows both for its whole life.
  SymbolFiles(const Directory& directory, Notes& notes)
      : directory_(directory), notes_(notes), files_(directory, directory.symbol_files, ".sym", notes) {}

  // The symbols of a mapped module; `build_id` may be empty. Null if no file fits. Valid as long as this
  // object.
  const SymbolTable* of_module(std::string_view path, std::string_view build_id);
  // The symbols of a library loaded later; `path` may be relative to a directory that is not known.
  const SymbolTable* of_library(std::string_view path);
  // The symbols in the file of that name, null if there is none.
  const SymbolTable* of_file(std::string_view file_name);

 private:
  const Directory& directory_;
  Notes& notes_;
  ModuleFiles files_;
  std::map<std::string, std::unique_ptr<SymbolTable>, std::less<>> tables_;  // by file name
};

}  // namespace convert::uftrace
