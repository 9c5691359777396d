// Tests frames with values whose types the program describes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dwarf.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/program.h"
#include "converters/tfile/program/unwinder.h"
#include "tests/tfile/program/traced_program.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TypedFrames : public testing::Test {
 protected:
  explicit TypedFrames(const char* path = TRACED_FIXED) : file(path) {}

  // Adds a tracepoint at the start of a function. `collect` is its command, and `actions` are the actions
  // that collect the items.
  TypedFrames& tracepoint(std::string_view function, std::string_view collect, std::string_view actions) {
    const auto functions = program.functions(function);
    if (functions.empty()) throw std::logic_error("no such function");
    const std::string location = fmt::format("2:{:x}", functions.front().address);
    t.line("R 40").line(kStamp);
    t.line(fmt::format("tp T{}:E:0:0", location)).line(fmt::format("tp A{}:{}", location, actions));
    t.source(location, "at", function).source(location, "cmd", collect);
    return *this;
  }
  std::vector<std::string> frame_lines() {
    ImportOptions options;
    options.blobs = Blobs::None;
    return t.end().lines(options, {.programs = {file}});
  }
  std::string frame_line() {
    t.variable(1, 1000);
    for (std::string& line : frame_lines())
      if (line.find(" caller:") == std::string::npos) return line;
    return "";
  }
  // Returns the offset of a variable from the frame base, which is the CFA.
  std::int64_t offset_of(std::string_view function, std::string_view variable) const {
    const CodeScope* const scope = program.scope_at(program.functions(function).front().address);
    return offset_of(scope->find(variable)->die, *scope);
  }
  static std::int64_t offset_of(Dwarf_Die variable, const CodeScope& scope) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    dwarf_attr_integrate(&variable, DW_AT_location, &attribute);
    EXPECT_EQ(dwarf_getlocation_addr(&attribute, scope.pc, &operations, &count, 1), 1);
    EXPECT_EQ(operations->atom, DW_OP_fbreg);
    return static_cast<std::int64_t>(operations->number);
  }
  std::uint64_t address_of(const std::string& object) const { return program.object(object).value().address; }

  std::filesystem::path file;
  Program program{file, Demangle::Simple};
  TraceBuilder t;
};

// `valve` is inlined into `pipe`, and `pipe` is inlined into `pump`. GDB's text for the location,
// "-function pipe", shows that the tracepoint belongs to `pipe`.
TEST_F(TypedFrames, AreNamedByTheFunctionOfTheirTracepoint) {
  const std::uint64_t address = program.line_addresses("traced_program.cpp", line_of("valve")).front();
  const std::string location = fmt::format("2:{:x}", address);
  t.line("R 40")
      .line(fmt::format("tp T{}:E:0:0", location))
      .source(location, "at", "-function pipe")
      .frame(2);
  const auto lines = t.end().lines({}, {.programs = {file}});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr(" tracepoint:plant::pipe "));
  EXPECT_THAT(lines[0], HasSubstr(" inlined=\"plant::valve < plant::pipe < plant::pump\""));
}

TEST_F(TypedFrames, AnArrayIsItsElements) {
  const std::uint64_t readings = address_of("plant::readings");
  tracepoint("plant::pump", "collect plant::readings", fmt::format("M-1,{:x},20", readings));
  std::string bytes;
  for (const std::int64_t reading : {7, -8, 9, 10}) bytes += t.number(reading);
  t.frame(2).memory(readings, bytes);
  EXPECT_THAT(frame_line(), HasSubstr(" plant::readings[0]=7 plant::readings[1]=-8 plant::readings[2]=9 "
                                      "plant::readings[3]=10 "));
  EXPECT_THAT(t.notes(), Not(Contains(HasSubstr("untyped-values"))));
}

// The commands have no item for this memory, because GDB does not save the items of default-collect.
TEST_F(TypedFrames, MemoryThatIsOneGlobalHasItsName) {
  const std::uint64_t level = address_of("plant::level");
  tracepoint("plant::pump", "collect $trace_timestamp", fmt::format("M-1,{:x},4", level));
  t.frame(2).memory(level, t.number(std::int32_t{0x4142}));
  EXPECT_THAT(frame_line(), AllOf(HasSubstr(" plant::level=16706 "), Not(HasSubstr(" mem."))));
}

TEST_F(TypedFrames, MemoryThatIsAPartOfAGlobalHasNoName) {
  const std::uint64_t level = address_of("plant::level");
  tracepoint("plant::pump", "collect $trace_timestamp", fmt::format("M-1,{:x},2", level));
  t.frame(2).memory(level, t.number(std::int16_t{0x4142}));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" mem.{:#x}=16706 ", level)));
}

TEST_F(TypedFrames, MemoryThatWasNotRecordedIsNotShown) {
  const std::uint64_t readings = address_of("plant::readings");
  tracepoint("plant::pump", "collect plant::readings", fmt::format("M-1,{:x},20", readings));
  t.frame(2).memory(readings, std::string(20, '\1'));
  EXPECT_THAT(frame_line(), Not(HasSubstr("readings[2]")));
}

TEST_F(TypedFrames, ManyElementsAreCounted) {
  const std::uint64_t many = address_of("plant::many");
  tracepoint("plant::pump", "collect plant::many", fmt::format("M-1,{:x},fa0", many));
  t.frame(2).memory(many, std::string(4000, '\0'));
  t.variable(1, 1000).end();
  ImportOptions options;
  options.blobs = Blobs::None;
  EXPECT_THAT(t.lines(options, {.programs = {file}}), Contains(HasSubstr("plant::many.more=968")));
}

// Here, collect/s collects a number, which is not a text.
TEST_F(TypedFrames, OnlyCharactersAreTexts) {
  const std::uint64_t level = address_of("plant::level");
  tracepoint("plant::pump", "collect/s plant::level", fmt::format("M-1,{:x},4", level));
  t.frame(2).memory(level, t.number(std::int32_t{0x4142}));
  EXPECT_THAT(frame_line(), HasSubstr(" plant::level=16706 "));
}

TEST_F(TypedFrames, DoublesAreShown) {
  const std::uint64_t pressure = address_of("plant::pressure");
  tracepoint("plant::pump", "collect plant::pressure", fmt::format("M-1,{:x},8", pressure));
  t.frame(2).memory(pressure, t.number(std::uint64_t{0x4004'0000'0000'0000}));
  EXPECT_THAT(frame_line(), HasSubstr(" plant::pressure=2.5 "));
}

// The text is in constant memory of the program, and not in the frame.
TEST_F(TypedFrames, PointersToConstantTextsShowThem) {
  const std::uint64_t slogan = address_of("slogan"), motto = address_of("motto");
  tracepoint("plant::pump", "collect slogan", fmt::format("M-1,{:x},8", slogan));
  const std::uint64_t end = motto + 17;
  for (const std::uint64_t pointer :
       {motto, end, address_of("endless"), address_of("tally"), motto, std::uint64_t{0}})
    t.frame(2).memory(slogan, t.number(pointer));
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.end().lines(options, {.programs = {file}});
  ASSERT_EQ(lines.size(), 6u);
  const std::string long_text = "twenty characters...";
  std::string shown;
  for (int i = 0; i < 10; ++i) shown += long_text;
  const auto shows = [&](std::uint64_t pointer, const std::string& text) {
    return EndsWith(fmt::format(" slogan='{:#x} {}'", pointer, text));
  };
  EXPECT_THAT(lines[0], shows(motto, "<motto> \"slow and \"steady\"\""));
  EXPECT_THAT(lines[1], shows(end, "<motto+17> \"\""));
  EXPECT_THAT(lines[2], shows(address_of("endless"), "<endless> \"" + shown + "\"..."));
  EXPECT_THAT(lines[3], shows(address_of("tally"), "<tally>")) << "text that can change";
  EXPECT_THAT(lines[4], shows(motto, "<motto> \"slow and \"steady\"\""));
  EXPECT_THAT(lines[5], EndsWith(" slogan=0x0"));
}

TEST_F(TypedFrames, PointersToFunctionsShowTheirNames) {
  const std::uint64_t starter = address_of("starter");
  tracepoint("plant::pump", "collect starter", fmt::format("M-1,{:x},8", starter));
  const std::uint64_t plain = program.functions("plain_start").front().address,
                      pump = program.functions("plant::pump").front().address;
  for (const std::uint64_t pointer : {plain, pump + 4, std::uint64_t{16}})
    t.frame(2).memory(starter, t.number(pointer));
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.end().lines(options, {.programs = {file}, .plotted = {"starter"}});
  EXPECT_THAT(lines, Contains(EndsWith(fmt::format(" starter='{:#x} <plain_start>'", plain))));
  EXPECT_THAT(lines, Contains(EndsWith(fmt::format(
                         " starter='{:#x} <plant::pump(int, char const*, double)+4>'", pump + 4))));
  EXPECT_THAT(lines, Contains(EndsWith(" starter=0x10")));
  EXPECT_THAT(lines, Contains(HasSubstr(fmt::format("counter value:plot #0 starter={}", plain))));
}

TEST_F(TypedFrames, ReferencesToFunctionsShowTheirNames) {
  const std::uint64_t opener = address_of("opener");
  tracepoint("plant::pump", "collect opener", fmt::format("M-1,{:x},8", opener));
  const std::uint64_t plain = program.functions("plain_start").front().address;
  t.frame(2).memory(opener, t.number(plain));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" opener='{:#x} <plain_start>' ", plain)));
  EXPECT_THAT(t.notes(), Not(Contains(HasSubstr("item-"))));
}

