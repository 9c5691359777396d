// The file `sid-<sid>.map`: the addresses of the modules in one session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

struct Module {
  std::uint64_t start;  // start of the first mapping, executable or not; addresses of symbols count from here
  std::uint64_t end;    // end of the last mapping
  std::string path;
  std::string build_id;  // in hex; empty if unknown
  friend bool operator==(const Module&, const Module&) = default;

  std::string_view basename() const;
};

struct MemoryMap {
  std::vector<Module> modules;  // sorted by start
  std::size_t mappings = 0;     // number of lines in the file
  std::optional<std::uint64_t>
      kernel_base;  // guessed from the address of the stack; nothing if the file has no line for the stack

  // The module that contains the address; null if no module does.
  const Module* find(std::uint64_t address) const;
};

// Finds the modules for a text in an option or spec. The text may be the start of a name: `libc` can mean
// `libc.so.6`. If several names begin with the text, the text means the name of the module at the lowest
// address. It then means all modules with this name.
class ModuleNames {
 public:
  ModuleNames() = default;
  explicit ModuleNames(const std::vector<Module>& modules);  // sorted by start

  // True if `text` means modules with this name.
  bool is_meant(std::string_view name, std::string_view text) const;
  bool means_any(std::string_view text) const;

 private:
  // For each basename, the length of the longest prefix that it shares with the basename of a module at a
  // lower address. A prefix of at most this length does not mean the module with the higher address.
  std::map<std::string, std::size_t, std::less<>> shared_;
};

// Accepts the form that uftrace writes, in which mappings are merged. Also accepts a raw /proc/<pid>/maps.
// Skips damaged lines and adds notes.
MemoryMap parse_map(std::string_view text, std::string_view path, Notes& notes);

// Returns the part after the last '/'.
std::string_view basename_of(std::string_view path);

}  // namespace convert::uftrace
