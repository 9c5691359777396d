// Tests that frames with a shared recipe have the same events as frames with their own recipes, for each kind
// of value.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/program/program.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using namespace std::string_literals;

using Blocks = std::function<void(TraceBuilder&)>;  // a function that adds the blocks of a frame

class ReusedRecipes : public testing::Test {
 protected:
  static std::vector<std::string> lines(const Blocks& describe, const std::vector<Blocks>& frames,
                                        const std::filesystem::path& program) {
    TraceBuilder t;
    describe(t);
    for (const Blocks& blocks : frames) blocks(t.frame(2));
    TraceFileOptions options{.plotted = {"all"}};
    if (!program.empty()) options.programs = {program};
    std::vector<std::string> shown;
    for (std::string line : t.end().lines({}, options)) {
      // Removes the frame's time and number, which differ.
      if (!line.starts_with("blob ")) line.erase(0, line.find(' '));
      for (const std::string_view own : {" frame=", "gdb/frame/"})
        if (const std::size_t at = line.find(own); at != std::string::npos) {
          const std::size_t number = at + own.size();
          line.erase(number, line.find_first_not_of("0123456789", number) - number);
        }
      shown.push_back(std::move(line));
    }
    return shown;
  }

  // Converts all frames in one file, so that they share a recipe if possible. Also converts each frame in a
  // file of its own. Both conversions must give the same events. The frames must have different values.
  static void expect_same(std::string_view kind, const Blocks& describe, const std::vector<Blocks>& frames,
                          const std::filesystem::path& program = {}) {
    SCOPED_TRACE(kind);
    std::vector<std::string> rebuilt, first;
    for (const Blocks& blocks : frames) {
      const auto alone = lines(describe, {blocks}, program);
      if (first.empty())
        first = alone;
      else
        EXPECT_NE(alone, first) << "the values are shown alike";
      ASSERT_FALSE(alone.empty());
      rebuilt.insert(rebuilt.end(), alone.begin(), alone.end());
    }
    EXPECT_EQ(lines(describe, frames, program), rebuilt);
  }

  using Memory = std::vector<std::pair<std::uint64_t, std::string>>;
  // Makes the same check for frames of a tracepoint that collects `items`, without and with registers. Frames
  // without registers have a pattern. Frames with registers find their recipe by their blocks.
  static void expect_same(std::string_view items, std::uint64_t address, const std::string& actions,
                          const std::vector<Memory>& values, const std::filesystem::path& program = {}) {
    for (const bool has_registers : {false, true}) {
      const std::string location = fmt::format("2:{:x}", address);
      const Blocks describe = [&](TraceBuilder& t) {
        if (has_registers) t.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
        if (has_registers) t.line("tdesc <reg name='rip' bitsize='64'/></feature></target>");
        t.line("R 8").line(fmt::format("tp T{}:E:0:0", location));
        t.line(fmt::format("tp A{}:{}", location, (has_registers ? "R1" : "") + actions));
        t.source(location, "cmd", fmt::format("collect {}", items));
      };
      std::vector<Blocks> frames;
      for (const Memory& memory : values)
        frames.push_back([&, has_registers](TraceBuilder& t) {
          if (has_registers) t.registers(number_bytes(address));
          for (const auto& [at, bytes] : memory) t.memory(at, bytes);
        });
      expect_same(items, describe, frames, program);
    }
  }
  // Makes the same check for one object of a program, which is recorded as a range.
  static void expect_same_object(const Program& program, const std::string& name, std::string_view function,
                                 const std::vector<std::string>& values) {
    const std::uint64_t address = program.object(name).value().address;
    std::vector<Memory> memory;
    for (const std::string& value : values) memory.push_back({{address, value}});
    expect_same(name, program.functions(function).front().address,
                fmt::format("M-1,{:x},{:x}", address, values.front().size()), memory, program.path());
  }
  template <typename T>
  static std::string number(T value) {
    return number_bytes(value);
  }
};

TEST_F(ReusedRecipes, ShowBytesWithoutAType) {
  for (const std::size_t size : {1U, 2U, 3U, 4U, 8U, 16U, 100U})
    expect_same("nothing_known", 0x401000, fmt::format("M-1,1000,{:x}", size),
                {{{0x1000, std::string(size, 'a')}}, {{0x1000, std::string(size, 'b')}}});
  expect_same("$_ret", 0x401000, "X00000009,2300000000100d0827",
              {{{0x1000, number(std::uint64_t{7})}}, {{0x1000, number(std::uint64_t{8})}}});
}