TEST_F(TypedFrames, ClassesShowTheirTables) {
  const std::uint64_t ring = address_of("ring"), table = address_of("vtable for Gilded") + 8;
  tracepoint("plant::pump", "collect ring", fmt::format("M-1,{:x},10", ring));
  t.frame(2).memory(ring, t.number(table) + t.number(std::int64_t{24}));
  EXPECT_THAT(frame_line(),
              HasSubstr(fmt::format(" ring._vptr.Gilded='{:#x} <vtable for Gilded+8>' ", table)));
}

// The offset of the virtual base is in the table of virtual functions. This table is constant, so it need not
// be recorded.
TEST_F(TypedFrames, VirtualBasesAreFoundByTheirTable) {
  const std::uint64_t ring = address_of("ring"), table = address_of("vtable for Gilded") + 24;
  tracepoint("plant::pump", "collect ring", fmt::format("M-1,{:x},10", ring));
  const std::string bytes = t.number(table) + t.number(std::int32_t{24}) + t.number(std::int32_t{77});
  t.frame(2).memory(ring, bytes).frame(2).memory(ring, t.number(std::uint64_t{0}) + bytes.substr(8));
  const auto lines = frame_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr(" ring.worth=77 ring._vptr.Gilded="));
  EXPECT_THAT(lines[0], EndsWith(" ring.carats=24"));
  EXPECT_THAT(lines[1], EndsWith(" ring._vptr.Gilded=0x0 ring.carats=24 ring.more=1"));
}

// Gilded and Plated share their virtual base. In a Crown, each of them has a table of virtual functions,
// which begins with the offset of this base.
TEST_F(TypedFrames, SharedVirtualBasesAreShownOnce) {
  const std::uint64_t crown = address_of("crown"), table = address_of("vtable for Crown");
  tracepoint("plant::pump", "collect crown", fmt::format("M-1,{:x},28", crown));
  t.frame(2).memory(crown, t.number(table + 24) + t.number(std::int64_t{5}) + t.number(table + 48) +
                               t.number(std::int32_t{6}) + t.number(std::int32_t{7}) +
                               t.number(std::int64_t{77}));
  const std::string line = frame_line();
  EXPECT_THAT(line, AllOf(HasSubstr(" crown.worth=77 "), HasSubstr(" crown.carats=5 ")));
  EXPECT_THAT(line, AllOf(HasSubstr(" crown.layers=6 "), HasSubstr(" crown.stones=7 ")));
  EXPECT_EQ(line.find("worth"), line.rfind("worth"));
}

// The collected object is the Gilded in a Crown. In a Crown, the virtual base is outside of the Gilded, so it
// was not recorded.
TEST_F(TypedFrames, VirtualBasesMayBeOutsideOfTheCollectedClass) {
  const std::uint64_t ring = address_of("ring"), table = address_of("vtable for Crown") + 24;
  tracepoint("plant::pump", "collect ring", fmt::format("M-1,{:x},10", ring));
  t.frame(2).memory(ring, t.number(table) + t.number(std::int64_t{24}));
  EXPECT_THAT(frame_line(), HasSubstr(" ring.carats=24 ring.more=1 "));
}

TEST_F(TypedFrames, ElementsOfArraysHaveVirtualBases) {
  const std::uint64_t crowns = address_of("crowns"), table = address_of("vtable for Crown");
  tracepoint("plant::pump", "collect crowns", fmt::format("M-1,{:x},50", crowns));
  std::string bytes;
  for (const std::int64_t worth : {70, 71})
    bytes += t.number(table + 24) + t.number(std::int64_t{5}) + t.number(table + 48) +
             t.number(std::int64_t{6}) + t.number(worth);
  t.frame(2).memory(crowns, bytes);
  EXPECT_THAT(frame_line(), AllOf(HasSubstr(" crowns[0].worth=70 "), HasSubstr(" crowns[1].worth=71 ")));
}

// ---- Other languages ----

TEST_F(TypedFrames, EnumeratorsOfDAreQualifiedByPoints) {
  const std::uint64_t mode = address_of("d_mode");
  tracepoint("plant::pump", "collect d_mode", fmt::format("M-1,{:x},4", mode));
  t.frame(2).memory(mode, t.number(std::uint32_t{1}));
  EXPECT_THAT(frame_line(), HasSubstr(" d_mode='prog.Mode.on' "));
}

TEST_F(TypedFrames, EnumeratorsAreQualifiedByTheClassThatDeclaresThem) {
  const std::uint64_t state = address_of("gauge_state");
  tracepoint("plant::pump", "collect gauge_state", fmt::format("M-1,{:x},4", state));
  t.frame(2).memory(state, t.number(std::uint32_t{1}));
  EXPECT_THAT(frame_line(), HasSubstr(" gauge_state='Gauge::OPEN' "));
}

TEST_F(TypedFrames, AddressesArePointers) {
  const std::uint64_t next = address_of("gauge_next"),
                      plain = program.functions("plain_start").front().address;
  tracepoint("plant::pump", "collect gauge_next", fmt::format("M-1,{:x},8", next));
  t.frame(2).memory(next, t.number(plain));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" gauge_next='{:#x} <plain_start>' ", plain)));
}

TEST_F(TypedFrames, TheDiscriminantChoosesTheVariant) {
  const std::uint64_t shape = address_of("rust_shape");
  tracepoint("plant::pump", "collect rust_shape", fmt::format("M-1,{:x},10", shape));
  const auto radius = t.number(std::uint64_t{0x4004'0000'0000'0000});
  for (const char* const discriminant : {"\3", "\4", "\xff"})
    t.frame(2).memory(shape, discriminant + std::string(7, '\xee') + radius);
  t.frame(2).memory(shape + 8, radius);
  const auto lines = frame_lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], EndsWith(" rust_shape='Shape::Point'"));
  EXPECT_THAT(lines[1], EndsWith(" rust_shape (whole)='Shape::Circle' rust_shape.radius=2.5"));
  EXPECT_THAT(lines[2], EndsWith(" rust_shape (whole)='Shape::Circle' rust_shape.radius=2.5"));
  EXPECT_THAT(lines[3], Not(HasSubstr("radius")));
}

TEST_F(TypedFrames, VariantsMayHaveRangesOfDiscriminants) {
  const std::uint64_t shape = address_of("ada_shape");
  tracepoint("plant::pump", "collect ada_shape", fmt::format("M-1,{:x},c", shape));
  for (const std::int32_t kind : {-1, 2, 4, 5, 1, -2})
    t.frame(2).memory(shape, t.number(kind) + t.number(std::int32_t{7}) + t.number(std::int32_t{8}));
  std::vector<std::string> shown;
  for (const std::string& line : frame_lines()) shown.push_back(line.substr(line.find(" ada_")));
  EXPECT_THAT(shown,
              testing::ElementsAre(
                  " ada_shape.kind=-1 ada_shape.side=7", " ada_shape.kind=2 ada_shape.side=7",
                  " ada_shape.kind=4 ada_shape.side=7", " ada_shape.kind=5 ada_shape.a=7 ada_shape.b=8",
                  " ada_shape.kind=1 ada_shape.more=1", " ada_shape.kind=-2 ada_shape.more=1"));
}

