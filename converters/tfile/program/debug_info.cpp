#include "converters/tfile/program/debug_info.h"

#include <bit>
#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <system_error>
#include <utility>

#include "converters/symbols/debug_sections.h"
#include "converters/symbols/elf_image.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxScopes = 16384, kMaxKeptVariables = 200'000;

bool has_longer_name(Dwarf_Die variable) { return has_attribute(variable, DW_AT_specification); }

// Lists those blocks of the instance's abstract origin that have code in this instance. The declarations in
// such a block are visible only in the code of the block.
void add_instantiated(DebugInfo& info, Dwarf_Die instance, std::vector<const void*>& blocks,
                      std::size_t depth = 0) {
  for (Dwarf_Die& child : info.children_of(instance)) {
    if (blocks.size() >= kVariables.of(0)) return;
    if (dwarf_tag(&child) != DW_TAG_lexical_block) continue;
    if (!is_block_without_code(child)) {
      if (const auto origin = referred_die(child, DW_AT_abstract_origin)) blocks.push_back(origin->addr);
    } else if (depth < kMaxDieDepth) {
      add_instantiated(info, child, blocks, depth + 1);
    }
  }
}

void add_children(DebugInfo& info, Dwarf_Die scope, const std::vector<const void*>& instantiated,
                  std::vector<Dwarf_Die>& variables, std::size_t depth = 0) {
  for (Dwarf_Die& child : info.children_of(scope)) {
    if (variables.size() >= kVariables.of(0)) return;
    const int tag = dwarf_tag(&child);
    const bool has_name = dwarf_diename(&child) != nullptr;
    if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant) && has_name)
      variables.push_back(child);
    else if (is_open_block(child) && depth < kMaxDieDepth &&
             !std::ranges::binary_search(instantiated, child.addr, std::less<>()))
      add_children(info, child, instantiated, variables, depth + 1);
  }
}

// Adds the variables of the abstract origin. An instance of a function has its own DIEs only for variables
// that differ from the origin's.
void add_inherited(DebugInfo& info, Dwarf_Die instance, const std::vector<const void*>& instantiated,
                   std::vector<Dwarf_Die>& variables) {
  const auto origin = referred_die(instance, DW_AT_abstract_origin);
  if (!origin) return;
  std::unordered_set<const void*> own;
  for (const Dwarf_Die& variable : variables)
    if (const auto of_own = referred_die(variable, DW_AT_abstract_origin)) own.insert(of_own->addr);
  std::vector<Dwarf_Die> inherited;
  add_children(info, *origin, instantiated, inherited);
  for (const Dwarf_Die& variable : inherited)
    if (!own.contains(variable.addr)) variables.push_back(variable);
}

std::vector<CodeScope::Variable> variables_of(DebugInfo& info, Dwarf_Die scope,
                                              const std::vector<const void*>& instantiated) {
  std::vector<Dwarf_Die> dies;
  add_children(info, scope, instantiated, dies);
  add_inherited(info, scope, instantiated, dies);
  std::stable_partition(dies.begin(), dies.end(), [](const Dwarf_Die& die) { return !has_longer_name(die); });
  std::vector<CodeScope::Variable> variables;
  for (Dwarf_Die& die : dies)
    variables.push_back(
        {std::string(info.die_scopes().name_of(die)), die, dwarf_tag(&die) == DW_TAG_formal_parameter});
  return variables;
}

// Adds the scopes of `pc` within a function, starting with the function.
void add_scopes(DebugInfo& info, const Dwarf_Die& scope, Dwarf_Addr pc, std::vector<Dwarf_Die>& scopes) {
  scopes.push_back(scope);
  if (scopes.size() == kMaxDieDepth) return;
  const auto add_within = [&](auto& self, Dwarf_Die parent, std::size_t depth) -> bool {
    for (Dwarf_Die& child : info.children_of(parent)) {
      if (!is_block_or_inlined(child)) continue;
      if (info.has_code_at(child, pc)) {
        add_scopes(info, child, pc, scopes);
        return true;
      }
      if (is_block_without_code(child) && depth < kMaxDieDepth && self(self, child, depth + 1)) return true;
    }
    return false;
  };
  add_within(add_within, scope, 0);
}

