#include "converters/symbols/symbol_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/model/reading/text_file.h"

namespace convert {
namespace {

constexpr std::uint64_t kOpenEnd = std::numeric_limits<std::uint64_t>::max();
constexpr char kMarkerType = '?';

// The letters of types: functions, and variables. All others are ignored, except for the marker.
constexpr std::array<bool, 256> set_of(std::string_view letters) {
  std::array<bool, 256> set{};
  for (const char c : letters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr auto kFunctions = set_of("TtwWPKi"), kVariables = set_of("Ddvu");

// A line with such a name ends the symbol before it, whatever its type.
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
  // Size or type: a type is one character and no digit.
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

SymbolTable::SymbolTable(std::string text) {
  texts_.push_back(std::move(text));
  read_lines();
  put_in_order();
}

SymbolTable::SymbolTable(std::vector<std::string> texts, std::vector<Symbol> symbols)
    : texts_(std::move(texts)), symbols_(std::move(symbols)) {
  put_in_order();
}

void SymbolTable::put_in_order() {
  sort_by_start();
  close_open_ends();
  std::erase_if(symbols_, [](const Symbol& s) { return s.type == kMarkerType; });
  functions_ = segments_of(&Symbol::is_function);
  variables_ = segments_of(&Symbol::is_variable);
}

// In kallsyms all but a few lines at the end are in order.
void SymbolTable::sort_by_start() {
  const auto rest = std::ranges::is_sorted_until(symbols_, {}, &Symbol::start);
  if (rest == symbols_.end()) return;
  std::stable_sort(rest, symbols_.end(), begins_before);
  std::inplace_merge(std::upper_bound(symbols_.begin(), rest, *rest, begins_before), rest, symbols_.end(),
                     begins_before);
}

void SymbolTable::read_lines() {
  Lines lines(texts_.front());
  // Reserved memory that stays unused costs nothing.
  constexpr std::size_t kShortLine = 24;
  symbols_.reserve(texts_.front().size() / kShortLine);
  while (const auto line = lines.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    auto symbol = parse_symbol_line(*line);
    if (!symbol) {
      damaged_lines_.push_back(lines.number());
      continue;
    }
    if (is_end_marker(symbol->name)) symbol->type = kMarkerType;
    const bool is_known = symbol->is_function() || symbol->is_variable() || symbol->type == kMarkerType;
    if (is_known && symbols_.size() < kNone) symbols_.push_back(*symbol);
  }
}

// Without a size, a symbol reaches to the next one or to the end marker of its group.
void SymbolTable::close_open_ends() {
  std::uint64_t next_start = kOpenEnd;
  for (std::size_t i = symbols_.size(); i-- > 0;) {
    Symbol& symbol = symbols_[i];
    if (i + 1 < symbols_.size() && symbols_[i + 1].start > symbol.start) next_start = symbols_[i + 1].start;
    if (symbol.end == kOpenEnd) symbol.end = next_start;
  }
}

// Cuts overlapping symbols into segments that do not overlap. Walks over the starts, with the symbols that
// are open there on a stack, the one that began last on top.
std::vector<SymbolTable::Segment> SymbolTable::segments_of(bool (Symbol::*is_wanted)() const) const {
  std::vector<Segment> segments;
  segments.reserve(symbols_.size());
  std::vector<std::uint32_t> open;
  const auto add = [&](std::uint64_t start, std::uint32_t symbol) {
    if (!segments.empty() && segments.back().start == start) {
      segments.back().symbol = symbol;
    } else {
      segments.push_back({start, symbol});
    }
  };
  const auto close_until = [&](std::uint64_t address) {
    while (!open.empty() && symbols_[open.back()].end <= address) {
      const std::uint64_t end = symbols_[open.back()].end;
      while (!open.empty() && symbols_[open.back()].end <= end) open.pop_back();
      add(end, open.empty() ? kNone : open.back());
    }
  };
  for (std::size_t group = 0; group < symbols_.size();) {
    const std::uint64_t start = symbols_[group].start;
    std::size_t group_end = group;
    while (group_end < symbols_.size() && symbols_[group_end].start == start) ++group_end;
    close_until(start);
    for (std::size_t i = group_end; i-- > group;) {  // backwards: the first one listed ends up on top
      if (!(symbols_[i].*is_wanted)() || symbols_[i].end <= start) continue;
      open.push_back(static_cast<std::uint32_t>(i));
      add(start, open.back());
    }
    group = group_end;
  }
  close_until(kOpenEnd - 1);
  return segments;
}

const Symbol* SymbolTable::find(const std::vector<Segment>& segments, std::uint64_t address) const {
  auto after = std::ranges::upper_bound(segments, address, {}, &Segment::start);
  if (after == segments.begin()) return nullptr;
  const std::uint32_t symbol = (--after)->symbol;
  return symbol == kNone ? nullptr : &symbols_[symbol];
}

}  // namespace convert
