#include "converters/uftrace/symbols/symbolizer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

#include "converters/symbols/demangle.h"
#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kPageSize = 4096;
constexpr LabelId kNoLabel{~std::uint32_t{0}};

SymbolAt symbol_in(const Image& image, std::uint64_t address) {
  if (image.symbols == nullptr) return {.image = &image};
  const std::uint64_t offset = address - image.base;
  const Symbol* const function = image.symbols->find_function(offset);
  return {.image = &image, .symbol = function != nullptr ? function : image.symbols->find_variable(offset)};
}

}  // namespace

std::vector<std::string> SymbolAt::names(Demangle mode) const {
  std::vector<std::string> names{demangle(symbol->name, mode)};
  const std::vector<Symbol>& symbols = image->symbols->symbols();
  auto alias = std::ranges::lower_bound(symbols, symbol->start, {}, &Symbol::start);
  for (; alias != symbols.end() && alias->start == symbol->start; ++alias) {
    if (!alias->is_function()) continue;
    std::string name = demangle(alias->name, mode);
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

bool SymbolAt::is_in(std::string_view module, const AddressSpace* space) const {
  if (space == nullptr) return false;
  const std::vector<Module>& modules = space->map.modules;
  const auto is_image_of = [this](const Module& candidate) {
    return image->kind == Image::Kind::Module && image->base == candidate.start;
  };
  if (module == "PLT") return symbol->is_plt() && !modules.empty() && is_image_of(modules.front());
  const auto first =
      std::ranges::find_if(modules, [&](const Module& m) { return m.basename().starts_with(module); });
  if (first != modules.end()) return is_image_of(*first);
  return image->kind == Image::Kind::Library && image->name().starts_with(module);
}

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
  return kernel().symbols;
}

SymbolAt Symbolizer::kernel_at(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return symbol_in(kernel(), address);
}

std::vector<std::pair<std::string_view, const SymbolTable*>> Symbolizer::tables() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables;
  const auto add = [&](const Image& image) {
    const bool is_known =
        std::ranges::any_of(tables, [&](const auto& known) { return known.second == image.symbols; });
    if (image.symbols != nullptr && !is_known) tables.emplace_back(image.name(), image.symbols);
  };
  for (const Session& session : sessions_.sessions()) {
    if (session.space == nullptr) continue;
    for (const Module& module : session.space->map.modules) add(image_of(module));
    for (const Library& library : session.space->libraries) add(image_of(library));
  }
  add(python());
  return tables;
}

ParameterNames Symbolizer::parameters_of(SymbolAt function, const AddressSpace* space) {
  const std::lock_guard lock(mutex_);
  if (!elf_files_.names_parameters() || function.is_kernel() || function.image == &python()) return {};
  if (function.symbol->is_plt()) {
    if (space == nullptr) return {};
    const std::string_view name = function.symbol->name;
    const auto called = [&]() -> SymbolAt {
      for (const Module& module : space->map.modules) {
        const Image& image = image_of(module);
        if (image.symbols == nullptr) continue;
        for (const Symbol& symbol : image.symbols->symbols())
          if (symbol.is_function() && !symbol.is_plt() && symbol.name == name)
            return {.image = &image, .symbol = &symbol};
      }
      return {};
    };
    function = called();
    if (function.symbol == nullptr) return {};
  }
  Image image = *function.image;
  files_.identify(image);
  return elf_files_.parameters_of(image, function.symbol->start);
}

std::optional<ScalarType> Symbolizer::type_of(const SymbolAt& variable) {
  const std::lock_guard lock(mutex_);
  Image image = *variable.image;
  files_.identify(image);
  return elf_files_.variable_at(image, variable.symbol->start);
}

bool Symbolizer::is_code(const Task& task, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto spaces = sessions_.spaces_of(task);
  return spaces.empty() || std::ranges::any_of(spaces, [&](const AddressSpace* space) {
           return space == nullptr || space->map.modules.empty() ||
                  find({.space = space, .libraries = space->libraries.size()}, address).image != nullptr;
         });
}

std::uint32_t Symbolizer::epoch_of(const AddressSpace* space, std::size_t libraries) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      epoch_ids_.try_emplace({space, libraries}, static_cast<std::uint32_t>(epochs_.size()));
  if (is_new) epochs_.push_back({.space = space, .libraries = libraries});
  return found->second;
}

LabelId Symbolizer::label(std::uint32_t epoch, std::uint64_t address) {
  LabelId label{};
  this->label(epoch, {&address, 1}, {&label, 1});
  return label;
}

