#include "converters/symbols/symbol_table.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace convert {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Finds the names of functions and variables by address. Returns "-" if the table has nothing at the address.
class Symbols {
 public:
  explicit Symbols(std::string_view text) : table_(std::string(text)) {}
  std::string_view at(std::uint64_t address) const { return name(table_.find_function(address)); }
  std::string_view variable_at(std::uint64_t address) const { return name(table_.find_variable(address)); }
  const SymbolTable& table() const { return table_; }

 private:
  static std::string_view name(const Symbol* symbol) { return symbol != nullptr ? symbol->name : "-"; }
  SymbolTable table_;
};

constexpr std::string_view kWithSizes =
    "# symbols: 4\n"
    "# path name: /home/u/a\n"
    "# build-id: 6126057874665b06\n"
    "0000000000001030 00000010 P free\n"
    "0000000000001191 0000003d t fib\n"
    "0000000000002000 00000004 D count\n";

TEST(SymbolTable, SymbolsWithSizesEndThere) {
  const Symbols symbols(kWithSizes);
  EXPECT_EQ(symbols.at(0x102f), "-");
  EXPECT_EQ(symbols.at(0x1030), "free");
  EXPECT_EQ(symbols.at(0x103f), "free");
  EXPECT_EQ(symbols.at(0x1040), "-");
  EXPECT_EQ(symbols.at(0x11cd), "fib");
  EXPECT_EQ(symbols.at(0x11ce), "-");
  EXPECT_EQ(symbols.at(0x2000), "-");
  EXPECT_EQ(symbols.variable_at(0x2003), "count");
  EXPECT_TRUE(symbols.table().find_function(0x1030)->is_plt());
  EXPECT_THAT(symbols.table().damaged_lines(), IsEmpty());
}

TEST(SymbolTable, WithoutSizesASymbolReachesToTheNextOrToItsEndMarker) {
  const Symbols symbols(
      "0000000000001030 P free\n"
      "0000000000001040 P puts\n"
      "0000000000001050 ? __dynsym_end\n"
      "0000000000001100 T _start\n"
      "0000000000001229 t fib\n"
      "0000000000001300 T __sym_end\n");
  EXPECT_EQ(symbols.at(0x103f), "free");
  EXPECT_EQ(symbols.at(0x104f), "puts");
  EXPECT_EQ(symbols.at(0x1050), "-");
  EXPECT_EQ(symbols.at(0x1228), "_start");
  EXPECT_EQ(symbols.at(0x12ff), "fib");
  EXPECT_EQ(symbols.at(0x1300), "-");
}

TEST(SymbolTable, GroupsNeedNotBeInOrder) {
  const Symbols symbols(
      "0000000000002000 T b\n0000000000002100 ? __sym_end\n0000000000001000 P a\n0000000000001010 ? "
      "__dynsym_end\n");
  EXPECT_EQ(symbols.at(0x100f), "a");
  EXPECT_EQ(symbols.at(0x1010), "-");
  EXPECT_EQ(symbols.at(0x20ff), "b");
}

// At each power of two from 2^4 to 2^63, there are five symbols of one byte, without gaps between them.
TEST(SymbolTable, IsTheSameAsASearch) {
  std::vector<Symbol> symbols;
  for (unsigned bit = 4; bit < 64; ++bit)
    for (std::uint64_t i = 0; i < 5; ++i)
      symbols.push_back({.start = (std::uint64_t{1} << bit) + i,
                         .end = (std::uint64_t{1} << bit) + i + 1,
                         .name = "f",
                         .type = 'T'});
  const SymbolTable table(symbols);
  for (const Symbol& symbol : symbols) {
    for (const std::uint64_t address : {symbol.start - 1, symbol.start, symbol.start + 1}) {
      const auto found = std::ranges::find(symbols, address, &Symbol::start);
      const Symbol* const function = table.find_function(address);
      ASSERT_EQ(function != nullptr, found != symbols.end()) << address;
      if (function != nullptr) {
        ASSERT_EQ(function->start, address);
      }
    }
  }
  EXPECT_EQ(table.find_function(0), nullptr);
  EXPECT_EQ(table.find_function(~std::uint64_t{0}), nullptr);
}

TEST(SymbolTable, SizesAreOptionalInEachLine) {
  const Symbols symbols("1000 00000010 T with_size\n2000 T without\n3000 a0000000 T very large\n");
  EXPECT_EQ(symbols.at(0x100f), "with_size");
  EXPECT_EQ(symbols.at(0x1010), "-");
  EXPECT_EQ(symbols.at(0x2fff), "without");
  EXPECT_EQ(symbols.at(0xa0002fff), "very large");
  EXPECT_EQ(symbols.at(0xa0003000), "-");
}

