#include "converters/uftrace/arguments/payload_decoder.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace convert::uftrace {
namespace {

// The limit for the candidate layouts of a function. More layouts would cost time, and would match by chance.
constexpr std::size_t kMaxCandidates = 16;
// task.txt does not have the sizes of libraries that were loaded later. This size is assumed instead.
constexpr std::uint64_t kLargestLibrary = std::uint64_t{256} << 20;
// The limit for cached pointers, because there can be many pointers into large tables. At this number, all
// cached pointers are dropped.
constexpr std::size_t kMaxPointers = 65536;

// True if the recording does not have the type of one of these values.
bool lacks_types(const std::vector<std::vector<SpecItem>>& lists) {
  return std::ranges::any_of(lists, [](const std::vector<SpecItem>& items) {
    return std::ranges::count(items, Format::Auto, &SpecItem::format) != 0;
  });
}

}  // namespace

std::span<const PayloadLayout> PayloadLayouts::compile(std::vector<std::vector<SpecItem>> lists,
                                                       const DebugFile* file, const FunctionType& function) {
  const PayloadLayout::Context context{.order = context_.order,
                                       .names = context_.names,
                                       .enums = context_.specs.enums(),
                                       .module_enums = file != nullptr ? &file->enums() : nullptr,
                                       .function = &function};
  lists.emplace_back();  // a recorder may set the `more` bit, but store no values
  lists.resize(std::min(lists.size(), kMaxCandidates));
  std::vector<PayloadLayout> layouts;
  for (const auto& items : lists) layouts.emplace_back(items, context);
  return *layouts_.insert(std::move(layouts)).first;
}

FunctionLayouts PayloadLayouts::of(const SymbolAt& symbol, const AddressSpace* space) {
  if (symbol.symbol == nullptr || !context_.specs.has_any()) return {};
  const DebugFile* const file = context_.debug.of(symbol);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = functions_.try_emplace({symbol.symbol, symbol.image});
  if (is_new) {
    FunctionFacts facts{.names = symbol.names(Demangle::Simple),
                        .is_in = [&](std::string_view module) { return symbol.is_in(module, space); }};
    if (file != nullptr) facts.debug = file->find(symbol.symbol->start, symbol.symbol->name);
    auto entry = context_.specs.candidate_layouts(facts, false);
    auto exit = context_.specs.candidate_layouts(facts, true);
    const FunctionType function =
        context_.symbolizer.images().function_of(symbol, space, lacks_types(entry) || lacks_types(exit));
    known->second = {.entry = compile(std::move(entry), file, function),
                     .exit = compile(std::move(exit), file, function)};
  }
  return known->second;
}

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
  const FunctionLayouts& found =
      functions_->get(address, [&] { return layouts_.of(symbols_.at(address), symbols_.space()); });
  return is_entry ? found.entry : found.exit;
}

// Compares with the ranges first, because most values are not pointers to symbols.
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
