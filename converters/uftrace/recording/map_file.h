// The file `sid-<sid>.map`: where the modules of one session lie in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

struct Module {
  std::uint64_t start;  // of its first mapping, executable or not: symbols count from here
  std::uint64_t end;    // of its last mapping
  std::string path;
  std::string build_id;  // hex; empty when not known
  friend bool operator==(const Module&, const Module&) = default;

  std::string_view basename() const;
};

struct MemoryMap {
  std::vector<Module> modules;  // by start
  std::size_t mappings = 0;     // lines of the file, of modules or not
  std::optional<std::uint64_t>
      kernel_base;  // a guess from the place of the stack; nothing without a stack line

  // The module whose mapping holds the address; null if none does.
  const Module* find(std::uint64_t address) const;
};

// Accepts both the merged form that uftrace writes and a raw /proc/<pid>/maps. Damaged lines are noted and
// passed.
MemoryMap parse_map(std::string_view text, std::string_view path, Notes& notes);

// What lies behind the last '/'.
std::string_view basename_of(std::string_view path);

}  // namespace convert::uftrace
