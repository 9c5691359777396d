#include "converters/tfile/program/die.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>

#include "converters/model/reading/bits.h"
#include "converters/symbols/dwarf_languages.h"
#include "converters/tfile/program/die_scopes.h"

namespace convert::tfile {

Children::Children(Dwarf_Die parent, fxt::Budget* work)
    : is_at_end_((work != nullptr && work->is_exceeded()) || dwarf_child(&parent, &child_) != 0),
      work_(work) {
  find_abbreviation();
}

// libdw looks for the abbreviation of a DIE, which is slow, and stores it in the DIE. This function does it
// before the DIE is copied, so that all copies have the abbreviation.
void Children::find_abbreviation() {
  if (!is_at_end_) dwarf_tag(&child_);
}

void Children::next() {
  constexpr std::uint64_t kFew = 64;
  // If a unit is damaged, the mark that ends the list of children may be missing. Then the search for the
  // mark counts as this many bytes of work.
  constexpr std::uint64_t kUnended = 16 * fxt::kMiB;
  Dwarf_Die following{};
  is_at_end_ = dwarf_siblingof(&child_, &following) != 0;
  if (work_ != nullptr) {
    // At the end of the list, libdw returns the position of the mark that ends the list.
    const auto passed = following.addr == nullptr
                            ? kUnended
                            : static_cast<std::uint64_t>(static_cast<const char*>(following.addr) -
                                                         static_cast<const char*>(child_.addr));
    const bool is_few = passed <= kFew || dwarf_hasattr(&child_, DW_AT_sibling) != 0;
    is_at_end_ |= !work_->take(is_few ? std::min(passed, kFew) : passed);
  }
  child_ = following;
  find_abbreviation();
}

bool has_attribute(Dwarf_Die die, unsigned attribute) { return dwarf_hasattr(&die, attribute) != 0; }

std::optional<Dwarf_Attribute> own_attribute(Dwarf_Die die, unsigned attribute) {
  Dwarf_Attribute found;
  return dwarf_attr(&die, attribute, &found) != nullptr ? std::optional(found) : std::nullopt;
}

std::optional<Dwarf_Attribute> attribute_of(Dwarf_Die die, unsigned attribute) {
  Dwarf_Attribute found;
  return dwarf_attr_integrate(&die, attribute, &found) != nullptr ? std::optional(found) : std::nullopt;
}

std::optional<std::uint64_t> unsigned_attribute(Dwarf_Die die, unsigned attribute) {
  auto found = attribute_of(die, attribute);
  Dwarf_Word value = 0;
  return found && dwarf_formudata(&*found, &value) == 0 ? std::optional(value) : std::nullopt;
}

std::optional<Dwarf_Die> referred_die(Dwarf_Die die, unsigned attribute) {
  auto found = own_attribute(die, attribute);
  Dwarf_Die referred;
  return found && dwarf_formref_die(&*found, &referred) != nullptr ? std::optional(referred) : std::nullopt;
}

std::optional<std::int64_t> constant_in(Dwarf_Attribute attribute) {
  Dwarf_Sword number = 0;
  const bool is_signed = attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const;
  auto* const bits = reinterpret_cast<Dwarf_Word*>(&number);
  if ((is_signed ? dwarf_formsdata(&attribute, &number) : dwarf_formudata(&attribute, bits)) != 0)
    return std::nullopt;
  return number;
}

std::int64_t consume_leb128(std::span<const unsigned char>& bytes, bool is_signed) {
  std::uint64_t number = 0;
  unsigned bits = 0;
  bool has_more = true;
  for (; has_more && !bytes.empty() && bits < 64; bits += 7, bytes = bytes.subspan(1)) {
    number |= std::uint64_t{bytes.front() & 0x7fU} << bits;
    has_more = (bytes.front() & 0x80U) != 0;
  }
  return static_cast<std::int64_t>(extended(number, std::min(bits, 64U), is_signed));
}

std::string_view die_name(Dwarf_Die die) {
  constexpr std::size_t kMaxName = 65536;
  const char* const name = dwarf_diename(&die);
  return name != nullptr ? std::string_view(name, ::strnlen(name, kMaxName)) : "";
}

Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int steps = 0; steps < 8; ++steps) {
    auto next = referred_die(die, DW_AT_abstract_origin);
    if (!next) next = referred_die(die, DW_AT_specification);
    if (!next) break;
    die = *next;
  }
  return die;
}

bool is_declaration(Dwarf_Die variable) {
  // Only the variable's own attribute counts. A definition may refer to a declaration, which also has this
  // attribute.
  auto attribute = own_attribute(variable, DW_AT_declaration);
  bool is_one = false;
  return attribute && dwarf_formflag(&*attribute, &is_one) == 0 && is_one;
}

std::string demangled(std::string_view symbol, Demangle mode) {
  const bool is_mangled = symbol.starts_with("_Z") || symbol.starts_with("_R");
  const bool is_d = symbol.starts_with("_D");
  if (mode == Demangle::No || !(is_mangled || is_d)) return std::string(symbol);
  const auto parameters = mode == Demangle::Full ? Parameters::Shown : Parameters::Hidden;
  const auto name = is_d ? full_d_name(symbol, parameters) : full_name(symbol, parameters);
  return name.value_or(std::string(symbol));
}

std::string without_abi_tags(std::string name) {
  for (std::size_t at = 0; (at = name.find("[abi:", at)) != std::string::npos;) {
    const std::size_t end = name.find(']', at);
    if (end == std::string::npos) break;
    name.erase(at, end - at + 1);
  }
  return name;
}

std::string qualified_name(DieScopes& scopes, Dwarf_Die function, Demangle mode) {
  auto attribute = attribute_of(function, DW_AT_linkage_name);
  const char* const linkage = attribute ? dwarf_formstring(&*attribute) : nullptr;
  const bool is_cxx = linkage != nullptr && std::string_view(linkage).starts_with("_Z") &&
                      language_of(function) != DW_LANG_Rust;
  const std::string_view plain = die_name(function);
  if (linkage != nullptr && (is_cxx || mode == Demangle::No || plain.empty()))
    return demangled(linkage, mode);
  if (plain.empty()) return {};
  std::string name = scopes.prefix(declaration_of(function)).append(scopes.name_of(function));
  if (is_ada(function))
    for (std::size_t at = name.find("__"); at != std::string::npos; at = name.find("__", at)) {
      name.erase(at, 1);
      name[at] = '.';
    }
  return name;
}

bool is_block_without_code(Dwarf_Die die) {
  return dwarf_tag(&die) == DW_TAG_lexical_block && !has_attribute(die, DW_AT_low_pc) &&
         !has_attribute(die, DW_AT_ranges);
}

bool is_open_block(Dwarf_Die die) {
  return is_block_without_code(die) || dwarf_tag(&die) == DW_TAG_common_block;
}

bool is_block_or_inlined(Dwarf_Die die) {
  switch (dwarf_tag(&die)) {
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      return true;
    default:
      return false;
  }
}

int language_of(Dwarf_Die die) {
  Dwarf_Die unit;
  return dwarf_diecu(&die, &unit, nullptr, nullptr) != nullptr ? dwarf_srclang(&unit) : 0;
}

bool is_c(Dwarf_Die die) { return is_c_language(language_of(die)); }
bool is_ada(Dwarf_Die die) { return is_ada_language(language_of(die)); }
bool is_fortran(Dwarf_Die die) { return is_fortran_language(language_of(die)); }

}  // namespace convert::tfile
