#include "converters/uftrace/arguments/payload_decoder.h"

#include <algorithm>

namespace convert::uftrace {
namespace {

// task.txt lists libraries that were loaded after the program's start, but not their sizes. This size is
// assumed instead.
constexpr std::uint64_t kLargestLibrary = std::uint64_t{256} << 20;
// The limit for cached pointers, because there can be many pointers into large tables. At this number, all
// cached pointers are dropped.
constexpr std::size_t kMaxPointers = 65536;

}  // namespace

void PayloadDecoder::find_ranges() {
  ranges_.clear();
  const AddressSpace* const space = symbols_.space();
  if (space == nullptr) return;
  for (const Module& module : space->map.modules) ranges_.push_back({module.start, module.end});
  for (const Library& library : space->libraries) {
    const std::uint64_t room = ~library.base;
    ranges_.push_back({library.base, library.base + std::min(kLargestLibrary, room)});
  }
  std::ranges::sort(ranges_, {}, &AddressRange::start);
  for (std::size_t i = 0; i + 1 < ranges_.size(); ++i)
    ranges_[i].end = std::min(ranges_[i].end, ranges_[i + 1].start);
}

std::span<const PayloadLayout> PayloadDecoder::candidates(std::uint64_t time_ns, std::uint64_t address,
                                                          bool is_entry) {
  if (symbols_.move_to(time_ns)) {
    functions_.emplace(layouts_.context().symbolizer.cache_budget());
    pointers_.clear();
    find_ranges();
  }
  const FunctionLayouts* const found =
      functions_->get(address, [&] { return &layouts_.of(symbols_.at(address), symbols_.space()); });
  return is_entry ? found->entry : found->exit;
}

// Compares the address with the ranges first, because most values are not pointers to symbols.
std::optional<NameId> PayloadDecoder::symbol_at(std::uint64_t address) {
  auto range = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::start);
  if (range == ranges_.begin() || address >= (--range)->end) return std::nullopt;
  if (pointers_.size() >= kMaxPointers) pointers_.clear();
  const auto [known, is_new] = pointers_.try_emplace(address);
  if (is_new) {
    const SymbolAt symbol = symbols_.at(address);
    const PayloadLayouts::Context& context = layouts_.context();
    if (symbol.symbol != nullptr)
      known->second = context.names.intern(demangle(symbol.symbol->name, context.demangle));
  }
  return known->second;
}

}  // namespace convert::uftrace
