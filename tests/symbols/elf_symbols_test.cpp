#include "converters/symbols/elf_symbols.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <ostream>
#include <string>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "tests/number_bytes.h"
#include "tests/symbols/elf_builder.h"
#include "tests/symbols/memory_file.h"
#include "tests/uftrace/text_recording.h"

namespace convert {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the text of the InputError, without the name of the file.
template <typename Action>
std::string problem_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "none";
}

class ElfTest : public testing::Test {
 protected:
  std::filesystem::path write(std::string_view bytes, std::string_view name = "elf") {
    directory_.file(name, bytes);
    return directory_.path() / name;
  }
  // Returns the symbols as "<start>-<end> <type> <name>", sorted by start.
  std::vector<std::string> symbols(std::string_view bytes) {
    const InputFile file{fxt::FilePlace(write(bytes))};
    const ElfImage image(file);
    const auto table = read_elf_symbols(image, nullptr);
    std::vector<std::string> lines;
    if (table != nullptr)
      for (const Symbol& symbol : table->symbols())
        lines.push_back(fmt::format("{:x}-{:x} {} {}", symbol.start, symbol.end, symbol.type, symbol.name));
    return lines;
  }
  std::string refusal(std::string_view bytes) {
    return problem_of([&] {
      const InputFile file{fxt::FilePlace(write(bytes))};
      const ElfImage image(file);
    });
  }
  uftrace::TextRecording directory_;
};

// /proc/self/mem can't be read at address 0.
TEST_F(ElfTest, AnUnreadableFileIsAnError) {
  const InputFile file{fxt::FilePlace("/proc/self/mem")};
  EXPECT_EQ(problem_of([&] { const ElfImage image(file); }), "can't read: Input/output error");
}

TEST_F(ElfTest, SymbolsCountFromTheFirstMapping) {
  ElfBuilder elf;
  elf.load(0x400040, 0x100).load(0x401000, 0x234);
  elf.add_symbols(".symtab", SHT_SYMTAB,
                  {{"main", 0x401000, 0x20},
                   {"helper", 0x401020, 0x10, STT_FUNC, STB_LOCAL},
                   {"spare", 0x401030, 0x10, STT_FUNC, STB_WEAK},
                   {"fast", 0x401040, 0x10, STT_GNU_IFUNC},
                   {"total", 0x402000, 8, STT_OBJECT},
                   {"count", 0x402008, 4, STT_OBJECT, STB_LOCAL},
                   {"limit", 0x40200c, 4, STT_OBJECT, STB_WEAK},
                   {"only", 0x402010, 4, STT_OBJECT, STB_GNU_UNIQUE}});
  EXPECT_THAT(symbols(elf.bytes(ET_EXEC)),
              ElementsAre("1000-1020 T main", "1020-1030 t helper", "1030-1040 w spare", "1040-1050 T fast",
                          "2000-2008 D total", "2008-200c d count", "200c-2010 v limit", "2010-2014 u only"));
}

TEST_F(ElfTest, OtherSymbolsAreIgnored) {
  ElfBuilder elf;
  elf.load(0x1000, 0x100);
  elf.add_symbols(".symtab", SHT_SYMTAB,
                  {{"imported", 0x1000, 8, STT_FUNC, STB_GLOBAL, SHN_UNDEF},
                   {"marker", 0x1000, 0},
                   {"file.c", 0x1000, 8, STT_FILE},
                   {"thread_local", 0x1000, 8, STT_TLS},
                   {"below", 0xfff, 8},
                   {"", 0x1000, 8},
                   {"odd", 0x1000, 8, STT_FUNC, 15},
                   {"last", 0x1008, ~std::uint64_t{0}}});
  EXPECT_THAT(symbols(elf.bytes()), ElementsAre("8-ffffffffffffffff T last"));
}

