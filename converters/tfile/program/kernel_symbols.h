// A kernel's symbol list: /proc/kallsyms or System.map.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "converters/symbols/symbol_table.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// Reads lines like "ffffffff8117a3e0 T vfs_read [module]" and skips others.
class KernelSymbolList : public ProgramSymbols {
 public:
  // Throws InputError when the file can't be read or lists no symbol.
  explicit KernelSymbolList(const std::filesystem::path& path);

  // True when every address is 0: the kernel shows them so to users without permission.
  bool are_hidden() const { return functions_->symbols().empty() && objects_.empty(); }

  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(const std::string& name) const override;

 private:
  std::unique_ptr<const SymbolTable> functions_;
  TextPool names_;  // of the objects
  std::unordered_map<std::string_view, DataObject> objects_;
};

}  // namespace convert::tfile
