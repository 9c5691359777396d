#include "converters/symbols/dwarf_info.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <gelf.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "converters/symbols/debug_sections.h"
#include "converters/symbols/dwarf_languages.h"

namespace convert {
namespace {

// The maximum number of entries and address ranges to read in one file. This takes a few seconds.
constexpr std::size_t kMaxWork = 20'000'000;
// Needs a limit, because all units may refer to the same long list of ranges.
constexpr fxt::Limit kUnitRanges{"code ranges of compilation units, for the names of parameters", 4'000'000,
                                 0};
constexpr std::size_t kMaxDepth = 64;        // nesting of namespaces, typedefs and qualifiers
constexpr std::size_t kMaxParameters = 256;  // in one function
// A linker may put equal functions of several units at one address. If more units than this begin at one
// address, only the last of them is read.
constexpr std::ptrdiff_t kMaxUnitsAtOnePlace = 4;

struct Machine {
  std::size_t word_size;
  std::span<const std::uint8_t> integers;  // registers in which integers are passed, by DWARF's numbers
  // Registers in which floats are passed. The list of parameters ends before the first float that is passed
  // elsewhere.
  std::span<const std::uint8_t> floats;
  bool hides_result;  // the address of a large result is passed as the first integer
};

constexpr std::array<std::uint8_t, 6> kX86Integers{5, 4, 1, 2, 8, 9};  // rdi, rsi, rdx, rcx, r8, r9
constexpr std::array<std::uint8_t, 8> kX86Floats{17, 18, 19, 20, 21, 22, 23, 24};
constexpr std::array<std::uint8_t, 8> kArmIntegers{0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::array<std::uint8_t, 8> kArmFloats{64, 65, 66, 67, 68, 69, 70, 71};
constexpr std::array<std::uint8_t, 8> kRiscIntegers{10, 11, 12, 13, 14, 15, 16, 17};
constexpr std::array<std::uint8_t, 8> kRiscFloats{42, 43, 44, 45, 46, 47, 48, 49};

std::optional<Machine> machine_of(int machine) {
  switch (machine) {
    case EM_X86_64:
      return Machine{.word_size = 8, .integers = kX86Integers, .floats = kX86Floats, .hides_result = true};
    case EM_AARCH64:
      return Machine{.word_size = 8, .integers = kArmIntegers, .floats = kArmFloats, .hides_result = false};
    case EM_RISCV:
      return Machine{.word_size = 8, .integers = kRiscIntegers, .floats = kRiscFloats, .hides_result = true};
    case EM_386:  // all integers are on the stack, one word each
      return Machine{.word_size = 4, .integers = {}, .floats = {}, .hides_result = true};
    case EM_ARM:
      return Machine{
          .word_size = 4, .integers = std::span(kArmIntegers).first(4), .floats = {}, .hides_result = true};
    default:
      return std::nullopt;
  }
}

// True for languages that pass parameters as C does.
bool passes_as_c(int language) {
  return is_c_language(language) || is_cpp_language(language) || is_fortran_language(language) ||
         language == DW_LANG_Rust;
}

// Returns an attribute. Returns nothing if libdw would have to open another file for it.
std::optional<Dwarf_Attribute> attribute_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, name, &attribute) == nullptr) return std::nullopt;
  constexpr std::array<unsigned, 5> kElsewhere{DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt, DW_FORM_ref_sup4,
                                               DW_FORM_ref_sup8, DW_FORM_strp_sup};
  if (std::ranges::find(kElsewhere, dwarf_whatform(&attribute)) != kElsewhere.end()) return std::nullopt;
  return attribute;
}

std::optional<Dwarf_Die> referred(Dwarf_Die& die, unsigned name) {
  Dwarf_Die target;
  auto attribute = attribute_of(die, name);
  if (!attribute || dwarf_formref_die(&*attribute, &target) == nullptr) return std::nullopt;
  return target;
}

// Returns what `of` finds in an entry. If it finds nothing there, searches the abstract origin or the
// declaration of the entry.
template <typename Of>
auto with_origin(Dwarf_Die die, Of of) -> decltype(of(die)) {
  for (std::size_t i = 0; i < kMaxDepth; ++i) {
    if (auto found = of(die)) return found;
    auto origin = referred(die, DW_AT_abstract_origin);
    if (!origin) origin = referred(die, DW_AT_specification);
    if (!origin) break;
    die = *origin;
  }
  return {};
}