TEST_F(ElfTest, BothClassesAndByteOrdersGiveTheSame) {
  for (const bool is_64 : {false, true}) {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      ElfBuilder elf(is_64 ? EM_PPC64 : EM_PPC, is_64, order);
      elf.load(0x10000, 0x1234).load(0x20000, 1);
      elf.add_symbols(".symtab", SHT_SYMTAB, {{"main", 0x10100, 0x20}});
      elf.add_build_id("\x01\xab");
      const std::string bytes = elf.bytes();
      EXPECT_THAT(symbols(bytes), ElementsAre("100-120 T main"));
      const InputFile file{fxt::FilePlace(write(bytes))};
      const ElfImage image(file);
      EXPECT_EQ(image.build_id(), "01ab");
      EXPECT_EQ(image.base(), 0x10000);
      EXPECT_EQ(image.mapped_size(), 0x11000);
    }
  }
}

TEST_F(ElfTest, MappedSizeEndsWithTheLastBytesOfTheFile) {
  const auto memory_of = [&](const ElfBuilder& elf) {
    const InputFile file{fxt::FilePlace(write(elf.bytes()))};
    const ElfImage image(file);
    return fmt::format("{:x}-{:x}", image.base(), image.base() + image.mapped_size());
  };
  EXPECT_EQ(memory_of(ElfBuilder().load(0x1fff, 1)), "1000-2000");
  EXPECT_EQ(memory_of(ElfBuilder().load(0x2000, 0x1000).load(0x4000, 1)), "2000-5000");
  EXPECT_EQ(memory_of(ElfBuilder().load(0x4000, 1).load(0x2000, 0x1000)), "2000-5000");
  EXPECT_EQ(memory_of(ElfBuilder().load(0x2000, 0x1001).load(0x9000, 0)), "2000-4000") << "no bytes of it";
  EXPECT_EQ(memory_of(ElfBuilder().load(0x2000, 1).load(std::uint64_t{1} << 63, 1)), "2000-3000");
  EXPECT_EQ(memory_of(ElfBuilder().load(0x2000, 1).load(0x1000, std::uint64_t{1} << 63)), "2000-3000");
  EXPECT_EQ(memory_of(ElfBuilder()), "0-0");
}

TEST_F(ElfTest, TheBuildIdIsAmongTheNotes) {
  const auto id_of = [&](const ElfBuilder& elf) {
    const InputFile file{fxt::FilePlace(write(elf.bytes()))};
    return ElfImage(file).build_id();
  };
  const auto note = [](const ElfBuilder& elf, std::uint32_t type, std::string_view name) {
    return elf.number(4, 4) + elf.number(4, 4) + elf.number(type, 4) + std::string(name) + "1234";
  };
  using namespace std::string_view_literals;
  ElfBuilder elf;
  elf.add({.name = ".note.other", .type = SHT_NOTE, .data = note(elf, 3, "XYZ\0"sv)});
  elf.add({.name = ".note.ABI-tag", .type = SHT_NOTE, .data = note(elf, 1, "GNU\0"sv)});
  elf.add({.name = ".rodata", .type = SHT_PROGBITS, .data = note(elf, 3, "GNU\0"sv)});
  EXPECT_EQ(id_of(elf), "");
  elf.add({.name = ".note", .type = SHT_NOTE, .data = note(elf, 1, "GNU\0"sv) + note(elf, 3, "GNU\0"sv)});
  elf.add_build_id("other");
  EXPECT_EQ(id_of(elf), "31323334") << "the first";
  ElfBuilder longest, too_long;
  longest.add_build_id(std::string(64, '\x11'));
  EXPECT_EQ(id_of(longest), std::string(128, '1'));
  too_long.add_build_id(std::string(65, '\x11'));
  EXPECT_EQ(id_of(too_long), "");
}

TEST_F(ElfTest, DynamicSymbolsReplaceStrippedOnes) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  elf.add_symbols(".dynsym", SHT_DYNSYM, {{"exported", 0x100, 8}});
  EXPECT_THAT(symbols(elf.bytes()), ElementsAre("100-108 T exported"));
  elf.add_symbols(".symtab", SHT_SYMTAB, {{"all", 0x200, 8}});
  EXPECT_THAT(symbols(elf.bytes()), ElementsAre("200-208 T all"));
}

std::string best_name(std::uint32_t type, const std::vector<std::string>& names, ElfTest&, auto&& symbols) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  std::vector<ElfBuilder::Symbol> all;
  for (const std::string& name : names) all.push_back({name, 0x100, 8});
  elf.add_symbols(".names", type, all);
  return symbols(elf.bytes()).front();
}

