#include "converters/uftrace/symbols/elf_files.h"

#include <algorithm>
#include <cstddef>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <vector>

#include <boost/crc.hpp>

#include "tests/symbols/elf_builder.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kBuildId = "abcdefghijklmnopqrst";
constexpr std::string_view kBuildIdHex = "6162636465666768696a6b6c6d6e6f7071727374";
constexpr std::uint64_t kStart = 0x55550000;

// The directory `root_` is the sysroot, which has the files of the recorded machine.
class ElfFilesTest : public testing::Test {
 protected:
  ElfFilesTest() {
    options_.sysroot = root_.path();
    std::filesystem::create_directories(root_.path() / "usr/bin");
  }
  static ElfBuilder program(std::string_view build_id = kBuildId) {
    ElfBuilder elf;
    elf.load(0, 0x1234);  // needs two pages of memory
    if (!build_id.empty()) elf.add_build_id(build_id);
    return elf;
  }
  static std::string with_symbol(ElfBuilder elf, std::string_view name, std::uint32_t type = SHT_SYMTAB) {
    elf.add_symbols(".symbols", type, {{std::string(name), 0x100, 0x10}});
    return elf.bytes();
  }
  ElfFilesTest& file(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::create_directories((root_.path() / path).parent_path());
    root_.file(path.native(), bytes);
    return *this;
  }
  // Returns the name of the symbol at 0x100, or "none".
  std::string name(std::string_view path = "/usr/bin/app", std::string_view build_id = kBuildIdHex,
                   std::uint64_t size = 0x2000) {
    const Image module{.kind = Image::Kind::Module,
                       .path = std::string(path),
                       .base = kStart,
                       .build_id = std::string(build_id),
                       .size_bytes = size};
    notes_ = {};
    ElfFiles files("/tmp/run", options_);
    const SymbolTable* const table = files.of(module);
    EXPECT_EQ(files.of(module), table);
    files.add_notes(notes_);
    const Symbol* const symbol = table != nullptr ? table->find_function(0x108) : nullptr;
    return symbol != nullptr ? std::string(symbol->name) : "none";
  }
  // Returns the name of the symbol at 0x100 in a library that the program loaded, or "none".
  std::string library_name(const std::string& path) {
    notes_ = {};
    ElfFiles files("/tmp/run", options_);
    const SymbolTable* const table = files.of({.kind = Image::Kind::Library, .path = path});
    files.add_notes(notes_);
    const Symbol* const symbol = table != nullptr ? table->find_function(0x108) : nullptr;
    return symbol != nullptr ? std::string(symbol->name) : "none";
  }
  // Returns lines such as "<kind>: <text>", in which ROOT is the sysroot.
  std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    for (const Notes::Group& group : notes_.groups()) {
      for (std::string text : group.first) {
        for (std::size_t at; (at = text.find(root_.path().native())) != std::string::npos;)
          text.replace(at, root_.path().native().size(), "ROOT");
        lines.push_back(fmt::format("{}: {}", group.kind->name, text));
      }
    }
    return lines;
  }
  static std::string missing(std::string_view why) {
    return fmt::format(
        "no-symbol-file: /tmp/run/app.sym: is missing; {}; if DIR has the files of the recorded machine, use "
        "--sysroot DIR",
        why);
  }

  TextRecording root_;
  ElfOptions options_;
  Notes notes_;
};

TEST_F(ElfFilesTest, TheRecordedProgramHasNames) {
  file("usr/bin/app", with_symbol(program(), "main"));
  EXPECT_EQ(name(), "main");
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_EQ(name("/usr/bin/app", kBuildIdHex, 0x9000), "main");  // the size is ignored
}

TEST_F(ElfFilesTest, AnotherBuildIsNotUsed) {
  file("usr/bin/app", with_symbol(program("ABCDEFGHIJKLMNOPQRST"), "main"));
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: is another build (with build-id "
                                           "4142434445464748494a4b4c4d4e4f5051525354, but "
                                           "6162636465666768696a6b6c6d6e6f7071727374 was recorded)")));
  file("usr/bin/app", with_symbol(program(""), "main"));
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: is another build (with build-id none, but "
                                           "6162636465666768696a6b6c6d6e6f7071727374 was recorded)")));
}

