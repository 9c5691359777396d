// Tests names, lines and types of the program traced_program.cpp, which is built with the tests.
#include "converters/tfile/program/program.h"

#include <array>
#include <bit>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include "converters/model/reading/input_error.h"
#include "converters/tfile/program/value.h"
#include "tests/symbols/elf_builder.h"
#include "tests/symbols/memory_file.h"
#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;

class TracedProgram : public testing::TestWithParam<const char*> {
 protected:
  TracedProgram() {
    if (program_.layout().is_position_independent()) bias_ = kUsualBias;
    program_.set_load_bias(bias_);
  }
  // Returns the first address of the line with the mark, in the loaded program.
  std::uint64_t address_of(const std::string& mark) const {
    const auto addresses = program_.line_addresses("traced_program.cpp", line_of(mark));
    EXPECT_FALSE(addresses.empty()) << mark;
    return addresses.empty() ? 0 : addresses.front() + bias_;
  }
  // Returns the type of an expression, or null if the type is unknown.
  const Type* type_of(std::uint64_t address, const std::string& expression) const {
    const CodeScope* const scope = program_.scope_at(address);
    if (scope == nullptr) return nullptr;
    FrameMemory frame(nullptr, std::endian::native);
    frame.start({}, false);
    return evaluate(expression, {.scope = *scope, .frame = frame}).type;
  }
  // Returns the address and the size of a variable that has one address in all frames. If no such variable
  // exists, the size is 0.
  DataObject object(std::uint64_t address, const std::string& name) const {
    const CodeScope* const scope = program_.scope_at(address);
    if (scope == nullptr) return {};
    FrameMemory frame(nullptr, std::endian::native);
    frame.start({}, false);
    const Value found = evaluate(name, {.scope = *scope, .frame = frame});
    return found.type != nullptr && found.storage.kind == Storage::Kind::Memory
               ? DataObject{found.storage.address, found.type->size}
               : DataObject{};
  }
  Program program_{GetParam(), Demangle::Simple};
  std::uint64_t bias_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Both, TracedProgram, testing::Values(TRACED_FIXED, TRACED_PIE),
                         [](const auto& form) {
                           return std::string(form.param).ends_with("pie") ? "Pie" : "Fixed";
                         });

TEST_P(TracedProgram, NamesAFunctionAndItsLine) {
  const CodeInfo info = program_.code_at(address_of("plain_start"));
  EXPECT_EQ(info.function, "plain_start");
  EXPECT_THAT(info.source, EndsWith("traced_program.cpp:" + std::to_string(line_of("plain_start"))));
  EXPECT_THAT(info.inlined, IsEmpty());
}

// If several rows of the line table have the same address, GDB prints the line of the last row at which a
// statement begins.
TEST(RowsAtOneAddress, CodeHasTheLineThatGdbPrints) {
  const Program program(TRACED_ROWS, Demangle::Simple);
  const auto source_at = [&](const std::string& label) {
    return program.code_at(program.functions(label).front().address).source;
  };
  EXPECT_THAT(source_at("row_22"), EndsWith("traced_rows.c:22"));
  EXPECT_THAT(source_at("row_6"), EndsWith("inlined.h:6"));
  EXPECT_THAT(source_at("row_40"), EndsWith("traced_rows.c:40"));
  EXPECT_THAT(source_at("row_51"), EndsWith("traced_rows.c:51"));
  EXPECT_THAT(source_at("row_8"), EndsWith("inlined.h:8")) << "no statement begins there";
}

