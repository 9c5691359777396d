#include "converters/symbols/elf_symbols.h"

#include <algorithm>
#include <array>
#include <gelf.h>
#include <map>
#include <utility>

#include <boost/endian/conversion.hpp>

namespace convert {
namespace {

constexpr char kNoType = 0;
constexpr std::string_view kNameEnd("\0@", 2);  // a version may follow the name

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

// `base` is the address of the first mapping. A debug file may have another one than its program.
void add_symbols(const ElfImage& image, std::uint64_t base, std::vector<std::string>& texts,
                 std::vector<Symbol>& symbols) {
  const ElfSection* const table = symbol_section(image);
  Elf_Data* const data = table != nullptr ? image.data(*table) : nullptr;
  if (data == nullptr || table->entry_size == 0) return;
  const std::string_view text = texts.emplace_back(image.strings_of(*table));
  const std::uint64_t count = std::min<std::uint64_t>(data->d_size / table->entry_size, INT32_MAX);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) return;
    const char type = type_of(symbol);
    const bool is_defined = symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0 && symbol.st_value >= base;
    if (type == kNoType || !is_defined || symbol.st_name >= text.size()) continue;
    const std::string_view name = text.substr(symbol.st_name);
    std::uint64_t start = symbol.st_value - base;
    if (image.machine() == EM_ARM) start &= ~std::uint64_t{1};  // bit 0 marks Thumb code
    symbols.push_back({.start = start,
                       .end = symbol.st_size <= ~start ? start + symbol.st_size : ~std::uint64_t{0},
                       .name = name.substr(0, name.find_first_of(kNameEnd)),
                       .type = type});
  }
}

// Of several names at one address uftrace keeps one, which comes first here: the first one in .symtab or the
// last one in .dynsym (the first one there, too, if it is mangled). Other names go before those that begin
// with '_'.
void put_best_names_first(std::vector<Symbol>& symbols, bool are_full) {
  const auto others = std::stable_partition(
      symbols.begin(), symbols.end(), [](const Symbol& symbol) { return symbol.name.starts_with("_Z"); });
  if (!are_full) std::reverse(others, symbols.end());
  std::stable_partition(others, symbols.end(),
                        [](const Symbol& symbol) { return !symbol.name.starts_with('_'); });
}

// ---- Entries of the procedure linkage table ----

struct PltEntry {
  std::uint64_t address;
  std::uint64_t size;
  std::string_view name;  // of the function, borrowed from the image
};

// The text that names of dynamic symbols are part of.
std::string_view dynamic_strings(const ElfImage& image) {
  const ElfSection* const table = image.find(SHT_DYNSYM);
  return table != nullptr ? image.strings_of(*table) : std::string_view{};
}

constexpr std::array<std::string_view, 2> kRelocationSections{".rela.plt", ".rel.plt"};
constexpr std::size_t kMaxSlots = std::size_t{1} << 20;

// The functions whose addresses relocations put into slots of the global offset table.
struct Slots {
  std::vector<std::string_view> in_order;  // those of the PLT; empty text: no name
  std::map<std::uint64_t, std::string_view> by_address;
};

