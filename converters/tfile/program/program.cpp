#include "converters/tfile/program/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <exception>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>
#include <utility>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/stored_bytes.h"
#include "converters/symbols/debug_sections.h"
#include "converters/symbols/elf_symbols.h"
#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/global_names.h"
#include "converters/tfile/program/line_table.h"
#include "converters/tfile/program/named_places.h"
#include "fxt/hash.h"

namespace convert::tfile {
namespace {

// Opens the file with the debug information that was stripped from a program. Replaces libdwfl's own search,
// which would also ask servers. Finds nothing if libdwfl asks for dwz's file with shared debug information,
// because libdw finds that file itself.
int open_debug_file(Dwfl_Module* /*module*/, void** /*data*/, const char* /*name*/, Dwarf_Addr /*base*/,
                    const char* file, const char* linked, GElf_Word /*checksum*/, char** found) {
  try {
    const std::filesystem::path path = std::filesystem::canonical(file);
    const InputFile program{fxt::FilePlace(path)};
    const ElfImage image(program);
    const auto link = image.debug_link();
    if (linked != nullptr && (!link || link->name != linked)) return -1;
    const auto debug = find_debug_file(image, path, {});
    if (debug == nullptr || !debug->image.unsafe_for_libdw().empty()) return -1;
    *found = ::strdup(debug->file.path().c_str());
    return ::dup(debug->file.descriptor());
  } catch (const std::exception&) {
    return -1;
  }
}

// A program may share debug information with another file (.gnu_debugaltlink), which libdw would open itself.
// If this file is unsafe, the program itself is set in its place, so that libdw does not open the file.
void keep_shared_file_shut(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module, &bias);
  const char* name = nullptr;
  const void* build_id = nullptr;
  if (dwarf == nullptr || dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) <= 0) return;
  if (!unsafe_for_libdw(debug_file_of(module).parent_path() / name).empty()) dwarf_setalt(dwarf, dwarf);
}

// The name of a missing file that has the module's debug information, or a part of it that several programs
// share. Empty if no file is missing.
std::string missing_debug_file_of(Dwfl_Module* module, const ElfImage& image) {
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module, &bias);
  if (dwarf == nullptr) return image.debug_link().value_or(ElfImage::DebugLink{}).name;
  const char* name = nullptr;
  const void* build_id = nullptr;
  if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) <= 0) return {};
  Dwarf* const shared = dwarf_getalt(dwarf);
  return shared == nullptr || shared == dwarf ? name : "";
}

// The size of the program. If its debug information is in a larger file, the size of that file.
std::uint64_t bytes_of_debug_file(Dwfl_Module* module, std::uint64_t program_bytes) {
  try {
    return std::max(program_bytes, stored_bytes(InputFile{fxt::FilePlace(debug_file_of(module))}));
  } catch (const InputError&) {
    return program_bytes;
  }
}

// Users type names without template arguments.
std::string_view without_arguments(std::string_view name) { return name.substr(0, name.find('<')); }

// Returns "file:line" for code; empty if unknown.
std::string source_of(const LineTable& table, std::uint64_t address) {
  const auto row = table.row_of_code(address);
  return row ? fmt::format("{}:{}", row->path, row->line) : std::string();
}

}  // namespace

// A limit for searches through all functions or all rows of line tables. One step takes 1 or 2 nanoseconds.
constexpr fxt::Limit kProgramWork{"steps to search a program", 4'000'000'000, 400'000};
constexpr std::uint64_t kWorkPerName = 1000;  // steps to demangle a name

struct Program::Impl {
  std::string path;
  std::string missing_debug_file;
  Demangle demangle;
  Dwfl_Callbacks callbacks{.find_elf = nullptr,
                           .find_debuginfo = open_debug_file,
                           .section_address = dwfl_offline_section_address,
                           .debuginfo_path = nullptr};
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> session{nullptr, &dwfl_end};
  Dwfl_Module* module = nullptr;
  std::uint64_t bias = 0;  // load bias in the recording
  ProgramLayout layout;

  NamedPlaces functions;  // including labels
  NamedPlaces objects;
  // The rows of line tables at which statements begin: all of them, and those that GDB keeps. See
  // LineTable::for_each_statement().
  struct Statements {
    std::vector<LineRow> all = {}, kept = {};
  };
  fxt::SeededMap<std::string, Statements> statements;  // by name of a source file; filled by statements_of()
  const Statements& statements_of(const std::string& file_name);
  std::unique_ptr<DebugInfo> debug;
  fxt::Budget work{kProgramWork};

