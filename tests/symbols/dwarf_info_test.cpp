#include "converters/symbols/dwarf_info.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

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
  // Returns the types of a function in the file `changed_`, which a test may have modified.
  FunctionType function_type(std::string_view name) {
    const InputFile file{fxt::FilePlace(changed_.path())};
    const ElfImage image(file);
    DwarfInfo functions(image, image.base());
    const auto symbols = read_elf_symbols(image, nullptr);
    if (symbols == nullptr) return {};
    const auto found = std::ranges::find(symbols->symbols(), name, &Symbol::name);
    return found == symbols->symbols().end() ? FunctionType{} : functions.function_at(found->start);
  }
  static std::vector<std::string> names(const std::vector<Parameter>& row) {
    std::vector<std::string> names;
    for (const Parameter& parameter : row) names.push_back(parameter.name);
    return names;
  }
  std::vector<std::string> integers_of(std::string_view function) {
    return names(function_type(function).integers);
  }
  std::vector<std::string> floats_of(std::string_view function) {
    return names(function_type(function).floats);
  }
  // Returns a type as text, such as "s4": 's' for signed, 'u' for unsigned or 'f' for float, and the size in
  // bytes. A pointer also has 'p', and a character also has 'c'. Returns "none" if there is no type.
  static std::string text_of(const std::optional<ScalarType>& type) {
    if (!type) return "none";
    return std::string("suf").substr(static_cast<std::size_t>(type->kind), 1) + std::to_string(type->size) +
           (type->is_pointer ? "p" : "") + (type->is_character ? "c" : "");
  }
  // Returns the types of the integer arguments, of the float arguments, and of the result.
  std::vector<std::string> types_of(std::string_view name) {
    const FunctionType function = function_type(name);
    std::vector<std::string> types;
    for (const auto* const row : {&function.integers, &function.floats})
      for (const Parameter& parameter : *row) types.push_back(text_of(parameter.type));
    types.push_back(text_of(function.result));
    return types;
  }
  std::string variable(std::string_view name) {
    const InputFile file{fxt::FilePlace(changed_.path())};
    const ElfImage image(file);
    DwarfInfo table(image, image.base());
    const auto symbols = read_elf_symbols(image, nullptr);
    if (symbols == nullptr) return "none";
    const auto found = std::ranges::find(symbols->symbols(), name, &Symbol::name);
    return text_of(found == symbols->symbols().end() ? std::nullopt : table.variable_at(found->start));
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

TEST_F(DwarfInfoTest, IntegersAndFloatsAreSeparateLists) {
  EXPECT_THAT(integers_of("kinds"), ElementsAre("fd", "size", "letter", "flag", "color", "path"));
  EXPECT_THAT(floats_of("kinds"), IsEmpty());
  EXPECT_THAT(integers_of("both_kinds"), ElementsAre("count", "name", "total"));
  EXPECT_THAT(floats_of("both_kinds"), ElementsAre("ratio", "scale"));
  EXPECT_THAT(integers_of("many"), ElementsAre("a", "b", "c", "d", "e", "f", "seventh"));
  EXPECT_EQ(function_type("many").integer_registers, 6u);
  EXPECT_THAT(integers_of("unnamed"), ElementsAre("", "second"));
  EXPECT_THAT(integers_of("varied"), ElementsAre("format"));
  EXPECT_THAT(integers_of("no_parameters"), IsEmpty());
  EXPECT_THAT(integers_of("_ZN5outer7Counter3addEi"), ElementsAre("this", "amount"));
}

TEST_F(DwarfInfoTest, ListsEndAtTheFirstUncertainParameter) {
  EXPECT_THAT(integers_of("after_struct"), ElementsAre("before"));
  EXPECT_THAT(floats_of("after_struct"), ElementsAre("number"));
  EXPECT_THAT(integers_of("after_long_double"), ElementsAre("before"));
  EXPECT_THAT(integers_of("hidden_result"), IsEmpty());
  EXPECT_THAT(floats_of("hidden_result"), ElementsAre("number"));
  EXPECT_EQ(function_type("nine_floats").floats.size(), 8u);
  EXPECT_THAT(integers_of("nine_floats"), IsEmpty());
}

TEST_F(DwarfInfoTest, MachinesPassTheirParametersDifferently) {
  set_machine(EM_AARCH64);
  EXPECT_THAT(integers_of("hidden_result"), ElementsAre("shifted"));
  EXPECT_EQ(function_type("many").integer_registers, 8u);
  set_machine(EM_RISCV);
  EXPECT_THAT(integers_of("hidden_result"), IsEmpty());
  set_machine(EM_386);
  EXPECT_THAT(integers_of("kinds"), ElementsAre("fd")) << "a number of 8 bytes takes two words";
  EXPECT_THAT(integers_of("both_kinds"), ElementsAre("count"));
  EXPECT_EQ(function_type("many").integer_registers, 0u);
  set_machine(EM_ARM);
  EXPECT_EQ(function_type("many").integer_registers, 4u);
  set_machine(EM_S390);
  EXPECT_THAT(integers_of("kinds"), IsEmpty());
}

// The compiler passes no value for a removed parameter. The remaining parameter must not get the name of the
// removed one.
TEST_F(DwarfInfoTest, OptimizedFunctionsHaveTheirReceivedParameters) {
  EXPECT_THAT(integers_of("_ZL7droppedii"), ElementsAre("gone", "kept"));
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
    EXPECT_THAT(names(table.function_at(symbol.start).integers),
                testing::AnyOf(IsEmpty(), ElementsAre("kept")));
  }
  EXPECT_EQ(found, 1);
  EXPECT_THAT(integers_of("many"), ElementsAre("a", "b", "c", "d", "e", "f", "seventh"));
}