// The item has the address of the elements, and the address of the bounds. In this frame, the bounds (-1 and
// 1) are before the elements (30, 31 and 32).
TEST_F(TypedFrames, ArraysMayHaveTheirBoundsInTheFrame) {
  const std::uint64_t vector = address_of("ada_vector"), many = address_of("plant::many");
  tracepoint("plant::pump", "collect ada_vector", fmt::format("M-1,{:x},10M-1,{:x},14", vector, many));
  std::string elements;
  for (const std::int32_t number : {-1, 1, 30, 31, 32}) elements += t.number(number);
  t.frame(2).memory(vector, t.number(many + 8) + t.number(many)).memory(many, elements);
  EXPECT_THAT(frame_line(), HasSubstr(" ada_vector(-1)=30 ada_vector[0]=31 ada_vector[1]=32"));
}

// The elements were not recorded, so they are not shown. Their address is not shown, because Ada has no
// expression for it.
TEST_F(TypedFrames, ArraysThatTheFrameLacksAreNotShown) {
  const std::uint64_t vector = address_of("ada_vector");
  tracepoint("plant::pump", "collect ada_vector", fmt::format("M-1,{:x},10", vector));
  t.frame(2).memory(vector, t.number(std::uint64_t{16}) + t.number(std::uint64_t{32}));
  EXPECT_THAT(frame_line(), Not(HasSubstr("ada_vector")));
  EXPECT_THAT(t.notes(),
              Contains(HasSubstr(
                  "`ada_vector`: the frame does not have the data to which the item refers, at 0x10")));
}

TEST_F(TypedFrames, ArraysMayBeIndexedByEnumerators) {
  const std::uint64_t tints = address_of("ada_tints");
  tracepoint("plant::pump", "collect ada_tints", fmt::format("M-1,{:x},c", tints));
  t.frame(2).memory(tints, t.number(std::int32_t{7}) + t.number(std::int32_t{8}) + t.number(std::int32_t{9}));
  EXPECT_THAT(frame_line(), HasSubstr(" ada_tints[1]=7 ada_tints[2]=8 ada_tints[3]=9 "));
}

TEST_F(TypedFrames, PackedArraysAreBytes) {
  const std::uint64_t packed = address_of("ada_packed");
  tracepoint("plant::pump", "collect ada_packed", fmt::format("M-1,{:x},1", packed));
  t.frame(2).memory(packed, "\5");
  EXPECT_THAT(frame_line(), HasSubstr(" ada_packed=\"05\" "));
}

// There may be gaps between the elements of a section of an array.
TEST_F(TypedFrames, SectionsOfArraysAreShownIfTheyHaveNoGaps) {
  const std::uint64_t section = address_of("fortran_section"), many = address_of("plant::many");
  tracepoint("plant::pump", "collect fortran_section", fmt::format("M-1,{:x},18M-1,{:x},20", section, many));
  std::string elements;
  for (const std::int64_t number : {1, 2, 3, 4}) elements += t.number(number);
  for (const std::uint64_t stride : {8U, 16U})
    t.frame(2)
        .memory(section, t.number(many) + t.number(std::uint64_t{2}) + t.number(stride))
        .memory(many, elements);
  const auto lines = frame_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr(" fortran_section(1)=1 fortran_section(2)=2"));
  EXPECT_THAT(lines[1], Not(HasSubstr("fortran_section(")));
}

TEST_F(TypedFrames, VariablesOfCommonBlocksAreLocal) {
  const std::uint64_t shared = address_of("fortran_shared");
  tracepoint("fortran_run", "collect fortran_shared", fmt::format("M-1,{:x},6", shared));
  t.frame(2).memory(shared, "pump  ");
  EXPECT_THAT(frame_line(), HasSubstr(" fortran_shared=\"\"pump  \"\" "));
  const CodeScope* const scope = program.scope_at(program.functions("fortran_run").front().address);
  EXPECT_NE(scope->find("fortran_shared"), nullptr) << "in $locals";
}

TEST_F(TypedFrames, TextsOfFortranAreShown) {
  const std::uint64_t name = address_of("fortran_name"), text = address_of("fortran_text"),
                      length = address_of("fortran_length");
  tracepoint("plant::pump", "collect fortran_name, fortran_text, fortran_length",
             fmt::format("M-1,{:x},6M-1,{:x},4M-1,{:x},8", name, text, length));
  t.frame(2).memory(name, "pump  ").memory(text, "flow").memory(length, t.number(std::int64_t{3}));
  EXPECT_THAT(frame_line(), HasSubstr(" fortran_name=\"\"pump  \"\" fortran_text=\"flo\" fortran_length=3 "));
}

// A pointer to a member function has two words. The first word is the function's address. For a virtual
// function, it is 1 plus the function's offset in the table of virtual functions. The second word is added to
// `this`.
TEST_F(TypedFrames, PointersToMembersShowThem) {
  const std::uint64_t read = address_of("reader"), unit = address_of("unit");
  tracepoint("plant::pump", "collect reader, unit", fmt::format("M-1,{:x},10M-1,{:x},8", read, unit));
  const std::uint64_t plain = program.functions("plain_start").front().address;
  const auto shown = [&](std::uint64_t function, std::uint64_t added, std::int64_t offset) {
    t.frame(2).memory(read, t.number(function) + t.number(added)).memory(unit, t.number(offset));
  };
  shown(1, 0, 8);
  shown(9, 0, 12);
  shown(1, 16, 16);
  shown(9, 16, 20);
  shown(0, 16, -1);
  shown(plain, 0, 77);
  shown(plain, 16, 0);
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.end().lines(options, {.programs = {file}});
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[0], EndsWith(" reader='&virtual Meter::read(int)' unit='&Meter::level'"));
  EXPECT_THAT(lines[1], EndsWith(" reader='&virtual Meter::reset()' unit='&Meter::limit'"));
  EXPECT_THAT(lines[2], EndsWith(" reader='&virtual Alarm::ring()' unit='&Alarm::_vptr.Alarm'"));
  EXPECT_THAT(lines[3], EndsWith(" reader=\"&virtual table offset 8, this adjustment 16\" unit=20"));
  EXPECT_THAT(lines[4], EndsWith(" reader='NULL' unit='NULL'"));
  EXPECT_THAT(lines[5], EndsWith(fmt::format(" reader='{:#x} <plain_start>' unit=77", plain)));
  EXPECT_THAT(lines[6], HasSubstr(fmt::format(" reader=\"{:#x} <plain_start>, this adjustment 16\"", plain)));
}

TEST_F(TypedFrames, PointersToObjectsShowTheirNames) {
  const std::uint64_t gauges = address_of("next_gauge"), wide = address_of("wide_slogan");
  tracepoint("plant::pump", "collect next_gauge, wide_slogan",
             fmt::format("M-1,{:x},8M-1,{:x},8", gauges, wide));
  const std::uint64_t tally = address_of("tally"), words = address_of("wide_words");
  t.frame(2).memory(gauges, t.number(tally)).memory(wide, t.number(words));
  t.frame(2).memory(gauges, t.number(std::uint64_t{0x7000})).memory(wide, t.number(words + 4));
  ImportOptions options;
  options.blobs = Blobs::None;
  const auto lines = t.end().lines(options, {.programs = {file}});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], EndsWith(fmt::format(
                            " next_gauge='{:#x} <tally>' wide_slogan='{:#x} <wide_words> \"d\u00e9j\u00e0\"'",
                            tally, words)));
  EXPECT_THAT(lines[1], EndsWith(fmt::format(
                            " next_gauge=0x7000 wide_slogan='{:#x} <wide_words+4> \"j\u00e0\"'", words + 4)));
}

