#include "converters/symbols/dwarf_info.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "converters/model/reading/input_error.h"
#include "converters/symbols/elf_symbols.h"
#include "tests/symbols/memory_file.h"

namespace convert {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DwarfInfoTest : public testing::Test {
 protected:
  // The parameters of a function of the compiled program, or of changed bytes of it.
  ParameterNames of(std::string_view name) {
    const InputFile file{fxt::FilePlace(changed_.path())};
    const ElfImage image(file);
    DwarfInfo parameters(image, image.base());
    const auto symbols = read_elf_symbols(image, nullptr);
    if (symbols == nullptr) return {};
    const auto found = std::ranges::find(symbols->symbols(), name, &Symbol::name);
    return found == symbols->symbols().end() ? ParameterNames{} : parameters.parameters_at(found->start);
  }
  // The type of a variable: 's', 'u' or 'f' and its size; "none" without one.
  std::string variable(std::string_view name) {
    const InputFile file{fxt::FilePlace(changed_.path())};
    const ElfImage image(file);
    DwarfInfo table(image, image.base());
    const auto symbols = read_elf_symbols(image, nullptr);
    if (symbols == nullptr) return "none";
    const auto found = std::ranges::find(symbols->symbols(), name, &Symbol::name);
    const auto type = found == symbols->symbols().end() ? std::nullopt : table.variable_at(found->start);
    return type ? std::string("suf").substr(static_cast<std::size_t>(type->kind), 1) +
                      std::to_string(type->size)
                : "none";
  }
  void set_machine(std::uint16_t machine) {
    std::string bytes = bytes_;
    bytes.replace(offsetof(Elf64_Ehdr, e_machine), sizeof machine, reinterpret_cast<const char*>(&machine),
                  sizeof machine);
    changed_.write(bytes);
  }

  DwarfInfoTest() { changed_.write(bytes_); }