class DynamicNames {
 public:
  explicit DynamicNames(const ElfImage& image) : strings_(dynamic_strings(image)) {
    if (const ElfSection* const table = image.find(SHT_DYNSYM)) symbols_ = image.data(*table);
  }
  std::string_view operator[](std::uint64_t index) const {
    GElf_Sym symbol;
    if (symbols_ == nullptr || index == 0 || index > INT32_MAX ||
        gelf_getsym(symbols_, static_cast<int>(index), &symbol) == nullptr ||
        symbol.st_name >= strings_.size())
      return {};
    const std::string_view rest = strings_.substr(symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  Elf_Data* symbols_ = nullptr;
  std::string_view strings_;
};

bool fills_function_slot(int machine, std::uint64_t type) {
  switch (machine) {
    case EM_X86_64:
      return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    case EM_386:
      return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT;
    default:
      return true;
  }
}

void read_relocations(const ElfImage& image, const ElfSection& section, const DynamicNames& names,
                      Slots& slots) {
  Elf_Data* const data = image.data(section);
  const bool is_of_plt = std::ranges::count(kRelocationSections, section.name) != 0;
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
    const std::string_view name = names[GELF_R_SYM(relocation.r_info)];
    if (slots.in_order.size() >= kMaxSlots || slots.by_address.size() >= kMaxSlots) return;
    if (is_of_plt) slots.in_order.push_back(name);
    if (!name.empty() && fills_function_slot(image.machine(), GELF_R_TYPE(relocation.r_info)))
      slots.by_address.emplace(relocation.r_offset, name);
  }
}

Slots slots_of(const ElfImage& image) {
  const DynamicNames names(image);
  Slots slots;
  for (const ElfSection& section : image.sections())
    if (section.type == SHT_RELA || section.type == SHT_REL) read_relocations(image, section, names, slots);
  return slots;
}

// On x86-64 every entry holds a jump through its slot, `jmp *slot(%rip)`, with all linkers.
void add_jumps(const ElfImage& image, const ElfSection& section, const Slots& slots,
               std::vector<PltEntry>& entries) {
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
      entries.push_back({.address = section.address + start, .size = step, .name = slot->second});
      break;
    }
  }
}

// On other machines, a header and then the entries, in the order of their relocations.
struct Layout {
  int machine;
  std::uint64_t header_bytes;
  std::uint64_t entry_bytes;
};
constexpr std::array kLayouts{Layout{EM_386, 16, 16}, Layout{EM_AARCH64, 32, 16}, Layout{EM_ARM, 20, 12},
                              Layout{EM_RISCV, 32, 16}};

void add_in_order(const ElfImage& image, const Slots& slots, std::vector<PltEntry>& entries) {
  const auto* const layout = std::ranges::find(kLayouts, image.machine(), &Layout::machine);
  const ElfSection* const second = image.find(".plt.sec");  // of programs with CET; has no header
  const ElfSection* const section = second != nullptr ? second : image.find(".plt");
  if (layout == kLayouts.end() || section == nullptr) return;
  const std::uint64_t header_bytes = second != nullptr ? 0 : layout->header_bytes;
  // With another size the layout is unknown. No name is better than a wrong one.
  if (section->size != header_bytes + slots.in_order.size() * layout->entry_bytes) return;
  std::uint64_t address = section->address + header_bytes;
  for (const std::string_view name : slots.in_order) {
    if (!name.empty()) entries.push_back({.address = address, .size = layout->entry_bytes, .name = name});
    address += layout->entry_bytes;
  }
}

std::vector<PltEntry> plt_entries(const ElfImage& image) {
  const Slots slots = slots_of(image);
  std::vector<PltEntry> entries;
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

std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug) {
  std::vector<std::string> texts;
  texts.reserve(2);  // names of the symbols and of the PLT, borrowed below
  std::vector<Symbol> symbols;
  const ElfImage& source = debug != nullptr ? *debug : image;
  add_symbols(source, image.base(), texts, symbols);
  put_best_names_first(symbols, has_full_symbols(source));

  const std::vector<PltEntry> entries = plt_entries(image);
  const std::string_view dynamic = dynamic_strings(image);
  const std::string_view names = texts.emplace_back(dynamic);
  for (const PltEntry& entry : entries) {
    if (entry.address < image.base()) continue;
    const std::uint64_t start = entry.address - image.base();
    const auto at = static_cast<std::size_t>(entry.name.data() - dynamic.data());
    symbols.push_back({.start = start,
                       .end = start + entry.size,
                       .name = names.substr(at, entry.name.size()),
                       .type = 'P'});
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.name.empty(); });
  if (symbols.empty()) return nullptr;
  return std::make_unique<SymbolTable>(std::move(texts), std::move(symbols));
}

}  // namespace convert
