// The images of a recording with their symbols, which are read on demand. Finds the image at an address, and
// data about functions and variables. Safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/elf_files.h"
#include "converters/uftrace/symbols/module_files.h"

namespace convert::uftrace {

// The image and the symbol at an address. The class Images owns both.
struct SymbolAt {
  const Image* image = nullptr;    // null if no image is known at the address
  const Symbol* symbol = nullptr;  // the symbol in the image; null if there is none at the address

  bool is_kernel() const { return image != nullptr && image->kind == Image::Kind::Kernel; }
  // The category of calls at the address: the name of the image, or `[unknown]`.
  std::string_view category() const { return image != nullptr ? image->name() : "[unknown]"; }

  // names() and is_in() may be called only if `symbol` is not null. names() returns the symbol's own name,
  // and then the names of all other functions that start at the same address.
  std::vector<std::string> names(Demangle mode) const;
  // True if `module` in an option or spec means the image of the symbol. As in uftrace, `module` means the
  // module at the lowest address whose name begins with `module`. Unlike in uftrace, it also means other
  // modules with the same name. If no module's name begins with `module`, it means the libraries that were
  // loaded later and whose names begin with `module`. `PLT` means the library functions that the program
  // itself calls.
  bool is_in(std::string_view module, const AddressSpace* space) const;
};

struct LoadedSpace {
  const AddressSpace* space = nullptr;  // null if nothing is known
  std::size_t libraries = 0;
};

// Returns the function of the kernel at an address. Null if there is none, for example because the recorder
// could not read the kernel's addresses. If a system call has several names, prefers the name with the prefix
// of the kernel's own word size.
const Symbol* find_kernel_function(const SymbolTable& symbols, std::uint64_t address);

class Images {
 public:
  Images(const Directory& directory, const ElfOptions& options, Notes& notes)
      : notes_(notes), files_(directory, notes), elf_files_(directory.path, options) {}

  SymbolAt at(const LoadedSpace& loaded, std::uint64_t address);
  void at(const LoadedSpace& loaded, std::span<const std::uint64_t> addresses, std::span<SymbolAt> found);
  // Finds the kernel's function at an address. Kernel addresses have the same meaning in all tasks.
  SymbolAt kernel_at(std::uint64_t address);
  // Returns the kernel's symbols, with absolute addresses, or null if the recording has none.
  const SymbolTable* kernel_symbols();
  // Returns the parameters and the return value of a function, if the options request names of parameters or
  // `needs_types` is true. A PLT entry gets only the names of the parameters, and only if the options request
  // them. These names are from the function that the PLT entry probably calls.
  FunctionType function_of(const SymbolAt& function, const AddressSpace* space, bool needs_types);
  // Returns the type of a variable, if the type is known and scalar.
  std::optional<ScalarType> type_of(const SymbolAt& variable);
  std::optional<SourceLine> line_of(const SymbolAt& function, std::uint64_t address);
  // Returns the names and symbols of all modules and libraries of all programs. The kernel's symbols are not
  // included.
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables(const Sessions& sessions);

  // Must be called at the end, because some notes are known only then.
  void add_notes() { elf_files_.add_notes(notes_); }

 private:
  SymbolAt find(const LoadedSpace& loaded, std::uint64_t address);
  template <typename ModuleOrLibrary>
  const Image& image_of(const ModuleOrLibrary& recorded);
  const Image& kernel();
  const Image& python();
  SymbolAt called_by(const SymbolAt& plt_entry, const AddressSpace& space);

  std::mutex mutex_;  // locked by all functions except the constructor and add_notes()
  Notes& notes_;
  SymbolFiles files_;
  ElfFiles elf_files_;
  // Indexed by the address of a Module or Library, which never moves.
  std::unordered_map<const void*, Image> images_;
  std::optional<Image> kernel_, python_;  // created on demand
};

}  // namespace convert::uftrace