  std::string bytes_ = bytes_of(PARAMETERS);
  MemoryFile changed_;
};

TEST_F(DwarfInfoTest, IntegersAndFloatsAreRowsOfTheirOwn) {
  EXPECT_THAT(of("kinds").integers, ElementsAre("fd", "size", "letter", "flag", "color", "path"));
  EXPECT_THAT(of("kinds").floats, IsEmpty());
  EXPECT_THAT(of("both_kinds").integers, ElementsAre("count", "name", "total"));
  EXPECT_THAT(of("both_kinds").floats, ElementsAre("ratio", "scale"));
  EXPECT_THAT(of("many").integers, ElementsAre("a", "b", "c", "d", "e", "f", "seventh"));
  EXPECT_EQ(of("many").integer_registers, 6u);
  EXPECT_THAT(of("unnamed").integers, ElementsAre("", "second"));
  EXPECT_THAT(of("varied").integers, ElementsAre("format"));
  EXPECT_THAT(of("no_parameters").integers, IsEmpty());
  EXPECT_THAT(of("_ZN5outer7Counter3addEi").integers, ElementsAre("this", "amount"));
}

TEST_F(DwarfInfoTest, RowsEndWhereTheyAreNotSure) {
  EXPECT_THAT(of("after_struct").integers, ElementsAre("before"));
  EXPECT_THAT(of("after_struct").floats, ElementsAre("number"));
  EXPECT_THAT(of("after_long_double").integers, ElementsAre("before"));
  EXPECT_THAT(of("hidden_result").integers, IsEmpty());
  EXPECT_THAT(of("hidden_result").floats, ElementsAre("number"));
  EXPECT_EQ(of("nine_floats").floats.size(), 8u);
  EXPECT_THAT(of("nine_floats").integers, IsEmpty());
}

TEST_F(DwarfInfoTest, MachinesPassTheirParametersDifferently) {
  set_machine(EM_AARCH64);
  EXPECT_THAT(of("hidden_result").integers, ElementsAre("shifted"));
  EXPECT_EQ(of("many").integer_registers, 8u);
  set_machine(EM_RISCV);
  EXPECT_THAT(of("hidden_result").integers, IsEmpty());
  set_machine(EM_386);
  EXPECT_THAT(of("kinds").integers, ElementsAre("fd")) << "a number of 8 bytes takes two words";
  EXPECT_THAT(of("both_kinds").integers, ElementsAre("count"));
  EXPECT_EQ(of("many").integer_registers, 0u);
  set_machine(EM_ARM);
  EXPECT_EQ(of("many").integer_registers, 4u);
  set_machine(EM_S390);
  EXPECT_THAT(of("kinds").integers, IsEmpty());
}

// What the compiler has left out takes no register: the register says who is in it.
TEST_F(DwarfInfoTest, OptimizedFunctionsNameWhatTheyGet) {
  EXPECT_THAT(of("_ZL7droppedii").integers, ElementsAre("gone", "kept"));
  bytes_ = bytes_of(PARAMETERS_OPTIMIZED);
  changed_.write(bytes_);
  const InputFile file{fxt::FilePlace(changed_.path())};
  const ElfImage image(file);
  DwarfInfo table(image, image.base());
  const auto symbols = read_elf_symbols(image, nullptr);
  int found = 0;
  for (const Symbol& symbol : symbols->symbols()) {
    if (!symbol.name.starts_with("_ZL7dropped")) continue;
    ++found;
    const auto names = table.parameters_at(symbol.start).integers;
    EXPECT_THAT(names, testing::AnyOf(IsEmpty(), ElementsAre("kept")));
  }
  EXPECT_EQ(found, 1);
  EXPECT_THAT(of("many").integers, ElementsAre("a", "b", "c", "d", "e", "f", "seventh"));
}

TEST_F(DwarfInfoTest, OnlyWhereAFunctionBegins) {
  const InputFile file{fxt::FilePlace(PARAMETERS)};
  const ElfImage image(file);
  DwarfInfo parameters(image, image.base());
  EXPECT_TRUE(parameters.has_any());
  EXPECT_THAT(parameters.parameters_at(0).integers, IsEmpty());
  EXPECT_THAT(parameters.parameters_at(~std::uint64_t{0}).integers, IsEmpty());
  const auto symbols = read_elf_symbols(image, nullptr);
  const auto kinds = std::ranges::find(symbols->symbols(), "kinds", &Symbol::name);
  ASSERT_NE(kinds, symbols->symbols().end());
  EXPECT_THAT(parameters.parameters_at(kinds->start + 1).integers, IsEmpty());
}

TEST_F(DwarfInfoTest, VariablesOfScalarTypes) {
  const std::vector<std::pair<std::string, std::string>> types{
      {"5ratio", "f8"}, {"4part", "f4"},  {"5total", "u8"}, {"5small", "s1"},       {"4byte", "u1"},
      {"4flag", "u1"},  {"5color", "u4"}, {"4text", "u8"},  {"9structure", "none"}, {"4wide", "none"}};
  for (const auto& [name, type] : types) EXPECT_EQ(variable("_ZN7watched" + name + "E"), type) << name;
  EXPECT_EQ(variable("_ZZN7watched5callsEvE5count"), "s4");
  EXPECT_EQ(variable("main"), "none");
}

TEST_F(DwarfInfoTest, DamagedFilesGiveAnythingButHurtNothing) {
  const InputFile file{fxt::FilePlace(PARAMETERS)};
  const ElfImage image(file);
  std::mt19937 random(7);
  const auto any = [&](std::size_t below) { return std::size_t{random()} % below; };
  for (int round = 0; round < 300; ++round) {
    std::string bytes = bytes_;
    for (int change = 0; change < 20; ++change) {
      const ElfSection& section = image.sections()[any(image.sections().size())];
      const std::string_view content = image.bytes(section);
      const std::size_t at = section.name.starts_with(".debug") && !content.empty()
                                 ? bytes_.find(content) + any(content.size())
                                 : any(bytes.size());
      if (at < bytes.size()) bytes[at] = static_cast<char>(random());
    }
    changed_.write(bytes);
    try {
      of("kinds");
      of("both_kinds");
      variable("_ZN7watched5ratioE");
    } catch (const InputError&) {
      continue;  // no ELF file any more
    }
  }
}

}  // namespace
}  // namespace convert
