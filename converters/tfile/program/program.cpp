#include "converters/tfile/program/program.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>
#include <unordered_map>

#include "converters/model/reading/input_error.h"
#include "converters/tfile/program/dwarf_lookup.h"
#include "converters/tfile/program/expression.h"
#include "converters/tfile/program/global_names.h"
#include "converters/tfile/program/machine.h"
#include "converters/tfile/program/type_table.h"
#include "converters/tfile/program/variable_storage.h"

namespace convert::tfile {
namespace {

// Users write "Box<int,2>::all", demangled names are "Box<int, 2>::all".
std::string without_blanks(std::string name) {
  std::erase(name, ' ');
  return name;
}

}  // namespace

struct Program::Impl {
  std::string path;
  Demangle demangle;
  Dwfl_Callbacks callbacks{.find_elf = nullptr,
                           .find_debuginfo = dwfl_standard_find_debuginfo,
                           .section_address = dwfl_offline_section_address,
                           .debuginfo_path = nullptr};
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> session{nullptr, &dwfl_end};
  Dwfl_Module* module = nullptr;
  std::uint64_t bias = 0;  // of the recording

  struct Named {
    Function function;
    std::string name;  // without parameters
  };
  std::vector<Named> functions;                         // by address; labels, too
  std::unordered_map<std::string, DataObject> objects;  // names without blanks
  struct Segment {
    std::uint64_t begin, end;
  };
  std::vector<Segment> code;
  Segment all{~std::uint64_t{0}, 0};

  // Where code of source lines begins: by line, of the files that were asked for by name.
  using LineRows = std::vector<std::pair<int, std::uint64_t>>;
  std::unordered_map<std::string, LineRows> lines;
  LineRows& lines_of(const std::string& file_name);
  GElf_Ehdr header{};
  bool has_dwarf = false;

  TypeTable types;
  std::optional<GlobalNames> globals;  // read on first use

  // The unit that an address belongs to.
  struct Unit {
    Dwarf_Die* die = nullptr;  // null: none
    Dwarf_Addr bias = 0;       // of DWARF's addresses
    Dwarf_Addr pc = 0;         // the address in DWARF
  };
  Unit unit_at(Dwarf_Addr pc) const {
    Unit found;
    found.die = dwfl_module_addrdie(module, pc, &found.bias);
    found.pc = pc - found.bias;
    return found;
  }

  // The variables that are visible at an address, and that address in DWARF.
  struct VisibleVariables {
    Dwarf_Addr pc = 0;
    Dwarf_Addr bias = 0;
    std::vector<Dwarf_Die> dies = {};
  };
  VisibleVariables variables_at(std::uint64_t address, Visible which) const;
  std::optional<DataObject> object_of(Dwarf_Die* variable, const VisibleVariables& visible);

  GlobalNames& global_names() { return globals ? *globals : globals.emplace(module); }
  bool is_code(std::uint64_t address) const {
    return std::ranges::any_of(code, [&](const Segment& s) { return s.begin <= address && address < s.end; });
  }
  void read_symbols();
  void read_segments(Elf* elf);
};

Program::Program(const std::filesystem::path& path, Demangle demangle) : impl_(std::make_unique<Impl>()) {
  Impl& self = *impl_;
  self.path = path.string();
  self.demangle = demangle;
  const auto fail = [&](std::string_view what) {
    throw InputError(Location::file(self.path), fmt::format("{}: {}", what, dwfl_errmsg(-1)));
  };
  self.session.reset(dwfl_begin(&self.callbacks));
  if (!self.session) fail("cannot be read");
  dwfl_report_begin(self.session.get());
  self.module = dwfl_report_elf(self.session.get(), "program", self.path.c_str(), -1, 0, true);
  if (self.module == nullptr) fail("not a program with symbols");
  dwfl_report_end(self.session.get(), nullptr, nullptr);

  GElf_Addr elf_bias = 0;
  Elf* const elf = dwfl_module_getelf(self.module, &elf_bias);
  if (elf == nullptr || gelf_getehdr(elf, &self.header) == nullptr) fail("not an ELF file");
  Dwarf_Addr dwarf_bias = 0;
  self.has_dwarf = dwfl_module_getdwarf(self.module, &dwarf_bias) != nullptr;
  self.read_segments(elf);
  self.read_symbols();
}

Program::~Program() = default;

void Program::Impl::read_segments(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    if (segment.p_type != PT_LOAD) continue;
    all = {std::min(all.begin, segment.p_vaddr), std::max(all.end, segment.p_vaddr + segment.p_memsz)};
    if ((segment.p_flags & PF_X) != 0) code.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
  }
}