  void read_symbols(fxt::Budget name_budget);
};

Program::Program(const std::filesystem::path& path, Demangle demangle) : impl_(std::make_unique<Impl>()) {
  Impl& self = *impl_;
  self.path = path.string();
  const InputFile file{fxt::FilePlace(path)};  // throws for a FIFO, because libdwfl would hang at it
  const ElfImage image(file);
  if (const std::string unsafe = image.unsafe_for_libdw(); !unsafe.empty())
    throw OverLimit(self.path, unsafe);
  self.demangle = demangle;
  const auto fail = [&](std::string_view what) {
    throw InputError(Location::file(self.path), fmt::format("{}: {}", what, dwfl_errmsg(-1)));
  };
  self.session.reset(dwfl_begin(&self.callbacks));
  if (!self.session) fail("can't be read");
  dwfl_report_begin(self.session.get());
  self.module = dwfl_report_elf(self.session.get(), "program", self.path.c_str(), -1, 0, true);
  if (self.module == nullptr) fail("not a program with symbols");
  dwfl_report_end(self.session.get(), nullptr, nullptr);
  keep_shared_file_shut(self.module);
  self.missing_debug_file = missing_debug_file_of(self.module, image);
  const std::uint64_t file_bytes = bytes_of_debug_file(self.module, stored_bytes(file));
  Dwarf_Addr dwarf_bias = 0;
  if (Dwarf* const dwarf = dwfl_module_getdwarf(self.module, &dwarf_bias))
    for (Dwarf* const one : {dwarf, dwarf_getalt(dwarf)})
      if (const std::string excess = one != nullptr ? excess_of_abbreviations(one, file_bytes) : "";
          !excess.empty())
        throw OverLimit(self.path, excess);

  GElf_Addr elf_bias = 0;
  Elf* const elf = dwfl_module_getelf(self.module, &elf_bias);
  if (elf == nullptr || !self.layout.read(elf)) fail("not an ELF file");
  const GElf_Ehdr& header = self.layout.header();
  self.debug =
      std::make_unique<DebugInfo>(self.module, header.e_machine, self.layout.address_bytes(), file_bytes);
  self.work = fxt::Budget(kProgramWork, file_bytes);
  self.read_symbols(image.name_budget());
  release_pages(elf);
}

Program::~Program() = default;

void Program::Impl::read_symbols(fxt::Budget name_budget) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
    if (!name_budget.take(std::strlen(name))) throw OverLimit(path, name_budget.exceeded());
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && layout.is_code(address))) {
      functions.add(address, symbol.st_size, name);
    } else if (type == STT_OBJECT) {
      objects.add(address, symbol.st_size, name);
      debug->add_object(name, symbol, address);
    }
  }
  functions.put_in_order();
  objects.put_in_order();
}

const std::string& Program::path() const { return impl_->path; }
void Program::add_notes(Notes& notes) const {
  const Location file = Location::file(path());
  if (impl_->work.is_exceeded())
    note_over_limit(notes, file, impl_->work, "some functions and lines are unknown");
  for (const std::string& text : impl_->debug->left_out()) notes.add(kOverLimit, file, text);
}

const std::string& Program::missing_debug_file() const { return impl_->missing_debug_file; }
bool Program::has_all_debug_information() const {
  return impl_->debug->dwarf() != nullptr && impl_->missing_debug_file.empty() &&
         impl_->debug->units().missing_files().empty();
}
const ProgramLayout& Program::layout() const { return impl_->layout; }
void Program::set_load_bias(std::uint64_t bias) {
  impl_->bias = bias;
  impl_->debug->set_load_bias(bias);
}
DebugInfo& Program::debug_info() const { return *impl_->debug; }

std::vector<Program::Function> Program::functions(std::string_view name) const {
  std::vector<Function> found;
  for (const NamedPlaces::Key& key : impl_->functions.with_key_of(name)) {
    if (!impl_->work.take(kWorkPerName)) break;
    const NamedPlaces::Place& place = impl_->functions.at(key);
    const std::string whole = plain_name_of(place.symbol);
    const std::string_view plain = without_arguments(whole);
    if (plain == name || (plain.size() > name.size() + 2 && plain.ends_with(name) &&
                          plain.substr(plain.size() - name.size() - 2, 2) == "::"))
      found.push_back({place.address, place.size});
  }
  return found;
}