std::string name_of(Dwarf_Die die) {
  const auto name = with_origin(die, [](Dwarf_Die& of) -> std::optional<std::string> {
    auto attribute = attribute_of(of, DW_AT_name);
    const char* const text = attribute ? dwarf_formstring(&*attribute) : nullptr;
    return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
  });
  return name.value_or("");
}

// Returns the type without typedefs and qualifiers; nothing for void.
std::optional<Dwarf_Die> type_of(Dwarf_Die die) {
  auto type = with_origin(die, [](Dwarf_Die& of) { return referred(of, DW_AT_type); });
  for (std::size_t i = 0; type && i < kMaxDepth; ++i) {
    switch (dwarf_tag(&*type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type:
        type = referred(*type, DW_AT_type);
        break;
      default:
        return type;
    }
  }
  return type;
}

Dwarf_Word number_of(Dwarf_Die& die, unsigned name, Dwarf_Word otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0
             ? value
             : otherwise;
}

// Returns the address of a variable. Returns nothing if the variable is not at one address during its whole
// life.
std::optional<std::uint64_t> address_of(Dwarf_Die& variable) {
  auto location = attribute_of(variable, DW_AT_location);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (!location || dwarf_getlocation(&*location, &operations, &count) != 0 || count != 1) return std::nullopt;
  if (operations->atom == DW_OP_addr) return operations->number;
  Dwarf_Attribute indexed;
  Dwarf_Addr address = 0;
  if ((operations->atom != DW_OP_addrx && operations->atom != DW_OP_GNU_addr_index) ||
      dwarf_getlocation_attr(&*location, operations, &indexed) != 0 ||
      dwarf_formaddr(&indexed, &address) != 0)
    return std::nullopt;
  return address;
}

// The type of a number, a pointer or an enumerator. Pointers have `word_size` unless they specify another
// size.
std::optional<ScalarType> scalar_type_of(Dwarf_Die of, std::size_t word_size) {
  using Of = ScalarType::Kind;
  auto type = type_of(of);
  if (!type) return std::nullopt;
  const Dwarf_Word size = number_of(*type, DW_AT_byte_size, 0);
  switch (dwarf_tag(&*type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return ScalarType{.kind = Of::Unsigned, .size = size == 0 ? word_size : size, .is_pointer = true};
    case DW_TAG_enumeration_type:
      if (auto underlying = type_of(*type)) type = underlying;
      break;
    case DW_TAG_base_type:
      break;
    default:
      return std::nullopt;
  }
  if (size == 0 || size > sizeof(std::uint64_t)) return std::nullopt;
  const bool is_character = size == 1 && name_of(*type) == "char";
  switch (number_of(*type, DW_AT_encoding, DW_ATE_signed)) {
    case DW_ATE_signed:
    case DW_ATE_signed_char:
      return ScalarType{.kind = Of::Signed, .size = size, .is_character = is_character};
    case DW_ATE_boolean:
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
      return ScalarType{.kind = Of::Unsigned, .size = size, .is_character = is_character};
    case DW_ATE_float:
      if (size == sizeof(float) || size == sizeof(double)) return ScalarType{.kind = Of::Float, .size = size};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// True if DWARF confirms that a function at `address` receives the parameter in `registers[index]`, or on the
// stack if there are fewer registers. An optimized function may lack parameters, or receive them elsewhere. A
// parameter that is in the stack frame during its whole life is also accepted, because the function has
// stored it there.
bool is_passed(Dwarf_Die& parameter, std::span<const std::uint8_t> registers, std::size_t index,
               std::uint64_t address) {
  auto location = attribute_of(parameter, DW_AT_location);
  if (!location) return false;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  // True if the parameter is at one place during its whole life.
  const bool is_one = dwarf_getlocation(&*location, &operations, &count) == 0;
  if (!is_one && dwarf_getlocation_addr(&*location, address, &operations, &count, 1) != 1) return false;
  if (count != 1) return false;
  const bool is_on_stack = index >= registers.size();
  if (operations->atom == DW_OP_fbreg) return is_one || is_on_stack;
  if (is_on_stack) return false;
  const std::uint8_t expected = registers[index];
  return operations->atom == DW_OP_regx ? operations->number == expected
                                        : operations->atom == DW_OP_reg0 + expected;
}

// True if the first integer may be the address of the result.
bool may_hide_result(Dwarf_Die function, const Machine& machine) {
  if (!machine.hides_result) return false;
  auto type = type_of(function);
  if (!type) return false;
  switch (dwarf_tag(&*type)) {
    case DW_TAG_base_type:
      return number_of(*type, DW_AT_byte_size, 0) > 2 * machine.word_size;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_unspecified_type:
      return false;
    default:
      return true;
  }
}

}  // namespace

DwarfInfo::DwarfInfo(const ElfImage& dwarf, std::uint64_t base)
    : dwarf_(nullptr, &dwarf_end), base_(base), machine_(dwarf.machine()), work_(kMaxWork) {
  if (dwarf.find(".debug_info") == nullptr || !machine_of(machine_)) return;
  problem_ = dwarf.unsafe_for_libdw();
  if (!problem_.empty()) return;
  dwarf_.reset(dwarf_begin_elf(dwarf.handle(), DWARF_C_READ, nullptr));
  if (dwarf_ == nullptr) return;
  problem_ = excess_of_abbreviations(dwarf_.get(), dwarf.find(".debug_info")->size);
  if (problem_.empty())
    read_units();
  else
    dwarf_.reset();
}

template <typename Use>
void DwarfInfo::for_each_unit(Use use) {
  std::size_t header_size = 0;
  for (Dwarf_Off at = 0, next = 0; has_work(); at = next) {
    if (dwarf_nextcu(dwarf_.get(), at, &next, &header_size, nullptr, nullptr, nullptr) != 0) break;
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf_.get(), at + header_size, &unit) != nullptr) use(unit);
  }
}

void DwarfInfo::read_units() {
  fxt::Budget ranges(kUnitRanges);
  for_each_unit([this, &ranges](Dwarf_Die& unit) {
    if (!passes_as_c(dwarf_srclang(&unit))) return;
    Dwarf_Addr unit_base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t range = 0; has_work();) {
      range = dwarf_ranges(&unit, range, &unit_base, &begin, &end);
      if (range <= 0 || !ranges.take()) break;
      units_.push_back({begin, dwarf_dieoffset(&unit)});
    }
  });
  std::ranges::stable_sort(units_, {}, &Unit::begin);
  if (!ranges.is_exceeded()) return;
  problem_ = ranges.exceeded();
  dwarf_.reset();
  units_.clear();
}

