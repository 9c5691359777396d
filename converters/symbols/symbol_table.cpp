#include "converters/symbols/symbol_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "converters/model/reading/bits.h"
#include "converters/model/reading/text.h"
#include "converters/model/reading/text_file.h"

namespace convert {
namespace {

constexpr std::uint64_t kOpenEnd = std::numeric_limits<std::uint64_t>::max();
constexpr char kMarkerType = '?';

// Returns a table that is true for each of `letters`. Each letter is a type of symbols. A symbol whose type
// is in neither kFunctions nor kVariables is ignored, unless it is an end marker.
constexpr std::array<bool, 256> set_of(std::string_view letters) {
  std::array<bool, 256> set{};
  for (const char c : letters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr auto kFunctions = set_of("TtwWPKi"), kVariables = set_of("Ddvu");

// A line with one of these names ends the previous symbol. The type in the line does not matter.
bool is_end_marker(std::string_view name) {
  constexpr std::array<std::string_view, 3> kMarkers{"__sym_end", "__dynsym_end", "__func_end"};
  return name.starts_with("__") && std::ranges::find(kMarkers, name) != kMarkers.end();
}

bool accept_blank(std::string_view& line) {
  if (!line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return true;
}

bool begins_before(const Symbol& a, const Symbol& b) { return a.start < b.start; }

}  // namespace

bool Symbol::is_function() const { return kFunctions[static_cast<unsigned char>(type)]; }
bool Symbol::is_variable() const { return kVariables[static_cast<unsigned char>(type)]; }

std::optional<Symbol> parse_symbol_line(std::string_view line) {
  const auto start = consume_number(line, 16);
  if (!start || !accept_blank(line) || line.empty()) return std::nullopt;
  Symbol symbol{.start = *start, .end = kOpenEnd, .name = {}, .type = 0};
  // The next word is a size or a type. A type is one character that is not a digit.
  if (is_digit(line[0]) || (line.size() > 1 && line[1] != ' ')) {
    const auto size = consume_number(line, 16);
    if (!size || !accept_blank(line) || line.empty()) return std::nullopt;
    symbol.end = *size <= kOpenEnd - *start ? *start + *size : kOpenEnd;
  }
  symbol.type = line[0];
  line.remove_prefix(1);
  if (!accept_blank(line)) return std::nullopt;
  symbol.name = line.substr(0, line.find('\t'));
  return symbol;
}

SymbolTable::SymbolTable(std::string_view text) {
  read_lines(text);
  put_in_order();
}

SymbolTable::SymbolTable(std::vector<Symbol> symbols) : symbols_(std::move(symbols)) { put_in_order(); }

void SymbolTable::put_in_order() {
  sort_by_start();
  close_open_ends();
  std::erase_if(symbols_, [](const Symbol& s) { return s.type == kMarkerType; });
  for (Symbol& symbol : symbols_) symbol.name = names_.keep(symbol.name);
  count_starts();
  enclosing_functions_ = enclosing(&Symbol::is_function);
  enclosing_variables_ = enclosing(&Symbol::is_variable);
}

// In kallsyms, all lines except a few at the end are sorted. Therefore, only the lines at the end are sorted
// here, and merged with the others.
void SymbolTable::sort_by_start() {
  const auto rest = std::ranges::is_sorted_until(symbols_, {}, &Symbol::start);
  if (rest == symbols_.end()) return;
  std::stable_sort(rest, symbols_.end(), begins_before);
  std::inplace_merge(std::upper_bound(symbols_.begin(), rest, *rest, begins_before), rest, symbols_.end(),
                     begins_before);
}

void SymbolTable::read_lines(std::string_view text) {
  Lines lines(text);
  // Reserved memory that is not used costs nothing.
  constexpr std::size_t kShortLine = 24;
  symbols_.reserve(text.size() / kShortLine);
  while (const auto line = lines.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    auto symbol = parse_symbol_line(*line);
    if (!symbol) {
      damaged_lines_.push_back(lines.number());
      continue;
    }
    if (is_end_marker(symbol->name)) symbol->type = kMarkerType;
    const bool is_known = symbol->is_function() || symbol->is_variable() || symbol->type == kMarkerType;
    if (is_known && symbols_.size() < kMaxSymbols) symbols_.push_back(*symbol);
  }
}

// A symbol without a size ends at the next symbol, or at the end marker of its group.
void SymbolTable::close_open_ends() {
  std::uint64_t next_start = kOpenEnd;
  for (std::size_t i = symbols_.size(); i-- > 0;) {
    Symbol& symbol = symbols_[i];
    if (i + 1 < symbols_.size() && symbols_[i + 1].start > symbol.start) next_start = symbols_[i + 1].start;
    if (symbol.end == kOpenEnd) symbol.end = next_start;
  }
}

void SymbolTable::count_starts() {
  if (symbols_.empty()) return;
  const std::uint64_t first = symbols_.front().start, range = symbols_.back().start - first;
  constexpr std::size_t kSymbolsEach = 4;
  while ((range >> shift_) > std::max<std::size_t>(symbols_.size() / kSymbolsEach, 1)) ++shift_;
  starts_before_.resize((range >> shift_) + 2);
  for (const Symbol& symbol : symbols_) ++starts_before_[((symbol.start - first) >> shift_) + 1];
  std::partial_sum(starts_before_.begin(), starts_before_.end(), starts_before_.begin());
}

// Visits the starts of symbols in order. The stack `open` has the symbols that have not ended. The symbol
// that began last is on top.
std::vector<SymbolTable::Segment> SymbolTable::enclosing(Kind is_wanted) const {
  std::vector<Segment> segments;
  std::vector<std::uint32_t> open;
  const auto add = [&](std::uint64_t start) {
    if (!open.empty()) segments.push_back({start, open.back()});
  };
  const auto close_until = [&](std::uint64_t address) {
    while (!open.empty() && symbols_[open.back()].end <= address) {
      const std::uint64_t end = symbols_[open.back()].end;
      while (!open.empty() && symbols_[open.back()].end <= end) open.pop_back();
      add(end);
    }
  };
  for (std::size_t group = 0; group < symbols_.size();) {
    const std::uint64_t start = symbols_[group].start;
    std::size_t group_end = group;
    while (group_end < symbols_.size() && symbols_[group_end].start == start) ++group_end;
    close_until(start);
    const std::size_t open_before = open.size();
    // Adds symbols in reverse order, so that the first one in the list is on top.
    for (std::size_t i = group_end; i-- > group;)
      if ((symbols_[i].*is_wanted)() && start < symbols_[i].end)
        open.push_back(static_cast<std::uint32_t>(i));
    const bool is_alone = group_end - group == 1 && open.size() > open_before;
    if (!is_alone) add(start);
    group = group_end;
  }
  close_until(kOpenEnd - 1);
  return segments;
}

const Symbol* SymbolTable::find(Kind is_wanted, const std::vector<Segment>& enclosing,
                                std::uint64_t address) const {
  if (symbols_.empty() || address < symbols_.front().start) return nullptr;
  const std::size_t last = last_until(address);
  const Symbol& symbol = symbols_[last];
  const bool is_alone = last == 0 || symbols_[last - 1].start < symbol.start;
  if (is_alone && address < symbol.end && (symbol.*is_wanted)()) return &symbol;
  const auto next = std::ranges::upper_bound(enclosing, address, {}, &Segment::start);
  if (next == enclosing.begin()) return nullptr;
  const Symbol& around = symbols_[std::prev(next)->symbol];
  return address < around.end ? &around : nullptr;
}

void SymbolTable::fetch_count(std::uint64_t address) const {
  if (!symbols_.empty()) __builtin_prefetch(&starts_before_[part_of(address)]);
}

void SymbolTable::fetch_symbols(std::uint64_t address) const {
  if (symbols_.empty()) return;
  const std::size_t part = part_of(address);
  __builtin_prefetch(&symbols_[std::max(starts_before_[part], 1u) - 1]);
  __builtin_prefetch(&symbols_[std::max(starts_before_[part + 1], 1u) - 1]);
}

// The part of the address: its distance from the first symbol, divided by 2^shift_. An address outside of all
// parts gets the last part.
std::size_t SymbolTable::part_of(std::uint64_t address) const {
  return std::min<std::uint64_t>((address - symbols_.front().start) >> shift_, starts_before_.size() - 2);
}

// The last symbol that begins at or before the address. The address must not be before the first symbol.
std::size_t SymbolTable::last_until(std::uint64_t address) const {
  const std::size_t part = part_of(address);
  // The symbol is one of the `count` symbols from `first` on. The loop selects a half without a branch:
  // after a wrong prediction, the CPU could not start the next search early.
  std::size_t first = std::max(starts_before_[part], 1u) - 1;
  for (std::size_t count = starts_before_[part + 1] - first; count > 1;) {
    const std::size_t half = count / 2;
    first += half & mask_of(symbols_[first + half].start <= address);
    count -= half;
  }
  return first;
}

}  // namespace convert