void Symbolizer::label(std::uint32_t epoch, std::span<const std::uint64_t> addresses,
                       std::span<LabelId> labels) {
  const std::lock_guard lock(mutex_);
  std::array<SymbolAt, kLabelsAtOnce> found;
  std::array<LabelId*, kLabelsAtOnce> known;  // where the symbols' labels are kept; null: no symbol
  for (std::size_t i = 0; i < addresses.size(); ++i) found.at(i) = find(epochs_[epoch], addresses[i]);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    known.at(i) = label_of(found.at(i));
    if (known.at(i) != nullptr) __builtin_prefetch(found.at(i).symbol->name.data());
  }
  std::array<std::string, kLabelsAtOnce> texts;
  std::array<NameId, kLabelsAtOnce> names;
  std::array<std::size_t, kLabelsAtOnce> unknown;  // which of the addresses they are of
  std::size_t count = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (known.at(i) == nullptr || *known.at(i) != kNoLabel) continue;
    texts.at(count) = demangle(found.at(i).symbol->name, demangle_);
    unknown.at(count++) = i;
  }
  names_.intern(std::span(texts).first(count), names);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = unknown.at(n);
    *known.at(i) = names_.intern_label(names_.intern(found.at(i).category()), names.at(n));
  }
  for (std::size_t i = 0; i < addresses.size(); ++i)
    labels[i] =
        known.at(i) != nullptr ? *known.at(i) : unresolved_label(epochs_[epoch], addresses[i], found.at(i));
}

LabelId* Symbolizer::label_of(const SymbolAt& found) {
  if (found.symbol == nullptr) return nullptr;
  const std::vector<Symbol>& symbols = found.image->symbols->symbols();
  std::vector<LabelId>& labels = labels_[found.image];
  if (labels.empty()) labels.assign(symbols.size(), kNoLabel);
  return &labels[static_cast<std::size_t>(found.symbol - symbols.data())];
}

LabelId Symbolizer::unresolved_label(const Epoch& epoch, std::uint64_t address, const SymbolAt& found) {
  const std::string_view sid =
      epoch.space != nullptr ? std::string_view(epoch.space->sid) : std::string_view{};
  const auto unresolved = unresolved_.try_emplace({sid, address}, found.category()).first;
  unresolved->second =
      std::min(unresolved->second, found.category());  // it may have lain in several libraries
  return names_.intern_label(found.category(), fmt::format("<{:x}>", address));
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

  const Module* const module = space.map.find(address);
  SymbolAt found;
  if (module != nullptr) {
    found = symbol_in(image_of(*module), address);
    if (found.symbol != nullptr) return found;
  }
  // A library hides an earlier one that was unloaded from the same addresses.
  for (std::size_t i = epoch.libraries; i-- > 0;) {
    if (address < space.libraries[i].base) continue;
    const SymbolAt loaded = symbol_in(image_of(space.libraries[i]), address);
    if (loaded.symbol != nullptr) return loaded;
  }
  if (module != nullptr) return found;
  if (space.map.kernel_base && address >= *space.map.kernel_base) return symbol_in(kernel(), address);
  const SymbolTable* const indices = python().symbols;
  if (indices == nullptr || indices->symbols().empty()) return found;
  // The tool maps the symbols of a Python program to the first pages.
  const std::uint64_t map_end = (indices->symbols().size() / kPageSize + 1) * kPageSize;
  const Symbol* const function = address < map_end ? indices->find_function(address) : nullptr;
  return function != nullptr ? SymbolAt{.image = &python(), .symbol = function} : found;
}

template <typename ModuleOrLibrary>
const Image& Symbolizer::image_of(const ModuleOrLibrary& recorded) {
  const auto known = images_.find(&recorded);
  if (known != images_.end()) return known->second;
  Image image = Image::of(recorded);
  image.symbols = files_.of(image);
  if (image.symbols == nullptr) {
    files_.identify(image);
    image.symbols = elf_files_.of(image);
  }
  if (image.symbols == nullptr) {
    const auto [file, functions] = files_.from_debug_file(image);
    if (functions != nullptr) elf_files_.replaced_by(image, file);
    image.symbols = functions;
  }
  return images_.emplace(&recorded, std::move(image)).first->second;
}

const Image& Symbolizer::kernel() {
  if (!kernel_) {
    kernel_ = {.kind = Image::Kind::Kernel, .path = "[kernel]"};
    kernel_->symbols = files_.of(*kernel_);
  }
  return *kernel_;
}

const Image& Symbolizer::python() {
  if (!python_) {
    python_ = {.kind = Image::Kind::Python, .path = "python.fake"};
    python_->symbols = files_.of(*python_);
  }
  return *python_;
}

}  // namespace convert::uftrace
