// Which file of a recording belongs to which module: `<module>.sym`, `<module>.dbg`. Several modules may have
// one basename; then all but one of the files carry a suffix. Safe to use from several threads.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// What the head of a .sym or .dbg file says; empty before v0.10.
struct ModuleFileHeader {
  std::string module_path;
  std::string build_id;
};

ModuleFileHeader parse_module_file_header(std::string_view text);

class ModuleFiles {
 public:
  // Borrows all for its whole life; `names` are the files with that extension (".sym").
  ModuleFiles(const Directory& directory, const std::vector<std::string>& names, std::string_view extension,
              Notes& notes)
      : directory_(directory), names_(names), extension_(extension), notes_(notes) {}

  // The name of a mapped module's file: <basename>.sym, or one with a suffix if that is another module's.
  // `build_id` may be empty. Nothing if none fits.
  std::optional<std::string> of_module(std::string_view path, std::string_view build_id);
  // The same of a library loaded later; `path` may be relative to a directory that is not known.
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

}  // namespace convert::uftrace