TEST_F(ReusedRecipes, ShowTexts) {
  // const16 0x1000; const8 40; tracenz; end
  expect_same("/s text", 0x401000, "X00000007,23100022282f27",
              {{{0x1000, "cat\0"s}}, {{0x1000, "dog\0"s}}, {{0x1000, "d\0\0\0"s}}});
}

// const16 0x1000; trace_quick 8; ref64; trace_quick 4; pop; end. The expression follows a pointer.
TEST_F(ReusedRecipes, ShowTargetsOfPointers) {
  expect_same("*p", 0x401000, "X00000009,2310000d081a0d042927",
              {{{0x1000, number(std::uint64_t{0x2000})}, {0x2000, number(1)}},
               {{0x1000, number(std::uint64_t{0x2000})}, {0x2000, number(2)}},
               {{0x1000, number(std::uint64_t{0x3000})}, {0x2000, number(3)}}});
}

// const16 0x1000; trace_quick 4; ref32; const8 1; add; end. The operand is recorded, and the value is
// computed.
TEST_F(ReusedRecipes, ShowComputedValues) {
  expect_same("*p + 1", 0x401000,
              "X00000009,2310000d0419220102"
              "27",
              {{{0x1000, number(1)}}, {{0x1000, number(2)}}});
}

TEST_F(ReusedRecipes, ShowTraceStateVariables) {
  const Blocks describe = [](TraceBuilder& t) { t.line("R 40").line(kHits).line("tp T2:401000:E:0:0"); };
  const auto values = [](std::vector<std::int64_t> all) {
    return [all = std::move(all)](TraceBuilder& t) {
      for (const std::int64_t value : all) t.variable(2, value);
    };
  };
  expect_same("one", describe, {values({1}), values({2})});
  expect_same("several", describe, {values({1, 2}), values({2, 2}), values({3, 2})});
}

TEST_F(ReusedRecipes, ShowStaticData) {
  const Blocks describe = [](TraceBuilder& t) { t.line("R 40").line("tp T2:401000:E:0:0"); };
  const auto data = [](std::string bytes) {
    return [bytes = std::move(bytes)](TraceBuilder& t) { t.static_data(bytes); };
  };
  expect_same("static data", describe, {data("abc"), data("abd"), data("\1\2\3")});
}

TEST_F(ReusedRecipes, ShowRegisters) {
  const Blocks describe = [](TraceBuilder& t) {
    t.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    t.line("tdesc <vector id='v4' type='ieee_single' count='4'/>");
    t.line("tdesc <flags id='fl' size='4'><field name='CF' start='0' end='0'/></flags>");
    t.line(
        "tdesc <reg name='rip' bitsize='64'/><reg name='rax' bitsize='64'/><reg name='eflags' bitsize='32'"
        " type='fl'/><reg name='f' bitsize='64' type='ieee_double'/><reg name='xmm0' bitsize='128' "
        "type='v4'/>"
        "</feature></target>");
    t.line("R 2c").line("tp T2:401000:E:0:0").line("tp A2:401000:R1f");
    t.source("2:401000", "cmd", "collect $rax, $eflags, $f, $xmm0");
  };
  const std::string pc = number(std::uint64_t{0x401000});
  const auto registers = [&](std::uint64_t rax, std::uint32_t flags, double f, char xmm) {
    return [=](TraceBuilder& t) {
      t.registers(pc + number(rax) + number(flags) + number(std::bit_cast<std::uint64_t>(f)) +
                  std::string(16, xmm));
    };
  };
  expect_same("registers", describe,
              {registers(1, 0, 1.5, 0), registers(2, 0, 1.5, 0), registers(1, 1, 1.5, 0),
               registers(1, 0, 2.5, 0), registers(1, 0, 1.5, 1)});
}