void DwarfInfo::read_functions(const Unit& unit) {
  if (!read_.insert(unit.offset).second) return;
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_.get(), unit.offset, &die) == nullptr) return;
  constexpr std::array<int, 4> kScopes{DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type,
                                       DW_TAG_class_type};
  for_each_entry(die, kScopes, [this](Dwarf_Die& entry) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    if (dwarf_tag(&entry) != DW_TAG_subprogram || dwarf_ranges(&entry, 0, &base, &begin, &end) <= 0 ||
        begin == 0)
      return;
    const auto [known, is_new] = functions_.try_emplace(begin, dwarf_dieoffset(&entry));
    Dwarf_Die other;
    if (!is_new && dwarf_offdie(dwarf_.get(), known->second, &other) != nullptr &&
        type_of_function(other, begin) != type_of_function(entry, begin))
      ambiguous_.insert(begin);
  });
}

// Calls `use` for each entry in `parent`. An entry whose tag is in `scopes` is replaced by its entries.
template <typename Use>
void DwarfInfo::for_each_entry(Dwarf_Die parent, std::span<const int> scopes, Use use, std::size_t depth) {
  Dwarf_Die die;
  if (depth == kMaxDepth || dwarf_child(&parent, &die) != 0) return;
  do {
    if (std::ranges::count(scopes, dwarf_tag(&die)) != 0)
      for_each_entry(die, scopes, use, depth + 1);
    else
      use(die);
  } while (has_work() && dwarf_siblingof(&die, &die) == 0);
}

void DwarfInfo::read_variables(Dwarf_Die unit) {
  constexpr std::array<int, 4> kScopes{DW_TAG_namespace, DW_TAG_module, DW_TAG_subprogram,
                                       DW_TAG_lexical_block};
  for_each_entry(unit, kScopes, [this](Dwarf_Die& entry) {
    if (dwarf_tag(&entry) != DW_TAG_variable) return;
    if (const auto address = address_of(entry)) variables_.try_emplace(*address, dwarf_dieoffset(&entry));
  });
}