// Checks the files in which libdw searches for the unit of a skeleton (elfutils:
// libdw/libdw_find_split_unit.c). Returns the reason why libdw must not open one of these files. Empty if
// libdw may open all of them.
std::string reason_not_to_split(Dwarf_Die skeleton, const std::filesystem::path& program) {
  Dwarf_Attribute attribute;
  const auto text = [&](unsigned name) {
    const char* const found = dwarf_formstring(dwarf_attr(&skeleton, name, &attribute));
    return std::filesystem::path(found != nullptr ? found : "");
  };
  const std::filesystem::path folder = program.parent_path();
  for (const unsigned name : {DW_AT_dwo_name, DW_AT_GNU_dwo_name}) {
    const std::filesystem::path file = text(name);
    if (file.empty()) continue;
    for (const std::filesystem::path& path : {folder / file, folder / text(DW_AT_comp_dir) / file})
      if (const std::string reason = unsafe_for_libdw(path); !reason.empty())
        return fmt::format("{}: {}", path.string(), reason);
  }
  return {};
}

// The unit in the file to which a skeleton refers. The result has a null `addr` if the unit can't be read.
// `checked` is the latest file that passed the limits. This file is not checked again for its other units.
Dwarf_Die split_unit(Dwarf_CU* unit, Dwarf*& checked, std::string& reason) {
  Dwarf_Die split{};
  dwarf_cu_info(unit, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr);
  if (split.addr == nullptr) return split;
  Dwarf* const file = dwarf_cu_getdwarf(split.cu);
  if (file == checked) return split;
  reason = excess_of_abbreviations(file, debug_section(file, "debug_info", true).size(), true);
  if (!reason.empty()) return {};
  checked = file;
  return split;
}