TEST(SymbolTable, FindsTheLatestStartOfOverlappingSymbols) {
  const Symbols symbols(
      "1000 00000100 T outer\n"
      "1010 00000010 T inner\n"
      "1018 00000018 T across\n"
      "1018 00000010 w alias\n"
      "10f0 00000020 T over_the_end\n");
  EXPECT_EQ(symbols.at(0x100f), "outer");
  EXPECT_EQ(symbols.at(0x1010), "inner");
  EXPECT_EQ(symbols.at(0x1018), "across");
  EXPECT_EQ(symbols.at(0x102f), "across");
  EXPECT_EQ(symbols.at(0x1030), "outer");
  EXPECT_EQ(symbols.at(0x10f0), "over_the_end");
  EXPECT_EQ(symbols.at(0x110f), "over_the_end");
  EXPECT_EQ(symbols.at(0x1110), "-");
}

TEST(SymbolTable, TheFirstOfTwoWithOneStartIsFound) {
  const Symbols symbols("1000 00000010 T first\n1000 00000020 t second\n");
  EXPECT_EQ(symbols.at(0x1000), "first");
  EXPECT_EQ(symbols.at(0x1010), "second");
}

// Random functions and variables, which may be nested, overlap, be separate, be empty, or have the same
// start.
TEST(SymbolTable, FindsTheLatestStartOfArbitraryOverlaps) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return random() % end; };
    std::vector<Symbol> symbols(1 + below(12));
    for (Symbol& symbol : symbols) {
      const std::uint64_t start = below(30);
      symbol = {.start = start, .end = start + below(12), .name = "f", .type = below(4) != 0 ? 'T' : 'D'};
    }
    const SymbolTable table(symbols);
    std::ranges::stable_sort(symbols, {}, &Symbol::start);
    for (std::uint64_t address = 0; address < 45; ++address) {
      const Symbol* expected = nullptr;
      for (const Symbol& symbol : symbols)
        if (symbol.is_function() && symbol.start <= address && address < symbol.end &&
            (expected == nullptr || expected->start < symbol.start))
          expected = &symbol;
      const Symbol* const found = table.find_function(address);
      ASSERT_EQ(found != nullptr, expected != nullptr) << "seed " << seed << " address " << address;
      if (found != nullptr) {
        ASSERT_EQ(found - table.symbols().data(), expected - symbols.data())
            << "seed " << seed << " address " << address;
      }
    }
  }
}

TEST(SymbolTable, NamesMayContainBlanks) {
  EXPECT_EQ(Symbols("1000 00000010 T operator new(unsigned long)\n").at(0x1000),
            "operator new(unsigned long)");
}

TEST(SymbolTable, SymbolsOfTheKernelMayBelongToModules) {
  const Symbols symbols(
      "ffffffff81000000 T _stext\n"
      "ffffffff81000010 W weak_one\n"
      "ffffffff81000020 t in_module\t[ext4]\n"
      "ffffffff81000030 B data_of_another_kind\n");
  EXPECT_EQ(symbols.at(0xffffffff8100001f), "weak_one");
  EXPECT_EQ(symbols.at(0xffffffff81000020), "in_module");
}

TEST(SymbolTable, DamagedLinesAreSkipped) {
  const Symbols symbols("# comment\nnonsense\n1000\n1000 \n1000 T\n1000 00000010\n1000 00000010 T good\n");
  EXPECT_EQ(symbols.at(0x1000), "good");
  EXPECT_THAT(symbols.table().damaged_lines(), ElementsAre(2, 3, 4, 5, 6));
}

TEST(SymbolTable, EveryPrefixIsAccepted) {
  for (std::size_t size = 0; size <= kWithSizes.size(); ++size)
    EXPECT_LE(Symbols(kWithSizes.substr(0, size)).table().symbols().size(), 3u);
}

TEST(SymbolTable, SizesBeyondTheAddressSpaceAreCut) {
  const Symbols symbols("fffffffffffffff0 ffffffff T last\n0000000000000000 ffffffffffffffff T everything\n");
  EXPECT_EQ(symbols.at(0xfffffffffffffff8), "last");
  EXPECT_EQ(symbols.at(5), "everything");
}

TEST(SymbolTable, TheTypeDistinguishesFunctionsAndVariables) {
  std::string functions, variables;
  for (char type = 'A'; type <= 'z'; ++type) {
    const Symbols symbols(std::string("1000 00000010 ") + type + " name\n");
    if (symbols.at(0x1000) == "name") functions += type;
    if (symbols.variable_at(0x1000) == "name") variables += type;
  }
  EXPECT_EQ(functions, "KPTWitw");
  EXPECT_EQ(variables, "Dduv");
}

}  // namespace
}  // namespace convert