void Program::Impl::read_symbols() {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && is_code(address)))
      functions.push_back({{address, symbol.st_size}, demangled(name, Demangle::Simple)});
    else if (type == STT_OBJECT)
      objects.try_emplace(without_blanks(demangled(name, Demangle::Simple)),
                          DataObject{address, symbol.st_size});
  }
  std::ranges::stable_sort(functions, {}, [](const Named& named) { return named.function.address; });
}

MachineHint Program::machine() const { return hint_of(impl_->header); }
const std::string& Program::path() const { return impl_->path; }
bool Program::is_position_independent() const { return impl_->header.e_type == ET_DYN; }
void Program::set_load_bias(std::uint64_t bias) { impl_->bias = bias; }
bool Program::knows_objects() const { return !impl_->functions.empty(); }

std::vector<Program::Function> Program::functions(std::string_view name) const {
  std::vector<Function> found;
  // Users type names without template arguments.
  const auto matches = [&](std::string_view full) {
    full = full.substr(0, full.find('<'));
    return full == name || (full.size() > name.size() + 2 && full.ends_with(name) &&
                            full.substr(full.size() - name.size() - 2, 2) == "::");
  };
  for (const auto& named : impl_->functions)
    if (matches(named.name)) found.push_back(named.function);
  return found;
}

std::optional<Program::Function> Program::function_at(std::uint64_t address) const {
  const auto& all = impl_->functions;
  auto next =
      std::ranges::upper_bound(all, address, {}, [](const auto& named) { return named.function.address; });
  for (int steps = 0; next != all.begin() && steps < 16; ++steps) {
    const Function& function = (--next)->function;
    if (address - function.address < function.size) return function;
  }
  return std::nullopt;
}

Program::Impl::LineRows& Program::Impl::lines_of(const std::string& file_name) {
  const auto [found, is_new] = lines.try_emplace(file_name);
  LineRows& rows = found->second;
  if (!is_new) return rows;
  Dwarf_Addr dwarf_bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &dwarf_bias)) != nullptr;) {
    Dwarf_Lines* table = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(unit, &table, &count) != 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* const row = dwarf_onesrcline(table, i);
      int line = 0;
      Dwarf_Addr address = 0;
      bool begins = false;
      const char* const source = dwarf_linesrc(row, nullptr, nullptr);
      if (source == nullptr || dwarf_lineno(row, &line) != 0 || line == 0) continue;
      if (dwarf_linebeginstatement(row, &begins) != 0 || !begins) continue;
      const std::string_view source_path(source);
      if (source_path.substr(source_path.rfind('/') + 1) != file_name) continue;
      if (dwarf_lineaddr(row, &address) == 0) rows.emplace_back(line, address + dwarf_bias);
    }
  }
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::uint64_t> Program::line_addresses(const std::string& file, int line) const {
  const auto& rows = impl_->lines_of(std::filesystem::path(file).filename().string());
  std::vector<std::uint64_t> addresses;
  const auto first = std::ranges::lower_bound(rows, line, {}, &std::pair<int, std::uint64_t>::first);
  for (auto row = first; row != rows.end() && row->first == first->first; ++row)
    addresses.push_back(row->second);
  return addresses;
}

bool Program::contains(std::uint64_t address) const {
  return impl_->all.begin <= address && address < impl_->all.end;
}

