#include "converters/uftrace/arguments/pointer_names.h"

#include <algorithm>

namespace convert::uftrace {
namespace {

// How far a library loaded later may reach: the list of them does not say.
constexpr std::uint64_t kLargestLibrary = std::uint64_t{256} << 20;
// Pointers into large tables are many: then all is forgotten and looked up again.
constexpr std::size_t kMostKnown = 65536;

}  // namespace

void PointerNames::forget() {
  known_.clear();
  ranges_.clear();
  const AddressSpace* const space = symbols_.space();
  if (space == nullptr) return;
  for (const Module& module : space->map.modules) ranges_.push_back({module.start, module.end});
  for (const Library& library : space->libraries) {
    const std::uint64_t room = ~library.base;
    ranges_.push_back({library.base, library.base + std::min(kLargestLibrary, room)});
  }
  std::ranges::sort(ranges_, {}, &Range::start);
  for (std::size_t i = 0; i + 1 < ranges_.size(); ++i)
    ranges_[i].end = std::min(ranges_[i].end, ranges_[i + 1].start);
}

std::optional<NameId> PointerNames::name_of(std::uint64_t address) {
  auto range = std::ranges::upper_bound(ranges_, address, {}, &Range::start);
  if (range == ranges_.begin() || address >= (--range)->end) return std::nullopt;
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [known, is_new] = known_.try_emplace(address);
  if (is_new) {
    const SymbolAt place = symbols_.at(address);
    if (place.symbol != nullptr) known->second = names_.intern(demangle(place.symbol->name, demangle_));
  }
  return known->second;
}

}  // namespace convert::uftrace
