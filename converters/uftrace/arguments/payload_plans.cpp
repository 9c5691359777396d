#include "converters/uftrace/arguments/payload_plans.h"

#include <algorithm>

#include "converters/model/names/demangle.h"
#include "converters/uftrace/recording/map_file.h"

namespace convert::uftrace {
namespace {

// uftrace takes the first module whose name begins like that, in the order of addresses.
bool is_module(std::string_view wanted, const SymbolAt& place, const AddressSpace* space) {
  if (space == nullptr) return false;
  const std::vector<Module>& modules = space->map.modules;
  if (wanted == "PLT") return place.symbol->is_plt() && place.module == &modules.front();
  const auto first =
      std::ranges::find_if(modules, [&](const Module& m) { return m.basename().starts_with(wanted); });
  if (first != modules.end()) return place.module == &*first;
  return place.library != nullptr && basename_of(place.library->path).starts_with(wanted);
}

// The names of all functions that begin where the symbol does, its own first.
std::vector<std::string> names_at(const SymbolTable& table, const Symbol& symbol) {
  std::vector<std::string> names{demangle(symbol.name, Demangle::Simple)};
  constexpr std::string_view kFunctions = "TtwWPi";
  const std::vector<Symbol>& symbols = table.symbols();
  auto alias = std::ranges::lower_bound(symbols, symbol.start, {}, &Symbol::start);
  for (; alias != symbols.end() && alias->start == symbol.start; ++alias) {
    if (kFunctions.find(alias->type) == std::string_view::npos) continue;
    std::string name = demangle(alias->name, Demangle::Simple);
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

const EnumNames* PayloadPlans::enum_of(std::string_view name, const DebugFile* file) {
  const auto type_in = [&](const EnumTypes& types) -> const EnumType* {
    const auto found = types.find(name);
    return found != types.end() ? &found->second : nullptr;
  };
  const EnumType* type = file != nullptr ? type_in(file->enums()) : nullptr;
  if (type == nullptr) type = type_in(specs_.enums());
  if (type == nullptr) return nullptr;
  const auto [known, is_new] = enums_.try_emplace(type, EnumNames{.type = type, .names = {}});
  if (is_new) {
    for (const Enumerator& one : type->enumerators())
      known->second.names.try_emplace(one.value, names_.intern(one.name));
  }
  return &known->second;
}

std::vector<PayloadPlan> PayloadPlans::plans_of(const FunctionFacts& facts, bool of_result,
                                                const DebugFile* file) {
  std::vector<PayloadPlan> plans;
  for (const auto& items : specs_.readings(facts, of_result))
    plans.emplace_back(items, names_, [&](std::string_view name) { return enum_of(name, file); });
  // A recorder may say that there are values and store none.
  plans.emplace_back(std::vector<SpecItem>{}, names_, [](std::string_view) { return nullptr; });
  return plans;
}

const FunctionPlans& PayloadPlans::of(const SymbolAt& place, const AddressSpace* space) {
  if (place.symbol == nullptr || !specs_.has_any()) return unknown_;
  const void* const where = place.module != nullptr ? static_cast<const void*>(place.module) : place.library;
  const DebugFile* const file = debug_.of(place);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = functions_.try_emplace({place.symbol, where});
  if (is_new) {
    FunctionFacts facts{.names = names_at(*place.table, *place.symbol),
                        .debug = {},
                        .is_in = [&](std::string_view module) { return is_module(module, place, space); }};
    if (file != nullptr) facts.debug = file->find(place.symbol->start, place.symbol->name);
    known->second = {.entry = plans_of(facts, false, file), .exit = plans_of(facts, true, file)};
  }
  return known->second;
}

}  // namespace convert::uftrace