// GDB drops a row if a later row at the same address begins a statement of another file.
TEST(RowsAtOneAddress, TheLineOfADroppedRowMayBeTheNextLine) {
  const Program program(TRACED_ROWS, Demangle::Simple);
  const auto at = [&](const std::string& label) { return program.functions(label).front().address; };
  EXPECT_THAT(program.line_addresses("traced_rows.c", 20), ElementsAre(at("row_22")));
  EXPECT_THAT(program.line_addresses("traced_rows.c", 30), ElementsAre(at("row_6"), at("row_40")));
  EXPECT_THAT(program.line_addresses("traced_rows.c", 40), ElementsAre(at("row_40")));
  EXPECT_THAT(program.line_addresses("traced_rows.c", 70), ElementsAre(at("row_9"), at("row_80")));
  EXPECT_THAT(program.line_addresses("traced_rows.c", 50), ElementsAre(at("row_51")));
  EXPECT_THAT(program.line_addresses("inlined.h", 5), ElementsAre(at("row_22"), at("row_6")));
}

TEST_P(TracedProgram, NamesFunctionsOfNamespacesAndTemplates) {
  EXPECT_EQ(program_.code_at(address_of("pump body")).function, "plant::pump");
  EXPECT_EQ(program_.code_at(address_of("drain")).function, "plant::drain<long>");
}

TEST_P(TracedProgram, ListsInlinedFunctions) {
  const CodeInfo inner = program_.code_at(address_of("valve"));
  EXPECT_EQ(inner.function, "plant::valve");
  EXPECT_THAT(inner.inlined, ElementsAre("plant::valve", "plant::pipe", "plant::pump"));
  EXPECT_THAT(inner.source, EndsWith(":" + std::to_string(line_of("valve"))));
  const CodeInfo middle = program_.code_at(address_of("pipe"));
  EXPECT_THAT(middle.inlined, ElementsAre("plant::pipe", "plant::pump"));
}

TEST_P(TracedProgram, HasNoNamesOutsideOfItsCode) {
  for (const std::uint64_t address : {std::uint64_t{0}, bias_ + 8, ~std::uint64_t{0}}) {
    const CodeInfo info = program_.code_at(address);
    EXPECT_EQ(info.function, "");
    EXPECT_EQ(info.source, "");
  }
}

// The table starts with constant offsets. A pointer follows, at offset 16. In a position-independent program,
// the dynamic linker sets this pointer, so it is not constant.
TEST_P(TracedProgram, HasTheConstantsOfVirtualTables) {
  const std::uint64_t table = program_.object("vtable for Gilded").value().address;
  const auto offset = program_.constant_bytes(table);
  ASSERT_GE(offset.size(), 16u);
  EXPECT_EQ(offset[0], std::byte{12});
  EXPECT_EQ(program_.constant_bytes(table + 16).empty(), bias_ != 0);
  EXPECT_EQ(program_.constant_bytes(table + 23).empty(), bias_ != 0);
  EXPECT_EQ(offset.size() == 16u, bias_ != 0);
}

TEST_P(TracedProgram, FindsFunctionsByTheNamesOfUsers) {
  EXPECT_THAT(program_.functions("plant::pump"), SizeIs(1));
  EXPECT_THAT(program_.functions("pump"), SizeIs(1));
  EXPECT_THAT(program_.functions("drain"), SizeIs(1));
  EXPECT_THAT(program_.functions("ump"), IsEmpty());
  const Program::Function pump = program_.functions("pump").front();
  const std::uint64_t body = address_of("pump body") - bias_;
  EXPECT_LE(pump.address, body);
  EXPECT_LT(body, pump.address + pump.size);
  EXPECT_TRUE(program_.layout().is_code(body));
  EXPECT_TRUE(program_.layout().is_code(program_.functions("_init").front().address))
      << "where a section begins";
}

TEST_P(TracedProgram, FindsStaticObjectsAtTheirLoadAddress) {
  const auto readings = program_.object("plant::readings");
  ASSERT_TRUE(readings);
  EXPECT_EQ(readings->size, 32u);
  EXPECT_GT(readings->address, bias_);
  EXPECT_FALSE(program_.layout().is_code(readings->address - bias_));
  EXPECT_FALSE(program_.object("plant::nothing"));
}

