// The images of a recording with their symbols, read on demand: which of them lies at an address, and what is
// known of its functions and variables. Safe to use from several threads.
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

// What lies at an address. Borrowed from the Images.
struct SymbolAt {
  const Image* image = nullptr;    // null: no image is known there
  const Symbol* symbol = nullptr;  // of the image; null if there is none

  bool is_kernel() const { return image != nullptr && image->kind == Image::Kind::Kernel; }
  // The category of calls: the image's name, or `[unknown]`.
  std::string_view category() const { return image != nullptr ? image->name() : "[unknown]"; }

  // The rest needs a symbol.
  // The names of all functions that begin where the symbol does, its own first.
  std::vector<std::string> names(Demangle mode) const;
  // True if users and specs mean the symbol's image by `module`. uftrace means the first module, by address,
  // whose name begins like that; here so do others with its whole name. A library that was loaded later only
  // if there is no such module. `PLT` means the library functions that the program itself calls.
  bool is_in(std::string_view module, const AddressSpace* space) const;
};

// An address space at one time.
struct LoadedSpace {
  const AddressSpace* space = nullptr;  // null: nothing is known
  std::size_t libraries = 0;            // how many of its libraries are loaded
};

// The function of the kernel at an address; null if there is none, as where the recorder was not allowed to
// see addresses. Of several names of a system call, the one of the kernel's own word size; of others the
// first.
const Symbol* find_kernel_function(const SymbolTable& symbols, std::uint64_t address);

class Images {
 public:
  // Borrows the directory and the notes.
  Images(const Directory& directory, const ElfOptions& options, Notes& notes)
      : notes_(notes), files_(directory, notes), elf_files_(directory.path, options) {}

  SymbolAt at(const LoadedSpace& loaded, std::uint64_t address);
  // What lies at several addresses.
  void at(const LoadedSpace& loaded, std::span<const std::uint64_t> addresses, std::span<SymbolAt> found);
  // A function of the kernel, whatever the task.
  SymbolAt kernel_at(std::uint64_t address);
  // The kernel's, by absolute addresses; null if the recording has none.
  const SymbolTable* kernel_symbols();
  // What a function takes and returns, if options ask for the names of parameters or `needs_types`. A PLT
  // entry has the names, without types, of the function that it seems to call.
  FunctionType function_of(const SymbolAt& function, const AddressSpace* space, bool needs_types);
  // The type of a variable, if it is known and a scalar one.
  std::optional<ScalarType> type_of(const SymbolAt& variable);
  // The source line of an address in that function.
  std::optional<SourceLine> line_of(const SymbolAt& function, std::uint64_t address);
  // The symbols of all modules and libraries of all programs, with their names; not the kernel's.
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables(const Sessions& sessions);

  // At the end: what is known only then.
  void add_notes() { elf_files_.add_notes(notes_); }

 private:
  SymbolAt find(const LoadedSpace& loaded, std::uint64_t address);
  template <typename ModuleOrLibrary>
  const Image& image_of(const ModuleOrLibrary& recorded);
  const Image& kernel();
  const Image& python();
  SymbolAt called_by(const SymbolAt& plt_entry, const AddressSpace& space);

  std::mutex mutex_;  // all but the constructor and add_notes() lock it
  Notes& notes_;
  SymbolFiles files_;
  ElfFiles elf_files_;
  std::unordered_map<const void*, Image> images_;  // by module or library; they stay at their address
  std::optional<Image> kernel_, python_;           // made on demand
};

}  // namespace convert::uftrace