TEST_F(ReusedRecipes, ShowNumbersWithTypes) {
  const Program plant(TRACED_FIXED, Demangle::Simple), values(TRACED_VALUES, Demangle::Simple);
  expect_same_object(plant, "plant::level", "plant::pump", {number(1), number(2)});
  expect_same_object(plant, "plant::pressure", "plant::pump",
                     {number(std::uint64_t{0x4004'0000'0000'0000}), number(std::uint64_t{0})});
  expect_same_object(plant, "plant::readings", "plant::pump", {std::string(32, 'a'), std::string(32, 'b')});
  expect_same_object(values, "signal_now", "visit", {"\x80", "\xa1", "\x01"});
  expect_same_object(values, "drift", "visit", {number(std::int16_t{1}), number(std::int16_t{3})});
  expect_same_object(values, "is_open", "visit", {"\1"s, "\0"s});
  expect_same_object(values, "accents", "visit", {"\xc3\xa9\0"s, "ab\0"s});
  expect_same_object(values, "initial", "visit", {"a", "b"});
}

TEST_F(ReusedRecipes, ShowNumbersAsText) {
  const Program plant(TRACED_FIXED, Demangle::Simple);
  const auto expect = [&](const std::string& name, const std::vector<std::string>& values) {
    expect_same_object(plant, name, "plant::pump", values);
  };
  const std::string one = number(1.0), two = number(2.0), nothing(8, '\0');
  expect("gauge_wave", {one + two, two + two, one + nothing});
  expect("fortran_wave", {one + two, two + two, one + nothing});
  expect("ada_level", {number(std::int32_t{24}), number(std::int32_t{-3})});
  // Decimal floats with the values 1 and 2.
  expect("gauge_price",
         {number(std::uint64_t{0x31c0'0000'0000'0001}), number(std::uint64_t{0x31c0'0000'0000'0002})});
  const auto extended = [&](char top) {
    return std::string(7, '\0') + top + "\xff\x3f"s + std::string(6, '\0');
  };
  expect("gauge_exact", {extended('\x80'), extended('\xc0')});
  expect("gauge_huge",
         {number(std::uint64_t{1}) + number(std::uint64_t{1}), number(std::uint64_t{2}) + nothing});
}

TEST_F(ReusedRecipes, ShowBitFieldsAndUnions) {
  const Program values(TRACED_VALUES, Demangle::Simple);
  expect_same_object(values, "dial", "visit", {"\x2d\0\0\0"s, "\x2e\0\0\0"s, "\xed\0\0\0"s});
  expect_same_object(values, "sample", "visit", {number(7), number(8)});
}

TEST_F(ReusedRecipes, ShowPointersToMembers) {
  const Program plant(TRACED_FIXED, Demangle::Simple);
  const std::uint64_t start = plant.functions("plain_start").front().address;
  const auto function = [](std::uint64_t place, std::uint64_t added) {
    return number(place) + number(added);
  };
  expect_same_object(plant, "reader", "plant::pump",
                     {function(1, 0), function(9, 0), function(1, 16), function(9, 16), function(0, 0),
                      function(start, 0), function(start, 16)});
  expect_same_object(plant, "unit", "plant::pump",
                     {number(std::int64_t{8}), number(std::int64_t{12}), number(std::int64_t{-1}),
                      number(std::int64_t{77})});
}

// The recorded bytes determine which members exist, and where they are.
TEST_F(ReusedRecipes, ShowVariants) {
  const Program plant(TRACED_FIXED, Demangle::Simple);
  const auto shape = [](char discriminant, double radius) {
    return discriminant + std::string(7, '\0') + number(radius);
  };
  expect_same_object(plant, "rust_shape", "plant::pump",
                     {shape('\3', 2.5), shape('\4', 2.5), shape('\4', 3.5), shape('\5', 3.5)});
  const auto sides = [](std::int32_t kind, std::int32_t a, std::int32_t b) {
    return number(kind) + number(a) + number(b);
  };
  expect_same_object(plant, "ada_shape", "plant::pump",
                     {sides(2, 7, 8), sides(3, 7, 8), sides(5, 7, 8), sides(5, 7, 9), sides(1, 7, 8)});
}

TEST_F(ReusedRecipes, ShowTextsWithTypes) {
  const Program plant(TRACED_FIXED, Demangle::Simple), values(TRACED_VALUES, Demangle::Simple);
  const std::uint64_t words = plant.object("wide_words").value().address;
  const std::uint64_t motto = plant.object("motto").value().address;
  expect_same_object(plant, "wide_slogan", "plant::pump", {number(words), number(words + 2)});
  expect_same_object(plant, "wide_words", "plant::pump", {"p\0u\0m\0p\0\0\0"s, "p\0i\0p\0e\0\0\0"s});
  expect_same_object(plant, "fortran_name", "plant::pump", {"pump  ", "pipe  "});
  expect_same_object(plant, "rust_word", "plant::pump",
                     {number(motto) + number(std::uint64_t{4}), number(motto) + number(std::uint64_t{8}),
                      number(motto + 9) + number(std::uint64_t{3})});
  expect_same_object(values, "title", "visit", {"eth0\0\0\0\0"s, "wlan0\0\0\0"s, "12345678"s});
  expect_same_object(values, "packet", "visit", {std::string(40, 'a'), std::string(40, 'b')});
}

TEST_F(ReusedRecipes, ShowArraysWithRecordedBounds) {
  const Program plant(TRACED_FIXED, Demangle::Simple);
  const std::uint64_t vector = plant.object("ada_vector").value().address;
  const std::uint64_t many = plant.object("plant::many").value().address;
  const auto memory = [&](std::int32_t first, std::int32_t last, std::int32_t element) {
    return Memory{{vector, number(many + 8) + number(many)},
                  {many, number(first) + number(last) + number(element) + number(31) + number(32)}};
  };
  expect_same("ada_vector", plant.functions("plant::pump").front().address,
              fmt::format("M-1,{:x},10M-1,{:x},14", vector, many),
              {memory(1, 3, 30), memory(1, 2, 30), memory(0, 2, 30), memory(1, 3, 29)}, plant.path());
}

TEST_F(ReusedRecipes, ShowPointersAndClasses) {
  const Program plant(TRACED_FIXED, Demangle::Simple);
  const std::uint64_t motto = plant.object("motto").value().address;
  const std::uint64_t start = plant.functions("plain_start").front().address;
  const std::uint64_t table = plant.object("vtable for Gilded").value().address + 24;
  expect_same_object(plant, "slogan", "plant::pump",
                     {number(motto), number(motto + 17), number(std::uint64_t{0}), number(std::uint64_t{1})});
  expect_same_object(plant, "starter", "plant::pump", {number(start), number(std::uint64_t{16})});
  expect_same_object(plant, "opener", "plant::pump", {number(start), number(start + 1)});
  expect_same_object(plant, "ring", "plant::pump",
                     {number(table) + number(24) + number(77), number(table) + number(24) + number(78),
                      number(std::uint64_t{0}) + number(24) + number(79)});
}

TEST_F(ReusedRecipes, ShowReferences) {
  const Program values(TRACED_VALUES, Demangle::Simple);
  const std::uint64_t alias = values.object("depth_alias").value().address;
  const std::uint64_t depth = values.object("depth").value().address;
  const std::uint64_t tides = values.object("tides").value().address;
  const std::string actions = fmt::format("M-1,{:x},8M-1,{:x},4", alias, depth);
  const auto memory = [&](std::uint64_t target, int value) {
    return Memory{{alias, number(target)}, {depth, number(value)}};
  };
  expect_same("depth_alias", values.functions("visit").front().address, actions,
              {memory(depth, 5), memory(depth, 6), memory(tides, 7)}, values.path());
}

// DWARF describes how to compute these variables from registers.
TEST_F(ReusedRecipes, ShowVariablesInRegisters) {
  const Program fast(TRACED_FAST, Demangle::Simple);
  const std::uint64_t address = fast.functions("lift").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  const Blocks describe = [&](TraceBuilder& t) {
    t.line("tdesc <target><architecture>i386:x86-64</architecture><feature name='f'>");
    t.line("tdesc <reg name='rdi' bitsize='64'/><reg name='rip' bitsize='64'/></feature></target>");
    t.line("R 10").line(fmt::format("tp T{}:E:0:0", location));
    t.line(fmt::format("tp A{}:R3X00000001,27X00000001,27", location));
    t.source(location, "cmd", "collect $args, $locals");
  };
  const auto rdi = [&](std::uint64_t value) {
    return [=](TraceBuilder& t) { t.registers(number(value) + number(address)); };
  };
  expect_same("$args, $locals", describe, {rdi(7), rdi(8)}, fast.path());
}

}  // namespace
}  // namespace convert::tfile
