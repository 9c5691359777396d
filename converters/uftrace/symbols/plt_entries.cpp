#include "converters/uftrace/symbols/plt_entries.h"

#include <algorithm>
#include <array>
#include <gelf.h>
#include <map>

#include <boost/endian/conversion.hpp>

namespace convert::uftrace {
namespace {

constexpr std::array<std::string_view, 2> kRelocationSections{".rela.plt", ".rel.plt"};
constexpr std::size_t kMaxSlots = std::size_t{1} << 20;

// Relocations of functions by the slot that they fill. In the order of the file, and by address.
struct Slots {
  std::vector<std::string_view> in_order;  // of the PLT's own; empty text: without a name
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

// On x86-64 every entry jumps through its slot, whichever linker made it: `jmp *slot(%rip)`.
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

// Elsewhere, the entries follow a header in the order of their relocations.
struct Layout {
  int machine;
  std::uint64_t header_bytes;
  std::uint64_t entry_bytes;
};
constexpr std::array kLayouts{Layout{EM_386, 16, 16}, Layout{EM_AARCH64, 32, 16}, Layout{EM_ARM, 20, 12},
                              Layout{EM_RISCV, 32, 16}};

void add_in_order(const ElfImage& image, const Slots& slots, std::vector<PltEntry>& entries) {
  const auto* const layout = std::ranges::find(kLayouts, image.machine(), &Layout::machine);
  const ElfSection* const second = image.find(".plt.sec");  // what programs with CET call: without a header
  const ElfSection* const section = second != nullptr ? second : image.find(".plt");
  if (layout == kLayouts.end() || section == nullptr) return;
  const std::uint64_t header_bytes = second != nullptr ? 0 : layout->header_bytes;
  // Another size: entries that we don't know. No name is better than a wrong one.
  if (section->size != header_bytes + slots.in_order.size() * layout->entry_bytes) return;
  std::uint64_t address = section->address + header_bytes;
  for (const std::string_view name : slots.in_order) {
    if (!name.empty()) entries.push_back({.address = address, .size = layout->entry_bytes, .name = name});
    address += layout->entry_bytes;
  }
}

}  // namespace

std::string_view dynamic_strings(const ElfImage& image) {
  const ElfSection* const table = image.find(SHT_DYNSYM);
  return table != nullptr ? image.strings_of(*table) : std::string_view{};
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

}  // namespace convert::uftrace