TEST_F(DwarfInfoTest, FunctionsHaveTypes) {
  EXPECT_THAT(types_of("kinds"), ElementsAre("s4", "u8", "s1c", "u1", "u4", "u8p", "s4"));
  EXPECT_THAT(types_of("both_kinds"), ElementsAre("s4", "u8p", "s8", "f8", "f4", "f8"));
  EXPECT_THAT(types_of("hidden_result"), ElementsAre("f8", "none"));
  EXPECT_THAT(types_of("no_parameters"), ElementsAre("s4"));
  EXPECT_THAT(types_of("_ZN5outer7Counter3addEi"), ElementsAre("u8p", "s4", "s4"));
}

// If a linker merges equal code, several functions have the same address. Parameters at this address are
// known only if they are the same for all these functions.
TEST_F(DwarfInfoTest, FunctionsWithOneAddressAreUsedOnlyIfTheyAreEqual) {
  const auto address_of = [&](std::string_view name) {
    const InputFile file{fxt::FilePlace(PARAMETERS)};
    const ElfImage image(file);
    const auto symbols = read_elf_symbols(image, nullptr);
    const std::uint64_t address =
        image.base() + std::ranges::find(symbols->symbols(), name, &Symbol::name)->start;
    return std::string(reinterpret_cast<const char*>(&address), sizeof address);
  };
  const auto move = [&](std::string_view name, std::string_view to) {
    const std::string from = address_of(name), target = address_of(to);
    std::string bytes = bytes_;
    for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos;)
      bytes.replace(at, target.size(), target);
    changed_.write(bytes);
  };
  move("unnamed", "no_parameters");
  EXPECT_THAT(types_of("no_parameters"), ElementsAre("none"));
  move("no_parameters", "main");
  EXPECT_THAT(types_of("main"), ElementsAre("s4"));
}

TEST_F(DwarfInfoTest, ParametersAreKnownOnlyWhereAFunctionBegins) {
  const InputFile file{fxt::FilePlace(PARAMETERS)};
  const ElfImage image(file);
  DwarfInfo functions(image, image.base());
  EXPECT_TRUE(functions.has_any());
  EXPECT_THAT(functions.function_at(0).integers, IsEmpty());
  EXPECT_THAT(functions.function_at(~std::uint64_t{0}).integers, IsEmpty());
  const auto symbols = read_elf_symbols(image, nullptr);
  const auto kinds = std::ranges::find(symbols->symbols(), "kinds", &Symbol::name);
  ASSERT_NE(kinds, symbols->symbols().end());
  EXPECT_THAT(functions.function_at(kinds->start + 1).integers, IsEmpty());
}

TEST_F(DwarfInfoTest, VariablesHaveScalarTypes) {
  const std::vector<std::pair<std::string, std::string>> types{
      {"5ratio", "f8"}, {"4part", "f4"},  {"5total", "u8"}, {"5small", "s1"},       {"4byte", "u1"},
      {"4flag", "u1"},  {"5color", "u4"}, {"4text", "u8p"}, {"9structure", "none"}, {"4wide", "none"}};
  for (const auto& [name, type] : types) EXPECT_EQ(variable("_ZN7watched" + name + "E"), type) << name;
  EXPECT_EQ(variable("_ZZN7watched5callsEvE5count"), "s4");
  EXPECT_EQ(variable("main"), "none");
}

TEST_F(DwarfInfoTest, DamagedFilesAreHarmless) {
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
      function_type("kinds");
      function_type("both_kinds");
      variable("_ZN7watched5ratioE");
    } catch (const InputError&) {
      continue;  // the copy is not an ELF file any more
    }
  }
}

}  // namespace
}  // namespace convert
