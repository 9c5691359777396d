#include "converters/uftrace/arguments/debug_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kText =
    "# path name: /home/u/args\n# build-id: 0594a88a\n"
    "E: enum color {RED,GREEN=5}\n"
    "F: 11d7 u32\nL: 12 /src/my args.c\nA: @arg1\nR: @retval\n"
    "F: 11b9 i32\nL: 11 /src/args.c\nA: @arg1,arg2\n"
    "F: 1300 alias\nL: 1 a.c\nF: 1300 _ZN2ns1fEv\nL: 2 a.c\n";

std::string shown(const DebugInfo& info) {
  return std::string(info.name) + "|" + location_of(info.line) + "|" + std::string(info.arguments) + "|" +
         std::string(info.results);
}

TEST(DebugFile, FindsFunctions) {
  Names names;
  Notes notes;
  const DebugFile file(std::string(kText), "args.dbg", names, notes);
  EXPECT_EQ(shown(file.find(0x11b9, "i32")), "i32|/src/args.c:11|@arg1,arg2|");
  EXPECT_EQ(shown(file.find(0x11d7, "u32")), "u32|/src/my args.c:12|@arg1|@retval");
  EXPECT_EQ(shown(file.find(0x11d8, "u32")), "|||");
  EXPECT_EQ(file.counts().functions, 4u);
  EXPECT_EQ(file.enums().count("color"), 1u);
  EXPECT_TRUE(notes.empty());
}

TEST(DebugFile, TheNameSelectsOneOfTheFunctionsAtAnOffset) {
  Names names;
  Notes notes;
  const DebugFile file(std::string(kText), "args.dbg", names, notes);
  EXPECT_EQ(location_of(file.find(0x1300, "_ZN2ns1fEv").line), "a.c:2");
  EXPECT_EQ(location_of(file.find(0x1300, "alias").line), "a.c:1");
  EXPECT_EQ(location_of(file.find(0x1300, "other").line), "a.c:1");
}

TEST(DebugFile, DamagedLinesAreSkipped) {
  Names names;
  Notes notes;
  const DebugFile file("F: zz f\nF: 10\nE: enum {\nX: 1\nF: 20 f\nL: x a.c\n", "a.dbg", names, notes);
  EXPECT_EQ(notes.count(kDamagedLine), 4u);
  EXPECT_EQ(notes.groups().front().first.front(), "a.dbg:1: expected \"F: offset name\"");
  EXPECT_EQ(shown(file.find(0x20, "f")), "f|||");
}

TEST(DebugFile, EveryPrefixIsAccepted) {
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    Names names;
    Notes notes;
    const DebugFile file(std::string(kText.substr(0, size)), "args.dbg", names, notes);
    file.find(0x11b9, "i32");
    file.find(0x1300, "");
  }
}

TEST(DebugFile, LocationsAreFileAndLine) {
  EXPECT_EQ(location_of("11 /src/args.c"), "/src/args.c:11");
  EXPECT_EQ(location_of("165 <frozen importlib._bootstrap>"), "<frozen importlib._bootstrap>:165");
  for (const std::string_view none : {"", "11", "11 ", " a.c", "x1 a.c"})
    EXPECT_EQ(location_of(none), "") << none;
}

class DebugFilesTest : public testing::Test {
 protected:
  const DebugFile* file_of(const SymbolAt& symbol) {
    directory_ = list_directory(recording_.path());
    files_ = std::make_unique<DebugFiles>(directory_, names_, notes_);
    return files_->of(symbol);
  }
  TextRecording recording_;
  Directory directory_;
  Names names_;
  Notes notes_;
  std::unique_ptr<DebugFiles> files_;
  Symbol symbol_{.start = 0, .end = 1, .name = "f", .type = 'T'};
};

TEST_F(DebugFilesTest, PathAndBuildIdMustMatch) {
  recording_.file("args.dbg", kText);
  Image module{.kind = Image::Kind::Module, .path = "/home/u/args", .build_id = "0594a88a"};
  const SymbolAt symbol{.image = &module, .symbol = &symbol_};
  EXPECT_NE(file_of(symbol), nullptr);
  module.build_id = "1234";
  EXPECT_EQ(file_of(symbol), nullptr);
}

TEST_F(DebugFilesTest, LibrariesAndPythonHaveTheirOwnFiles) {
  recording_.file("libplug.so.dbg", "# path name: /x/d1/libplug.so\nF: 0 f\n")
      .file("python.fake.dbg", "F: 1 m\nF: 2 n\n");
  const Image library{.kind = Image::Kind::Library, .path = "d1/libplug.so"};
  const Image python{.kind = Image::Kind::Python, .path = "python.fake"};
  const Image kernel{.kind = Image::Kind::Kernel, .path = "[kernel]"};
  const DebugFile* const file = file_of({.image = &library, .symbol = &symbol_});
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->counts().functions, 1u);
  EXPECT_EQ(files_->of({.image = &library, .symbol = &symbol_}), file);
  ASSERT_NE(file_of({.image = &python, .symbol = &symbol_}), nullptr);
  EXPECT_EQ(file_of({.image = &kernel, .symbol = &symbol_}), nullptr);
  EXPECT_NE(file_of({.image = &python}), nullptr) << "a function of no known name";
}

}  // namespace
}  // namespace convert::uftrace