TEST_F(ElfFilesTest, WithoutABuildIdTheSizeMustMatch) {
  file("usr/bin/app", with_symbol(program(), "main"));
  EXPECT_EQ(name("/usr/bin/app", "", 0x2000), "main");
  EXPECT_THAT(notes(), ElementsAre("unsure-symbols: ROOT/usr/bin/app: the recording has no build-id for this "
                                   "file, so only its size was compared"));
  EXPECT_EQ(name("/usr/bin/app", "", 0x3000), "none");
  EXPECT_THAT(
      notes(),
      ElementsAre(missing(
          "ROOT/usr/bin/app: is another build (with 8192 bytes in memory, but 12288 were recorded)")));
}

// PARAMETERS is a program with debug information. The function main() has no parameters, and the first
// parameter of kinds() is `fd`.
class ParametersOfFiles : public ElfFilesTest {
 protected:
  ParametersOfFiles() {
    options_.names_parameters = true;
    const InputFile file{fxt::FilePlace(PARAMETERS)};
    const ElfImage elf(file);
    image_ = {.kind = Image::Kind::Module,
              .path = "/usr/bin/app",
              .base = kStart,
              .build_id = elf.build_id(),
              .size_bytes = elf.mapped_size()};
    const auto symbols = read_elf_symbols(elf, nullptr);
    start_ = std::ranges::find(symbols->symbols(), "kinds", &Symbol::name)->start;
    std::filesystem::copy(PARAMETERS, root_.path() / "usr/bin/app");
  }
  // Returns the name of the first parameter of kinds(), or "none" if it has no name.
  std::string first() {
    notes_ = {};
    ElfFiles files("/tmp/run", options_);
    function_ = files.function_at(image_, start_);
    files.add_notes(notes_);
    return function_.integers.empty() ? "none" : function_.integers.front().name;
  }
  // Returns true if the types of the first parameter and of the result are known.
  bool has_types() const {
    return !function_.integers.empty() && function_.integers.front().type && function_.result;
  }

  Image image_;
  std::uint64_t start_ = 0;
  FunctionType function_;
};

TEST_F(ParametersOfFiles, HaveTheNamesOfTheRecordedProgram) {
  EXPECT_EQ(first(), "fd");
  EXPECT_TRUE(has_types());
  EXPECT_THAT(notes(), IsEmpty());
  image_.build_id.clear();
  EXPECT_EQ(first(), "fd") << "the size fits";
  EXPECT_FALSE(has_types()) << "only the size matches";
  image_.build_id = kBuildIdHex;
  EXPECT_EQ(first(), "none");
  EXPECT_THAT(notes(), ElementsAre(StartsWith("no-parameter-names: ROOT/usr/bin/app: is another build")));
}

TEST_F(ParametersOfFiles, HaveTypesEvenIfNamesAreNotRequested) {
  options_.names_parameters = false;
  EXPECT_EQ(first(), "");
  EXPECT_TRUE(has_types());
  image_.build_id = kBuildIdHex;
  first();
  EXPECT_FALSE(has_types());
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ParametersOfFiles, ComeFromTheDebugFile) {
  const std::string build_id = image_.build_id;
  const auto debug = std::filesystem::path("usr/lib/debug/.build-id") / build_id.substr(0, 2);
  std::filesystem::create_directories(root_.path() / debug);
  std::filesystem::rename(root_.path() / "usr/bin/app",
                          root_.path() / debug / (build_id.substr(2) + ".debug"));
  EXPECT_EQ(first(), "fd") << "of a program that is gone";
  ElfBuilder stripped;
  stripped.load(0, *image_.size_bytes);
  std::string id;
  for (std::size_t i = 0; i < build_id.size(); i += 2)
    id.push_back(static_cast<char>(std::stoi(build_id.substr(i, 2), nullptr, 16)));
  stripped.add_build_id(id);
  file("usr/bin/app", stripped.bytes());
  EXPECT_EQ(first(), "fd");
}