// A step without registers has no pc. GDB made the actions for the steps as if the steps were at the
// tracepoint's address, so the types are known.
TEST_F(TypedFrames, StepsWithoutAPcHaveTypes) {
  const std::uint64_t pressure = address_of("plant::pressure");
  const std::string location = fmt::format("2:{:x}", program.functions("plant::pump").front().address);
  t.line("R 40").line(fmt::format("tp T{}:E:2:0", location));
  for (const char kind : {'A', 'S'}) t.line(fmt::format("tp {}{}:M-1,{:x},8", kind, location, pressure));
  t.source(location, "at", "plant::pump");
  for (const char* command :
       {"collect plant::pressure", "while-stepping 2", "collect plant::pressure", "end"})
    t.source(location, "cmd", command);
  t.frame(2).memory(pressure, t.number(std::uint64_t{0x4004'0000'0000'0000}));
  t.frame(2).memory(pressure, t.number(std::uint64_t{0x3ff4'0000'0000'0000}));
  EXPECT_THAT(t.end().lines({}, {.programs = {file}}), AllOf(Contains(HasSubstr(" plant::pressure=2.5")),
                                                             Contains(HasSubstr(" plant::pressure=1.25"))));
}

#ifdef __x86_64__
// At the first address of a function, the return address is at rsp. The CFA is the address after the return
// address.
class Entries : public TypedFrames {
 protected:
  static constexpr std::uint64_t kStack = 0x7000;

  // Adds a tracepoint at the start of a function, and a frame with registers. The tracepoint first records
  // the registers, and then does `actions`.
  Entries& entry(std::string_view function, std::string_view collect, std::string_view actions) {
    const std::uint64_t address = program.functions(function).front().address;
    const std::string location = fmt::format("2:{:x}", address);
    t.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    t.line("tdesc <reg name='rsp' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    t.line("R 10").line(kStamp).line(fmt::format("tp T{}:E:0:0", location));
    t.line(fmt::format("tp A{}:R3{}", location, actions));
    t.source(location, "at", function).source(location, "cmd", collect);
    t.frame(2).registers(t.number(kStack) + t.number(address));
    return *this;
  }
  std::uint64_t place_of(std::string_view function, std::string_view variable) const {
    return kStack + 8 + static_cast<std::uint64_t>(offset_of(function, variable));
  }
  // reg rsp; const16 <address - rsp>; ext 16; add; const8 <size>; trace; end
  static std::string trace(std::uint64_t address, unsigned size) {
    return fmt::format("X0000000D,26000023{:04x}16100222{:02x}0c27", (address - kStack) & 0xffff, size);
  }
  // const16 <address>; trace_quick 8; ref64; const8 8; trace; end
  static std::string follow(std::uint64_t address) {
    return fmt::format("X0000000A,23{:04x}0d081a22080c27", address);
  }
};

TEST_F(Entries, VariablesAreAtTheirPlacesInTheProgram) {
  const std::uint64_t moved = place_of("plant::pump", "moved"), spilled = place_of("plant::pump", "spilled");
  entry("plant::pump", "collect moved, spilled", trace(moved, 4) + trace(spilled, 2));
  t.memory(moved, t.number(std::int32_t{-5})).memory(spilled, t.number(std::int16_t{-1}));
  EXPECT_THAT(frame_line(), HasSubstr(" moved=-5 spilled=65535 "));
  EXPECT_THAT(t.notes(), Not(Contains(HasSubstr("item-"))));
}

// The actions recorded the variables in an order that is impossible for this program. Therefore, another
// build was recorded.
TEST_F(Entries, ContradictedVariablesHaveNoTypes) {
  const std::uint64_t moved = place_of("plant::pump", "moved"), spilled = place_of("plant::pump", "spilled");
  entry("plant::pump", "collect moved, spilled", trace(spilled, 2) + trace(moved, 4));
  t.memory(spilled, t.number(std::int16_t{-1})).memory(moved, t.number(std::int32_t{-5}));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" mem.{:#x}=-5 mem.{:#x}=-1 ", moved, spilled)));
  EXPECT_THAT(t.notes(), Contains("item-contradicted 2"));
  EXPECT_THAT(t.details(),
              Contains(EndsWith(
                  ": 1 frame, 2 items, 2 without a typed value (`moved`: the recorded memory or registers do "
                  "not match the item's location in the program), 2 blocks of memory without a name")));
}

TEST_F(Entries, OnlyContradictedItemsAreNotShown) {
  const std::uint64_t moved = place_of("plant::pump", "moved"), spilled = place_of("plant::pump", "spilled"),
                      strokes = place_of("plant::pump", "strokes");
  entry("plant::pump", "collect moved, spilled, $args",
        trace(moved, 8) + trace(spilled, 2) + trace(strokes, 4));
  t.memory(moved, t.number(std::int64_t{-5})).memory(spilled, t.number(std::int16_t{-1}));
  t.memory(strokes, t.number(std::int32_t{3}));
  EXPECT_THAT(frame_line(), AllOf(HasSubstr(" spilled=65535 strokes=3 "), Not(HasSubstr(" moved="))));
  EXPECT_THAT(t.notes(), Contains("item-contradicted 1"));
}

TEST_F(Entries, LocalsDoNotShowAContradictedItem) {
  const std::uint64_t moved = place_of("plant::pump", "moved"), spilled = place_of("plant::pump", "spilled");
  entry("plant::pump", "collect $locals, moved, spilled",
        trace(moved, 4) + trace(spilled, 2) + trace(spilled, 2) + trace(moved, 4));
  for (const std::uint64_t place : {moved, spilled, spilled, moved})
    t.memory(place, std::string(place == moved ? 4 : 2, '\7'));
  EXPECT_THAT(frame_line(), AllOf(Not(HasSubstr(" spilled=")), Not(HasSubstr(" moved="))));
}

// If the actions of hits contradict the program for an item, steps do not show this item either. In the
// second round, the size of `moved` contradicts the program.
TEST_F(Entries, StepsDoNotShowItemsThatHitsContradict) {
  for (const unsigned size : {4U, 8U}) {  // first the size of the program's variable, then another size
    const std::uint64_t moved = place_of("plant::pump", "moved"), pressure = address_of("plant::pressure");
    const std::uint64_t address = program.functions("plant::pump").front().address;
    const std::string location = fmt::format("2:{:x}", address);
    TraceBuilder builder;
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rsp' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    builder.line("R 10").line(fmt::format("tp T{}:E:2:0", location));
    builder.line(fmt::format("tp A{}:R3{}", location, trace(moved, size)));
    builder.line(fmt::format("tp S{}:R3M-1,{:x},8{}", location, pressure, trace(moved, 4)));
    builder.source(location, "at", "plant::pump");
    for (const char* command : {"collect moved", "while-stepping 2", "collect plant::pressure, moved", "end"})
      builder.source(location, "cmd", command);
    builder.frame(2)
        .registers(builder.number(kStack) + builder.number(address))
        .memory(moved, std::string(size, '\1'));
    builder.frame(2)
        .registers(builder.number(kStack - 8) + builder.number(address + 1))  // after "push %rbp"
        .memory(pressure, builder.number(std::uint64_t{0x4004'0000'0000'0000}))
        .memory(moved, builder.number(std::int32_t{7}));
    const auto lines = builder.end().lines({}, {.programs = {file}});
    EXPECT_THAT(lines, Contains(HasSubstr(" plant::pressure=2.5 ")));
    const auto is_shown = Contains(HasSubstr(" moved=7 "));
    if (size == 4)
      EXPECT_THAT(lines, is_shown);
    else
      EXPECT_THAT(lines, Not(is_shown));
  }
}

// The actions record memory relative to a register. In the tracepoint's function, this memory is the variable
// `moved`. The step is in another function, where this memory is something else.
TEST_F(Entries, StepsInOtherFunctionsDoNotShowVariablesOfTheTracepoint) {
  const std::uint64_t moved = place_of("plant::pump", "moved");
  entry("plant::pump", "collect moved", trace(moved, 4));
  const std::string location = fmt::format("2:{:x}", program.functions("plant::pump").front().address);
  t.line(fmt::format("tp T{}:E:2:0", location)).line(fmt::format("tp S{}:R3{}", location, trace(moved, 4)));
  for (const char* command : {"while-stepping 2", "collect moved", "end"}) t.source(location, "cmd", command);
  t.memory(moved, t.number(std::int32_t{7})).frame(2);
  t.registers(t.number(kStack) + t.number(program.functions("plant::measure").front().address));
  t.memory(moved, t.number(std::int32_t{8}));
  const auto lines = frame_lines();
  EXPECT_THAT(lines, Contains(HasSubstr(" moved=7 ")));
  EXPECT_THAT(lines, Contains(HasSubstr(fmt::format(" mem.{:#x}=8 ", moved))));
  EXPECT_THAT(t.notes(), Contains("item-not-recorded 1"));
}

TEST_F(Entries, ContradictedSizesAreNoticed) {
  const std::uint64_t moved = place_of("plant::pump", "moved");
  entry("plant::pump", "collect moved", trace(moved, 8));
  t.memory(moved, t.number(std::int64_t{-5}));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" mem.{:#x}=-5 ", moved)));
  EXPECT_THAT(t.notes(), Contains("item-contradicted 1"));
}

// GDB may truncate an address, as in "const16 0x100; zero_ext 32; const8 4; trace; end". The recorded memory
// then belongs to no variable.
TEST_F(Entries, MemoryElsewhereIsNotAVariable) {
  entry("plant::pump", "collect moved", "X00000009,2301002a2022040c27");
  t.memory(0x100, t.number(std::int32_t{7}));
  EXPECT_THAT(frame_line(), HasSubstr(" mem.0x100=7 "));
  EXPECT_THAT(t.notes(), Contains("item-not-recorded 1"));
}

TEST_F(Entries, LocalsAndArgumentsAreNamed) {
  const std::uint64_t moved = place_of("plant::pump", "moved"), strokes = place_of("plant::pump", "strokes");
  entry("plant::pump", "collect $locals, $args", trace(moved, 4) + trace(strokes, 4));
  t.memory(moved, t.number(std::int32_t{1})).memory(strokes, t.number(std::int32_t{2}));
  EXPECT_THAT(frame_line(), HasSubstr(" moved=1 strokes=2 "));
}

TEST_F(Entries, AReferenceShowsItsTarget) {
  const std::uint64_t tank = place_of("plant::measure", "tank");
  entry("plant::measure", "collect tank", follow(tank));
  t.memory(tank, t.number(std::uint64_t{0x2000}));
  t.memory(0x2000, t.number(std::int32_t{3}) + t.number(std::uint32_t{0x3fc0'0000}));
  EXPECT_THAT(frame_line(), HasSubstr(" tank.id=3 tank.volume=1.5 "));
}

TEST_F(Entries, AReferenceWithoutARecordedTargetIsAPointer) {
  const std::uint64_t tank = place_of("plant::measure", "tank");
  entry("plant::measure", "collect tank", follow(tank));
  t.memory(tank, t.number(std::uint64_t{0x2000}));
  EXPECT_THAT(frame_line(), HasSubstr(" tank=0x2000 "));
}

// If a value is shown, the pointer that leads to it is not shown as memory without a name.
TEST_F(Entries, PointersOnTheWayAreNotShown) {
  const std::uint64_t gauge = place_of("plant::measure", "g");
  entry("plant::measure", "collect g->serial", fmt::format("X0000000D,23{:04x}0d081a22080222080c27", gauge));
  t.memory(gauge, t.number(std::uint64_t{0x2000})).memory(0x2008, t.number(std::uint64_t{77}));
  const std::string line = frame_line();
  EXPECT_THAT(line, HasSubstr(" g->serial=77 "));
  EXPECT_THAT(line, Not(HasSubstr(" mem.")));
}

// The value is shown as in GDB: the pointer and its text.
TEST_F(Entries, APointerIsShownWithItsTextIfBothAreCollected) {
  const std::uint64_t name = place_of("plant::pump", "name");
  // const16 <name>; trace_quick 8; ref64; const8 7; tracenz; end
  const std::string text = fmt::format("X0000000A,23{:04x}0d081a22072f27", name);
  entry("plant::pump", "collect/s name", text + trace(name, 8));
  t.source(fmt::format("2:{:x}", program.functions("plant::pump").front().address), "cmd", "collect name");
  t.memory(name, t.number(std::uint64_t{0x2000})).memory(0x2000, std::string("hot\0", 4));
  t.memory(name, t.number(std::uint64_t{0x2000}));
  EXPECT_THAT(frame_line(), HasSubstr(" name=\"0x2000 \"hot\"\" "));
}

// For a null pointer, gdbserver writes a block with old contents of its buffer. These bytes are not the text
// of the item.
TEST_F(Entries, ANullPointerHasNoText) {
  const std::uint64_t name = place_of("plant::pump", "name");
  // const16 <name>; trace_quick 8; ref64; const8 7; tracenz; end
  const std::string actions = fmt::format("X0000000A,23{:04x}0d081a22072f27", name);
  entry("plant::pump", "collect/s name", actions);
  t.memory(name, t.number(std::uint64_t{0})).memory(0, std::string("stale\0", 6));
  EXPECT_THAT(frame_line(), HasSubstr(" name=null "));
}

TEST_F(Entries, TheReturnAddressIsFoundInTheFrame) {
  entry("plant::pump", "collect $_ret", trace(kStack, 8));
  const std::uint64_t caller = program.functions("plant::measure").front().address + 1;
  t.memory(kStack, t.number(caller));
  EXPECT_THAT(frame_line(), HasSubstr(fmt::format(" $_ret='{:#x} <plant::measure", caller)));
}

// GDB's actions find the return address with the frame pointer. If this register contains something else, the
// actions record other memory.
TEST_F(Entries, OtherAddressesAreNotCalledReturnAddresses) {
  entry("plant::pump", "collect $_ret", trace(0x6008, 8));
  t.memory(0x6008, t.number(std::uint64_t{0x1234}));
  EXPECT_THAT(frame_line(), HasSubstr(" mem.0x6008=4660 "));
}

// At the line with the mark, inner variables hide the outer variables `level` and `rest`. The CFA is 16 bytes
// after rbp.
class HiddenVariables : public Entries {
 protected:
  explicit HiddenVariables(const char* mark = "hiding") : line_(line_of(mark, "traced_expressions.cpp")) {}

  // Returns the text of a frame that records 4 bytes at each of `places`, in this order. The values are 1, 2
  // and so on.
  std::string frame(std::string_view collect, const std::vector<std::uint64_t>& places) {
    TraceBuilder builder;
    const std::string location = fmt::format("2:{:x}", address_);
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rbp' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    std::string actions;
    for (const std::uint64_t place : places) actions += trace(place, 4);
    builder.line("R 10").line(kStamp).line(fmt::format("tp T{}:E:0:0", location));
    builder.line(fmt::format("tp A{}:R3{}", location, actions));
    builder.source(location, "at", fmt::format("traced_expressions.cpp:{}", line_))
        .source(location, "cmd", fmt::format("collect {}", collect));
    builder.frame(2).registers(builder.number(kStack) + builder.number(address_));
    for (std::int32_t number = 0; const std::uint64_t place : places)
      builder.memory(place, builder.number(++number));
    const auto lines = builder.variable(1, 1000).end().lines({.blobs = Blobs::None}, {.programs = {file}});
    EXPECT_THAT(builder.notes(), Not(Contains(HasSubstr("item-"))));
    return lines.at(0) + " ";
  }
  std::uint64_t inner(std::string_view name) const { return places_of(name).front(); }
  std::uint64_t outer(std::string_view name) const { return places_of(name).back(); }

 private:
  std::vector<std::uint64_t> places_of(std::string_view name) const {
    const CodeScope* const scope = program.scope_at(address_);
    std::vector<std::uint64_t> places;
    for (const auto* const variables : {&scope->variables, &scope->outer_parameters})
      for (const CodeScope::Variable& variable : *variables)
        if (variable.name == name)
          places.push_back(kStack + 16 + static_cast<std::uint64_t>(offset_of(variable.die, *scope)));
    return places;
  }

  int line_;
  std::uint64_t address_ = program.line_addresses("traced_expressions.cpp", line_).at(0);
};

TEST_F(HiddenVariables, LeaveTheirNamesToInnerVariables) {
  const std::string memory = fmt::format(" mem.{:#x}=", outer("rest"));
  EXPECT_THAT(frame("rest, $locals", {inner("rest"), inner("level"), inner("rest"), outer("rest")}),
              AllOf(HasSubstr(" rest=1 level=2 "), HasSubstr(memory + "4 ")));
}

TEST_F(HiddenVariables, HaveTheirNamesIfInnerVariablesAreNotCollected) {
  EXPECT_THAT(frame("$args", {outer("level")}), HasSubstr(" level=1 "));
  EXPECT_THAT(frame("$args, rest", {outer("level"), inner("rest")}), HasSubstr(" level=1 rest=2 "));
  const std::string memory = fmt::format(" mem.{:#x}=1 ", outer("level"));
  EXPECT_THAT(frame("$args, level", {outer("level"), inner("level")}),
              AllOf(HasSubstr(" level=2 "), HasSubstr(memory)));
  EXPECT_THAT(frame("$args, $locals", {outer("level"), inner("level"), inner("rest"), outer("rest")}),
              AllOf(HasSubstr(" level=2 rest=3 "), HasSubstr(memory)));
  EXPECT_THAT(frame("$args, *&level", {outer("level"), inner("level")}),
              AllOf(HasSubstr(" *&level=2 "), HasSubstr(memory)));
}

class InlinedFunctions : public HiddenVariables {
 protected:
  InlinedFunctions() : HiddenVariables("inlined part") {}
};

// GDB collects the arguments of the function that contains the inlined functions.
TEST_F(InlinedFunctions, HaveTheArgumentsOfTheirCaller) {
  EXPECT_THAT(frame("$args", {inner("part"), inner("whole")}), HasSubstr(" part=1 whole=2 "));
}
// Frames that record a part of the stack.
class Callers : public TypedFrames {
 protected:
  explicit Callers(const char* path = TRACED_FIXED) : TypedFrames(path) {}

  static constexpr std::uint64_t kStack = 0x7000;

  std::uint64_t start_of(std::string_view function) const {
    return program.functions(function).front().address;
  }
  // Returns an address in the function after the instructions that set up its frame.
  std::uint64_t body_of(std::string_view function) const { return start_of(function) + 8; }
  // Makes a frame for each of the stacks, and returns the lines. All frames are at the first address of the
  // function, where the return address is at rsp, and are one microsecond apart. The tracepoint records the
  // words of the stack relative to the register `base` (1 is rsp). A frame without words belongs to
  // tracepoint 3, which records no memory.
  std::vector<std::string> lines_at(std::string_view function,
                                    const std::vector<std::vector<std::uint64_t>>& stacks, int base = 1) {
    TraceBuilder builder;
    const std::string location = fmt::format("2:{:x}", start_of(function));
    const std::size_t size = 8 * stacks.front().size();
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rbp' bitsize='64'/><reg name='rsp' bitsize='64'/>");
    builder.line("tdesc <reg name='rip' bitsize='64'/></feature></target>");
    builder.line("R 18").line(kStamp).line(fmt::format("tp T{}:E:0:0", location));
    builder.line(fmt::format("tp A{}:R7M{},0,{:x}", location, base, size));
    builder.source(location, "at", function)
        .source(location, "cmd", fmt::format("collect *(char*)$rsp@{}", size));
    builder.line(fmt::format("tp T3:{:x}:E:0:0", start_of(function)));
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      std::string stack;
      for (const std::uint64_t word : stacks[i]) stack += builder.number(word);
      builder.frame(stack.empty() ? 3 : 2);
      builder.registers(builder.number(std::uint64_t{0x7020}) + builder.number(kStack) +
                        builder.number(start_of(function)));
      if (!stack.empty()) builder.memory(kStack, stack);
      builder.variable(1, static_cast<std::int64_t>(i + 1));
    }
    ImportOptions options;
    options.blobs = Blobs::None;
    auto lines = builder.end().lines(options, {.programs = {file}});
    notes = builder.notes();
    return lines;
  }
  // Returns the line of the only frame.
  std::string line_at(std::string_view function, const std::vector<std::uint64_t>& words, int base = 1) {
    for (std::string& line : lines_at(function, {words}, base))
      if (line.find(" tracepoint:") != std::string::npos) return line;
    return "";
  }
  std::vector<std::string> calls_at(std::string_view function,
                                    const std::vector<std::vector<std::uint64_t>>& stacks) {
    auto lines = lines_at(function, stacks);
    std::erase_if(lines, [](const std::string& line) { return line.find(" caller:") == std::string::npos; });
    return lines;
  }
  // Returns a stack: main called plant::measure, and plant::measure called plain_start. `place` distinguishes
  // calls in plant::measure.
  std::vector<std::uint64_t> stack_of_main(std::uint64_t place = 0) const {
    return {body_of("plain_start"), 1, 2, 3, 0x7038, body_of("plant::measure") + place, 6, 7,
            start_of("main") + 1};
  }

  std::vector<std::string> notes;
};

// The callers have pushed nothing, so the return addresses are adjacent.
TEST_F(Callers, AreFoundByTheReturnAddressesInTheStack) {
  EXPECT_THAT(line_at("plant::pump",
                      {start_of("plain_start") + 1, start_of("plant::measure") + 1, start_of("main") + 1}),
              HasSubstr(" callers=\"plain_start < plant::measure < main\" "));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("callers-unknown"))));
}

// rbp leads to the frame of plain_start at 0x7020. The saved rbp in this frame leads to the frame of
// plant::measure at 0x7038.
TEST_F(Callers, AreFoundBySavedFramePointers) {
  EXPECT_THAT(line_at("plant::pump", {body_of("plain_start"), 1, 2, 3, 0x7038, body_of("plant::measure"), 6,
                                      7, start_of("main") + 1}),
              HasSubstr(" callers=\"plain_start < plant::measure < main\" "));
}

// Several hits may have the same call in their stacks. The call is shown from the first to the last of these
// hits. If there is only one such hit, the call has no length.
TEST_F(Callers, AreCallsFromTheFirstToTheLastHitThatHasThem) {
  EXPECT_THAT(calls_at("plant::pump", {stack_of_main(), stack_of_main(), stack_of_main(1)}),
              ElementsAre("[1000 caller:main", "[1000 caller:plant::measure", "[1000 caller:plain_start",
                          "2000] caller:plain_start", "[3000 caller:plain_start", "3000] caller:plain_start",
                          "3000] caller:plant::measure", "3000] caller:main"));
}

TEST_F(Callers, AreOtherCallsAtOtherPlacesInTheStack) {
  auto deeper = stack_of_main();
  deeper[4] = 0x7040;
  deeper.insert(deeper.begin() + 6, 0);
  EXPECT_THAT(calls_at("plant::pump", {stack_of_main(), stack_of_main(), deeper, deeper}),
              ElementsAre("[1000 caller:main", "[1000 caller:plant::measure", "[1000 caller:plain_start",
                          "2000] caller:plain_start", "2000] caller:plant::measure", "2000] caller:main",
                          "[3000 caller:main", "[3000 caller:plant::measure", "[3000 caller:plain_start",
                          "4000] caller:plain_start", "4000] caller:plant::measure", "4000] caller:main"));
}

TEST_F(Callers, OfCallersRemainIfTheStackIsShorter) {
  auto shorter = stack_of_main();
  shorter.pop_back();
  EXPECT_THAT(calls_at("plant::pump", {stack_of_main(), shorter}),
              ElementsAre("[1000 caller:main", "[1000 caller:plant::measure", "[1000 caller:plain_start",
                          "2000] caller:plain_start", "2000] caller:plant::measure", "2000] caller:main"));
}

TEST_F(Callers, EndBeforeAHitWithoutAStack) {
  EXPECT_THAT(
      lines_at("plant::pump", {stack_of_main(), stack_of_main(), {}, stack_of_main()}),
      ElementsAre("[1000 caller:main", "[1000 caller:plant::measure", "[1000 caller:plain_start",
                  StartsWith("@1000 tracepoint:plant::pump "), StartsWith("@2000 tracepoint:plant::pump "),
                  "2000] caller:plain_start", "2000] caller:plant::measure", "2000] caller:main",
                  StartsWith("@3000 tracepoint:plant::pump "), "[4000 caller:main",
                  "[4000 caller:plant::measure", "[4000 caller:plain_start",
                  StartsWith("@4000 tracepoint:plant::pump "), "4000] caller:plain_start",
                  "4000] caller:plant::measure", "4000] caller:main"));
}

TEST_F(Callers, EndAtTheEndOfTheRecordedStack) {
  EXPECT_THAT(line_at("plant::pump", {start_of("plain_start") + 1, start_of("plant::measure") + 1}),
              HasSubstr(" callers=\"plain_start < plant::measure < …\" "));
  EXPECT_THAT(notes, Contains("callers-unknown 1"));
  EXPECT_THAT(notes, Contains(EndsWith("tracepoint 2, frame 0: the stack at 0x7010 was not recorded")));
}

TEST_F(Callers, EndAtCodeOfNoProgram) {
  EXPECT_THAT(line_at("plant::pump", {start_of("plain_start") + 1, 0x10, 0}),
              HasSubstr(" callers=\"plain_start < 0xf < …\" "));
  EXPECT_THAT(notes, Contains(EndsWith("no call frame information for 0xf was found")));
}

TEST_F(Callers, EndAtTheLimitOfTheWork) {
  static constexpr fxt::Limit kNoWork{"steps", 0, 0};
  fxt::Budget work(kNoWork);
  FrameMemory memory(nullptr, std::endian::little);
  memory.set_work(work);
  const Frame frame;
  memory.start(frame, false);
  Unwinder unwinder(program, memory);
  unwinder.start(start_of("plain_start"));
  EXPECT_FALSE(unwinder.next());
  EXPECT_EQ(unwinder.problem(), "the limit of steps to evaluate the values of this file is reached");
}

TEST_F(Callers, EndAtAReturnAddressOfZero) {
  EXPECT_THAT(line_at("plant::pump", {start_of("plain_start") + 1, 0}),
              HasSubstr(" callers=\"plain_start\" "));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("callers-unknown"))));
}

