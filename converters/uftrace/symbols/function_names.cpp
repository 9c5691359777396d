#include "converters/uftrace/symbols/function_names.h"

#include <algorithm>

#include "converters/uftrace/recording/map_file.h"

namespace convert::uftrace {

std::vector<std::string> names_at(const SymbolTable& table, const Symbol& symbol, Demangle demangled) {
  std::vector<std::string> names{demangle(symbol.name, demangled)};
  const std::vector<Symbol>& symbols = table.symbols();
  auto alias = std::ranges::lower_bound(symbols, symbol.start, {}, &Symbol::start);
  for (; alias != symbols.end() && alias->start == symbol.start; ++alias) {
    if (!alias->is_function()) continue;
    std::string name = demangle(alias->name, demangled);
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

bool is_in_module(std::string_view wanted, const SymbolAt& place, const AddressSpace* space) {
  if (space == nullptr) return false;
  const std::vector<Module>& modules = space->map.modules;
  if (wanted == "PLT") return place.symbol->is_plt() && !modules.empty() && place.module == &modules.front();
  const auto first =
      std::ranges::find_if(modules, [&](const Module& m) { return m.basename().starts_with(wanted); });
  if (first != modules.end()) return place.module == &*first;
  return place.library != nullptr && basename_of(place.library->path).starts_with(wanted);
}

}  // namespace convert::uftrace