void add_functions(Dwarf_Die parent, std::vector<DebugUnits::Function>& functions, fxt::Budget& ranges,
                   std::size_t depth = 0) {
  if (depth == kMaxDieDepth) return;
  for (Dwarf_Die& child : children_of(parent)) {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram: {
        Dwarf_Addr base = 0, begin = 0, end = 0;
        for (std::ptrdiff_t at = 0;
             (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0 && ranges.take();)
          if (begin < end) functions.push_back({begin, end, child});
        add_functions(child, functions, ranges, depth + 1);
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_lexical_block:
        add_functions(child, functions, ranges, depth + 1);
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::filesystem::path debug_file_of(Dwfl_Module* module) {
  const char *program = nullptr, *debug_file = nullptr;
  dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &program, &debug_file);
  std::error_code error;
  return std::filesystem::canonical(debug_file != nullptr ? debug_file : program, error);
}

std::uint64_t CodeScope::bias() const { return info->bias(); }

const CodeScope::Variable* CodeScope::find(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found != variables.end() ? &*found : nullptr;
}

DebugUnits::DebugUnits(Dwarf* dwarf, const std::filesystem::path& program, fxt::Budget& ranges) {
  if (dwarf == nullptr) return;
  // Newer versions of libdw first look for split units in a package, the file PROGRAM.dwp.
  const std::string package = program.string() + ".dwp";
  std::string unsafe_package = unsafe_for_libdw(package);
  if (!unsafe_package.empty()) unsafe_package = fmt::format("{}: {}", package, unsafe_package);
  Dwarf* checked = nullptr;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t kind = 0;
  Dwarf_Die die, type;
  while (dwarf_get_units(dwarf, unit, &unit, &version, &kind, &die, nullptr) == 0) {
    if (kind == DW_UT_type || kind == DW_UT_split_type) {
      std::uint64_t signature = 0;
      if (dwarf_cu_info(unit, nullptr, nullptr, nullptr, &type, &signature, nullptr, nullptr) == 0)
        types_.try_emplace(signature, type);
      continue;
    }
    if (kind == DW_UT_partial) continue;
    // A skeleton has the ranges of the code, and the unit in the split file has everything else.
    Dwarf_Die split{};
    std::string reason = unsafe_package;
    if (kind == DW_UT_skeleton && reason.empty()) reason = reason_not_to_split(die, program);
    if (kind == DW_UT_skeleton && reason.empty()) split = split_unit(unit, checked, reason);
    if (kind == DW_UT_skeleton && unsafe_file_.empty()) unsafe_file_ = reason;
    if (kind == DW_UT_skeleton && split.addr == nullptr && reason.empty()) {
      Dwarf_Attribute attribute;
      const bool has_name = dwarf_attr(&die, DW_AT_dwo_name, &attribute) != nullptr ||
                            dwarf_attr(&die, DW_AT_GNU_dwo_name, &attribute) != nullptr;
      const char* const name = has_name ? dwarf_formstring(&attribute) : nullptr;
      missing_files_.emplace_back(name != nullptr ? name : "?");
    }
    units_.push_back({.die = split.addr != nullptr ? split : die});
    Dwarf_Addr base = 0, begin = 0, end = 0;
    bool has_ranges = false;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0 && ranges.take();) {
      if (begin < end) ranges_.push_back({begin, end, units_.size() - 1});
      has_ranges |= begin < end;
    }
    if (!has_ranges) without_ranges_.push_back(units_.size() - 1);
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
}

const DebugUnits::Function* DebugUnits::Unit::function_at(Dwarf_Addr pc, fxt::Budget& ranges) {
  if (!std::exchange(is_read, true)) {
    add_functions(die, functions, ranges);
    std::ranges::stable_sort(functions, {}, &Function::begin);
  }
  constexpr int kMaxNested = 16;  // the code of one function may enclose the code of others
  auto next = std::ranges::upper_bound(functions, pc, {}, &Function::begin);
  for (int steps = 0; next != functions.begin() && steps < kMaxNested; ++steps)
    if (--next; pc < next->end) return &*next;
  return nullptr;
}

std::vector<DebugUnits::Unit*> DebugUnits::around(Dwarf_Addr pc) {
  std::vector<Unit*> found;
  const auto next = std::ranges::upper_bound(ranges_, pc, {}, &Range::begin);
  if (next != ranges_.begin() && pc < std::prev(next)->end) found.push_back(&units_[std::prev(next)->unit]);
  for (const std::size_t unit : without_ranges_) found.push_back(&units_[unit]);
  return found;
}

std::optional<Dwarf_Die> DebugUnits::type_of(std::uint64_t signature) const {
  const auto found = types_.find(signature);
  return found != types_.end() ? std::optional(found->second) : std::nullopt;
}

DebugInfo::DebugInfo(Dwfl_Module* module, unsigned elf_machine, unsigned address_bytes,
                     std::uint64_t file_bytes)
    : module_(module),
      address_bytes_(address_bytes),
      types_(*this, elf_machine),
      die_scopes_(file_bytes),
      call_frames_(module, file_bytes),
      ranges_(kCodeRanges, file_bytes),
      scope_variables_(kScopeVariables, file_bytes),
      locations_(kLocations, file_bytes),
      searched_lists_(kLocationLists, file_bytes),
      searched_(kSearched, file_bytes) {
  dwarf_ = dwfl_module_getdwarf(module, &dwarf_bias_);
  const auto add_name = [](void* names, int number, const char*, const char*, const char* name, int,
                           int) -> int {
    auto& all = *static_cast<std::vector<KnownRegister>*>(names);
    if (number < 0 || name == nullptr) return DWARF_CB_OK;
    all.resize(std::max<std::size_t>(all.size(), static_cast<std::size_t>(number) + 1));
    all[static_cast<std::size_t>(number)].name = name;
    return DWARF_CB_OK;
  };
  dwfl_module_register_names(module, add_name, &registers_);
}

GlobalNames& DebugInfo::globals() {
  if (!globals_) {
    std::vector<Dwarf_Die> dies;
    for (const DebugUnits::Unit& unit : units().all()) dies.push_back(unit.die);
    globals_.emplace(dies, die_scopes_);
  }
  return *globals_;
}

const Register* DebugInfo::register_of(std::uint64_t number, const RegisterLayout* layout) {
  if (number >= registers_.size() || layout == nullptr) return nullptr;
  auto& [name, reg] = registers_[number];
  if (!reg) reg = name.empty() ? nullptr : layout->find(name);
  return *reg;
}

std::optional<Dwarf_Die> DebugInfo::referred(Dwarf_Die die, unsigned attribute) {
  auto found = attribute_of(die, attribute);
  Dwarf_Die target;
  if (!found) return std::nullopt;
  if (dwarf_formref_die(&*found, &target) != nullptr) return target;
  if (found->form != DW_FORM_ref_sig8) return std::nullopt;
  const std::span<const unsigned char> bytes(found->valp, sizeof(std::uint64_t));
  const bool is_big = elf_getident(dwarf_getelf(dwarf_), nullptr)[EI_DATA] == ELFDATA2MSB;
  const std::uint64_t signature =
      unsigned_bits(std::as_bytes(bytes), is_big ? std::endian::big : std::endian::little);
  return units().type_of(signature);
}

void DebugInfo::add_object(std::string_view name, const GElf_Sym& symbol, GElf_Addr address) {
  // Link-time optimization makes symbols local, so local symbols are also added. But local symbols without a
  // mangled C++ name are left out, because several static variables of C may have the same name.
  if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL && !name.starts_with("_Z")) return;
  objects_.try_emplace(name.substr(0, name.find('@')), address);  // "stdout@GLIBC_2.2.5"
}

std::optional<std::uint64_t> DebugInfo::address_by_symbol(Dwarf_Die variable) {
  if (!attribute_of(variable, DW_AT_external)) return std::nullopt;
  auto linkage = attribute_of(variable, DW_AT_linkage_name);
  const char* const symbol = linkage ? dwarf_formstring(&*linkage) : nullptr;
  const std::string name = symbol != nullptr ? symbol : full_name(die_scopes_, declaration_of(variable));
  std::vector<DebugInfo*> modules{this};
  modules.insert(modules.end(), others_.begin(), others_.end());
  for (DebugInfo* const module : modules)
    if (const auto found = module->objects_.find(name); found != module->objects_.end())
      return found->second + module->load_bias_;
  return std::nullopt;
}

const CodeScope& DebugInfo::global_scope() {
  global_scope_.info = this;
  if (global_scope_.unit.addr == nullptr && !units().all().empty())
    global_scope_.unit = units().all().front().die;
  return global_scope_;
}

const CodeScope& DebugInfo::types_scope() {
  types_scope_.info = this;
  types_scope_.unit = global_scope().unit;
  types_scope_.has_types_only = true;
  return types_scope_;
}

const CodeScope* DebugInfo::scope_at(std::uint64_t address) {
  const Dwarf_Addr pc = address - bias();
  if (const auto found = scopes_.find(pc); found != scopes_.end()) return found->second.get();
  if (scope_variables_.is_exceeded()) return nullptr;
  std::unique_ptr<CodeScope> scope;
  for (DebugUnits::Unit* const unit : units().around(pc))
    if (const auto* const function = scope ? nullptr : unit->function_at(pc, ranges_))
      scope = scope_of(*unit, function->die, pc);
  const std::size_t variables =
      scope != nullptr ? scope->variables.size() + scope->outer_parameters.size() : 0;
  scope_variables_.take(variables);
  if (scopes_.size() >= kMaxScopes || kept_variables_ + variables > kMaxKeptVariables) {
    scopes_.clear();
    kept_variables_ = 0;
  }
  kept_variables_ += variables;
  return scopes_.emplace(pc, std::move(scope)).first->second.get();
}

std::vector<std::string> DebugInfo::left_out() const {
  std::vector<std::string> texts;
  if (ranges_.is_exceeded()) texts.push_back(ranges_.exceeded() + "; some functions are unknown");
  if (call_frames_.work().is_exceeded())
    texts.push_back(call_frames_.work().exceeded() + "; some callers and locations are unknown");
  if (has_left_out_variables_) texts.push_back(kVariables.exceeded() + "; the other variables are unknown");
  for (const fxt::Budget* const budget : {&scope_variables_, &locations_, &searched_lists_})
    if (budget->is_exceeded()) texts.push_back(budget->exceeded() + "; some variables are unknown");
  for (const fxt::Budget* const budget : {&searched_, &die_scopes_.long_names()})
    if (budget->is_exceeded()) texts.push_back(budget->exceeded() + "; some names and types are unknown");
  return texts;
}

bool DebugInfo::has_code_at(Dwarf_Die die, Dwarf_Addr pc) {
  constexpr std::uint64_t kRangeBytes = 16;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    if (begin <= pc && pc < end) return true;
    if (!searched_.take(kRangeBytes)) break;
  }
  return false;
}

bool DebugInfo::takes_operations(const void* place, std::uint64_t bytes) {
  if (known_locations_.contains(place)) return true;
  return locations_.take(bytes) && known_locations_.insert(place).second;
}

bool DebugInfo::takes_list(Dwarf_Attribute& attribute) {
  if (searched_lists_.is_exceeded() || locations_.is_exceeded()) return false;
  const LocationList list = lists_.find(attribute, kLocationLists.least);
  return list.first != nullptr && searched_lists_.take(list.bytes) &&
         takes_operations(list.first, list.operations);
}

std::unique_ptr<CodeScope> DebugInfo::scope_of(DebugUnits::Unit& unit, const Dwarf_Die& function,
                                               Dwarf_Addr pc) {
  auto scope = std::make_unique<CodeScope>();
  scope->info = this;
  scope->pc = pc;
  scope->unit = unit.die;
  scope->file = &unit;
  std::vector<Dwarf_Die> scopes;
  add_scopes(*this, function, pc, scopes);
  bool is_in_function = true;
  for (auto next = scopes.rbegin(); next != scopes.rend(); ++next) {
    const int tag = dwarf_tag(&*next);
    const bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    if (is_in_function) {
      scope->blocks.push_back(*next);
      if (const auto origin = referred_die(*next, DW_AT_abstract_origin)) scope->blocks.push_back(*origin);
      add_instantiated(*this, *next, scope->instantiated);
      std::ranges::sort(scope->instantiated, std::less<>());
      std::ranges::copy(variables_of(*this, *next, scope->instantiated),
                        std::back_inserter(scope->variables));
    }
    if (!is_function) continue;
    scope->functions.push_back(*next);
    is_in_function = false;
  }
  has_left_out_variables_ |= scope->variables.size() >= kVariables.of(0);
  if (scope->functions.size() > 1)
    std::ranges::copy_if(variables_of(*this, scope->functions.back(), {}),
                         std::back_inserter(scope->outer_parameters), &CodeScope::Variable::is_parameter);
  for (const Dwarf_Die& around : die_scopes_.around(declaration_of(scope->functions.front())))
    scope->enclosing.push_back({around, prefix_within(die_scopes_, around)});
  scope->enclosing.push_back({scope->unit, ""});
  scope->unwind = call_frames_.find(pc + dwarf_bias_);
  return scope;
}

}  // namespace convert::tfile