TEST_P(TracedProgram, FindsTypesOfVisibleVariables) {
  const std::uint64_t address = address_of("pump body");
  const auto kind = [&](const char* name) {
    const Type* const type = type_of(address, name);
    return type != nullptr ? type->kind : Type::Kind::Unknown;
  };
  EXPECT_EQ(kind("strokes"), Type::Kind::Signed);
  EXPECT_EQ(kind("name"), Type::Kind::Pointer);
  EXPECT_EQ(kind("ratio"), Type::Kind::Float);
  EXPECT_EQ(kind("spilled"), Type::Kind::Unsigned);
  EXPECT_EQ(kind("tap"), Type::Kind::Unknown);  // `tap` is in another function
}

// leaves() returns a text for each leaf of a value, such as "g->id:i32@0": the name, the form, the size in
// bits, and the offset in bytes. If the type is unknown, returns "?".
class TracedValues : public TracedProgram {
 protected:
  std::vector<std::string> leaves(const std::string& expression) const {
    const Type* type = type_of(address_of("measure body"), expression);
    if (type != nullptr && type->kind == Type::Kind::Reference) type = type->target;
    if (type == nullptr) return {"?"};
    std::vector<std::string> texts;
    Names names;
    const ValueLayout all = value_layout(*type, expression, names);
    for (const Leaf& leaf : all.leaves) {
      static constexpr std::array<std::string_view, 21> kForms{
          "i",         "u",     "hex",  "text p", "utf16 p", "utf32 p",         "p",
          "f",         "flags", "e",    "bool",   "char",    "function member", "c",
          "fortran c", "fixed", "text", "utf16",  "utf32",   "text slice",      "bytes"};
      std::string text =
          std::string(names.text(leaf.name)) + ":" + std::string(kForms[static_cast<std::size_t>(leaf.form)]);
      text += leaf.bit_size != 0 ? "[" + std::to_string(leaf.bit_size) + "]" : std::to_string(8 * leaf.size);
      texts.push_back(text + "@" + std::to_string(leaf.offset));
    }
    if (all.more > 0) texts.push_back("and " + std::to_string(all.more));
    return texts;
  }
};
INSTANTIATE_TEST_SUITE_P(Both, TracedValues, testing::Values(TRACED_FIXED));

TEST_P(TracedValues, StructuresAreTheirMembers) {
  const std::vector<std::string> gauge{
      "g->id:i32@0",    "g->serial:u64@8",   "g->label:text64@16", "g->at.x:f64@24",   "g->at.y:f64@32",
      "g->raw:i32@40",  "g->real:f32@40",    "g->low:u[3]@44",     "g->mid:i[5]@44",   "g->kind:e32@48",
      "g->next:p64@56", "g->past[0]:i16@64", "g->past[1]:i16@66",  "g->is_on:bool8@68"};
  EXPECT_EQ(leaves("*g"), gauge);
  EXPECT_THAT(leaves("g->at"), ElementsAre("g->at.x:f64@0", "g->at.y:f64@8"));
  EXPECT_THAT(leaves("(*g).at.y"), ElementsAre("(*g).at.y:f64@0"));
  EXPECT_THAT(leaves("g->next->next->id"), ElementsAre("g->next->next->id:i32@0"));
  EXPECT_THAT(leaves("*g->next").front(), "g->next->id:i32@0");
}

TEST_P(TracedValues, ArraysAreTheirElements) {
  EXPECT_THAT(leaves("grid"), ElementsAre("grid[0][0]:i16@0", "grid[0][1]:i16@2", "grid[0][2]:i16@4",
                                          "grid[1][0]:i16@6", "grid[1][1]:i16@8", "grid[1][2]:i16@10"));
  EXPECT_THAT(leaves("grid[1]"), ElementsAre("grid[1][0]:i16@0", "grid[1][1]:i16@2", "grid[1][2]:i16@4"));
  EXPECT_THAT(leaves("readings[2]@2"), ElementsAre("readings[2]:i64@0", "readings[3]:i64@8"));
  EXPECT_THAT(leaves("*g@2").back(), "g[1].is_on:bool8@140");
  EXPECT_THAT(leaves("g->label"), ElementsAre("g->label:text64@0"));
  EXPECT_THAT(leaves("many").back(), "and 968");
}

