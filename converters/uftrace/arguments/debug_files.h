// The .dbg files of a recording: each is read when it is first asked for. Safe to use from several threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "converters/uftrace/arguments/debug_file.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/symbols/module_files.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

class DebugFiles {
 public:
  // Borrows both for its whole life. `notes` belong to it alone while it is asked.
  DebugFiles(const Directory& directory, Notes& notes)
      : directory_(directory), notes_(notes), files_(directory, directory.debug_files, ".dbg", notes) {}

  // Of the module or library that `place` lies in; null if there is none. Valid as long as this object.
  const DebugFile* of(const SymbolAt& place);

 private:
  const Directory& directory_;
  Notes& notes_;
  std::mutex mutex_;
  ModuleFiles files_;
  std::map<const void*, const DebugFile*> known_;  // by module or library
  std::map<std::string, std::unique_ptr<DebugFile>, std::less<>> read_;
};

}  // namespace convert::uftrace
