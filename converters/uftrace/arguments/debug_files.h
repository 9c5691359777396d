// A file `<module>.dbg` of a recording has the source lines, argument specs and enum definitions of one
// module. The L, A and R lines after an F line belong to the function of the F line.
//
//   E: enum color {RED,GREEN=5}
//   F: <offset> <name>          L: <line> <file>          A: <items>          R: <items>
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

// The data of a function in a .dbg file. A member is empty if the file does not have its line.
struct DebugInfo {
  std::string_view name = {};       // mangled
  std::string_view line = {};       // for example "11 /src/args.c"
  std::string_view arguments = {};  // for example "@arg1,arg2/s"
  std::string_view results = {};    // for example "@retval"
};

// One .dbg file. The file can be large, because it has all functions with a source line. Therefore, the lines
// of a function are parsed only when they are needed. The object does not change after construction.
class DebugFile {
 public:
  // Skips damaged lines, and adds notes about them.
  DebugFile(std::string text, std::string_view path, Names& names, Notes& notes);
  DebugFile(const DebugFile&) = delete;
  DebugFile& operator=(const DebugFile&) = delete;

  // Returns the function at the offset. If there are several, returns the first one with this name, or else
  // the first one in the file. The result points into this object.
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
    std::uint64_t text;  // position of the `F:` line in the text
  };
  DebugInfo read(const Function& function) const;

  std::string text_;
  std::vector<Function> functions_;  // sorted by offset, then in file order
  EnumTypes enums_;
  LineCounts counts_;
};

// Returns "/src/args.c:11" for the line "11 /src/args.c", or an empty text for a line of another form.
std::string location_of(std::string_view line);

// All .dbg files of a recording. A file is read when it is needed for the first time. Safe to use from
// several threads. Callers should cache the results.
class DebugFiles final : public FunctionLines {
 public:
  // `notes` must not be used elsewhere at the same time.
  DebugFiles(const Directory& directory, Names& names, Notes& notes)
      : directory_(directory),
        names_(names),
        notes_(notes),
        loc_(names.intern(kSourceLine)),
        files_(directory, directory.debug_files, ".dbg") {}

  bool has_any() const { return !directory_.debug_files.empty(); }
  // Returns the .dbg file of the symbol's image, or null if there is none. Valid as long as this object.
  const DebugFile* of(const SymbolAt& symbol);
  NameId line_of(const SymbolAt& function) override;
  // Returns the name `loc` of the argument that has the source line of a call.
  NameId loc() const { return loc_; }
  // Returns the file with this name in the directory, or null if it can't be read.
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
