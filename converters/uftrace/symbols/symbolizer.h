// From an address in a record to the label of a call: module as category, symbol as name. The front door of
// the symbol files. Safe to use from several threads; TaskSymbols uses it for the records of one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/elf_files.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/module_files.h"

namespace convert::uftrace {

// What lies at an address. Borrowed from the Symbolizer.
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
  // whose name begins like that; a library that was loaded later only if there is no such module. `PLT` means
  // the library functions that the program itself calls.
  bool is_in(std::string_view module, const AddressSpace* space) const;
};

// The addresses of a task's records keep their meaning in [from_ns, until_ns): until its next exec, or the
// next library that its program loads. Spans of one epoch give equal labels for equal addresses.
struct SymbolSpan {
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  std::uint32_t epoch = 0;  // counts up from 0
};

// Safe to use from several threads; callers cache what they got.
class Symbolizer {
 public:
  // Borrows everything for its whole life.
  Symbolizer(const Directory& directory, const Sessions& sessions, Demangle demangle, Names& names,
             Notes& notes, const ElfOptions& options = {})
      : directory_(directory),
        sessions_(sessions),
        demangle_(demangle),
        names_(names),
        notes_(notes),
        files_(directory, notes),
        elf_files_(directory.path, options) {}
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  SymbolSpan span_at(const Task& task, std::uint64_t time_ns);
  // The label of a call at that address: category = module's basename, `[kernel]` or `[unknown]`; name =
  // demangled symbol, or `<hex>` and a note (once for each address).
  LabelId label(std::uint32_t epoch, std::uint64_t address);
  // The same for up to kLabelsAtOnce addresses. Much faster where functions are many: what is known of them
  // lies all over memory, and is fetched at one time.
  static constexpr std::size_t kLabelsAtOnce = 16;
  void label(std::uint32_t epoch, std::span<const std::uint64_t> addresses, std::span<LabelId> labels);
  SymbolAt at(std::uint32_t epoch, std::uint64_t address);
  // Null if none is known.
  const AddressSpace* space_of(std::uint32_t epoch);

  // The kernel's, by absolute addresses; null if the recording has none.
  const SymbolTable* kernel_symbols();
  // A function of the kernel, whatever the task.
  SymbolAt kernel_at(std::uint64_t address);
  // The parameters of a function, if options ask for their names; of a PLT entry those of the function that
  // it calls.
  ParameterNames parameters_of(SymbolAt function, const AddressSpace* space);
  // The type of a variable, if it is known and a scalar one.
  std::optional<ScalarType> type_of(const SymbolAt& variable);
  // Those of all modules and libraries of all programs, with their names; not the kernel's.
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables();
  // True if a function may lie there, in any program that the task runs, ran or will run: in a module, a
  // loaded library or the kernel, or if no map has the address.
  bool is_code(const Task& task, std::uint64_t address);

  // Of all caches by address, whatever the thread and the worker.
  CacheBudget& cache_budget() { return cache_budget_; }

  // At the end: what is known only then.
  void add_notes();

 private:
  // A state of an address space: it, and how many of its libraries are loaded. No space: nothing is known.
  struct Epoch {
    const AddressSpace* space;
    std::size_t libraries;
  };

  LabelId* label_of(const SymbolAt& found);
  LabelId unresolved_label(const Epoch& epoch, std::uint64_t address, const SymbolAt& found);
  std::uint32_t epoch_of(const AddressSpace* space, std::size_t libraries);
  SymbolAt find(const Epoch& epoch, std::uint64_t address);
  template <typename ModuleOrLibrary>
  const Image& image_of(const ModuleOrLibrary& recorded);
  const Image& kernel();
  const Image& python();

  std::mutex mutex_;  // threads come here when their caches miss
  const Directory& directory_;
  const Sessions& sessions_;
  Demangle demangle_;
  Names& names_;
  Notes& notes_;
  SymbolFiles files_;
  ElfFiles elf_files_;
  CacheBudget cache_budget_{std::size_t{32} << 20};  // two million labels
  std::unordered_map<const void*, Image> images_;    // by module or library; they stay at their address
  std::optional<Image> kernel_, python_;             // made on demand
  std::vector<Epoch> epochs_;
  std::unordered_map<const Image*, std::vector<LabelId>> labels_;  // of symbols; kNoLabel: not asked for yet
  std::map<std::pair<const AddressSpace*, std::size_t>, std::uint32_t> epoch_ids_;
  // The category of addresses without a symbol, by sid and address: notes of them have one order, whoever
  // asks first.
  std::map<std::pair<std::string_view, std::uint64_t>, std::string_view> unresolved_;
};

}  // namespace convert::uftrace
