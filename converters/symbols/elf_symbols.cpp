#include "converters/symbols/elf_symbols.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gelf.h>
#include <map>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include "converters/model/reading/input_error.h"

namespace convert {
namespace {

constexpr char kNoType = 0;
constexpr std::size_t kLongestSymbolName = 32'000;  // longer names are cut, as in a trace
constexpr std::string_view kNameEnd("\0@", 2);      // a version may follow the name

char type_of(const GElf_Sym& symbol) {
  const bool is_function =
      GELF_ST_TYPE(symbol.st_info) == STT_FUNC || GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
  if (!is_function && GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return kNoType;
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_LOCAL:
      return is_function ? 't' : 'd';
    case STB_GLOBAL:
      return is_function ? 'T' : 'D';
    case STB_WEAK:
      return is_function ? 'w' : 'v';
    case STB_GNU_UNIQUE:
      return is_function ? 'T' : 'u';
    default:
      return kNoType;
  }
}

const ElfSection* symbol_section(const ElfImage& image) {
  const ElfSection* const all = image.find(SHT_SYMTAB);
  return all != nullptr ? all : image.find(SHT_DYNSYM);
}

// `base` is the start of the program's first mapping. If `image` is a debug file, its own first mapping may
// start at another address.
void add_symbols(const ElfImage& image, std::uint64_t base, fxt::Budget& names,
                 std::vector<Symbol>& symbols) {
  const ElfSection* const table = symbol_section(image);
  Elf_Data* const data = table != nullptr ? image.data(*table) : nullptr;
  if (data == nullptr || table->entry_size == 0) return;
  const std::string_view text = image.strings_of(*table);
  const std::uint64_t count = std::min<std::uint64_t>(data->d_size / table->entry_size, INT32_MAX);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) return;
    const char type = type_of(symbol);
    const bool is_defined = symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0 && symbol.st_value >= base;
    if (type == kNoType || !is_defined || symbol.st_name >= text.size()) continue;
    std::string_view name = text.substr(symbol.st_name, kLongestSymbolName);
    name = name.substr(0, name.find_first_of(kNameEnd));
    if (!names.take(name.size())) return;
    std::uint64_t start = symbol.st_value - base;
    if (image.machine() == EM_ARM) start &= ~std::uint64_t{1};  // bit 0 marks Thumb code
    symbols.push_back({.start = start,
                       .end = symbol.st_size <= ~start ? start + symbol.st_size : ~std::uint64_t{0},
                       .name = name,
                       .type = type});
  }
}

// Sorts the names at each address, so that the first one is the name that uftrace keeps. Mangled names come
// first, then names without a leading '_', and then all other names. If the names are from .dynsym, the order
// of names that are not mangled is reversed.
void put_best_names_first(std::vector<Symbol>& symbols, bool are_full) {
  const auto others = std::stable_partition(
      symbols.begin(), symbols.end(), [](const Symbol& symbol) { return symbol.name.starts_with("_Z"); });
  if (!are_full) std::reverse(others, symbols.end());
  std::stable_partition(others, symbols.end(),
                        [](const Symbol& symbol) { return !symbol.name.starts_with('_'); });
}

// ---- Entries of the procedure linkage table ----

constexpr std::array<std::string_view, 2> kPltRelocations{".rela.plt", ".rel.plt"};
constexpr std::size_t kMaxSlots = std::size_t{1} << 20;

// The slots of the global offset table. Each slot gets the address of a function through a relocation.
struct Slots {
  // names in the order of the PLT's relocations; an empty text means no name
  std::vector<std::string_view> of_plt;
  std::map<std::uint64_t, std::string_view> by_address;
};

std::string_view dynamic_name(Elf_Data* symbols, std::string_view strings, std::uint64_t index) {
  GElf_Sym symbol;
  if (symbols == nullptr || index == 0 || index > INT32_MAX ||
      gelf_getsym(symbols, static_cast<int>(index), &symbol) == nullptr || symbol.st_name >= strings.size())
    return {};
  const std::string_view rest = strings.substr(symbol.st_name, kLongestSymbolName);
  return rest.substr(0, rest.find('\0'));
}

