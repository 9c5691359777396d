#include "converters/uftrace/arguments/payload_layouts.h"

#include "converters/uftrace/symbols/function_names.h"

namespace convert::uftrace {
const EnumNames* PayloadLayouts::enum_of(std::string_view name, const DebugFile* file) {
  const auto type_in = [&](const EnumTypes& types) -> const EnumType* {
    const auto found = types.find(name);
    return found != types.end() ? &found->second : nullptr;
  };
  const EnumType* type = file != nullptr ? type_in(file->enums()) : nullptr;
  if (type == nullptr) type = type_in(specs_.enums());
  if (type == nullptr) return nullptr;
  const auto [known, is_new] = enums_.try_emplace(type, EnumNames{.type = type});
  if (is_new) {
    for (const Enumerator& one : type->enumerators())
      known->second.names.try_emplace(one.value, names_.intern(one.name));
  }
  return &known->second;
}

std::vector<PayloadLayout> PayloadLayouts::plans_of(const FunctionFacts& facts, bool of_result,
                                                    const DebugFile* file) {
  std::vector<PayloadLayout> plans;
  for (const auto& items : specs_.candidate_layouts(facts, of_result))
    plans.emplace_back(items, names_, [&](std::string_view name) { return enum_of(name, file); });
  // A recorder may say that there are values and store none.
  plans.emplace_back(std::vector<SpecItem>{}, names_, [](std::string_view) { return nullptr; });
  return plans;
}

const FunctionLayouts& PayloadLayouts::of(const SymbolAt& place, const AddressSpace* space) {
  if (place.symbol == nullptr || !specs_.has_any()) return unknown_;
  const void* const where = place.module != nullptr ? static_cast<const void*>(place.module) : place.library;
  const DebugFile* const file = debug_.of(place);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = functions_.try_emplace({place.symbol, where});
  if (is_new) {
    FunctionFacts facts{.names = names_at(*place.table, *place.symbol, Demangle::Simple),
                        .is_in = [&](std::string_view module) { return is_in_module(module, place, space); }};
    if (file != nullptr) facts.debug = file->find(place.symbol->start, place.symbol->name);
    known->second = {.entry = plans_of(facts, false, file), .exit = plans_of(facts, true, file)};
  }
  return known->second;
}

}  // namespace convert::uftrace
