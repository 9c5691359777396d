#include "converters/uftrace/symbols/symbolizer.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "converters/symbols/demangle.h"
#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kKernel = SymbolAt::kKernelCategory;
constexpr std::string_view kUnknown = "[unknown]";

// A traced Python program has no addresses: records hold indices into this file's symbols, which count
// from 1.
constexpr std::string_view kPythonFile = "python.fake.sym";
constexpr std::string_view kPython = "python.fake";
constexpr std::uint64_t kPageSize = 4096;

// /proc/kallsyms of the recorded machine; its addresses are absolute.
constexpr std::string_view kKernelFile = "kallsyms";

const Symbol* find_symbol(const SymbolTable* table, std::uint64_t offset) {
  if (table == nullptr) return nullptr;
  const Symbol* const function = table->find_function(offset);
  return function != nullptr ? function : table->find_variable(offset);
}

}  // namespace

SymbolSpan Symbolizer::span_at(const Task& task, std::uint64_t time_ns) {
  const SessionSpan session = sessions_.session_at(task, time_ns);
  SymbolSpan span{.from_ns = session.from_ns, .until_ns = session.until_ns};
  const AddressSpace* const space = session.session != nullptr ? session.session->space : nullptr;
  const std::size_t libraries = space != nullptr ? space->libraries_at(time_ns) : 0;
  if (libraries > 0) span.from_ns = std::max(span.from_ns, space->libraries[libraries - 1].time_ns);
  if (space != nullptr && libraries < space->libraries.size())
    span.until_ns = std::min(span.until_ns, space->libraries[libraries].time_ns);
  span.epoch = epoch_of(space, libraries);
  return span;
}

SymbolAt Symbolizer::at(std::uint32_t epoch, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return find(epochs_[epoch], address);
}

const AddressSpace* Symbolizer::space_of(std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  return epochs_[epoch].space;
}

const SymbolTable* Symbolizer::kernel_symbols() {
  const std::lock_guard lock(mutex_);
  return files_.of_file(kKernelFile);
}

SymbolAt Symbolizer::kernel_at(std::uint64_t address) {
  const SymbolTable* const table = kernel_symbols();
  return {.category = kKernel, .table = table, .symbol = find_symbol(table, address)};
}

std::vector<std::pair<std::string_view, const SymbolTable*>> Symbolizer::tables() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables;
  const auto add = [&](std::string_view module, const SymbolTable* table) {
    const bool is_known =
        std::ranges::any_of(tables, [&](const auto& known) { return known.second == table; });
    if (table != nullptr && !is_known) tables.emplace_back(module, table);
  };
  for (const Session& session : sessions_.sessions()) {
    if (session.space == nullptr) continue;
    for (const Module& module : session.space->map.modules) add(module.basename(), symbols_of(module));
    for (const Library& library : session.space->libraries)
      add(basename_of(library.path), symbols_of(library));
  }
  add(kPython, files_.of_file(kPythonFile));
  return tables;
}

bool Symbolizer::is_code(const Task& task, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto spaces = sessions_.spaces_of(task);
  return spaces.empty() || std::ranges::any_of(spaces, [&](const AddressSpace* space) {
           return space == nullptr || space->map.modules.empty() ||
                  find({.space = space, .libraries = space->libraries.size()}, address).category != kUnknown;
         });
}

std::uint32_t Symbolizer::epoch_of(const AddressSpace* space, std::size_t libraries) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      epoch_ids_.try_emplace({space, libraries}, static_cast<std::uint32_t>(epochs_.size()));
  if (is_new) {
    epochs_.push_back({.space = space, .libraries = libraries});
    labels_.emplace_back();
  }
  return found->second;
}

LabelId Symbolizer::label(std::uint32_t epoch, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto [cached, is_new] = labels_[epoch].try_emplace(address);
  if (!is_new) return cached->second;

  const SymbolAt found = find(epochs_[epoch], address);
  if (found.symbol != nullptr)
    return cached->second = names_.intern_label(found.category, demangle(found.symbol->name, demangle_));

  const AddressSpace* const space = epochs_[epoch].space;
  const std::string_view sid = space != nullptr ? std::string_view(space->sid) : std::string_view{};
  const auto unresolved = unresolved_.try_emplace({sid, address}, found.category).first;
  unresolved->second = std::min(unresolved->second, found.category);  // it may have lain in several libraries
  return cached->second = names_.intern_label(found.category, fmt::format("<{:x}>", address));
}

void Symbolizer::add_notes() {
  elf_files_.add_notes(notes_);
  for (const auto& unresolved : unresolved_) {
    notes_.add(kNoSymbol, [&] {
      const auto& [sid, address] = unresolved.first;
      const auto where = sid.empty() ? std::string("task.txt") : fmt::format("sid-{}.map", sid);
      return fmt::format("{}: no symbol at {:#x} in {}", (directory_.path / where).native(), address,
                         unresolved.second);
    });
  }
}

SymbolAt Symbolizer::find(const Epoch& epoch, std::uint64_t address) {
  static const AddressSpace kNothing{};
  const AddressSpace& space = epoch.space != nullptr ? *epoch.space : kNothing;

  const auto in = [&](SymbolAt place, const SymbolTable* table, std::uint64_t offset) {
    place.table = table;
    place.symbol = find_symbol(table, offset);
    return place;
  };
  const Module* const module = space.map.find(address);
  SymbolAt found{.category = kUnknown};
  if (module != nullptr) {
    found =
        in({.category = module->basename(), .module = module}, symbols_of(*module), address - module->start);
    if (found.symbol != nullptr) return found;
  }
  // A library loaded at the place of one that was unloaded hides it.
  for (std::size_t i = epoch.libraries; i-- > 0;) {
    const Library& library = space.libraries[i];
    if (address < library.base) continue;
    const SymbolAt loaded = in({.category = basename_of(library.path), .library = &library},
                               symbols_of(library), address - library.base);
    if (loaded.symbol != nullptr) return loaded;
  }
  if (module != nullptr) return found;
  if (space.map.kernel_base && address >= *space.map.kernel_base)
    return in({.category = kKernel}, files_.of_file(kKernelFile), address);
  const SymbolAt python = find_python(address);
  return python.symbol != nullptr ? python : found;
}

const SymbolTable* Symbolizer::symbols_of(const Module& module) {
  const auto [found, is_new] = module_symbols_.try_emplace(&module, nullptr);
  if (!is_new) return found->second;
  found->second = files_.of_module(module.path, module.build_id);
  if (found->second == nullptr) found->second = elf_files_.of_module(module);
  return found->second;
}

const SymbolTable* Symbolizer::symbols_of(const Library& library) {
  const auto [found, is_new] = library_symbols_.try_emplace(&library, nullptr);
  if (!is_new) return found->second;
  found->second = files_.of_library(library.path);
  if (found->second == nullptr) found->second = elf_files_.of_library(library.path);
  return found->second;
}

SymbolAt Symbolizer::find_python(std::uint64_t address) {
  const SymbolTable* const table = files_.of_file(kPythonFile);
  if (table == nullptr || table->symbols().empty()) return {};
  const std::uint64_t map_end = (table->symbols().size() / kPageSize + 1) * kPageSize;
  return {.category = kPython,
          .table = table,
          .symbol = address < map_end ? table->find_function(address) : nullptr};
}

}  // namespace convert::uftrace
