#include "converters/tfile/program/line_table.h"

#include <algorithm>
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <vector>

#include "converters/model/reading/byte_cursor.h"
#include "converters/model/reading/input_error.h"
#include "converters/symbols/debug_sections.h"
#include "converters/tfile/program/die.h"

namespace convert::tfile {
namespace {

std::string_view text_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + offset, bytes.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

// The header of a line table (DWARF 5, section 6.2.4). Reading fails with an InputError.
class HeaderReader {
 public:
  HeaderReader(const ByteCursor& bytes, std::span<const std::byte> line_texts,
               std::span<const std::byte> texts)
      : bytes_(bytes), line_texts_(line_texts), texts_(texts) {}

  bool has_file(std::string_view name) {
    constexpr std::uint32_t kLong = 0xffff'ffff;  // marks a table whose lengths and offsets have 8 bytes
    std::uint64_t length = read<std::uint32_t>();
    if (length == kLong) {
      is_long_ = true;
      length = read<std::uint64_t>();
    }
    bytes_ = bytes_.slice(length, "line table");
    const auto version = read<std::uint16_t>();
    if (version < 2 || version > 5) throw InputError(bytes_.here(), "unknown version");
    if (version >= 5) skip(2);  // the sizes of addresses and of segment selectors
    bytes_ = bytes_.slice(read_offset(), "header");
    skip(version >= 4 ? 5 : 4);  // the properties of rows
    skip(read<std::uint8_t>() - 1U);
    return version >= 5 ? has_file_of_5(name) : has_file_of_4(name);
  }

 private:
  struct Field {
    std::uint64_t content, form;
  };

  template <typename T>
  T read() {
    return bytes_.read<T>("line table");
  }
  void skip(std::uint64_t size) { bytes_.read_bytes(size, "line table"); }
  std::uint64_t read_offset() { return is_long_ ? read<std::uint64_t>() : read<std::uint32_t>(); }
  std::uint64_t read_leb128() {
    std::uint64_t number = 0;
    for (unsigned bits = 0;; bits += 7) {
      const auto byte = read<std::uint8_t>();
      if (bits < 64) number |= std::uint64_t{byte & 0x7fU} << bits;
      if ((byte & 0x80U) == 0) return number;
    }
  }
  std::string_view read_text() {
    ByteCursor rest = bytes_;
    const std::string_view text = text_at(rest.read_bytes(rest.left(), "text"), 0);
    skip(text.size() + 1);
    return text;
  }
  static bool is_called(std::string_view path, std::string_view name) {
    return path.substr(path.rfind('/') + 1) == name;
  }

  bool has_file_of_4(std::string_view name) {
    while (!read_text().empty()) {
    }  // folders
    for (;;) {
      const std::string_view path = read_text();
      if (path.empty()) return false;
      if (is_called(path, name)) return true;
      for (int i = 0; i < 3; ++i) read_leb128();  // the file's folder, time and size
    }
  }

  bool has_file_of_5(std::string_view name) {
    has_entry("");  // folders
    return has_entry(name);
  }

  // Reads the entries until one has this name. With an empty name, reads all entries.
  bool has_entry(std::string_view name) {
    std::vector<Field> fields(read<std::uint8_t>());
    for (Field& field : fields) {
      field.content = read_leb128();
      field.form = read_leb128();
    }
    // Entries without fields have no bytes, so a damaged file may have any number of them. They are not read.
    for (std::uint64_t left = fields.empty() ? 0 : read_leb128(); left > 0; --left)
      for (const Field& field : fields) {
        const auto text = read_field(field.form);
        if (field.content == DW_LNCT_path && !name.empty() && is_called(text, name)) return true;
      }
    if (fields.empty()) read_leb128();
    return false;
  }

  // The field's text; empty for a number.
  std::string_view read_field(std::uint64_t form) {
    switch (form) {
      case DW_FORM_string:
        return read_text();
      case DW_FORM_line_strp:
        return text_at(line_texts_, read_offset());
      case DW_FORM_strp:
        return text_at(texts_, read_offset());
      case DW_FORM_udata:
        read_leb128();
        return {};
      case DW_FORM_data1:
        skip(1);
        return {};
      case DW_FORM_data2:
        skip(2);
        return {};
      case DW_FORM_data4:
        skip(4);
        return {};
      case DW_FORM_data8:
        skip(8);
        return {};
      case DW_FORM_data16:
        skip(16);
        return {};
      case DW_FORM_block:
        skip(read_leb128());
        return {};
      default:
        throw InputError(bytes_.here(), "unknown form");
    }
  }

  ByteCursor bytes_;
  std::span<const std::byte> line_texts_, texts_;
  bool is_long_ = false;
};

}  // namespace

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

// Considers only the rows at the greatest address that is not above `code_address`. Returns the last of these
// rows at which a statement begins. If there is none, returns the last of these rows.
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

// ---- Source files ----

LineFiles::LineFiles(Dwarf* dwarf) {
  Elf* const elf = dwarf != nullptr ? dwarf_getelf(dwarf) : nullptr;
  if (elf == nullptr) return;
  order_ = elf_getident(elf, nullptr)[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
  tables_ = std::as_bytes(debug_section(dwarf, "debug_line"));
  line_texts_ = std::as_bytes(debug_section(dwarf, "debug_line_str"));
  texts_ = std::as_bytes(debug_section(dwarf, "debug_str"));
}

bool LineFiles::may_have(Dwarf_Die unit, std::string_view file_name) const {
  const auto offset = unsigned_attribute(unit, DW_AT_stmt_list);
  if (!offset) return false;  // the unit has no table
  if (*offset >= tables_.size()) return true;
  try {
    return HeaderReader(ByteCursor(tables_.subspan(*offset), "line table", order_), line_texts_, texts_)
        .has_file(file_name);
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace convert::tfile