TEST_F(Callers, EndAtTheOutermostFunction) {
  EXPECT_THAT(line_at("plant::pump", {start_of("traced_thread") + 1, start_of("plain_start") + 1}),
              HasSubstr(" callers=\"traced_thread\" "));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("callers-unknown"))));
}

TEST_F(Callers, EndAtFramesInTheWrongOrder) {
  EXPECT_THAT(line_at("plant::pump", {body_of("plain_start"), 1, 2, 3, 0x6ff0, body_of("plant::measure"), 6}),
              HasSubstr(" callers=\"plain_start < plant::measure < …\" "));
  EXPECT_THAT(notes, Contains(EndsWith("the stack is damaged at 0x7000")));
}

TEST_F(Callers, HaveALimit) {
  std::vector<std::uint64_t> words(100, start_of("plain_start") + 1);
  const std::string line = line_at("plant::pump", words);
  EXPECT_THAT(line, HasSubstr(" < plain_start < …\" "));
  EXPECT_THAT(notes, Contains(EndsWith("there are more than 64 callers")));
}

TEST_F(Callers, AreNamedWithInlinedFunctions) {
  const std::uint64_t valve = program.line_addresses("traced_program.cpp", line_of("valve")).front();
  EXPECT_THAT(line_at("plain_start", {valve + 1, 1}),
              HasSubstr(" callers=\"plant::valve < plant::pipe < plant::pump < "));
}