TEST_F(ElfTest, TheNameThatUftraceSavesComesFirst) {
  const auto of = [&](std::uint32_t type, const std::vector<std::string>& names) {
    return best_name(type, names, *this, [&](const std::string& bytes) { return symbols(bytes); });
  };
  EXPECT_EQ(of(SHT_SYMTAB, {"a", "b", "c"}), "100-108 T a");
  EXPECT_EQ(of(SHT_DYNSYM, {"a", "b", "c"}), "100-108 T c");
  EXPECT_EQ(of(SHT_SYMTAB, {"_a", "b", "__c"}), "100-108 T b");
  EXPECT_EQ(of(SHT_DYNSYM, {"__a", "b", "_c"}), "100-108 T b");
  EXPECT_EQ(of(SHT_SYMTAB, {"_a", "_b"}), "100-108 T _a");
  EXPECT_EQ(of(SHT_DYNSYM, {"_a", "_b"}), "100-108 T _b");
  EXPECT_EQ(of(SHT_DYNSYM, {"_ZN1AC1Ev", "_ZN1AC2Ev"}), "100-108 T _ZN1AC1Ev");
  EXPECT_EQ(of(SHT_SYMTAB, {"read@@GLIBC_2.2.5"}), "100-108 T read");
}

TEST_F(ElfTest, ArmAddressesLoseTheThumbBit) {
  ElfBuilder elf(EM_ARM, false);
  elf.load(0x8000, 0x1000);
  elf.add_symbols(".symtab", SHT_SYMTAB, {{"thumb", 0x8101, 8}});
  EXPECT_THAT(symbols(elf.bytes()), ElementsAre("100-108 T thumb"));
}

// Returns an entry of `size` bytes: the bytes in `lead`, and a jump to the address that the slot at `slot`
// contains.
std::string jump_entry(std::uint64_t address, std::uint64_t slot, std::string_view lead,
                       std::size_t size = 16) {
  const auto distance = static_cast<std::uint32_t>(slot - (address + lead.size() + 6));
  std::string code = std::string(lead) + "\xff\x25" + number_bytes(distance);
  code.resize(size, '\x90');
  return code;
}

TEST_F(ElfTest, PltEntriesHaveTheNameOfTheirSlot) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  const auto dynamic = elf.add_symbols(".dynsym", SHT_DYNSYM,
                                       {{"free", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF},
                                        {"malloc", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF},
                                        {"exit", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF}});
  elf.add_relocations(
      ".rela.plt", dynamic,
      {{0x4018, 1, R_X86_64_JUMP_SLOT}, {0x4020, 2, R_X86_64_JUMP_SLOT}, {0x4028, 0, R_X86_64_IRELATIVE}});
  elf.add_relocations(".rela.dyn", dynamic, {{0x4030, 3, R_X86_64_GLOB_DAT}, {0x4038, 3, R_X86_64_64}});
  // The first entry belongs to the loader. The other entries may be in any order. One slot has no name.
  elf.add({.name = ".plt",
           .address = 0x1020,
           .data = jump_entry(0x1020, 0x4010, "\xff\x35\x01\x02\x03\x04") + jump_entry(0x1030, 0x4020, "") +
                   jump_entry(0x1040, 0x4018, "") + jump_entry(0x1050, 0x4028, "")});
  elf.add(
      {.name = ".plt.sec", .address = 0x1100, .data = jump_entry(0x1100, 0x4018, "\xf3\x0f\x1e\xfa\xf2")});
  elf.add({.name = ".plt.got",
           .address = 0x1200,
           .data = jump_entry(0x1200, 0x4030, "", 8) + jump_entry(0x1208, 0x4038, "", 8),
           .entry_size = 8});
  EXPECT_THAT(symbols(elf.bytes()),
              ElementsAre("1030-1040 P malloc", "1040-1050 P free", "1100-1110 P free", "1200-1208 P exit"));
}