bool Program::was_at(std::uint64_t address) const { return contains(address - impl_->bias); }

bool Program::is_code(std::uint64_t address) const { return impl_->is_code(address); }

CodeInfo Program::code_at(std::uint64_t address) const {
  CodeInfo info;
  const Dwarf_Addr pc = address - impl_->bias;
  if (!is_code(pc)) return info;
  if (Dwfl_Line* const line = dwfl_module_getsrc(impl_->module, pc)) {
    int number = 0;
    const char* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file != nullptr && number > 0) info.source = fmt::format("{}:{}", file, number);
  }
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      dwfl_module_addrinfo(impl_->module, pc, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) info.function = demangled(name, impl_->demangle);

  const Impl::Unit unit = impl_->unit_at(pc);
  if (unit.die == nullptr) return info;
  std::vector<std::string> functions;  // innermost first
  const Scopes scopes = Scopes::at(unit.die, unit.pc);
  for (Dwarf_Die& scope : scopes.all()) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    if (std::string function = qualified_name(&scope, impl_->demangle); !function.empty())
      functions.push_back(std::move(function));
    if (tag == DW_TAG_subprogram) break;
  }
  // The scopes of an inlined function are those of its abstract origin. Its callers are around the instance.
  if (!scopes.all().empty()) {
    for (Dwarf_Die& scope : scopes.all()) {
      if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
      functions.clear();
      const Scopes around = Scopes::around(&scope);
      for (Dwarf_Die& outer : around.all()) {
        const int tag = dwarf_tag(&outer);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
          functions.push_back(qualified_name(&outer, impl_->demangle));
      }
      break;
    }
  }
  if (functions.empty()) return info;
  if (impl_->demangle != Demangle::No || functions.size() > 1) info.function = functions.front();
  if (functions.size() > 1) info.inlined = std::move(functions);
  return info;
}

std::optional<DataObject> Program::object(const std::string& symbol) const {
  const auto found = impl_->objects.find(without_blanks(symbol));
  if (found == impl_->objects.end()) return std::nullopt;
  return DataObject{found->second.address + impl_->bias, found->second.size};
}

Program::Impl::VisibleVariables Program::Impl::variables_at(std::uint64_t address, Visible which) const {
  const Unit unit = unit_at(address - bias);
  VisibleVariables found{.pc = unit.pc, .bias = unit.bias};
  if (unit.die != nullptr) found.dies = visible_variables(unit.die, unit.pc, which);
  return found;
}

// A variable that has the same address in all frames.
std::optional<DataObject> Program::Impl::object_of(Dwarf_Die* variable, const VisibleVariables& visible) {
  const auto address = static_address_of(variable, visible.pc);
  if (!address) return std::nullopt;
  const Type* const type = types.of(variable);
  return DataObject{*address + visible.bias + bias, type != nullptr ? type->size : 0};
}

std::optional<DataObject> Program::object(std::uint64_t address, const std::string& name) const {
  auto visible = impl_->variables_at(address, Visible::Everywhere);
  for (Dwarf_Die& variable : visible.dies) {
    if (name != dwarf_diename(&variable)) continue;
    if (is_declaration(&variable)) break;
    return impl_->object_of(&variable, visible);
  }
  if (auto found = object(name)) return found;
  auto variable = qualified_variable(name);
  return variable ? impl_->object_of(&*variable, visible) : std::nullopt;
}