// The signal interrupted plain_start at its first address. This address is not a return address, because no
// call instruction is directly before it.
TEST_F(Callers, MayBeInterruptedBySignals) {
  EXPECT_THAT(
      line_at("plant::pump", {start_of("traced_signal") + 1, start_of("plain_start"), start_of("main") + 1}),
      HasSubstr(" callers=\"<signal handler called> < plain_start < main\" "));
}

class TailCallers : public Callers {
 protected:
  TailCallers() : Callers(TRACED_FAST) {}
  // Returns the return address of the first call from one function to another.
  std::uint64_t return_from(std::string_view callee, std::string_view caller) const {
    const std::uint64_t start = start_of(caller), target = start_of(callee);
    const auto code = program.layout().code_bytes(start);
    for (std::size_t i = 0; i + 5 <= code.size(); ++i) {
      std::uint32_t distance = 0;
      std::memcpy(&distance, code.data() + i + 1, sizeof distance);
      const std::uint64_t next = start + i + 5;
      if (code[i] == std::byte{0xe8} &&
          next + static_cast<std::uint64_t>(static_cast<std::int32_t>(distance)) == target)
        return next;
    }
    throw std::logic_error("no such call");
  }
};

// leap() ended with a jump to halve(), so leap() has no frame on the stack.
TEST_F(TailCallers, AreFoundIfThereIsOneWay) {
  EXPECT_THAT(line_at("halve", {return_from("leap", "jumps"), return_from("jumps", "main")}),
              HasSubstr(" callers=\"leap < jumps < main\" "));
}