std::optional<Program::Function> Program::function_at(std::uint64_t address) const {
  const auto* const found = impl_->functions.find(address);
  return found != nullptr ? std::optional(Function{found->address, found->size}) : std::nullopt;
}

std::string Program::symbol_at(std::uint64_t address) const {
  address -= impl_->bias;
  const auto* found = impl_->functions.find(address);
  if (found == nullptr) found = impl_->objects.find(address);
  if (found == nullptr) return {};
  const std::string name =
      demangled(found->symbol, impl_->demangle == Demangle::No ? Demangle::No : Demangle::Full);
  const std::uint64_t offset = address - found->address;
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

std::span<const std::byte> Program::constant_bytes(std::uint64_t address) const {
  return impl_->layout.constant_bytes(address - impl_->bias);
}

const Program::Impl::Statements& Program::Impl::statements_of(const std::string& file_name) {
  const auto [found, is_new] = statements.try_emplace(file_name);
  Statements& of_file = found->second;
  if (!is_new) return of_file;
  Dwarf_Addr dwarf_bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module, &dwarf_bias);
  const LineFiles files(dwarf);
  std::size_t units = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &dwarf_bias)) != nullptr;) {
    constexpr std::size_t kFew = 256;
    if (++units % kFew == 0) release_pages(dwarf_getelf(dwarf));
    if (!files.may_have(*unit, file_name)) continue;
    const LineTable lines(*unit, dwarf_bias);
    constexpr std::uint64_t kWorkPerRow = 16;
    if (!work.take(kWorkPerRow * (lines.size() + 1))) break;
    lines.for_each_statement([&](const LineRow& row, bool is_kept) {
      if (row.path.substr(row.path.rfind('/') + 1) != file_name) return;
      of_file.all.push_back(row);
      if (is_kept) of_file.kept.push_back(row);
    });
  }
  std::ranges::sort(of_file.all);
  std::ranges::sort(of_file.kept);
  return of_file;
}

std::vector<std::uint64_t> Program::line_addresses(const std::string& file, int line) const {
  const auto& [all, kept] = impl_->statements_of(std::filesystem::path(file).filename().string());
  std::vector<std::uint64_t> addresses;
  // Newer versions of GDB use only the rows in `kept`. Older versions use all rows.
  for (const auto* const rows : {&all, &kept})
    for (auto of_path = rows->begin(); of_path != rows->end();) {
      const std::string_view path = of_path->path;
      const auto first = std::lower_bound(of_path, rows->end(), LineRow{.path = path, .line = line});
      for (auto row = first; row != rows->end() && row->path == path && row->line == first->line; ++row)
        addresses.push_back(row->address);
      of_path = std::ranges::upper_bound(of_path, rows->end(), path, {}, &LineRow::path);
    }
  std::ranges::sort(addresses);
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

std::uint64_t Program::prologue_end(const Function& function) const {
  const std::uint64_t end = function.address + function.size;
  const CodeScope* const scope = scope_at(function.address + impl_->bias);
  if (scope == nullptr) return end;
  const LineTable table(scope->unit, scope->bias() - impl_->bias);
  std::optional<LineRow> opening;
  for (std::size_t i = table.first_from(function.address); i < table.size(); ++i) {
    const auto row = table.row(i);
    if (!impl_->work.take()) break;
    if (!row || !row->begins_statement) continue;
    if (row->address >= end || (!opening && row->address != function.address)) break;
    if (!opening) opening = row;
    if (row->line > opening->line && row->path == opening->path && row->address > function.address)
      return row->address;
  }
  return end;
}

std::optional<Program::Function> Program::function_entered_after(std::uint64_t address) const {
  const CodeScope* const scope = scope_at(address + impl_->bias);
  if (scope == nullptr) return std::nullopt;
  Dwarf_Die outermost = scope->functions.back();
  Dwarf_Addr base = 0, entry = 0, end = 0;  // the first range of the code
  if (dwarf_ranges(&outermost, 0, &base, &entry, &end) <= 0) return std::nullopt;
  entry += scope->bias() - impl_->bias;
  return entry > address ? function_at(entry) : std::nullopt;
}

bool Program::may_begin_at(const Function& function, std::uint64_t address) const {
  if (impl_->layout.header().e_machine != EM_X86_64 || address == function.address) return true;
  const CodeScope* const scope = scope_at(address + impl_->bias);
  if (scope == nullptr) return true;
  Dwarf_Die unit = scope->unit;
  Dwarf_Addr row = 0;
  if (dwarf_lineaddr(dwarf_getsrc_die(&unit, scope->pc), &row) != 0 || row == scope->pc) return true;
  // The address is inside a line. GDB sets a tracepoint there only if it has no lines for the function. Then
  // it skips the instructions that set up the frame: `endbr64`, `push %rbp` and `mov %rsp,%rbp`.
  constexpr std::array kSetUp{std::byte{0x55}, std::byte{0x48}, std::byte{0x89}, std::byte{0xe5}};
  constexpr std::array kBranchTarget{std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e}, std::byte{0xfa}};
  auto code = impl_->layout.code_bytes(function.address);
  std::uint64_t end_of_set_up = function.address;
  for (const auto& instructions : {kBranchTarget, kSetUp})
    if (code.size() >= instructions.size() &&
        std::ranges::equal(code.first(instructions.size()), instructions)) {
      code = code.subspan(instructions.size());
      end_of_set_up += instructions.size();
    }
  return address == end_of_set_up;
}