// Finds "function::name" and "'file'::name".
std::optional<Dwarf_Die> Program::qualified_variable(std::string_view name) const {
  const std::size_t colons = name.rfind("::");
  if (colons == std::string_view::npos || colons == 0) return std::nullopt;
  const std::string_view outer = name.substr(0, colons), own = name.substr(colons + 2);
  if (outer.starts_with('\'') && outer.ends_with('\'')) {
    Dwarf_Addr bias = 0;
    const std::filesystem::path file(outer.substr(1, outer.size() - 2));
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(impl_->module, unit, &bias)) != nullptr;) {
      const char* const path = dwarf_diename(unit);
      if (path == nullptr || std::filesystem::path(path).filename() != file.filename()) continue;
      if (auto found = variable_of_unit(unit, own)) return found;
    }
    return std::nullopt;
  }
  for (const Function& function : functions(outer)) {
    const Impl::Unit unit = impl_->unit_at(function.address);
    if (unit.die == nullptr) continue;
    const Scopes scopes = Scopes::at(unit.die, unit.pc);
    for (Dwarf_Die& scope : scopes.all())
      if (dwarf_tag(&scope) == DW_TAG_subprogram)
        if (auto found = variable_within(&scope, own)) return found;
  }
  return std::nullopt;
}

std::vector<StaticLocal> Program::static_locals(std::uint64_t address) const {
  std::vector<StaticLocal> all;
  auto visible = impl_->variables_at(address, Visible::OfFunction);
  for (Dwarf_Die& variable : visible.dies)
    if (const auto object = impl_->object_of(&variable, visible))
      all.push_back({dwarf_diename(&variable), impl_->types.of(&variable), *object});
  return all;
}

std::optional<LocalVariable> Program::local(std::uint64_t address, FrameOffset offset) const {
  auto visible = impl_->variables_at(address, Visible::OfFunction);
  for (Dwarf_Die& variable : visible.dies)
    if (frame_offset_of(&variable, visible.pc) == offset)
      return LocalVariable{.name = dwarf_diename(&variable), .type = impl_->types.of(&variable)};
  return std::nullopt;
}

std::vector<RegisterVariable> Program::register_variables(std::uint64_t address) const {
  std::vector<RegisterVariable> all;
  auto visible = impl_->variables_at(address, Visible::OfFunction);
  for (Dwarf_Die& variable : visible.dies) {
    auto found = storage_of(&variable, visible.pc, impl_->header.e_machine);
    if (!found) continue;
    found->name = dwarf_diename(&variable);
    found->type = impl_->types.of(&variable);
    found->is_parameter = dwarf_tag(&variable) == DW_TAG_formal_parameter;
    all.push_back(*std::move(found));
  }
  return all;
}

bool Program::frame_base_adds(std::uint64_t address) const {
  const Impl::Unit unit = impl_->unit_at(address - impl_->bias);
  if (unit.die == nullptr) return true;
  const Scopes scopes = Scopes::at(unit.die, unit.pc);
  for (Dwarf_Die& scope : scopes.all()) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&scope, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, unit.pc, &operations, &count, 1) != 1 || count != 1)
      continue;
    const bool is_register = operations->atom >= DW_OP_reg0 && operations->atom <= DW_OP_reg31;
    const bool is_sum = operations->atom >= DW_OP_breg0 && operations->atom <= DW_OP_breg31;
    return !is_register && !(is_sum && operations->number == 0);
  }
  return true;
}

const Type* Program::type_of(std::uint64_t address, const std::string& expression) const {
  if (!impl_->has_dwarf) return nullptr;
  if (auto variable = qualified_variable(expression)) return impl_->types.of(&*variable);
  auto visible = impl_->variables_at(address, Visible::Everywhere);
  const ExpressionScope scope{
      .variable =
          [&](const std::string& name) {
            for (Dwarf_Die& variable : visible.dies)
              if (name == dwarf_diename(&variable))
                if (const Type* const type = impl_->types.of(&variable)) return type;
            Dwarf_Die* const variable = impl_->global_names().variable(name);
            return variable != nullptr ? impl_->types.of(variable) : nullptr;
          },
      .type =
          [&](const std::string& name) {
            Dwarf_Die* const type = impl_->global_names().type(name);
            return type != nullptr ? impl_->types.read(type) : nullptr;
          },
      .pointer_size = std::size_t{impl_->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8u : 4u}};
  return type_of_expression(expression, scope, impl_->types);
}

}  // namespace convert::tfile
