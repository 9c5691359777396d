// The files `<module>.dbg` of a recording. Each has the source lines, argument specs and enum definitions of
// one module.
//
//   E: enum color {RED,GREEN=5}
//   F: <offset> <name>     begins a function; its lines follow: L: <line> <file>, A: <items>, R: <items>
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/recording/argument_names.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/symbols/module_files.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// The data of a function in a .dbg file. Members are empty if the file lacks them.
struct DebugInfo {
  std::string_view name = {};       // mangled
  std::string_view line = {};       // for example "11 /src/args.c"
  std::string_view arguments = {};  // for example "@arg1,arg2/s"
  std::string_view results = {};    // for example "@retval"
};

// One .dbg file. It can be large, because it has every function with a known source line. Therefore it keeps
// the text, and parses the lines of a function on demand. It does not change after construction.
class DebugFile {
 public:
  // Damaged lines are noted and skipped.
  DebugFile(std::string text, std::string_view path, Names& names, Notes& notes);
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;

  // The function whose symbol starts at the offset. If there are several, returns the first one called
  // `name`, or else the first in the file. The result points into this object.
  DebugInfo find(std::uint64_t offset, std::string_view name) const;
  const EnumTypes& enums() const { return enums_; }

  // The number of lines of each kind, for --inspect.
  struct LineCounts {
    std::uint64_t functions = 0, lines = 0, arguments = 0, results = 0, enums = 0;
  };
  const LineCounts& counts() const { return counts_; }
  std::size_t size_bytes() const { return text_.size(); }

 private:
  struct Function {
    std::uint64_t offset;
    std::uint64_t text;  // position of its `F:` line in the text
  };
  DebugInfo read(const Function& function) const;

  std::string text_;
  std::vector<Function> functions_;  // sorted by offset, then in file order
  EnumTypes enums_;
  LineCounts counts_;
};

// "/src/args.c:11" for the line "11 /src/args.c"; empty if the line has another form.
std::string location_of(std::string_view line);

// All .dbg files of a recording. Each is read when it is first needed. Safe to use from several threads.
// Callers cache the lines of functions.
class DebugFiles final : public FunctionLines {
 public:
  // Only this object may use `notes`.
  DebugFiles(const Directory& directory, Names& names, Notes& notes)
      : directory_(directory),
        names_(names),
        notes_(notes),
        loc_(names.intern(kSourceLine)),
        files_(directory, directory.debug_files, ".dbg") {}

  bool has_any() const { return !directory_.debug_files.empty(); }
  // The .dbg file for the symbol's image; null if the recording has none. Valid as long as this object.
  const DebugFile* of(const SymbolAt& symbol);
  NameId line_of(const SymbolAt& function) override;
  // The name of the argument with the source line of a call.
  NameId loc() const { return loc_; }
  // The file with that name in the directory; null if it can't be read.
  const DebugFile* of_name(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return read(name);
  }

 private:
  const DebugFile* read(const std::string& name);

  const Directory& directory_;
  Names& names_;
  Notes& notes_;
  NameId loc_;
  std::mutex mutex_;
  ModuleFiles files_;
  std::map<const Image*, const DebugFile*> by_image_;
  std::map<std::string, std::unique_ptr<DebugFile>, std::less<>> by_name_;
};

}  // namespace convert::uftrace
