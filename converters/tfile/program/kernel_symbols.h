// A kernel's symbol list: /proc/kallsyms or System.map.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

// Lines "ffffffff8117a3e0 T vfs_read [module]"; others are passed over.
class KernelSymbols : public ProgramSymbols {
 public:
  // Throws InputError when the file can't be read or has no such line.
  explicit KernelSymbols(const std::filesystem::path& path);

  // True when every address is 0: that is what the kernel shows to those who may not see them.
  bool are_hidden() const { return functions_.empty() && objects_.empty(); }

  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(std::uint64_t address, const std::string& name) const override;
  bool knows_objects() const override { return true; }
  std::optional<LocalVariable> local(std::uint64_t, FrameOffset) const override { return std::nullopt; }
  bool frame_base_adds(std::uint64_t) const override { return true; }
  const Type* type_of(std::uint64_t, const std::string&) const override { return nullptr; }

 private:
  struct Function {
    std::uint64_t address;
    std::string name;
  };
  std::vector<Function> functions_;  // by address
  std::unordered_map<std::string, DataObject> objects_;
  bool is_symbol_list_ = false;
};

}  // namespace convert::tfile