std::optional<ScalarType> DwarfInfo::variable_at(std::uint64_t offset) {
  if (dwarf_ == nullptr) return std::nullopt;
  if (!std::exchange(has_variables_, true)) for_each_unit([this](Dwarf_Die& unit) { read_variables(unit); });
  const auto variable = variables_.find(base_ + offset);
  Dwarf_Die die;
  if (variable == variables_.end() || dwarf_offdie(dwarf_.get(), variable->second, &die) == nullptr)
    return std::nullopt;
  return scalar_type_of(die, sizeof(std::uint64_t));
}

std::optional<SourceLine> DwarfInfo::line_at(std::uint64_t offset) {
  const std::uint64_t address = base_ + offset;
  const auto after = std::ranges::upper_bound(units_, address, {}, &Unit::begin);
  Dwarf_Die unit;
  if (after == units_.begin() || dwarf_offdie(dwarf_.get(), std::prev(after)->offset, &unit) == nullptr)
    return std::nullopt;
  Dwarf_Line* const row = dwarf_getsrc_die(&unit, address);
  const char* const path = row != nullptr ? dwarf_linesrc(row, nullptr, nullptr) : nullptr;
  int line = 0;
  if (path == nullptr || dwarf_lineno(row, &line) != 0 || line <= 0) return std::nullopt;
  std::string_view file = path;
  auto attribute = attribute_of(unit, DW_AT_comp_dir);
  const char* const directory = attribute ? dwarf_formstring(&*attribute) : nullptr;
  const std::string_view prefix = directory != nullptr ? directory : "";
  if (!prefix.empty() && file.starts_with(prefix) && file.substr(prefix.size()).starts_with('/'))
    file.remove_prefix(prefix.size() + 1);
  return SourceLine{std::string(file), line};
}

FunctionType DwarfInfo::function_at(std::uint64_t offset) {
  const std::uint64_t address = base_ + offset;
  const auto after = std::ranges::upper_bound(units_, address, {}, &Unit::begin);
  if (after == units_.begin()) return {};
  const auto last = std::prev(after);
  const auto first = std::ranges::lower_bound(units_, last->begin, {}, &Unit::begin);
  for (auto unit = after - first <= kMaxUnitsAtOnePlace ? first : last; unit != after; ++unit)
    read_functions(*unit);
  const auto function = functions_.find(address);
  Dwarf_Die die;
  if (function == functions_.end() || ambiguous_.contains(address) ||
      dwarf_offdie(dwarf_.get(), function->second, &die) == nullptr)
    return {};
  return type_of_function(die, address);
}

FunctionType DwarfInfo::type_of_function(Dwarf_Die function, std::uint64_t address) {
  const Machine machine = *machine_of(machine_);
  FunctionType found{.integers = {}, .floats = {}, .integer_registers = machine.integers.size()};
  // The compiler may change the parameters of a function that is called only in its own unit. It marks such a
  // function.
  if (number_of(function, DW_AT_calling_convention, DW_CC_normal) != DW_CC_normal) return found;
  found.result = scalar_type_of(function, machine.word_size);
  const bool hides_result = may_hide_result(function, machine);  // if true, integer registers are uncertain
  Dwarf_Die die;
  if (dwarf_child(&function, &die) != 0) return found;
  std::size_t count = 0, integers = hides_result ? 1 : 0;
  do {
    if (dwarf_tag(&die) != DW_TAG_formal_parameter) continue;
    const auto type = scalar_type_of(die, machine.word_size);
    if (!type || type->size > machine.word_size || ++count > kMaxParameters) break;
    const bool is_float = type->kind == ScalarType::Kind::Float;
    if (is_float && found.floats.size() == machine.floats.size()) break;
    if (!is_passed(die, is_float ? machine.floats : machine.integers,
                   is_float ? found.floats.size() : integers, address))
      break;
    if (is_float) {
      found.floats.push_back({name_of(die), type});
      continue;
    }
    ++integers;
    if (!hides_result) found.integers.push_back({name_of(die), type});
  } while (has_work() && dwarf_siblingof(&die, &die) == 0);
  return found;
}

}  // namespace convert
