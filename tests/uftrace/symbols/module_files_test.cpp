#include "converters/uftrace/symbols/module_files.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

TEST(ReadSymbolTable, NotesDamagedLines) {
  Notes notes;
  EXPECT_EQ(read_symbol_table("# comment\nnonsense\n1000 00000010 T good\n1000\n", "demo/a.sym", notes)
                ->symbols()
                .size(),
            1u);
  EXPECT_EQ(notes.count(kDamagedLine), 2u);
  EXPECT_EQ(notes.groups().front().first.front(), "demo/a.sym:2: expected \"address [size] type name\"");
}

TEST(ModuleFileHeader, NamesTheModule) {
  constexpr std::string_view kText =
      "# symbols: 4\n"
      "# path name: /home/u/a\n"
      "# build-id: 6126057874665b06\n"
      "0000000000001030 00000010 P free\n";
  const ModuleFileHeader header = parse_module_file_header(kText);
  EXPECT_EQ(header.module_path, "/home/u/a");
  EXPECT_EQ(header.build_id, "6126057874665b06");
  EXPECT_EQ(parse_module_file_header("# build-id:      \n").build_id, "");
  EXPECT_EQ(parse_module_file_header("1000 T old\n").module_path, "");
}

// ---- The file of each module ----

class SymbolFileChoice : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& path, const std::string& build_id) {
    recording_.file(
        name, "# path name: " + path + "\n# build-id: " + build_id + "\n1000 00000010 T in_" + name + "\n");
  }
  void make_unreadable(const std::string& name) {
    files();  // lists the files before the link is added
    std::filesystem::remove(recording_.path() / name);
    std::filesystem::create_symlink(name, recording_.path() / name);  // a link to itself
  }
  std::uint64_t unreadable_files() const { return notes_.count(kUnreadableFile); }
  // Returns the name of the symbol in the file that the module uses.
  std::string_view of_module(std::string_view path, std::string_view build_id) {
    return name(files().of(
        {.kind = Image::Kind::Module, .path = std::string(path), .build_id = std::string(build_id)}));
  }
  std::string_view of_library(std::string_view path) {
    return name(files().of({.kind = Image::Kind::Library, .path = std::string(path)}));
  }

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

TEST_F(SymbolFileChoice, FilesOfLibrariesWithOneNameDifferByASuffixFromTheBuildId) {
  add("lib.so.sym", "/d1/lib.so", "8bafa098");
  add("lib.so-9054.sym", "/d2/lib.so", "90540000");
  EXPECT_EQ(of_module("/d1/lib.so", "8bafa098"), "in_lib.so.sym");
  EXPECT_EQ(of_module("/d2/lib.so", "90540000"), "in_lib.so-9054.sym");
  EXPECT_EQ(of_module("/d3/lib.so", "11112222"), "-");
  EXPECT_EQ(of_library("/d2/lib.so"), "in_lib.so-9054.sym");
}

TEST_F(SymbolFileChoice, WithoutABuildIdTheSuffixComesFromThePath) {
  add("lib.so.sym", "/d1/lib.so", "");
  add("lib.so-033b.sym", "/d2/lib.so", "");
  EXPECT_EQ(of_module("/d2/lib.so", ""), "in_lib.so-033b.sym");
}

TEST_F(SymbolFileChoice, ModulesWithTheSameBuildIdAreTheSameModule) {
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

TEST_F(SymbolFileChoice, AFileThatCanNotBeReadIsNotedOnce) {
  add("lib.so.sym", "/d1/lib.so", "8bafa098");
  make_unreadable("lib.so.sym");
  EXPECT_EQ(of_module("/d1/lib.so", "8bafa098"), "-");
  EXPECT_EQ(of_library("/d1/lib.so"), "-");
  EXPECT_EQ(unreadable_files(), 1u);
}

}  // namespace
}  // namespace convert::uftrace