void read_relocations(const ElfImage& image, const ElfSection& section, Elf_Data* symbols,
                      std::string_view strings, fxt::Budget& names, Slots& slots) {
  Elf_Data* const data = image.data(section);
  const bool is_of_plt = std::ranges::count(kPltRelocations, section.name) != 0;
  if (data == nullptr || section.entry_size == 0) return;
  const std::uint64_t count = std::min<std::uint64_t>(data->d_size / section.entry_size, INT32_MAX);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    GElf_Rela relocation{};
    if (section.type == SHT_RELA) {
      if (gelf_getrela(data, i, &relocation) == nullptr) return;
    } else {
      GElf_Rel rel;
      if (gelf_getrel(data, i, &rel) == nullptr) return;
      relocation = {.r_offset = rel.r_offset, .r_info = rel.r_info, .r_addend = 0};
    }
    const std::string_view name = dynamic_name(symbols, strings, GELF_R_SYM(relocation.r_info));
    const auto type = GELF_R_TYPE(relocation.r_info);
    if (slots.of_plt.size() >= kMaxSlots || slots.by_address.size() >= kMaxSlots) return;
    if (!names.take(name.size())) return;
    if (is_of_plt) slots.of_plt.push_back(name);
    if (!name.empty() && (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT))
      slots.by_address.emplace(relocation.r_offset, name);
  }
}

Slots read_slots(const ElfImage& image, std::string_view strings, fxt::Budget& names) {
  const ElfSection* const table = image.find(SHT_DYNSYM);
  Elf_Data* const symbols = table != nullptr ? image.data(*table) : nullptr;
  Slots slots;
  for (const ElfSection& section : image.sections())
    if (section.type == SHT_RELA || section.type == SHT_REL)
      read_relocations(image, section, symbols, strings, names, slots);
  return slots;
}

Symbol plt_entry(std::uint64_t address, std::uint64_t size, std::string_view name) {
  return {.start = address, .end = address + size, .name = name, .type = 'P'};
}

// On x86-64, with all linkers, every entry contains a jump through its slot: `jmp *slot(%rip)`.
void add_jumps(const ElfImage& image, const ElfSection& section, const Slots& slots,
               std::vector<Symbol>& entries) {
  constexpr std::array<unsigned char, 2> kJump{0xff, 0x25};
  constexpr std::size_t kJumpBytes = 6;
  const std::uint64_t step = section.name == ".plt.got" && section.entry_size != 16 ? 8 : 16;
  const std::string_view code = image.bytes(section);
  for (std::uint64_t start = 0; start + step <= code.size(); start += step) {
    const auto* const entry = reinterpret_cast<const unsigned char*>(code.data()) + start;
    for (std::size_t i = 0; i + kJumpBytes <= step; ++i) {
      if (!std::equal(kJump.begin(), kJump.end(), entry + i)) continue;
      const auto distance =
          static_cast<std::uint64_t>(std::int64_t{boost::endian::load_little_s32(entry + i + 2)});
      const auto slot = slots.by_address.find(section.address + start + i + kJumpBytes + distance);
      if (slot == slots.by_address.end()) continue;
      entries.push_back(plt_entry(section.address + start, step, slot->second));
      break;
    }
  }
}

// On other machines, .plt has a header. After it come the entries, in the order of their relocations.
struct Layout {
  int machine;
  std::uint64_t header_bytes;
  std::uint64_t entry_bytes;
};
constexpr std::array kLayouts{Layout{EM_386, 16, 16}, Layout{EM_AARCH64, 32, 16}, Layout{EM_ARM, 20, 12},
                              Layout{EM_RISCV, 32, 16}};

void add_in_order(const ElfImage& image, const Slots& slots, std::vector<Symbol>& entries) {
  const auto* const layout = std::ranges::find(kLayouts, image.machine(), &Layout::machine);
  const ElfSection* const second = image.find(".plt.sec");  // in programs with CET; has no header
  const ElfSection* const section = second != nullptr ? second : image.find(".plt");
  if (layout == kLayouts.end() || section == nullptr) return;
  const std::uint64_t header_bytes = second != nullptr ? 0 : layout->header_bytes;
  // If the size is different, the layout is unknown. In this case, the entries get no names.
  if (section->size != header_bytes + slots.of_plt.size() * layout->entry_bytes) return;
  std::uint64_t address = section->address + header_bytes;
  for (const std::string_view name : slots.of_plt) {
    if (!name.empty()) entries.push_back(plt_entry(address, layout->entry_bytes, name));
    address += layout->entry_bytes;
  }
}