TEST_F(ParametersOfFiles, MissingParametersAreNoted) {
  file("usr/bin/app", with_symbol(program(), "main"));
  image_.build_id = kBuildIdHex;
  EXPECT_EQ(first(), "none");
  EXPECT_THAT(notes(),
              ElementsAre("no-parameter-names: ROOT/usr/bin/app: has no debug information that can be read"));
  options_.is_off = true;
  EXPECT_EQ(first(), "none");
  EXPECT_THAT(notes(), ElementsAre("no-parameter-names: /usr/bin/app: not read because of --no-elf"));
}

TEST(BuildId, IsRecordedWithTwentyBytes) {
  EXPECT_TRUE(is_same_build("0123456789abcdef000000000000000000000000", "0123456789abcdef"));
  EXPECT_FALSE(is_same_build("0123456789abcdef000000000000000000000001", "0123456789abcdef"));
  const std::string long_id(64, 'a');
  EXPECT_TRUE(is_same_build(long_id.substr(0, 40), long_id));
  EXPECT_FALSE(is_same_build("0000000000000000000000000000000000000000", ""));
}

TEST_F(ElfFilesTest, MissingSymbolsAreNoted) {
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: can't open: No such file or directory")));
  file("usr/bin/app", program().bytes());
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: has no symbols")));
  file("usr/bin/app", "something else");
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: is not an ELF file")));
  EXPECT_EQ(name("app"), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/app: can't open: No such file or directory")));
  options_.sysroot.clear();
  EXPECT_EQ(name("app"), "none");
  EXPECT_THAT(notes(),
              ElementsAre("no-symbol-file: /tmp/run/app.sym: is missing; app: not an absolute path"));
}

TEST_F(ElfFilesTest, WithoutElfNoFileIsOpened) {
  file("usr/bin/app", with_symbol(program(), "main"));
  options_.is_off = true;
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(
      notes(),
      ElementsAre(
          "no-symbol-file: /tmp/run/app.sym: is missing; /usr/bin/app: not read because of --no-elf"));
}

TEST_F(ElfFilesTest, WithoutASysrootTheFilesOfThisMachineAreUsed) {
  file("usr/bin/app", with_symbol(program(), "main"));
  options_.sysroot.clear();
  EXPECT_EQ(name((root_.path() / "usr/bin/app").native()), "main");
}

TEST_F(ElfFilesTest, InTheSysrootTheBasenameIsAlsoTried) {
  file("app", with_symbol(program(), "main"));
  EXPECT_EQ(name(), "main");
  file("usr/bin/app", "of another architecture");
  EXPECT_EQ(name(), "main");
}

TEST_F(ElfFilesTest, LinksStayBelowTheSysroot) {
  file("opt/app-2", with_symbol(program(), "main"));
  std::filesystem::create_symlink("/opt/app-2", root_.path() / "usr/bin/app");
  EXPECT_EQ(name(), "main");
  EXPECT_EQ(name("/usr/../../../../usr/bin/app"), "main");
}

// A FIFO without a writer would block, and opening a device may have side effects.
TEST_F(ElfFilesTest, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(::mkfifo((root_.path() / "usr/bin/app").c_str(), 0600), 0);
  EXPECT_EQ(name(), "none");
  EXPECT_THAT(notes(), ElementsAre(missing("ROOT/usr/bin/app: not a regular file, so it is not opened")));
  options_.sysroot.clear();
  for (const std::string_view path : {"/dev/zero", "/", "/usr"}) {
    EXPECT_EQ(name(path), "none");
    ASSERT_EQ(notes().size(), 1);
    EXPECT_THAT(notes().front(),
                testing::HasSubstr(fmt::format("{}: not a regular file, so it is not opened", path)));
  }
}

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

TEST_F(ElfFilesTest, StrippedProgramsHaveDebugFiles) {
  const std::string stripped = with_symbol(program(), "exported", SHT_DYNSYM);
  const std::filesystem::path debug =
      fmt::format("usr/lib/debug/.build-id/{}/{}.debug", kBuildIdHex.substr(0, 2), kBuildIdHex.substr(2));
  file("usr/bin/app", stripped);
  EXPECT_EQ(name(), "exported");
  file(debug, with_symbol(program("another build, again"), "wrong"));
  EXPECT_EQ(name(), "exported");
  file(debug, with_symbol(program(), "no more than before", SHT_DYNSYM));
  EXPECT_EQ(name(), "exported");
  file(debug, with_symbol(program(), "main"));
  EXPECT_EQ(name(), "main");
  // A program with all symbols needs no debug file. The debug file is also sufficient without the program.
  file("usr/bin/app", with_symbol(program(), "own"));
  EXPECT_EQ(name(), "own");
  std::filesystem::remove(root_.path() / "usr/bin/app");
  EXPECT_EQ(name(), "main");
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ElfFilesTest, DebugFilesByLinkMustMatch) {
  const std::string debug = with_symbol(program(""), "main");
  const auto linked = [&](std::string_view build_id, std::uint32_t crc, std::string_view link = "app.debug") {
    ElfBuilder elf = program(build_id);
    std::string section = std::string(link) + '\0';
    section.resize((section.size() + 3) / 4 * 4);
    elf.add({.name = ".gnu_debuglink", .data = section + elf.number(crc, 4)});
    file("usr/bin/app", with_symbol(elf, "exported", SHT_DYNSYM));
  };
  for (const std::string_view place :
       {"usr/bin/app.debug", "usr/bin/.debug/app.debug", "usr/lib/debug/usr/bin/app.debug"}) {
    file(place, debug);
    linked("", checksum(debug));
    EXPECT_EQ(name("/usr/bin/app", ""), "main") << place;
    linked(kBuildId, checksum(debug));
    EXPECT_EQ(name(), "main") << place;
    linked("", checksum(debug) + 1);
    EXPECT_EQ(name("/usr/bin/app", ""), "exported") << place;
    // If the program and the debug file have build-ids, only the build-ids are compared.
    file(place, with_symbol(program(), "main"));
    linked(kBuildId, 0);
    EXPECT_EQ(name(), "main") << place;
    file(place, with_symbol(program("another build, again"), "main"));
    EXPECT_EQ(name(), "exported") << place;
    std::filesystem::remove(root_.path() / place);
  }
  file("usr/app.debug", debug);
  linked("", checksum(debug), "../app.debug");
  EXPECT_EQ(name("/usr/bin/app", ""), "exported");
}

// Addresses in a debug file also count from the first mapping of the program file, because the debug file may
// lack this mapping.
TEST_F(ElfFilesTest, AddressesCountFromTheMappingOfTheProgram) {
  ElfBuilder at_fixed_place;
  at_fixed_place.load(0x400000, 0x1234);
  at_fixed_place.add_build_id(kBuildId);
  file("usr/bin/app", at_fixed_place.bytes());
  ElfBuilder debug;
  debug.add_build_id(kBuildId);
  debug.add_symbols(".symtab", SHT_SYMTAB, {{"main", 0x400100, 0x10}});
  file(fmt::format("usr/lib/debug/.build-id/61/{}.debug", kBuildIdHex.substr(2)), debug.bytes());
  EXPECT_EQ(name(), "main");
}

// task.txt has no build-ids and no sizes of libraries, so the files can't be checked.
TEST_F(ElfFilesTest, LoadedLibrariesAreNotedAsUnsure) {
  file("opt/plug.so", with_symbol(program(), "plug"));
  EXPECT_EQ(library_name("/opt/plug.so"), "plug");
  EXPECT_THAT(notes(), ElementsAre("unsure-symbols: ROOT/opt/plug.so: the recording has no build-id for this "
                                   "file, so its build was not checked"));
  EXPECT_EQ(library_name("./plug.so"), "none");
  EXPECT_THAT(notes(), ElementsAre(testing::HasSubstr("/tmp/run/plug.so.sym: is missing; ROOT/plug.so")));
  file("plug.so", with_symbol(program(), "other"));
  EXPECT_EQ(library_name("./plug.so"), "other");
  options_.sysroot.clear();
  EXPECT_EQ(library_name("./plug.so"), "none");
  EXPECT_THAT(
      notes(),
      ElementsAre("no-symbol-file: /tmp/run/plug.so.sym: is missing; ./plug.so: not an absolute path"));
  options_.is_off = true;
  EXPECT_EQ(library_name("/opt/plug.so"), "none");
  EXPECT_THAT(notes(), ElementsAre(testing::HasSubstr("--no-elf")));
}

}  // namespace
}  // namespace convert::uftrace
