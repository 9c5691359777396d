#include "converters/tfile/program/location_lists.h"

#include <algorithm>
#include <cstddef>
#include <dwarf.h>
#include <gelf.h>

#include "converters/symbols/debug_sections.h"
#include "converters/tfile/program/die.h"

namespace convert::tfile {
namespace {

constexpr unsigned kListsVersion = 5;  // the DWARF version in which .debug_loclists replaced .debug_loc

struct ListUnit {
  Dwarf_Half version = 0;
  std::uint8_t type = 0, address_bytes = 0;
};

bool is_of_split(const ListUnit& unit) {
  return unit.type == DW_UT_split_compile || unit.type == DW_UT_split_type;
}

class ListWalk {
 public:
  ListWalk(std::span<const unsigned char> rest, const ListUnit& unit, bool is_big)
      : rest_(rest), unit_(unit), is_big_(is_big) {}

  bool next() { return !rest_.empty() && (unit_.version >= kListsVersion ? next_kind() : next_pair()); }
  std::size_t left() const { return rest_.size(); }
  std::uint64_t operations() const { return operations_; }

 private:
  void skip(std::uint64_t bytes) { rest_ = rest_.subspan(std::min<std::uint64_t>(bytes, rest_.size())); }
  void skip_leb128() { consume_leb128(rest_, false); }
  void skip_operations(std::uint64_t bytes) {
    operations_ += std::min<std::uint64_t>(bytes, rest_.size());
    skip(bytes);
  }
  bool skip_short_operations() {
    if (rest_.size() < 2) return false;
    const unsigned bytes = is_big_ ? rest_[0] * 256U + rest_[1] : rest_[1] * 256U + rest_[0];
    skip(2);
    skip_operations(bytes);
    return true;
  }

  // Reads an entry of DWARF 4 or older. Returns false at the end.
  bool next_pair() {
    if (is_of_split(unit_)) return next_old_kind();
    if (rest_.size() < 2 * std::size_t{unit_.address_bytes}) return false;
    const auto begin = rest_.first(unit_.address_bytes), end = rest_.subspan(begin.size(), begin.size());
    const auto is_zero = [](unsigned char byte) { return byte == 0; };
    const bool is_end = std::ranges::all_of(begin, is_zero) && std::ranges::all_of(end, is_zero);
    const bool is_base = std::ranges::all_of(begin, [](unsigned char byte) { return byte == 0xff; });
    skip(2 * begin.size());
    return !is_end && (is_base || skip_short_operations());
  }

  // Reads an entry of a list that GCC writes to split files of DWARF 4.
  bool next_old_kind() {
    const unsigned char kind = rest_.front();
    skip(1);
    if (kind == DW_LLE_GNU_base_address_selection_entry) return skip_leb128(), true;
    if (kind != DW_LLE_GNU_start_end_entry && kind != DW_LLE_GNU_start_length_entry) return false;
    skip_leb128();
    if (kind == DW_LLE_GNU_start_end_entry)
      skip_leb128();
    else
      skip(4);
    return skip_short_operations();
  }

  bool next_kind() {
    const unsigned char kind = rest_.front();
    skip(1);
    switch (kind) {
      case DW_LLE_base_addressx:
        return skip_leb128(), true;
      case DW_LLE_base_address:
        return skip(unit_.address_bytes), true;
      case DW_LLE_GNU_view_pair:
        return skip_leb128(), skip_leb128(), true;
      case DW_LLE_startx_endx:
      case DW_LLE_startx_length:
      case DW_LLE_offset_pair:
        skip_leb128();
        skip_leb128();
        break;
      case DW_LLE_default_location:
        break;
      case DW_LLE_start_end:
        skip(2 * std::size_t{unit_.address_bytes});
        break;
      case DW_LLE_start_length:
        skip(unit_.address_bytes);
        skip_leb128();
        break;
      default:
        return false;
    }
    skip_operations(static_cast<std::uint64_t>(consume_leb128(rest_, false)));
    return true;
  }

  std::span<const unsigned char> rest_;
  ListUnit unit_;
  bool is_big_;
  std::uint64_t operations_ = 0;
};

}  // namespace

LocationList LocationLists::find(Dwarf_Attribute& attribute, std::uint64_t max_bytes) {
  ListUnit unit;
  Dwarf_Word offset = 0;
  if (dwarf_cu_info(attribute.cu, &unit.version, &unit.type, nullptr, nullptr, nullptr, &unit.address_bytes,
                    nullptr) != 0 ||
      dwarf_formudata(&attribute, &offset) != 0)
    return {};
  Dwarf* const dwarf = dwarf_cu_getdwarf(attribute.cu);
  Elf* const elf = dwarf_getelf(dwarf);
  const auto [section, is_new] = sections_.try_emplace({dwarf, unit.version >= kListsVersion});
  if (is_new)
    section->second = debug_section(dwarf, unit.version >= kListsVersion ? "debug_loclists" : "debug_loc",
                                    is_of_split(unit));
  if (offset >= section->second.size()) return {};
  const Bytes rest = section->second.subspan(offset);
  const auto [known, is_unknown] = known_.try_emplace(rest.data());
  LocationList& list = known->second;
  if (!is_unknown) return list;
  ListWalk walk(rest, unit, elf_getident(elf, nullptr)[EI_DATA] == ELFDATA2MSB);
  while (rest.size() - walk.left() <= max_bytes && walk.next()) {
  }
  return list = {.first = rest.data(), .bytes = rest.size() - walk.left(), .operations = walk.operations()};
}

}  // namespace convert::tfile
