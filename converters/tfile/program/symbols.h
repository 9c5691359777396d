// What is known about the traced program by address: from the program itself (ModuleSet), or from a kernel's
// symbol list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convert {
class Notes;
}

namespace convert::tfile {

// What is known about a code address.
struct CodeInfo {
  std::string function;              // the innermost one, which may be inlined; demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // if functions are inlined there: all functions, innermost first
};

// A static object of the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
};

struct CodeScope;
class DebugInfo;

class ProgramSymbols {
 public:
  virtual ~ProgramSymbols() = default;
  virtual CodeInfo code_at(std::uint64_t address) const = 0;
  // The static object of this name, by the symbol table. A function may have another variable of the name.
  virtual std::optional<DataObject> object(const std::string& name) const = 0;
  // The function or object around an address: "handler", "vtable for Shape+16", "readings+8". Empty if
  // unknown.
  virtual std::string symbol_at(std::uint64_t) const { return {}; }
  // The bytes from an address on that a program holds and nobody can change; empty if there are none.
  virtual std::span<const std::byte> constant_bytes(std::uint64_t) const { return {}; }
  // What is visible at a code address, which may be in no function that is described; null if unknown. Valid
  // as long as this object.
  virtual const CodeScope* scope_at(std::uint64_t) const { return nullptr; }
  // The debug information of the module with code at the address. Null if no module that fits has it.
  virtual DebugInfo* debug_info_at(std::uint64_t) const { return nullptr; }
  // After the last of these calls: notes the limits that programs have exceeded.
  virtual void add_notes(Notes&) const {}
};

// Those of /proc/kallsyms or System.map: lines like "ffffffff8117a3e0 T vfs_read [module]"; others are
// skipped. Null, and a note, if the kernel hid the addresses. Throws InputError when the file can't be read
// or lists no symbol.
std::unique_ptr<ProgramSymbols> read_kernel_symbols(const std::filesystem::path& path, Notes& notes);

}  // namespace convert::tfile
