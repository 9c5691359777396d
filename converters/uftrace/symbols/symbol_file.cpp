#include "converters/uftrace/symbols/symbol_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kOpenEnd = std::numeric_limits<std::uint64_t>::max();
constexpr char kMarkerType = '?';

constexpr std::array<bool, 256> characters(std::string_view list) {
  std::array<bool, 256> are_in_list{};
  for (const char c : list) are_in_list[static_cast<unsigned char>(c)] = true;
  return are_in_list;
}
constexpr auto kFunctions = characters("TtwWPKi"), kVariables = characters("Ddvu");

bool is_function(char type) { return kFunctions[static_cast<unsigned char>(type)]; }
bool is_variable(char type) { return kVariables[static_cast<unsigned char>(type)]; }

// These lines close the symbol before them and are none themselves, whatever their type.
bool is_end_marker(std::string_view name) {
  constexpr std::array<std::string_view, 3> kMarkers{"__sym_end", "__dynsym_end", "__func_end"};
  return name.starts_with("__") && std::ranges::find(kMarkers, name) != kMarkers.end();
}

bool take_blank(std::string_view& line) {
  if (!line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return true;
}

bool begins_before(const Symbol& a, const Symbol& b) { return a.start < b.start; }

// <address> [<size>] <type> <name>. Size or type: a type is one character and no digit.
std::optional<Symbol> parse_line(std::string_view line) {
  const auto start = take_number(line, 16);
  if (!start || !take_blank(line) || line.empty()) return std::nullopt;
  Symbol symbol{.start = *start, .end = kOpenEnd, .name = {}, .type = 0};
  if (is_digit(line[0]) || (line.size() > 1 && line[1] != ' ')) {
    const auto size = take_number(line, 16);
    if (!size || !take_blank(line) || line.empty()) return std::nullopt;
    symbol.end = *size <= kOpenEnd - *start ? *start + *size : kOpenEnd;
  }
  symbol.type = line[0];
  line.remove_prefix(1);
  if (!take_blank(line)) return std::nullopt;
  symbol.name = line.substr(0, line.find('\t'));  // in kallsyms the module's name follows
  return symbol;
}

}  // namespace

SymbolTable::SymbolTable(std::string text, std::string_view path, Notes& notes) {
  texts_.push_back(std::move(text));
  read_lines(path, notes);
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
  functions_ = segments_of(is_function);
  variables_ = segments_of(is_variable);
}

// All but a few lines at the end of kallsyms stand in their order.
void SymbolTable::sort_by_start() {
  const auto rest = std::ranges::is_sorted_until(symbols_, {}, &Symbol::start);
  if (rest == symbols_.end()) return;
  std::stable_sort(rest, symbols_.end(), begins_before);
  std::inplace_merge(std::upper_bound(symbols_.begin(), rest, *rest, begins_before), rest, symbols_.end(),
                     begins_before);
}

void SymbolTable::read_lines(std::string_view path, Notes& notes) {
  Lines lines(texts_.front());
  // More than there are take no memory until they are used.
  constexpr std::size_t kShortLine = 24;
  symbols_.reserve(texts_.front().size() / kShortLine);
  while (const auto line = lines.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    auto symbol = parse_line(*line);
    if (!symbol) {
      notes.add(kDamagedLine, [&] {
        return Location::line(path, lines.number()).text() + ": expected \"address [size] type name\"";
      });
      continue;
    }
    if (is_end_marker(symbol->name)) symbol->type = kMarkerType;
    const bool known = is_function(symbol->type) || is_variable(symbol->type) || symbol->type == kMarkerType;
    if (known && symbols_.size() < kNone) symbols_.push_back(*symbol);
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

// Cuts overlapping symbols into pieces that don't: one walk over the starts with the symbols open there on a
// stack, the one that began last on top.
std::vector<SymbolTable::Segment> SymbolTable::segments_of(bool (*wanted)(char type)) const {
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
  const auto close_until = [&](std::uint64_t offset) {
    while (!open.empty() && symbols_[open.back()].end <= offset) {
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
    for (std::size_t i = group_end; i-- > group;) {  // backwards: the first of the file ends up on top
      if (!wanted(symbols_[i].type) || symbols_[i].end <= start) continue;
      open.push_back(static_cast<std::uint32_t>(i));
      add(start, open.back());
    }
    group = group_end;
  }
  close_until(kOpenEnd - 1);
  return segments;
}

const Symbol* SymbolTable::find(const std::vector<Segment>& segments, std::uint64_t offset) const {
  auto after = std::ranges::upper_bound(segments, offset, {}, &Segment::start);
  if (after == segments.begin()) return nullptr;
  const std::uint32_t symbol = (--after)->symbol;
  return symbol == kNone ? nullptr : &symbols_[symbol];
}

}  // namespace convert::uftrace
