#include "converters/uftrace/symbols/symbol_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/symbols/symbol_files.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

// The name of the function at each offset; "-" where there is none.
class Symbols {
 public:
  explicit Symbols(std::string_view text) : table_(std::string(text), "demo/a.sym", notes_) {}
  std::string_view at(std::uint64_t offset) const { return name(table_.find_function(offset)); }
  std::string_view variable_at(std::uint64_t offset) const { return name(table_.find_variable(offset)); }
  const Notes& notes() const { return notes_; }
  const SymbolTable& table() const { return table_; }

 private:
  static std::string_view name(const Symbol* symbol) { return symbol != nullptr ? symbol->name : "-"; }
  Notes notes_;
  SymbolTable table_;
};

constexpr std::string_view kWithSizes =
    "# symbols: 4\n"
    "# path name: /home/u/a\n"
    "# build-id: 6126057874665b06\n"
    "0000000000001030 00000010 P free\n"
    "0000000000001191 0000003d t fib\n"
    "0000000000002000 00000004 D count\n";

TEST(SymbolFile, WithSizes) {
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
  EXPECT_TRUE(symbols.notes().empty());
}

TEST(SymbolFile, WithoutSizesASymbolReachesToTheNextOrToItsEndMarker) {
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

TEST(SymbolFile, GroupsNeedNotBeInOrder) {
  const Symbols symbols(
      "0000000000002000 T b\n0000000000002100 ? __sym_end\n0000000000001000 P a\n0000000000001010 ? "
      "__dynsym_end\n");
  EXPECT_EQ(symbols.at(0x100f), "a");
  EXPECT_EQ(symbols.at(0x1010), "-");
  EXPECT_EQ(symbols.at(0x20ff), "b");
}

TEST(SymbolFile, SizesAreAMatterOfEachLine) {
  const Symbols symbols("1000 00000010 T with_size\n2000 T without\n3000 a0000000 T very large\n");
  EXPECT_EQ(symbols.at(0x100f), "with_size");
  EXPECT_EQ(symbols.at(0x1010), "-");
  EXPECT_EQ(symbols.at(0x2fff), "without");
  EXPECT_EQ(symbols.at(0xa0002fff), "very large");
  EXPECT_EQ(symbols.at(0xa0003000), "-");
}

TEST(SymbolFile, OfOverlappingSymbolsTheOneThatBeginsLastCounts) {
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

TEST(SymbolFile, OfTwoWithOneStartTheFirstOfTheFileCounts) {
  const Symbols symbols("1000 00000010 T first\n1000 00000020 t second\n");
  EXPECT_EQ(symbols.at(0x1000), "first");
  EXPECT_EQ(symbols.at(0x1010), "second");
}

TEST(SymbolFile, NamesMayHoldBlanks) {
  EXPECT_EQ(Symbols("1000 00000010 T operator new(unsigned long)\n").at(0x1000),
            "operator new(unsigned long)");
}

TEST(SymbolFile, KernelSymbols) {
  const Symbols symbols(
      "ffffffff81000000 T _stext\n"
      "ffffffff81000010 W weak_one\n"
      "ffffffff81000020 t in_module\t[ext4]\n"
      "ffffffff81000030 B data_of_another_kind\n");
  EXPECT_EQ(symbols.at(0xffffffff8100001f), "weak_one");
  EXPECT_EQ(symbols.at(0xffffffff81000020), "in_module");
}

TEST(SymbolFile, DamagedLinesAreNotedAndPassed) {
  const Symbols symbols("# comment\nnonsense\n1000\n1000 \n1000 T\n1000 00000010\n1000 00000010 T good\n");
  EXPECT_EQ(symbols.at(0x1000), "good");
  EXPECT_EQ(symbols.notes().count(kDamagedLine), 5u);
  EXPECT_EQ(symbols.notes().groups().front().first.front(),
            "demo/a.sym:2: expected \"address [size] type name\"");
}

TEST(SymbolFile, EveryPrefixIsUnderstood) {
  for (std::size_t size = 0; size <= kWithSizes.size(); ++size)
    EXPECT_LE(Symbols(kWithSizes.substr(0, size)).table().symbols().size(), 3u);
}

TEST(SymbolFile, SizesThatLeaveTheAddressSpaceAreCut) {
  const Symbols symbols("fffffffffffffff0 ffffffff T last\n0000000000000000 ffffffffffffffff T everything\n");
  EXPECT_EQ(symbols.at(0xfffffffffffffff8), "last");
  EXPECT_EQ(symbols.at(5), "everything");
}

TEST(ModuleFileHeader, TellsTheModule) {
  const ModuleFileHeader header = parse_module_file_header(kWithSizes);
  EXPECT_EQ(header.module_path, "/home/u/a");
  EXPECT_EQ(header.build_id, "6126057874665b06");
  EXPECT_EQ(parse_module_file_header("# build-id:      \n").build_id, "");
  EXPECT_EQ(parse_module_file_header("1000 T old\n").module_path, "");
}

// ---- Which file belongs to which module ----

class SymbolFileChoice : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& path, const std::string& build_id) {
    recording_.file(
        name, "# path name: " + path + "\n# build-id: " + build_id + "\n1000 00000010 T in_" + name + "\n");
  }
  // The name of the symbol in the chosen file tells which one it is.
  std::string_view of_module(std::string_view path, std::string_view build_id) {
    return name(files().of_module(path, build_id));
  }
  std::string_view of_library(std::string_view path) { return name(files().of_library(path)); }

 private:
  SymbolFiles& files() {
    if (!files_) {
      directory_ = list_directory(recording_.path());
      files_.emplace(directory_, notes_);
    }
    return *files_;
  }
  static std::string_view name(const SymbolTable* table) {
    return table != nullptr ? table->symbols().front().name : "-";
  }
  TextRecording recording_;
  Directory directory_;
  Notes notes_;
  std::optional<SymbolFiles> files_;
};

