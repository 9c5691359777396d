#include "converters/tfile/program/line_table.h"

#include <algorithm>

namespace convert::tfile {

LineTable::LineTable(Dwarf_Die unit, std::uint64_t bias) : bias_(bias) {
  if (dwarf_getsrclines(&unit, &table_, &size_) != 0) size_ = 0;
}

std::uint64_t LineTable::address(std::size_t index) const {
  Dwarf_Addr address = 0;
  dwarf_lineaddr(dwarf_onesrcline(table_, index), &address);
  return address + bias_;
}

std::optional<LineRow> LineTable::row(std::size_t index) const {
  Dwarf_Line* const row = dwarf_onesrcline(table_, index);
  const char* const path = dwarf_linesrc(row, nullptr, nullptr);
  int line = 0;
  bool is_end = false, begins_statement = false;
  if (path == nullptr || dwarf_lineno(row, &line) != 0 || line <= 0 ||
      dwarf_lineendsequence(row, &is_end) != 0 || is_end ||
      dwarf_linebeginstatement(row, &begins_statement) != 0)
    return std::nullopt;
  return LineRow{.path = path, .line = line, .address = address(index), .begins_statement = begins_statement};
}

std::size_t LineTable::first_from(std::uint64_t from) const {
  std::size_t first = 0, last = size_;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (address(middle) < from)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

void LineTable::for_each_statement(const std::function<void(const LineRow&, bool is_kept)>& see) const {
  std::optional<LineRow> later;  // the next row at which a statement begins
  bool is_dropped = false;
  for (std::size_t i = size_; i-- > 0;) {
    const auto here = row(i);
    if (!here || !here->begins_statement) continue;
    is_dropped = later && later->address == here->address && (is_dropped || later->path != here->path);
    see(*here, !is_dropped);
    later = here;
  }
}

// Among the rows for the address, the last one at which a statement begins, or else the last one.
std::optional<LineRow> LineTable::row_of_code(std::uint64_t code_address) const {
  constexpr std::size_t kMaxRows = 1024;  // limit for rows at one address: intact tables have fewer
  std::optional<LineRow> found;
  const std::size_t end = code_address == ~std::uint64_t{0} ? size_ : first_from(code_address + 1);
  if (end == 0) return found;
  const std::size_t first = first_from(address(end - 1));
  for (std::size_t i = std::max(first, end - std::min(end, kMaxRows)); i < end; ++i)
    if (const auto here = row(i); here && (here->begins_statement || !found || !found->begins_statement))
      found = here;
  return found;
}

}  // namespace convert::tfile
