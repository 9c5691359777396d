#include "converters/uftrace/symbols/images.h"

#include <algorithm>
#include <array>

#include "converters/uftrace/recording/map_file.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr fxt::Limit kAliases{"names of one function that are searched", 256, 0};
constexpr fxt::Limit kLibraries{"loaded libraries that are searched for an address", 1024, 0};
constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kLastBytes = 4096;  // assumed size of the last kernel function

// A system call without arguments is one function with several names. The name to be shown has the prefix of
// the kernel's own word size: __x64_sys_getpid, __arm64_sys_getpid or sys_getpid. The other names have the
// prefixes in kOtherPrefixes.
constexpr std::array<std::string_view, 4> kOtherPrefixes{"__do_sys_", "__se_sys_", "__ia32_sys_", "SyS_"};
constexpr std::string_view kSystemCall = "sys_";

// Returns the part of `name` after one of kOtherPrefixes. Empty if `name` begins with none of them.
std::string_view system_call_of(std::string_view name) {
  for (const std::string_view other : kOtherPrefixes)
    if (name.starts_with(other)) return name.substr(other.size());
  return {};
}

bool is_native_name(std::string_view name, std::string_view call) {
  if (!name.ends_with(call) || !system_call_of(name).empty()) return false;
  name.remove_suffix(call.size());
  return name == kSystemCall || (name.starts_with("__") && name.ends_with("_sys_"));
}

SymbolAt symbol_in(const Image& image, std::uint64_t address) {
  if (image.symbols == nullptr) return {.image = &image};
  if (image.kind == Image::Kind::Kernel)
    return {.image = &image, .symbol = find_kernel_function(*image.symbols, address)};
  const std::uint64_t offset = address - image.base;
  const Symbol* const function = image.symbols->find_function(offset);
  return {.image = &image, .symbol = function != nullptr ? function : image.symbols->find_variable(offset)};
}

}  // namespace

const Symbol* find_kernel_function(const SymbolTable& symbols, std::uint64_t address) {
  const Symbol* const found = symbols.find_function(address);
  if (found == nullptr || found->start == 0) return nullptr;
  const std::vector<Symbol>& all = symbols.symbols();
  // The kernel's list of symbols does not contain the end of the last function, so its size is assumed.
  if (found->start == all.back().start && address - found->start >= kLastBytes) return nullptr;
  const std::string_view call = system_call_of(found->name);
  if (call.empty()) return found;
  auto alias = std::ranges::lower_bound(all, found->start, {}, &Symbol::start);
  for (std::size_t i = 0; i < kAliases.of(0) && alias != all.end() && alias->start == found->start;
       ++i, ++alias)
    if (is_native_name(alias->name, call)) return &*alias;
  return found;
}