TEST_P(TracedValues, ExpressionsHaveTypes) {
  EXPECT_THAT(leaves("level"), ElementsAre("level:i32@0"));
  EXPECT_THAT(leaves("plant::level"), ElementsAre("plant::level:i32@0"));
  EXPECT_THAT(leaves("*(int*)g"), ElementsAre("*(int*)g:i32@0"));
  EXPECT_THAT(leaves("((struct gauge *) g)->id"), ElementsAre("((struct gauge *) g)->id:i32@0"));
  EXPECT_THAT(leaves("g->past[1]"), ElementsAre("g->past[1]:i16@0"));
  EXPECT_THAT(leaves("*g->past"), ElementsAre("*g->past:i16@0"));
  EXPECT_THAT(leaves("&g->id"), ElementsAre("&g->id:p64@0"));
  EXPECT_THAT(leaves("g->id + 1"), ElementsAre("g->id + 1:i32@0"));
  for (const char* const number : {"-level", "~level", "+level", "-g->past[1]"})
    EXPECT_THAT(leaves(number), ElementsAre(std::string(number) + ":i32@0"));
  EXPECT_THAT(leaves("!g"), ElementsAre("!g:bool8@0"));
  EXPECT_THAT(leaves("g->id * 2 > 1"), ElementsAre("g->id * 2 > 1:bool8@0"));
  EXPECT_THAT(leaves("*(readings + 1)"), ElementsAre("*(readings + 1):i64@0"));
  EXPECT_THAT(leaves("1 + readings"), ElementsAre("1 + readings:p64@0"));
  for (const char* const unknown :
       {"nothing", "g->nothing", "g.", "*tank", "g->", "(", "g[", "1 +", "level)", ""})
    EXPECT_THAT(leaves(unknown), ElementsAre("?")) << unknown;
}

TEST_P(TracedValues, ExpressionsMayBeLongButNotDeep) {
  std::string sum = "-level", deep = "level";
  for (int i = 0; i < 200; ++i) sum += " + -level";
  EXPECT_THAT(leaves(sum), ElementsAre(sum + ":i32@0"));
  for (int i = 0; i < 200; ++i) deep = "-" + deep;
  EXPECT_THAT(leaves(deep), ElementsAre("?"));
  std::string brackets = "level";
  for (int i = 0; i < 200; ++i) brackets = "(" + brackets + ")";
  EXPECT_THAT(leaves(brackets), ElementsAre("?"));
}

TEST_P(TracedValues, ClassesHaveTheMembersOfTheirBases) {
  EXPECT_THAT(leaves("tank"), ElementsAre("tank.id:i32@0", "tank.volume:f32@4"));
}

TEST_P(TracedValues, VirtualBasesAreCounted) {
  EXPECT_THAT(leaves("ring"), ElementsAre("ring._vptr.Gilded:p64@0", "ring.carats:i32@8", "and 1"));
}

// The innermost variables come first. Variables of callers and of other inner blocks are not visible.
TEST_P(TracedProgram, FindsTheVariablesOfAFunction) {
  const auto names = [&](const char* mark) {
    std::vector<std::string> all;
    for (const CodeScope::Variable& variable : program_.scope_at(address_of(mark))->variables)
      all.push_back(variable.name + (variable.is_parameter ? " (p)" : ""));
    return all;
  };
  EXPECT_THAT(names("pump body"), ElementsAre("strokes (p)", "name (p)", "ratio (p)", "spilled", "moved"));
  EXPECT_THAT(names("valve"), ElementsAre("flow (p)", "turns")) << "inlined";
  EXPECT_THAT(names("refill"), ElementsAre("tap (p)", "calls"));
  EXPECT_THAT(names("refill inner"), ElementsAre("calls", "tap (p)", "calls"));
}