TEST_F(SymbolFileChoice, TheSuffixOfTheBuildIdTellsLibrariesOfOneNameApart) {
  add("lib.so.sym", "/d1/lib.so", "8bafa098");
  add("lib.so-9054.sym", "/d2/lib.so", "90540000");
  EXPECT_EQ(of_module("/d1/lib.so", "8bafa098"), "in_lib.so.sym");
  EXPECT_EQ(of_module("/d2/lib.so", "90540000"), "in_lib.so-9054.sym");
  EXPECT_EQ(of_module("/d3/lib.so", "11112222"), "-");
  EXPECT_EQ(of_library("/d2/lib.so"), "in_lib.so-9054.sym");
}

TEST_F(SymbolFileChoice, WithoutABuildIdTheSuffixIsMadeOfThePath) {
  add("lib.so.sym", "/d1/lib.so", "");
  add("lib.so-033b.sym", "/d2/lib.so", "");
  EXPECT_EQ(of_module("/d2/lib.so", ""), "in_lib.so-033b.sym");
}

TEST_F(SymbolFileChoice, OneBuildIdIsOneModuleWhateverItsPath) {
  add("lib.so.sym", "/usr/lib/lib.so", "8bafa098");
  EXPECT_EQ(of_module("/lib/lib.so", "8bafa098"), "in_lib.so.sym");
  EXPECT_EQ(of_module("/lib/lib.so", ""), "-");
  EXPECT_EQ(of_module("/usr/lib/lib.so", "77777777"), "-");
}

TEST_F(SymbolFileChoice, ALibraryMayBeGivenByARelativePath) {
  add("lib.so.sym", "/home/u/d1/lib.so", "8bafa098");
  add("lib.so-9054.sym", "/home/u/d2/lib.so", "90540000");
  EXPECT_EQ(of_library("./d2/lib.so"), "in_lib.so-9054.sym");
  EXPECT_EQ(of_library("d1/lib.so"), "in_lib.so.sym");
  EXPECT_EQ(of_library("1/lib.so"), "-");
  EXPECT_EQ(of_library("other.so"), "-");
}

}  // namespace
}  // namespace convert::uftrace