// hop() jumps to choose(). choose() jumps to leap() or skip(), and these two functions jump to halve().
// Therefore, only hop() is certain.
TEST_F(TailCallers, HaveOnlyWhatAllWaysShare) {
  EXPECT_THAT(line_at("halve", {return_from("hop", "jumps"), return_from("jumps", "main")}),
              HasSubstr(" callers=\"hop < jumps < main\" "));
}

TEST_F(TailCallers, AreNotAssumedForACall) {
  EXPECT_THAT(line_at("leap", {return_from("leap", "jumps"), return_from("jumps", "main")}),
              HasSubstr(" callers=\"jumps < main\" "));
}

TEST_F(Callers, AreNotSearchedWithoutACollectedStack) {
  EXPECT_THAT(line_at("plant::pump", {start_of("main") + 1}, 0), Not(HasSubstr(" callers=")));
  EXPECT_THAT(line_at("main", {start_of("plain_start") + 1, 0}), Not(HasSubstr(" callers=")))
      << "what calls main is no part of the program";
}

#endif

// In DWARF 2, the offset of a member is an expression. The position of a bit-field is counted from the
// highest bit of its storage.
TEST_F(TypedFrames, MembersHaveTheOffsetsOfDwarf2) {
  const std::uint64_t panel = address_of("panel");
  tracepoint("plant::pump", "collect panel", fmt::format("M-1,{:x},8", panel));
  const std::uint32_t bits = 5 | (0b11101 << 3) | (300 << 8);
  t.frame(2).memory(panel, t.number(std::int32_t{7}) + t.number(bits));
  EXPECT_THAT(frame_line(), HasSubstr(" panel.id=7 panel.lamps=5 panel.heat=-3 panel.code=300"));
}

#ifdef __x86_64__
// For an array of unknown size, GDB records only the address. The frame shows this address as the value.
TEST_F(Entries, ArraysOfUnknownSizeAreAddresses) {
  const std::uint64_t row = place_of("unit_sum", "row");
  // const16 <row>; trace_quick 8; ref64; const8 0; trace; end
  entry("unit_sum", "collect row", fmt::format("X0000000A,23{:04x}0d081a22000c27", row));
  t.memory(row, t.number(std::uint64_t{0x6ff0}));
  EXPECT_THAT(frame_line(), HasSubstr(" row=0x6ff0 "));
}

class OptimizedFrames : public TypedFrames {
 protected:
  OptimizedFrames() : TypedFrames(TRACED_FAST) {}
};