TEST_P(TracedProgram, FindsNoVariablesOutsideOfFunctions) {
  EXPECT_EQ(program_.scope_at(bias_ + 8), nullptr);
  EXPECT_EQ(program_.scope_at(0), nullptr);
}

TEST_P(TracedProgram, FindsTheStaticObjectThatANameRefersTo) {
  const auto size = [&](const char* mark, const char* name) { return object(address_of(mark), name).size; };
  EXPECT_EQ(size("refill", "calls"), 4u);
  EXPECT_EQ(size("refill inner", "calls"), 2u);  // the inner variable hides the outer one
  EXPECT_EQ(size("pump", "calls"), 0u);
  EXPECT_EQ(size("refill", "hidden"), 4u);
  EXPECT_EQ(size("refill", "tap"), 0u);  // the variable has another address in each frame
  EXPECT_EQ(size("refill", "tally"), 4u);
  EXPECT_EQ(size("refill", "plant::Tap::tally"), 4u);
  EXPECT_EQ(size("refill", "plant::Basin<2,3>::volume"), 8u);
  EXPECT_EQ(size("refill", "plant::Basin<2, 3>::volume"), 8u);
  EXPECT_EQ(object(address_of("refill"), "plant::level").address, program_.object("plant::level")->address);
  EXPECT_EQ(object(address_of("refill"), "level").address, program_.object("plant::level")->address);
}

TEST_P(TracedProgram, FindsStaticObjectsOfFunctionsAndFiles) {
  const auto here = [&](const char* name) { return object(address_of("pump"), name); };
  const std::uint64_t in_program = object(address_of("refill"), "::tally").address;
  EXPECT_EQ(here("tally").address, in_program);
  EXPECT_EQ(here("::tally").address, in_program);
  EXPECT_EQ(here("'traced_program.cpp'::tally").address, in_program);
  EXPECT_EQ(here("'src/traced_program.cpp'::tally").size, 4u);
  EXPECT_EQ(here("'traced_unit.c'::tally").size, 2u);
  EXPECT_EQ(here("'other.c'::tally").size, 0u);
  EXPECT_EQ(here("unit_start::tally_of_calls").size, 1u);
  EXPECT_EQ(here("plant::refill::calls").size, 4u);
  EXPECT_EQ(here("plant::refill::level").size, 0u);
  const std::uint64_t unit = program_.functions("unit_start").front().address + bias_;
  EXPECT_EQ(object(unit, "tally").size, 2u);  // the unit's own variable
  EXPECT_EQ(type_of(unit, "'traced_unit.c'::tally")->size, 2u);
}

TEST_P(TracedProgram, DistinguishesCharacterTypes) {
  EXPECT_TRUE(type_of(address_of("measure body"), "g->label")->target->is_char);
  const Type* const sign = type_of(address_of("pump"), "sign");
  EXPECT_FALSE(sign->target->is_char) << "wide ones are numbers";
}

TEST_P(TracedProgram, FindsTheWideCharactersOfC) {
  const Type* const sign = type_of(address_of("pump"), "sign");
  ASSERT_EQ(sign->kind, Type::Kind::Array);
  EXPECT_TRUE(sign->target->is_character);
  EXPECT_EQ(sign->target->size, 4u);
  const Type* const count = type_of(program_.functions("unit_start").front().address + bias_, "count");
  EXPECT_FALSE(count->is_character);
}

TEST_P(TracedProgram, QualifiesEnumerators) {
  const auto enumerators = [&](const char* expression) {
    const Type* const type = type_of(address_of("refill"), expression);
    std::vector<std::string> names;
    if (type != nullptr)
      for (const auto& [value, name] : type->enumerators) names.push_back(name);
    return names;
  };
  EXPECT_THAT(enumerators("tap->state"), ElementsAre("plant::Tap::OPEN", "plant::Tap::SHUT"));
  EXPECT_THAT(enumerators("tap->mode"), ElementsAre("plant::Mode::SLOW"));
  EXPECT_THAT(enumerators("(plant::Kind)1"), ElementsAre("plant::LEVEL", "plant::FLOW"));
}

