#include "converters/uftrace/symbols/elf_symbols.h"

#include <algorithm>
#include <gelf.h>
#include <utility>

#include "converters/uftrace/symbols/plt_entries.h"

namespace convert::uftrace {
namespace {

constexpr char kNoType = 0;
constexpr std::string_view kNameEnd("\0@", 2);  // a version of the name may follow

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

const ElfSection* symbols_of(const ElfImage& image) {
  const ElfSection* const all = image.find(SHT_SYMTAB);
  return all != nullptr ? all : image.find(SHT_DYNSYM);
}

// Offsets count from the first mapping of the program, which its debug file may not tell.
void add_symbols(const ElfImage& image, std::uint64_t base, std::vector<std::string>& texts,
                 std::vector<Symbol>& symbols) {
  const ElfSection* const table = symbols_of(image);
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
    if (image.machine() == EM_ARM) start &= ~std::uint64_t{1};  // tells the instruction set
    symbols.push_back({.start = start,
                       .end = symbol.st_size <= ~start ? start + symbol.st_size : ~std::uint64_t{0},
                       .name = name.substr(0, name.find_first_of(kNameEnd)),
                       .type = type});
  }
}

// Of the names of one place, uftrace saves one, and so do we: the first of .symtab or the last of .dynsym
// (the first there, too, if it is mangled), and one that begins with '_' only where there is no other.
void put_best_names_first(std::vector<Symbol>& symbols, bool are_full) {
  const auto others = std::stable_partition(
      symbols.begin(), symbols.end(), [](const Symbol& symbol) { return symbol.name.starts_with("_Z"); });
  if (!are_full) std::reverse(others, symbols.end());
  std::stable_partition(others, symbols.end(),
                        [](const Symbol& symbol) { return !symbol.name.starts_with('_'); });
}

}  // namespace

bool has_full_symbols(const ElfImage& image) { return image.find(SHT_SYMTAB) != nullptr; }

std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug) {
  std::vector<std::string> texts;
  texts.reserve(2);  // of the symbols and of the PLT; names are borrowed from them
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

}  // namespace convert::uftrace