TEST_F(OptimizedFrames, VariablesAreInRegisters) {
  for (const std::string_view collect : {"collect whole", "collect $args"}) {
    TraceBuilder builder;
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    const std::uint64_t address = program.functions("halve").front().address;
    const std::string location = fmt::format("2:{:x}", address);
    builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
    builder.line(fmt::format("tp A{}:R3X00000001,27", location)).source(location, "cmd", collect);
    builder.frame(2)
        .registers(builder.number(std::uint64_t{0xffff'ffff'ffff'fff9}) + builder.number(address))
        .end();
    EXPECT_THAT(builder.lines({}, {.programs = {file}}).front(), HasSubstr(" whole=-7 ")) << collect;
  }
}

// In the given program, the variable is in rdi, but the actions do not request rdi. Therefore, the given
// program is not the recorded program.
TEST_F(OptimizedFrames, VariablesAreOnlyInRegistersThatTheActionsAskFor) {
  TraceBuilder builder;
  builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
  const std::uint64_t address = program.functions("halve").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
  builder.line(fmt::format("tp A{}:R2X00000001,27", location)).source(location, "cmd", "collect whole");
  builder.frame(2).registers(builder.number(std::uint64_t{7}) + builder.number(address)).end();
  EXPECT_THAT(builder.lines({}, {.programs = {file}}).front(), Not(HasSubstr(" whole=")));
  EXPECT_THAT(builder.notes(), Contains("item-contradicted 1"));
}

// For $args, GDB requests the registers that have the arguments at the start of the function. At the
// tracepoint, an argument may be in another register. Therefore, any recorded register may be used.
TEST_F(OptimizedFrames, ArgumentsMayBeInAnyRecordedRegister) {
  TraceBuilder builder;
  builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
  const std::uint64_t address = program.functions("halve").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
  builder.line(fmt::format("tp A{}:R2", location)).source(location, "cmd", "collect $args");
  builder.frame(2).registers(builder.number(std::uint64_t{7}) + builder.number(address)).end();
  EXPECT_THAT(builder.lines({}, {.programs = {file}}).front(), EndsWith(" whole=7"));
}

// GDB puts "ymm0" together from two registers.
TEST_F(OptimizedFrames, AWideVectorIsInTwoRegisters) {
  const std::uint64_t address = program.functions("widen").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder builder;
  builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  builder.line("tdesc <reg name='rip' bitsize='64'/><reg name='xmm0' bitsize='128' type='uint128'/>");
  builder.line("tdesc <reg name='ymm0h' bitsize='128' type='uint128'/></feature></target>");
  builder.line("R 28").line(fmt::format("tp T{}:E:0:0", location)).line(fmt::format("tp A{}:R7", location));
  builder.source(location, "cmd", "collect $args");
  std::string numbers;
  for (const std::uint32_t number : {0x3f80'0000U, 0U, 0U, 0U, 0x4000'0000U, 0U, 0U, 0xbf00'0000U})
    numbers += builder.number(number);
  builder.frame(2).registers(builder.number(address) + numbers).end();
  EXPECT_THAT(
      builder.lines({}, {.programs = {file}}).front(),
      HasSubstr(" wide[0]=1 wide[1]=0 wide[2]=0 wide[3]=0 wide[4]=2 wide[5]=0 wide[6]=0 wide[7]=-0.5 "));
}

// At the line after the block, `depth` is the variable outside of the block.
TEST_F(OptimizedFrames, VariablesOfBlocksAreVisibleOnlyInThem) {
  for (const std::uint64_t address :
       program.line_addresses("traced_fast.cpp", line_of("behind a block", "traced_fast.cpp"))) {
    const CodeScope* const scope = program.scope_at(address);
    ASSERT_NE(scope, nullptr);
    const auto depths = std::ranges::count(scope->variables, "depth", &CodeScope::Variable::name);
    EXPECT_EQ(depths, 1);
    FrameMemory memory(nullptr, std::endian::native);
    memory.start({}, false);
    EXPECT_EQ(evaluate("depth", {.scope = *scope, .frame = memory}).storage.missing, Missing::NotRecorded);
  }
}

// The compiler stores these variables nowhere, but DWARF describes how to compute them.
TEST_F(OptimizedFrames, VariablesAreComputed) {
  const std::uint64_t address = program.functions("lift").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder builder;
  builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
  builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
  builder.line(fmt::format("tp A{}:R3X00000001,27X00000001,27", location))
      .source(location, "cmd", "collect $locals");
  builder.frame(2).registers(builder.number(std::uint64_t{7}) + builder.number(address)).end();
  const std::string line = builder.lines({}, {.programs = {file}}).front();
  EXPECT_THAT(line, HasSubstr(" five=5"));
#ifndef __clang__  // clang removes the other variable
  EXPECT_THAT(line, HasSubstr(" above=12"));
#endif
}

// The tracepoint records only registers, from which the value is computed.
TEST_F(OptimizedFrames, ValuesAreComputedFromRegisters) {
  const std::uint64_t address = program.functions("halve").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder builder;
  builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
  builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
  builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
  builder.line(fmt::format("tp A{}:R3X00000008,2600002202042927", location));
  builder.source(location, "cmd", "collect whole*2");
  for (const std::int64_t whole : {-7, 21})
    builder.frame(2).registers(builder.number(whole) + builder.number(address));
  const auto lines = builder.end().lines({}, {.programs = {file}});
  EXPECT_THAT(lines.front(), HasSubstr(" whole*2=-14 "));
  EXPECT_EQ(lines.front().find("whole*2"), lines.front().rfind("whole*2")) << "it is shown once";
  EXPECT_THAT(lines.back(), HasSubstr(" whole*2=42 "));
}

// The register has the address of the pointer. If the pointer was recorded, its value is shown, otherwise its
// address.
TEST_F(OptimizedFrames, ReferencesAreInRegisters) {
  const std::uint64_t address = program.functions("twice").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  for (const bool is_recorded : {true, false}) {
    TraceBuilder builder;
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location)).line(fmt::format("tp A{}:R3", location));
    builder.line(fmt::format("tp A{}:M-1,1000,8", location)).source(location, "cmd", "collect $args");
    builder.frame(2).registers(builder.number(std::uint64_t{0x1000}) + builder.number(address));
    if (is_recorded) builder.memory(0x1000, builder.number(std::uint64_t{0x2000}));
    builder.end();
    EXPECT_THAT(builder.lines({}, {.programs = {file}}).front(),
                HasSubstr(is_recorded ? " place=0x2000 " : " place=0x1000 "));
  }
}

// At the start of share(), its local variable does not exist yet. Later, its members are in registers.
TEST_F(OptimizedFrames, VariablesAreInPieces) {
  const std::uint64_t begin = program.functions("share").front().address;
  // Returns the names of the two registers that contain the variable when the code at `address` runs.
  const auto registers_at = [&](std::uint64_t address) -> std::vector<std::string> {
    static constexpr std::array<const char*, 12> kNames{"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                        "rbp", "rsp", "r8",  "r9",  "r10", "r11"};
    const CodeScope* const scope = program.scope_at(address);
    if (scope == nullptr || scope->find("shares") == nullptr) return {};
    Dwarf_Die die = scope->find("shares")->die;
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&die, DW_AT_location, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, scope->pc, &operations, &count, 1) != 1)
      return {};
    std::vector<std::string> names;
    for (const Dwarf_Op& operation : std::span(operations, count))
      if (operation.atom >= DW_OP_reg0 && operation.atom < DW_OP_reg0 + kNames.size())
        names.emplace_back(kNames[operation.atom - DW_OP_reg0]);
    return names;
  };
  std::uint64_t address = begin;
  while (address < begin + 64 && registers_at(address).size() != 2) ++address;
  const auto names = registers_at(address);
  ASSERT_EQ(names.size(), 2u);

  const auto lines_at = [&](std::uint64_t at) {
    TraceBuilder builder;
    std::string registers = "tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>";
    registers += "<reg name='rip' bitsize='64'/>";
    for (const std::string& name : names) registers += fmt::format("<reg name='{}' bitsize='64'/>", name);
    builder.line(registers + "</feature></target>");
    const std::string location = fmt::format("2:{:x}", at);
    builder.line("R 18").line("status 0;tstop::0;tframes:1").line(fmt::format("tp T{}:E:0:0", location));
    builder.line(fmt::format("tp A{}:R6", location)).source(location, "cmd", "collect $locals");
    builder.frame(2)
        .registers(builder.number(at) + builder.number(std::uint64_t{0xdead'0000'0000'0007}) +
                   builder.number(std::uint64_t{0xdead'0000'ffff'ffff}))
        .end();
    auto lines = builder.lines({}, {.programs = {file}});
    lines.insert(lines.end(), builder.notes().begin(), builder.notes().end());
    return lines;
  };
  EXPECT_THAT(lines_at(address).front(), EndsWith(" shares.mine=7 shares.yours=-1")) << "and no registers";
  EXPECT_THAT(lines_at(begin), Contains("optimized-out 1"));
  EXPECT_THAT(lines_at(address), testing::Not(Contains(HasSubstr("optimized-out"))));
}
#endif

}  // namespace
}  // namespace convert::tfile
