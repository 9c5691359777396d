#include "converters/uftrace/symbols/call_labels.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr LabelId kNoLabel{~std::uint32_t{0}};

}  // namespace

void CallLabels::find(const AddressSpace* space, std::span<const std::uint64_t> addresses,
                      std::span<const SymbolAt> found, std::span<LabelId> labels) {
  // The data of each symbol are in three places of the memory, far from each other. Prefetches the data of
  // all symbols, and only then uses them.
  std::array<LabelId*, kAtOnce> known;  // pointer to each symbol's label; null without a symbol
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    known.at(i) = label_of(found[i]);
    __builtin_prefetch(known.at(i));
    __builtin_prefetch(found[i].symbol);
  }
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (known.at(i) != nullptr) __builtin_prefetch(found[i].symbol->name.data());
  std::array<std::string, kAtOnce> texts;
  std::array<NameId, kAtOnce> names;
  std::array<std::size_t, kAtOnce> unknown;  // indices of addresses whose label is not known yet
  std::size_t count = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (known.at(i) == nullptr || *known.at(i) != kNoLabel) continue;
    texts.at(count) = demangle(found[i].symbol->name, demangle_);
    unknown.at(count++) = i;
  }
  names_.intern(std::span(texts).first(count), names);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = unknown.at(n);
    *known.at(i) = names_.intern_label(names_.intern(found[i].category()), names.at(n));
  }
  for (std::size_t i = 0; i < addresses.size(); ++i)
    labels[i] = known.at(i) != nullptr ? *known.at(i) : unresolved_label(space, addresses[i], found[i]);
}

LabelId* CallLabels::label_of(const SymbolAt& found) {
  if (found.symbol == nullptr) return nullptr;
  const std::vector<Symbol>& symbols = found.image->symbols->symbols();
  std::vector<LabelId>& labels = labels_[found.image];
  if (labels.empty()) labels.assign(symbols.size(), kNoLabel);
  return &labels[static_cast<std::size_t>(found.symbol - symbols.data())];
}

LabelId CallLabels::unresolved_label(const AddressSpace* space, std::uint64_t address,
                                     const SymbolAt& found) {
  const std::string file = found.is_kernel()  ? std::string(kKernelSymbols)
                           : space == nullptr ? std::string("task.txt")
                                              : fmt::format("sid-{}.map", space->sid);
  const auto unresolved = unresolved_.try_emplace({file, address}, found.category()).first;
  // If libraries share the address, the result must not depend on the order of requests.
  unresolved->second = std::min(unresolved->second, found.category());
  return names_.intern_label(found.category(), fmt::format("<{:x}>", address));
}

void CallLabels::add_notes(const Directory& directory, Notes& notes) const {
  for (const auto& unresolved : unresolved_) {
    notes.add(kNoSymbol, [&] {
      const auto& [file, address] = unresolved.first;
      return fmt::format("{}: no symbol at {:#x} in {}", directory.file(file).text(), address,
                         unresolved.second);
    });
  }
}

}  // namespace convert::uftrace
