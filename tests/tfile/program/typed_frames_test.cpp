// Values of frames whose types the program knows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/tfile/program/program.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class TypedFrames : public testing::Test {
 protected:
  explicit TypedFrames(const char* path = TRACED_FIXED) : file(path) {}

  // Sets a tracepoint at the beginning of a function that collects these items by these actions.
  TypedFrames& tracepoint(std::string_view function, std::string_view collect, std::string_view actions) {
    const auto functions = program.functions(function);
    if (functions.empty()) throw std::logic_error("no such function");
    const std::string location = fmt::format("2:{:x}", functions.front().address);
    t.line("R 40").line("tsv 1:0:1:74726163655f74696d657374616d70");
    t.line(fmt::format("tp T{}:E:0:0", location)).line(fmt::format("tp A{}:{}", location, actions));
    t.source(location, "at", function).source(location, "cmd", collect);
    return *this;
  }
  std::string frame_line() {
    ImportOptions options;
    options.blobs = Blobs::None;
    const auto lines = t.variable(1, 1000).end().lines(options, {.programs = {file}});
    return lines.empty() ? "" : lines.front();
  }
  std::uint64_t address_of(const std::string& object) const { return program.object(object).value().address; }

  std::filesystem::path file;
  Program program{file, Demangle::Simple};
  TraceBuilder t;
};

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

TEST_F(TypedFrames, WhatWasNotRecordedIsNotShown) {
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

// collect/s of a number: it is no text.
TEST_F(TypedFrames, OnlyTextsAreTexts) {
  const std::uint64_t level = address_of("plant::level");
  tracepoint("plant::pump", "collect/s plant::level", fmt::format("M-1,{:x},4", level));
  t.frame(2).memory(level, t.number(std::int32_t{0x4142}));
  EXPECT_THAT(frame_line(), HasSubstr(" plant::level=16706 "));
}

TEST_F(TypedFrames, DoublesAreDoubles) {
  const std::uint64_t pressure = address_of("plant::pressure");
  tracepoint("plant::pump", "collect plant::pressure", fmt::format("M-1,{:x},8", pressure));
  t.frame(2).memory(pressure, t.number(std::uint64_t{0x4004'0000'0000'0000}));
  EXPECT_THAT(frame_line(), HasSubstr(" plant::pressure=2.5 "));
}

constexpr const char* kEightBytes = "X00000007,23100022080c27";  // const16 0x1000; const8 8; trace; end

TEST_F(TypedFrames, AReferenceIsWhatItRefersTo) {
  tracepoint("plant::measure", "collect tank", kEightBytes);
  t.frame(2).memory(0x1000, t.number(std::uint64_t{0x2000}));
  t.memory(0x2000, t.number(std::int32_t{3}) + t.number(std::uint32_t{0x3fc0'0000}));
  EXPECT_THAT(frame_line(), HasSubstr(" tank.id=3 tank.volume=1.5 "));
}

TEST_F(TypedFrames, AReferenceToWhatWasNotRecordedIsAPointer) {
  tracepoint("plant::measure", "collect tank", kEightBytes);
  t.frame(2).memory(0x1000, t.number(std::uint64_t{0x2000}));
  EXPECT_THAT(frame_line(), HasSubstr(" tank=0x2000 "));
}

// DWARF 2 describes member offsets by expressions, and counts bit-fields from the top of their storage.
TEST_F(TypedFrames, MembersHaveTheOffsetsOfDwarf2) {
  const std::uint64_t panel = address_of("panel");
  tracepoint("plant::pump", "collect panel", fmt::format("M-1,{:x},8", panel));
  const std::uint32_t bits = 5 | (0b11101 << 3) | (300 << 8);
  t.frame(2).memory(panel, t.number(std::int32_t{7}) + t.number(bits));
  EXPECT_THAT(frame_line(), HasSubstr(" panel.id=7 panel.lamps=5 panel.heat=-3 panel.code=300"));
}

#ifdef __x86_64__
// GDB records only the address of an array of unknown size, so that is its value.
TEST_F(TypedFrames, ArraysOfUnknownSizeAreAddresses) {
  const std::uint64_t address = program.functions("unit_sum").front().address;
  std::optional<LocalVariable> row;
  std::int64_t offset = 0;
  for (std::int64_t candidate = 0; candidate > -256 && !row; --candidate) {
    const auto found = program.local(address, {.offset = candidate, .is_indirect = true});
    if (found && found->name == "row") row = found, offset = candidate;
  }
  ASSERT_TRUE(row);
  for (const std::string_view collect : {"collect row", "collect $locals"}) {
    TraceBuilder builder;
    builder.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    builder.line("tdesc <reg name='rbp' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    const std::string location = fmt::format("2:{:x}", address);
    // reg 0; const8 16; add; const8 <offset>; ext 8; add; trace_quick 8; ref64; const8 0; trace; end
    const auto code = fmt::format("260000221002{}1608020d081a22000c27",
                                  fmt::format("22{:02x}", static_cast<std::uint8_t>(offset)));
    builder.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
    builder.line(fmt::format("tp A{}:R3X{:08X},{}", location, code.size() / 2, code))
        .source(location, "cmd", collect);
    builder.frame(2)
        .registers(builder.number(std::uint64_t{0x7000}) + builder.number(address))
        .memory(0x7010 + static_cast<std::uint64_t>(offset), builder.number(std::uint64_t{0x6ff0}))
        .end();
    EXPECT_THAT(builder.lines({}, {.programs = {file}}).front(), HasSubstr(" row=0x6ff0 ")) << collect;
  }
}

class OptimizedFrames : public TypedFrames {
 protected:
  OptimizedFrames() : TypedFrames(TRACED_FAST) {}
};

TEST_F(OptimizedFrames, VariablesAreInRegisters) {
  const auto variables = program.register_variables(program.functions("halve").front().address);
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(variables[0].name, "whole");
  EXPECT_TRUE(variables[0].is_parameter);
  EXPECT_EQ(variables[0].register_name, "rdi");
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

// The compiler stores the variables nowhere, but DWARF describes how to compute them.
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
#ifndef __clang__  // which throws the other one away
  EXPECT_THAT(line, HasSubstr(" above=12"));
#endif
}

// The tracepoint records only registers: the value is computed from them.
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

// The register holds the address of the pointer. The pointer may be recorded, too, or not.
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

// At the beginning of share() its local variable does not exist yet. Later its members are in registers.
TEST_F(OptimizedFrames, VariablesAreInPieces) {
  const std::uint64_t begin = program.functions("share").front().address;
  const auto storage_of_shares = [&](std::uint64_t address) {
    RegisterVariable found;
    for (const RegisterVariable& variable : program.register_variables(address))
      if (variable.name == "shares") found = variable;
    return found;
  };
  EXPECT_EQ(storage_of_shares(begin).storage, RegisterVariable::Storage::Nowhere);
  const auto is_in_two_registers = [&](std::uint64_t address) {
    const auto pieces = storage_of_shares(address).pieces;
    return pieces.size() == 2 && !pieces[0].register_name.empty() && !pieces[1].register_name.empty();
  };
  std::uint64_t address = begin;
  while (address < begin + 64 && !is_in_two_registers(address)) ++address;
  const auto pieces = storage_of_shares(address).pieces;
  ASSERT_EQ(pieces.size(), 2u);

  const auto lines_at = [&](std::uint64_t at) {
    TraceBuilder builder;
    std::string registers = "tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>";
    registers += "<reg name='rip' bitsize='64'/>";
    for (const auto& piece : pieces)
      registers += fmt::format("<reg name='{}' bitsize='64'/>", piece.register_name);
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