// Returns the entries with their addresses in the file. Names point into the strings of the dynamic symbols.
std::vector<Symbol> plt_entries(const ElfImage& image, std::string_view strings, fxt::Budget& names) {
  const Slots slots = read_slots(image, strings, names);
  std::vector<Symbol> entries;
  if (image.machine() == EM_X86_64) {
    for (const std::string_view name : {".plt", ".plt.sec", ".plt.got"})
      if (const ElfSection* const section = image.find(name)) add_jumps(image, *section, slots, entries);
  } else {
    add_in_order(image, slots, entries);
  }
  return entries;
}

}  // namespace

bool has_full_symbols(const ElfImage& image) { return image.find(SHT_SYMTAB) != nullptr; }

std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug,
                                              std::string* problem) {
  std::vector<Symbol> symbols;
  const ElfImage& source = debug != nullptr && has_full_symbols(*debug) ? *debug : image;
  fxt::Budget names = source.name_budget();
  add_symbols(source, image.base(), names, symbols);
  put_best_names_first(symbols, has_full_symbols(source));

  const ElfSection* const dynamic = image.find(SHT_DYNSYM);
  const std::string_view strings = dynamic != nullptr ? image.strings_of(*dynamic) : std::string_view{};
  for (Symbol entry : plt_entries(image, strings, names)) {
    if (entry.start < image.base()) continue;
    entry.start -= image.base();
    entry.end -= image.base();
    symbols.push_back(entry);
  }
  if (problem != nullptr && names.is_exceeded()) *problem = names.exceeded();
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.name.empty(); });
  if (symbols.empty()) return nullptr;
  return std::make_unique<SymbolTable>(std::move(symbols));
}

namespace {

constexpr std::string_view kDebugRoot = "/usr/lib/debug";
constexpr std::size_t kDirectoryDigits = 2;  // the first digits of the build-id, which name the folder

std::unique_ptr<ElfFile> open(const std::filesystem::path& path, const std::filesystem::path& root) {
  try {
    auto found = std::make_unique<ElfFile>(path, root);
    const bool is_debug_file = has_full_symbols(found->image) || found->image.find(".debug_info") != nullptr;
    return is_debug_file ? std::move(found) : nullptr;
  } catch (const InputError&) {
    return nullptr;
  }
}

std::optional<std::uint32_t> checksum_of(const InputFile& file) {
  boost::crc_32_type sum;
  std::array<char, 65536> block;
  std::uint64_t at = 0;
  while (at < file.size()) {
    const ssize_t got = ::pread(file.descriptor(), block.data(), block.size(), static_cast<off_t>(at));
    if (got <= 0) return std::nullopt;
    sum.process_bytes(block.data(), static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return sum.checksum();
}

}  // namespace

std::unique_ptr<ElfFile> find_debug_file(std::string_view build_id, const std::filesystem::path& root) {
  if (build_id.size() <= kDirectoryDigits) return nullptr;
  auto found = open(fmt::format("{}/.build-id/{}/{}.debug", kDebugRoot, build_id.substr(0, kDirectoryDigits),
                                build_id.substr(kDirectoryDigits)),
                    root);
  return found != nullptr && found->image.build_id() == build_id ? std::move(found) : nullptr;
}

std::unique_ptr<ElfFile> find_debug_file(const ElfImage& image, const std::filesystem::path& path,
                                         const std::filesystem::path& root) {
  if (auto found = find_debug_file(image.build_id(), root)) return found;
  const auto link = image.debug_link();
  const std::string name = link ? link->name : path.filename().native() + ".debug";
  if (name.empty() || name.find('/') != std::string::npos) return nullptr;
  const std::filesystem::path directory = path.parent_path();
  for (const std::filesystem::path& candidate :
       {directory, directory / ".debug", std::filesystem::path(kDebugRoot) / directory.relative_path()}) {
    auto found = open(candidate / name, root);
    if (found == nullptr) continue;
    const std::string& id = found->image.build_id();
    const bool fits = id.empty() || image.build_id().empty() ? link && checksum_of(found->file) == link->crc
                                                             : id == image.build_id();
    if (fits) return found;
  }
  return nullptr;
}

}  // namespace convert