TEST(TracedPrograms, HaveAMachine) {
  const Program fixed(TRACED_FIXED, Demangle::Simple), pie(TRACED_PIE, Demangle::Simple);
  EXPECT_FALSE(fixed.layout().is_position_independent());
  EXPECT_TRUE(pie.layout().is_position_independent());
  EXPECT_EQ(fixed.layout().machine().order, std::endian::native);
#ifdef __x86_64__
  EXPECT_EQ(fixed.layout().machine().architecture, "i386:x86-64");
#endif
}

TEST(TracedPrograms, ShowNamesInTheDemangleMode) {
  const auto name_with = [](Demangle mode) {
    const Program program(TRACED_FIXED, mode);
    return program.code_at(program.functions("plain_start").front().address).function + " " +
           program.code_at(program.functions("pump").front().address).function;
  };
  EXPECT_EQ(name_with(Demangle::Simple), "plain_start plant::pump");
  EXPECT_EQ(name_with(Demangle::Full), "plain_start plant::pump(int, char const*, double)");
  EXPECT_EQ(name_with(Demangle::No), "plain_start _ZN5plant4pumpEiPKcd");
}

std::string error_of(const char* path) {
  try {
    const Program program(path, Demangle::Simple);
  } catch (const InputError& error) {
    return error.what();
  }
  return "a program";
}

TEST(TracedPrograms, MustBePrograms) {
  EXPECT_THAT(error_of(TRACED_SOURCE), testing::StartsWith(TRACED_SOURCE ": "));
  EXPECT_EQ(error_of("/does/not/exist"), "/does/not/exist: can't open: No such file or directory");
  EXPECT_EQ(error_of("/"), "/: not a regular file, so it is not opened");
  const auto fifo = std::filesystem::temp_directory_path() / fmt::format("program-{}", ::getpid());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(error_of(fifo.c_str()), fifo.string() + ": not a regular file, so it is not opened");
  std::filesystem::remove(fifo);
}

// Opening a FIFO would wait for a writer.
TEST(TracedPrograms, FifosAreNotDebugInformation) {
  const Program linked(TRACED_FIFOS "/traced_linked", Demangle::Simple);
  EXPECT_EQ(linked.debug_info().dwarf(), nullptr);
  EXPECT_EQ(linked.missing_debug_file(), "traced_linked.debug");
  const Program split(TRACED_FIFOS "/traced_split", Demangle::Simple);
  split.debug_info().globals();
  EXPECT_NE(split.object("panel"), std::nullopt);
}

// The program's debug information (dwz) refers to another file, which is a FIFO. The name of the variable is
// in that file.
TEST(TracedPrograms, AFifoIsNotSharedDebugInformation) {
  const auto fifo = std::filesystem::temp_directory_path() / fmt::format("shared-{}", ::getpid());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ElfBuilder elf;
  // The header has the version, the offset of the abbreviations, and the size of addresses. It is followed by
  // the unit with its name, the variable with its name, and the end of the unit's children.
  const std::string unit = elf.number(4, 2) + elf.number(0, 4) + elf.number(8, 1) + elf.number(1, 1) +
                           elf.number(0, 4) + elf.number(2, 1) + elf.number(0, 4) + elf.number(0, 1);
  elf.add({.name = ".debug_info", .data = elf.number(unit.size(), 4) + unit});
  // DW_TAG_compile_unit with children, and DW_TAG_variable, each with DW_AT_name as DW_FORM_GNU_strp_alt.
  elf.add(
      {.name = ".debug_abbrev", .data = std::string("\1\x11\1\3\xa1\x3e\0\0\2\x34\0\3\xa1\x3e\0\0\0", 17)});
  elf.add({.name = ".gnu_debugaltlink", .data = fifo.string() + '\0' + std::string(20, 'i')});
  elf.load(0, 64);
  MemoryFile file;
  file.write(elf.bytes());
  const Program program(file.path(), Demangle::Simple);
  ASSERT_NE(program.debug_info().dwarf(), nullptr);
  EXPECT_FALSE(program.debug_info().globals().find("panel", kObject));
  std::filesystem::remove(fifo);
}