bool Program::was_at(std::uint64_t address) const { return impl_->layout.contains(address - impl_->bias); }

CodeInfo Program::code_at(std::uint64_t address) const {
  CodeInfo info;
  const Dwarf_Addr pc = address - impl_->bias;
  // libdwfl compares the address with all symbols, so the number of functions counts as work.
  if (!impl_->layout.is_code(pc) || !impl_->work.take(impl_->functions.size())) return info;
  const CodeScope* const scope = scope_at(address);
  Dwarf_Addr dwarf_bias = 0;
  // libdw finds a unit by its ranges, which some compilers do not write. In this case, the scope's unit is
  // used below.
  if (const Dwarf_Die* const unit = dwfl_module_addrdie(impl_->module, pc, &dwarf_bias))
    info.source = source_of(LineTable(*unit, dwarf_bias), pc);
  if (info.source.empty() && scope != nullptr)
    info.source = source_of(LineTable(scope->unit, scope->bias() - impl_->bias), pc);
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      dwfl_module_addrinfo(impl_->module, pc, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) info.function = demangled(name, impl_->demangle);

  if (scope == nullptr) return info;
  std::vector<std::string> functions;  // innermost first
  for (Dwarf_Die function : scope->functions)
    if (std::string own = qualified_name(impl_->debug->die_scopes(), function, impl_->demangle); !own.empty())
      functions.push_back(std::move(own));
  if (functions.empty()) return info;
  if (impl_->demangle != Demangle::No || functions.size() > 1) info.function = functions.front();
  if (functions.size() > 1) info.inlined = std::move(functions);
  return info;
}

const CodeScope* Program::scope_at(std::uint64_t address) const {
  return impl_->layout.is_code(address - impl_->bias) ? impl_->debug->scope_at(address) : nullptr;
}

DebugInfo* Program::debug_info_at(std::uint64_t address) const {
  return impl_->layout.is_code(address - impl_->bias) ? impl_->debug.get() : nullptr;
}

std::optional<DataObject> Program::object(const std::string& symbol) const {
  const NamedPlaces::Place* found = nullptr;  // the first object with this name in the file
  for (const NamedPlaces::Key& key : impl_->objects.with_key_of(symbol)) {
    const NamedPlaces::Place& place = impl_->objects.at(key);
    if (found != nullptr && found->order < place.order) continue;
    if (!impl_->work.take(kWorkPerName)) break;
    if (without_blanks(plain_name_of(place.symbol)) == without_blanks(symbol)) found = &place;
  }
  if (found == nullptr) return std::nullopt;
  return DataObject{found->address + impl_->bias, found->size};
}

std::optional<std::uint64_t> Program::function(const std::string& symbol) const {
  std::optional<std::uint64_t> found;
  for (const NamedPlaces::Key& key : impl_->functions.with_key_of(plain_name_of(symbol))) {
    const NamedPlaces::Place& place = impl_->functions.at(key);
    if (!impl_->work.take() || (found && place.symbol == symbol && *found != place.address))
      return std::nullopt;
    if (place.symbol == symbol) found = place.address;
  }
  return found ? std::optional(*found + impl_->bias) : std::nullopt;
}

}  // namespace convert::tfile