std::vector<std::string> SymbolAt::names(Demangle mode) const {
  std::vector<std::string> names{demangle(symbol->name, mode)};
  const std::vector<Symbol>& symbols = image->symbols->symbols();
  auto alias = std::ranges::lower_bound(symbols, symbol->start, {}, &Symbol::start);
  for (std::size_t i = 0; i < kAliases.of(0) && alias != symbols.end() && alias->start == symbol->start;
       ++i, ++alias) {
    if (!alias->is_function()) continue;
    std::string name = demangle(alias->name, mode);
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

bool SymbolAt::is_in(std::string_view module, const AddressSpace* space) const {
  if (space == nullptr) return false;
  const bool is_module = image->kind == Image::Kind::Module;
  if (module == "PLT") {
    const std::vector<Module>& modules = space->map.modules;
    return is_module && symbol->is_plt() && !modules.empty() && image->base == modules.front().start;
  }
  if (is_module) return space->names.is_meant(image->name(), module);
  return image->kind == Image::Kind::Library && image->name().starts_with(module) &&
         !space->names.means_any(module);
}

SymbolAt Images::at(const LoadedSpace& loaded, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return find(loaded, address);
}

void Images::at(const LoadedSpace& loaded, std::span<const std::uint64_t> addresses,
                std::span<SymbolAt> found) {
  const std::lock_guard lock(mutex_);
  if (loaded.space != nullptr && addresses.size() > 1)
    for (const auto fetch : {&SymbolTable::fetch_count, &SymbolTable::fetch_symbols})
      for (const std::uint64_t address : addresses)
        if (const Module* const module = loaded.space->map.find(address))
          if (const Image& image = image_of(*module); image.symbols != nullptr)
            (image.symbols->*fetch)(address - image.base);
  for (std::size_t i = 0; i < addresses.size(); ++i) found[i] = find(loaded, addresses[i]);
}

SymbolAt Images::find(const LoadedSpace& loaded, std::uint64_t address) {
  static const AddressSpace kNothing{};
  const AddressSpace& space = loaded.space != nullptr ? *loaded.space : kNothing;

  const Module* const module = space.map.find(address);
  SymbolAt found;
  if (module != nullptr) {
    found = symbol_in(image_of(*module), address);
    if (found.symbol != nullptr) return found;
  }
  // Tries the last loaded library first: an earlier library at the same addresses must have been unloaded.
  const std::size_t first = loaded.libraries - std::min<std::size_t>(loaded.libraries, kLibraries.of(0));
  for (std::size_t i = loaded.libraries; i-- > first;) {
    if (address < space.libraries[i].base) continue;
    const SymbolAt in_library = symbol_in(image_of(space.libraries[i]), address);
    if (in_library.symbol != nullptr) return in_library;
  }
  if (module != nullptr) return found;
  if (space.map.kernel_base && address >= *space.map.kernel_base) return symbol_in(kernel(), address);
  const SymbolTable* const indices = python().symbols;
  if (indices == nullptr || indices->symbols().empty()) return found;
  // For a Python program, uftrace records indices of symbols as addresses. Its map has pages for these
  // indices, from address 0 on.
  const std::uint64_t map_end = (indices->symbols().size() / kPageSize + 1) * kPageSize;
  const Symbol* const function = address < map_end ? indices->find_function(address) : nullptr;
  return function != nullptr ? SymbolAt{.image = &python(), .symbol = function} : found;
}

SymbolAt Images::kernel_at(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return symbol_in(kernel(), address);
}

const SymbolTable* Images::kernel_symbols() {
  const std::lock_guard lock(mutex_);
  return kernel().symbols;
}

std::vector<std::pair<std::string_view, const SymbolTable*>> Images::tables(const Sessions& sessions) {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables;
  const auto add = [&](const Image& image) {
    const bool is_known =
        std::ranges::any_of(tables, [&](const auto& known) { return known.second == image.symbols; });
    if (image.symbols != nullptr && !is_known) tables.emplace_back(image.name(), image.symbols);
  };
  for (const Session& session : sessions.sessions()) {
    if (session.space == nullptr) continue;
    for (const Module& module : session.space->map.modules) add(image_of(module));
    for (const Library& library : session.space->libraries) add(image_of(library));
  }
  add(python());
  return tables;
}

// Returns the first function with the same name as the PLT entry. Without such a function, `symbol` is null.
SymbolAt Images::called_by(const SymbolAt& plt_entry, const AddressSpace& space) {
  for (const Module& module : space.map.modules) {
    const Image& image = image_of(module);
    if (image.symbols == nullptr) continue;
    for (const Symbol& symbol : image.symbols->symbols())
      if (symbol.is_function() && !symbol.is_plt() && symbol.name == plt_entry.symbol->name)
        return {.image = &image, .symbol = &symbol};
  }
  return {};
}

FunctionType Images::function_of(const SymbolAt& function, const AddressSpace* space, bool needs_types) {
  const std::lock_guard lock(mutex_);
  const bool is_plt = function.symbol->is_plt();
  if (function.is_kernel() || function.image == &python()) return {};
  if (!elf_files_.names_parameters() && (is_plt || !needs_types)) return {};
  SymbolAt defined = function;
  if (is_plt) defined = space != nullptr ? called_by(function, *space) : SymbolAt{};
  if (defined.symbol == nullptr) return {};
  Image image = *defined.image;
  files_.identify(image);
  FunctionType found = elf_files_.function_at(image, defined.symbol->start);
  if (is_plt) {
    for (Parameter& parameter : found.integers) parameter.type.reset();
    found.result.reset();
  }
  return found;
}

std::optional<ScalarType> Images::type_of(const SymbolAt& variable) {
  const std::lock_guard lock(mutex_);
  Image image = *variable.image;
  files_.identify(image);
  return elf_files_.variable_at(image, variable.symbol->start);
}

std::optional<SourceLine> Images::line_of(const SymbolAt& function, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  Image image = *function.image;
  files_.identify(image);
  return elf_files_.line_at(image, address - image.base);
}

template <typename ModuleOrLibrary>
const Image& Images::image_of(const ModuleOrLibrary& recorded) {
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

const Image& Images::kernel() {
  if (!kernel_) {
    kernel_ = {.kind = Image::Kind::Kernel, .path = "[kernel]"};
    kernel_->symbols = files_.of(*kernel_);
  }
  return *kernel_;
}

const Image& Images::python() {
  if (!python_) {
    python_ = {.kind = Image::Kind::Python, .path = "python.fake"};
    python_->symbols = files_.of(*python_);
  }
  return *python_;
}

}  // namespace convert::uftrace
