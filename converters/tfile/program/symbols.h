// The symbols of the traced program by address: from the program itself (ModuleSet), or from a kernel's
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

// The symbol at a code address.
struct CodeInfo {
  std::string function;              // the innermost, which may be inlined; demangled; empty if unknown
  std::string source;                // "file:line"; empty if unknown
  std::vector<std::string> inlined;  // if functions are inlined there: all functions, innermost first
};

// A static object of the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0 if unknown
};

struct CodeScope;
class DebugInfo;

class ProgramSymbols {
 public:
  virtual ~ProgramSymbols() = default;
  virtual CodeInfo code_at(std::uint64_t address) const = 0;
  // The static object with this name in the symbol table. In some functions, the name may mean another
  // variable.
  virtual std::optional<DataObject> object(const std::string& name) const = 0;
  // The start of the only function with this mangled name in the symbol table.
  virtual std::optional<std::uint64_t> function(const std::string&) const { return {}; }
  // The function or object around an address: "handler", "vtable for Shape+16", "readings+8". Empty if
  // unknown.
  virtual std::string symbol_at(std::uint64_t) const { return {}; }
  // The bytes that start at an address, and that the program can't change. Empty if there are none.
  virtual std::span<const std::byte> constant_bytes(std::uint64_t) const { return {}; }
  // The scope of a code address, which may be outside of all described functions. Null if unknown. The next
  // call of scope_at() may invalidate the result.
  virtual const CodeScope* scope_at(std::uint64_t) const { return nullptr; }
  // The debug information of the module with code at the address. Null if there is none, or if it does not
  // fit the trace.
  virtual DebugInfo* debug_info_at(std::uint64_t) const { return nullptr; }
  // Adds notes about symbols and debug information that are unknown because of a limit. Must be called after
  // the functions above.
  virtual void add_notes(Notes&) const {}
};

// The symbols of /proc/kallsyms or System.map, whose lines have the form "ffffffff8117a3e0 T vfs_read
// [module]". Other lines are skipped. Returns null, with a note, if the kernel hid the addresses. Throws
// InputError if the file can't be read or lists no symbol.
std::unique_ptr<ProgramSymbols> read_kernel_symbols(const std::filesystem::path& path, Notes& notes);

}  // namespace convert::tfile