TEST_F(ElfTest, PltEntriesMayBeginWithAnything) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  const auto dynamic =
      elf.add_symbols(".dynsym", SHT_DYNSYM, {{"free", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF}});
  elf.add_relocations(".rela.dyn", dynamic, {{0x4018, 1, R_X86_64_GLOB_DAT}});
  elf.add({.name = ".plt",
           .address = 0x1000,
           .data = jump_entry(0x1000, 0x4018, "0123456789") + jump_entry(0x1010, 0x4018, "").substr(0, 15)});
  elf.add({.name = ".plt.got",
           .address = 0x1200,
           .data = jump_entry(0x1200, 0x4018, "") + jump_entry(0x1210, 0x4018, "\xf3\x0f\x1e\xfa"),
           .entry_size = 16});
  EXPECT_THAT(symbols(elf.bytes()), ElementsAre("1000-1010 P free", "1200-1210 P free", "1210-1220 P free"))
      << "the last of .plt is cut off";
}

struct OrderedPlt {
  std::uint16_t machine;
  bool is_64;
  std::uint64_t header, entry;
};

void PrintTo(const OrderedPlt& plt, std::ostream* out) { *out << "machine " << plt.machine; }

class ElfPlt : public ElfTest, public testing::WithParamInterface<OrderedPlt> {};

TEST_P(ElfPlt, EntriesFollowTheHeaderInOrder) {
  const OrderedPlt plt = GetParam();
  const auto build = [&](std::uint64_t size, std::string_view name) {
    ElfBuilder elf(plt.machine, plt.is_64);
    elf.load(0, 0x1000);
    const auto dynamic = elf.add_symbols(
        ".dynsym", SHT_DYNSYM,
        {{"free", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF}, {"malloc", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF}});
    elf.add_relocations(plt.is_64 ? ".rela.plt" : ".rel.plt", dynamic,
                        {{0x4000, 2, 7}, {0x4008, 0, 7}, {0x4010, 1, 7}});
    elf.add_relocations(plt.is_64 ? ".rela.dyn" : ".rel.dyn", dynamic, {{0x5000, 2, 6}});
    elf.add({.name = std::string(name), .address = 0x1000, .data = std::string(size, '\0')});
    return elf.bytes();
  };
  const auto lines = [&](std::uint64_t first) {
    return std::vector<std::string>{
        fmt::format("{:x}-{:x} P malloc", first, first + plt.entry),
        fmt::format("{:x}-{:x} P free", first + 2 * plt.entry, first + 3 * plt.entry)};
  };
  EXPECT_EQ(symbols(build(plt.header + 3 * plt.entry, ".plt")), lines(0x1000 + plt.header));
  EXPECT_EQ(symbols(build(3 * plt.entry, ".plt.sec")), lines(0x1000));
  EXPECT_THAT(symbols(build(plt.header + 4 * plt.entry, ".plt")), IsEmpty());  // an unknown form
}

INSTANTIATE_TEST_SUITE_P(All, ElfPlt,
                         testing::Values(OrderedPlt{EM_386, false, 16, 16},
                                         OrderedPlt{EM_AARCH64, true, 32, 16},
                                         OrderedPlt{EM_ARM, false, 20, 12},
                                         OrderedPlt{EM_RISCV, true, 32, 16}));

TEST_F(ElfTest, OnlyProgramsAndLibrariesAreAccepted) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  EXPECT_EQ(refusal(elf.bytes()), "none");
  EXPECT_EQ(refusal(elf.bytes(ET_REL)), "is not a program or library");
  EXPECT_EQ(refusal(elf.bytes(ET_CORE)), "is not a program or library");
  EXPECT_EQ(refusal(""), "is not an ELF file");
  EXPECT_EQ(refusal("#!/bin/sh\n# long enough to be the header of an ELF file, which it is not"),
            "is not an ELF file");
}