// This is a gzip file. libdwfl would unpack it, without a limit for the size.
TEST(TracedPrograms, APackedFileIsNotAProgram) {
  MemoryFile file;
  file.write(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\3", 10));
  EXPECT_EQ(error_of(file.path().c_str()), file.path().string() + ": is not an ELF file");
}

TEST(TracedPrograms, TheUnpackedSizeOfASectionIsLimited) {
  std::ifstream in(TRACED_COMPRESSED, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, &bytes[header.e_shoff + i * sizeof section], sizeof section);
    if ((section.sh_flags & SHF_COMPRESSED) == 0) continue;
    constexpr std::uint64_t kClaimed = (std::uint64_t{1} << 30) + 1;
    std::memcpy(&bytes[section.sh_offset + offsetof(Elf64_Chdr, ch_size)], &kClaimed, sizeof kClaimed);
    break;
  }
  MemoryFile file;
  file.write(bytes);
  EXPECT_EQ(error_of(file.path().c_str()),
            file.path().string() + ": more than 64 MiB of unpacked sections of a program");
}

// Returns the header of the section `.debug_str`, and the offset of this header in the file.
std::pair<std::size_t, Elf64_Shdr> section_of_texts(const std::string& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto section = [&](std::size_t i) {
    Elf64_Shdr found;
    std::memcpy(&found, &bytes[header.e_shoff + i * sizeof found], sizeof found);
    return found;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    if (std::string_view(&bytes[names.sh_offset + section(i).sh_name]) == ".debug_str")
      return {header.e_shoff + i * sizeof(Elf64_Shdr), section(i)};
  throw std::runtime_error("no .debug_str");
}

TEST(TracedPrograms, ProgramsWithAnEndlessTextAreRefused) {
  std::ifstream in(TRACED_PIE, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const Elf64_Shdr texts = section_of_texts(bytes).second;
  ASSERT_EQ(texts.sh_flags & SHF_COMPRESSED, 0U);
  bytes[texts.sh_offset + texts.sh_size - 1] = 'x';
  MemoryFile file;
  file.write(bytes);
  EXPECT_EQ(error_of(file.path().c_str()),
            file.path().string() + ": the last text in a section of debug information has no end");
}

TEST(TracedPrograms, CompressedProgramsWithAnEndlessTextAreRefused) {
  std::ifstream in(TRACED_COMPRESSED, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  auto [header_at, texts] = section_of_texts(bytes);
  ASSERT_NE(texts.sh_flags & SHF_COMPRESSED, 0U);
  const Elf64_Chdr claim{.ch_type = ELFCOMPRESS_ZLIB, .ch_reserved = 0, .ch_size = 3, .ch_addralign = 1};
  std::array<Bytef, 64> packed{};
  uLongf size = packed.size();
  ASSERT_EQ(compress(packed.data(), &size, reinterpret_cast<const Bytef*>("abc"), 3), Z_OK);
  texts.sh_offset = bytes.size();
  texts.sh_size = sizeof claim + size;
  std::memcpy(&bytes[header_at], &texts, sizeof texts);
  bytes.append(reinterpret_cast<const char*>(&claim), sizeof claim);
  bytes.append(reinterpret_cast<const char*>(packed.data()), size);
  MemoryFile file;
  file.write(bytes);
  EXPECT_EQ(error_of(file.path().c_str()),
            file.path().string() + ": the last text in a section of debug information has no end");
}

}  // namespace
}  // namespace convert::tfile