// Before libelf allocates memory, sizes are compared with the size of the file.
TEST_F(ElfTest, TablesMustBeInsideTheFile) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  elf.add_symbols(".symtab", SHT_SYMTAB, {{"main", 0x100, 8}});
  const std::string good = elf.bytes();
  const auto with = [&](std::size_t at, std::uint64_t value, unsigned size) {
    std::string bytes = good;
    return refusal(bytes.replace(at, size, elf.number(value, size)));
  };
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_shoff), good.size() + 1, 8), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_shnum), 0, 2),
            "is a damaged ELF file");  // 0: the number of sections is in another field
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_shnum), 6, 2), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_shentsize), 63, 2), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_shstrndx), 0xffff, 2), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_phoff), good.size() - 55, 8), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_phnum), 0xffff, 2), "is a damaged ELF file");
  EXPECT_EQ(with(offsetof(Elf64_Ehdr, e_phnum), 1000, 2), "is a damaged ELF file");
  EXPECT_EQ(with(EI_CLASS, 3, 1), "is a damaged ELF file");
  EXPECT_EQ(with(EI_DATA, 3, 1), "is a damaged ELF file");
}

TEST_F(ElfTest, UnreadableSectionsAreIgnored) {
  const auto with = [&](ElfBuilder::Section section) {
    ElfBuilder elf;
    elf.load(0, 0x1000);
    section.link = elf.add({.name = "names", .type = SHT_STRTAB, .data = std::string("\0main\0", 6)});
    section.name = ".symtab";
    section.type = section.type == SHT_PROGBITS ? SHT_SYMTAB : section.type;
    section.data = std::string(24, '\0') + elf.number(1, 4) + "\x12" + '\0' + elf.number(1, 2) +
                   elf.number(0x100, 8) + elf.number(8, 8);
    elf.add(section);
    return symbols(elf.bytes());
  };
  EXPECT_THAT(with({.name = "", .entry_size = 24}), ElementsAre("100-108 T main"));
  EXPECT_THAT(with({.name = "", .entry_size = 0}), IsEmpty());
  EXPECT_THAT(with({.name = "", .type = SHT_NOBITS, .entry_size = 24}), IsEmpty());
  EXPECT_THAT(with({.name = "", .entry_size = 24, .flags = SHF_COMPRESSED}), IsEmpty());
}

TEST_F(ElfTest, EveryPrefixAndEveryFlippedBitIsSurvived) {
  ElfBuilder elf;
  elf.load(0, 0x1000);
  const auto dynamic = elf.add_symbols(".dynsym", SHT_DYNSYM,
                                       {{"free", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF}, {"main", 0x100, 8}});
  elf.add_relocations(".rela.plt", dynamic, {{0x4018, 1, R_X86_64_JUMP_SLOT}});
  elf.add({.name = ".plt", .address = 0x1020, .data = jump_entry(0x1020, 0x4018, "")});
  elf.add_build_id("12345678901234567890");
  elf.add({.name = ".gnu_debuglink", .data = std::string("a.debug\0", 8) + elf.number(7, 4)});
  const std::string good = elf.bytes();
  const MemoryFile memory;
  const auto read = [&](const std::string& bytes) {
    memory.write(bytes);
    return problem_of([&] {
      const InputFile file{fxt::FilePlace(memory.path())};
      const ElfImage image(file);
      image.debug_link();
      read_elf_symbols(image, nullptr);
    });
  };
  EXPECT_EQ(read(good), "none");
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(read(good.substr(0, size)), "none");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flips : {0x01, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ flips);
      EXPECT_THAT(read(bytes), AnyOf("none", HasSubstr("ELF"), "is not a program or library"));
    }
  }
}

TEST_F(ElfTest, DebugLinkIsANameAndAChecksum) {
  const auto link_of = [&](std::string_view content, std::endian order) {
    ElfBuilder elf(EM_X86_64, true, order);
    elf.load(0, 0x1000);
    elf.add({.name = ".gnu_debuglink", .data = std::string(content)});
    const InputFile file{fxt::FilePlace(write(elf.bytes()))};
    const auto link = ElfImage(file).debug_link();
    return link ? fmt::format("{} {:x}", link->name, link->crc) : "none";
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(link_of("a.debug\0\x04\x03\x02\x01"sv, std::endian::little), "a.debug 1020304");
  EXPECT_EQ(link_of("ab.debug\0...\x01\x02\x03\x04"sv, std::endian::big), "ab.debug 1020304");
  EXPECT_EQ(link_of("a.debug\0\x04\x03\x02"sv, std::endian::little), "none");
  EXPECT_EQ(link_of("a.debug"sv, std::endian::little), "none");
}

}  // namespace
}  // namespace convert
