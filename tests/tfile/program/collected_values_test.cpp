// Tests the values that frames show for the variables of traced_values.cpp, and for expressions with these
// variables. GDB shows the same values.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
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
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class CollectedValues : public testing::Test {
 protected:
  // Returns the text of a frame that has the variable's bytes in a memory range: " <name>=<value> …".
  std::string variable(const std::string& name, const std::string& bytes) {
    const std::uint64_t address = address_of(name);
    return frame(name, fmt::format("M-1,{:x},{:x}", address, bytes.size()), {{address, bytes}});
  }
  using Memory = std::vector<std::pair<std::uint64_t, std::string>>;
  // Returns the text of a frame with this memory. Its tracepoint collects `items`, which GDB has encoded as
  // `actions`.
  std::string frame(std::string_view items, const std::string& actions, const Memory& memory,
                    std::string_view function = "visit") {
    TraceBuilder t;
    const std::string location = fmt::format("2:{:x}", program_.functions(function).front().address);
    t.line("R 40")
        .line(fmt::format("tp T{}:E:0:0", location))
        .line(fmt::format("tp A{}:{}", location, actions));
    t.source(location, "at", function).source(location, "cmd", fmt::format("collect {}", items)).frame(2);
    for (const auto& [address, bytes] : memory) t.memory(address, bytes);
    const std::string line = t.end().lines({.blobs = Blobs::None}, {.programs = {TRACED_VALUES}}).at(0) + " ";
    notes_ = t.notes();
    return line.substr(line.find(" pc="));
  }
  // Returns bytecode that records and reads a variable: const32 <address>; trace_quick <size>; ref16, ref32
  // or ref64.
  std::string operand(const std::string& name, unsigned size) {
    return fmt::format("24{:08x}0d{:02x}{}", address_of(name), size,
                       size == 2   ? "18"
                       : size == 4 ? "19"
                                   : "1a");
  }
  // Returns an action with this bytecode. Adds the length and the instruction `end`.
  static std::string expression(const std::string& code) {
    return fmt::format("X{:08X},{}27", code.size() / 2 + 1, code);
  }
  std::uint64_t address_of(const std::string& object) const {
    return program_.object(object).value().address;
  }
  template <typename T>
  static std::string number(T value) {
    return number_bytes(value);
  }

  Program program_{TRACED_VALUES, Demangle::Simple};
  std::vector<std::string> notes_;  // notes about the last frame
};

TEST_F(CollectedValues, EnumerationsHaveTheSignOfTheirType) {
  for (const char* const name : {"signal_now", "lamp"}) {
    const std::string prefix = name == std::string_view("lamp") ? "" : "Signal::";
    EXPECT_THAT(variable(name, "\x80"), HasSubstr(fmt::format(" {}='{}", name, prefix))) << "the top bit";
    EXPECT_THAT(variable(name, "\xf0"), HasSubstr(fmt::format(" {}=240 ", name)));
  }
  EXPECT_THAT(variable("drift", number(std::int16_t{-1})), HasSubstr(" drift=-1 "));
}

// GDB does not know the size of the type of `nullptr`, so it may record any number of bytes.
TEST_F(CollectedValues, ANullPointerIsNullWhateverItsRecordedSize) {
  const std::uint64_t nothing = address_of("nothing");
  for (const std::size_t size : {0U, 1U, 4U}) {
    Memory memory;
    if (size > 0) memory.emplace_back(nothing, std::string(size, '\0'));
    EXPECT_THAT(frame("nothing", fmt::format("M-1,{:x},{:x}", nothing, size), memory),
                AllOf(HasSubstr(" nothing=0x0 "), Not(HasSubstr("mem."))));
    EXPECT_THAT(notes_, Not(Contains(HasSubstr("wrong-program"))));
  }
}

// In GDB's bytecode, a cast to bool does not change the number. The value is shown as a boolean nevertheless.
TEST_F(CollectedValues, CastsToBoolGiveBooleans) {
  const std::string actions =
      fmt::format("M-1,{:x},2{}", address_of("height"), expression(operand("height", 2)));
  const Memory memory{{address_of("height"), "\xff\xff"}, {address_of("height"), "\xff\xff"}};
  EXPECT_THAT(frame("height, (bool)height", actions, memory),
              HasSubstr(" height=65535 (bool)height=\"true\" "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-"))));
}

// GDB's bytecode computes with the address in the reference, and does not read the target. The value of the
// expression is shown only if another item recorded the target.
TEST_F(CollectedValues, AReferenceInArithmeticIsItsTarget) {
  const std::uint64_t alias = address_of("depth_alias"), depth = address_of("depth");
  const std::string address = number(depth), sum = expression(operand("depth_alias", 8) + "220102");
  EXPECT_THAT(frame("depth, depth_alias+1", fmt::format("M-1,{:x},4{}", depth, sum),
                    {{depth, number(std::int32_t{1002})}, {alias, address}}),
              HasSubstr(" depth=1002 depth_alias+1=1003 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-"))));
  EXPECT_THAT(frame("depth_alias+1", sum, {{alias, address}}), Not(HasSubstr("depth_alias+1=")));
  EXPECT_THAT(notes_, Contains("item-not-recorded 1"));
}

// In languages that do not calculate as C does, GDB widens numbers to at least a long. GDB's bytecode
// calculates as in C nevertheless.
TEST_F(CollectedValues, NumbersOfOtherLanguagesAreLong) {
  const std::uint64_t count = address_of("rust_count");
  const auto shown = [&](std::string_view item, std::int32_t value, std::string_view code) {
    return frame(item, expression(operand("rust_count", 4).append(code)), {{count, number(value)}},
                 "rust_visit");
  };
  EXPECT_THAT(shown("rust_count*1000000000", 3, "1620243b9aca00041620"),
              HasSubstr(" rust_count*1000000000=3000000000 "));
  EXPECT_THAT(shown("rust_count<0xffffffff", -1, "2200"), HasSubstr(" rust_count<0xffffffff=\"true\" "));
  EXPECT_THAT(shown("-rust_count", 3, "22002b03"), HasSubstr(" -rust_count=-3 "));
}

TEST_F(CollectedValues, BracketsAroundAVariableChangeNothing) {
  const std::uint64_t height = address_of("height"), depth = address_of("depth");
  EXPECT_THAT(frame("(height), ( (depth) )", fmt::format("M-1,{:x},2M-1,{:x},4", height, depth),
                    {{height, "\xff\xff"}, {depth, number(std::int32_t{-5})}}),
              HasSubstr(" (height)=65535 ( (depth) )=-5 "));
}

// GDB's bytecode uses the size of the whole array as the size of each element.
TEST_F(CollectedValues, AReferenceToAnArrayIsItsFirstElement) {
  const std::uint64_t tides = address_of("tides"), alias = address_of("tides_alias");
  const auto actions = [&](const std::string& size) {
    return expression(operand("tides_alias", 8) + size + "0c");
  };
  std::string bytes;
  for (const std::int32_t tide : {3, 4, 5, 6}) bytes += number(tide);
  EXPECT_THAT(frame("*tides_alias@2", actions("2210"), {{alias, number(tides)}, {tides, bytes}}),
              HasSubstr(" tides_alias[0]=3 tides_alias[1]=4 "));
  bytes.resize(12);
  EXPECT_THAT(frame("*tides_alias@2", actions("220c"), {{alias, number(tides)}, {tides, bytes}}),
              Not(HasSubstr(" tides_alias[0]=")));
  EXPECT_THAT(notes_, Contains("item-contradicted 1"));
}

// GDB records a quoted name as a range, like the name without quotes.
TEST_F(CollectedValues, QuotedNamesAreNames) {
  const std::uint64_t height = address_of("height"), depth = address_of("depth");
  EXPECT_THAT(frame("'height', ::'depth'", fmt::format("M-1,{:x},2M-1,{:x},4", height, depth),
                    {{height, "\xff\xff"}, {depth, number(std::int32_t{-5})}}),
              HasSubstr(" 'height'=65535 ::'depth'=-5 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-"))));
}

// In an expression, GDB may use the initial value of a variable, although another item recorded the variable.
TEST_F(CollectedValues, ConstantsContradictNoVariable) {
  const std::uint64_t height = address_of("height"), depth = address_of("depth");
  const std::string traced = expression(fmt::format("24{:08x}22040c", depth)), constant = expression("2207");
  EXPECT_THAT(frame("*&depth, height", fmt::format("M-1,{:x},2{}{}", height, traced, constant),
                    {{height, "\7\0"s}, {depth, number(std::int32_t{-5})}}),
              HasSubstr(" *&depth=-5 height=7 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-"))));
}

// The bytecode has constants of the recorded program. If a constant differs from the value in the given
// program, the given program is not the recorded one.
TEST_F(CollectedValues, ConstantsContradictOtherConstants) {
  EXPECT_THAT(frame("sizeof(Drift)", expression("220229"), {}), HasSubstr(" sizeof(Drift)=2 "));
  EXPECT_THAT(frame("sizeof depth_alias", expression("220829"), {}), HasSubstr(" sizeof depth_alias=4 "));
  EXPECT_THAT(frame("sizeof(Drift)", expression("220829"), {}), Not(HasSubstr("sizeof")));
  EXPECT_THAT(notes_, Contains("item-contradicted 1"));
}

// GDB prints these bytes as text. Other tools would show such a text only up to its first NUL, so the bytes
// are shown as numbers.
TEST_F(CollectedValues, BytesAreShownAsNumbers) {
  EXPECT_THAT(variable("key", "ABC\0D"s + std::string(11, '\0')),
              HasSubstr(" key[0]=65 key[1]=66 key[2]=67 key[3]=0 key[4]=68 key[5]=0 "));
  EXPECT_THAT(variable("deltas", "\xff\0\3"s), HasSubstr(" deltas[0]=-1 deltas[1]=0 deltas[2]=3 "));
  EXPECT_THAT(variable("gauge", "A"), HasSubstr(" gauge=65 "));
  EXPECT_THAT(variable("packet", "E\0T"s + std::string(37, '\xff')), HasSubstr(" packet=\"45 00 54 ff ff "));
  EXPECT_THAT(variable("title", "eth0\0\0\0\0"s), HasSubstr(" title=\"eth0\" "));
  EXPECT_THAT(variable("title", "e\0h0\0\0\0\0"s), HasSubstr(" title=\"e\\000h0\" "));
}

TEST_F(CollectedValues, CharactersOfUtf8AreText) {
  EXPECT_THAT(variable("accents", "\u00e9\0"s), HasSubstr(" accents=\"\u00e9\" "));
  EXPECT_THAT(variable("initial", "z"), HasSubstr(" initial=\"'z' (122)\" "));
}

TEST_F(CollectedValues, ComparisonsGiveBooleans) {
  const std::uint64_t height = address_of("height");
  EXPECT_THAT(frame("height == 7", expression(operand("height", 2) + "220713"), {{height, "\7\0"s}}),
              HasSubstr(" height == 7=\"true\" "));
  EXPECT_THAT(frame("!height", expression(operand("height", 2) + "0e"), {{height, "\7\0"s}}),
              HasSubstr(" !height=\"false\" "));
}

// GDB may have recorded an unknown item with bytecode, or as a range if the item is a static variable.
TEST_F(CollectedValues, UnknownExpressionsContradictNothing) {
  const std::uint64_t height = address_of("height"), depth = address_of("depth");
  // const32 <height>; const8 2; trace; end
  const std::string both =
      fmt::format("M-1,{:x},4{}", depth, expression(fmt::format("24{:08x}22020c", height)));
  const Memory memory{{depth, number(std::int32_t{-5})}, {height, "\7\0"s}};
  EXPECT_THAT(frame("depth > 0 ? height : height, depth", both, memory),
              HasSubstr(" depth > 0 ? height : height=7 depth=-5 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-contradicted"))));
  // const32 <height>; const8 3; trace; end
  const std::string repeated =
      fmt::format("M-1,{:x},4{}", depth, expression(fmt::format("24{:08x}22030c", height)));
  EXPECT_THAT(frame("nowhere, *heights@3", repeated, {{depth, number(std::int32_t{-5})}, {height, "abc"}}),
              HasSubstr(" *heights@3=\"61 62 63\" "))
      << "no static variable";
  frame("heights.height", fmt::format("M-1,{:x},2", height), {{height, "\7\0"s}});
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-contradicted"))));
}

// GDB's bytecode uses the registers of the function with the tracepoint, and not those of the enclosing
// function.
TEST_F(CollectedValues, VariablesOfEnclosingFunctionsBelongToOtherCalls) {
  const std::uint64_t calls = address_of("around::calls");
  const std::string actions = fmt::format("M-1,{:x},4{}", calls, expression("23700022040c"));
  const Memory memory{{calls, number(std::int32_t{3})}, {0x7000, number(std::int32_t{5})}};
  for (const std::string item : {"total", "total+1", "around::total"}) {
    EXPECT_THAT(frame(item + ", calls", actions, memory, "within"),
                AllOf(Not(HasSubstr(" " + item + "=")), HasSubstr(" calls=3 "), HasSubstr(" mem.0x7000=5 ")));
    EXPECT_THAT(notes_,
                Contains(HasSubstr("`" + item + "`: the variable belongs to the call of another function")));
  }
}

// Some code has no debug information, for example _start and procedure linkage tables. The names of global
// variables are known there nevertheless.
TEST_F(CollectedValues, CodeWithoutDebugInformationHasGlobalNames) {
  const std::uint64_t height = address_of("height");
  EXPECT_THAT(frame("height", fmt::format("M-1,{:x},2", height), {{height, "\xff\xff"}}, "_start"),
              HasSubstr(" height=65535 "));
}

TEST_F(CollectedValues, DeclaredVariablesAreFoundInTheSymbolTable) {
  const std::uint64_t plain = address_of("plain_depth");
  EXPECT_THAT(frame("plain_depth", fmt::format("M-1,{:x},4", plain), {{plain, number(9)}}),
              HasSubstr(" plain_depth=9 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("untyped-values"))));
}

// If the frame has no registers, the program does not show where the return address is. In this case, the
// memory that GDB's bytecode recorded is shown.
TEST_F(CollectedValues, ReturnAddressesAreThoseOfGdbIfTheProgramHasNone) {
  EXPECT_THAT(frame("$_ret", expression("23700022080c"), {{0x7000, number(std::uint64_t{0x1234})}}),
              HasSubstr(" $_ret=0x1234 "));
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("item-"))));
}

TEST_F(CollectedValues, TextsContinueInOtherBlocks) {
  const std::uint64_t label = address_of("label"), accents = address_of("accents");
  const std::string pointer = number(std::uint64_t{0x7000});
  // …; const8 1; trace, and …; const8 200; tracenz
  EXPECT_THAT(frame("/s *label@1, label",
                    expression(operand("label", 8) + "22010c") + expression(operand("label", 8) + "22c82f"),
                    {{label, pointer}, {0x7000, "l"}, {label, pointer}, {0x7000, "long\0"s}}),
              HasSubstr(" label=\"long\" "));
  const std::string array = fmt::format("24{:08x}", accents);
  EXPECT_THAT(frame("/s *accents@1, accents", expression(array + "22010c") + expression(array + "22022f"),
                    {{accents, "a"}, {accents, "ab"}}),
              HasSubstr(" accents=\"ab\" "));
}

// The item names one variable, but the bytecode reads another one. Therefore, the given program is not the
// recorded one.
TEST_F(CollectedValues, CalculationsFromOtherMemoryAreContradicted) {
  frame("height, (bool)height",
        fmt::format("M-1,{:x},2{}", address_of("height"), expression(operand("depth", 2))),
        {{address_of("height"), "\xff\xff"}, {address_of("depth"), "\xff\xff"}});
  EXPECT_THAT(notes_, Contains("item-contradicted 1"));
  // The bytecode adds 2, but the item adds 1.
  frame("height, height+1",
        fmt::format("M-1,{:x},2{}", address_of("height"), expression(operand("height", 2) + "220202")),
        {{address_of("height"), "\7\0"s}, {address_of("height"), "\7\0"s}});
  EXPECT_THAT(notes_, Contains("item-contradicted 1")) << "what was calculated differs";
}

// The first item is contradicted. The second item is proven, so it is shown nevertheless. The program does
// not describe the third item, so it is not proven.
TEST_F(CollectedValues, AContradictionKeepsProvenItems) {
  const std::uint64_t height = address_of("height"), depth = address_of("depth");
  const auto trace = [](std::uint64_t address, int size) {
    return expression(fmt::format("24{:08x}22{:02x}0c", address, size));
  };
  EXPECT_THAT(
      frame("*&depth, *&height, 1 > 0 ? depth : 0", trace(depth, 2) + trace(height, 2) + trace(depth, 4),
            {{depth, "\7\0"s}, {height, "\xff\xff"}, {depth, number(std::int32_t{7})}}),
      AllOf(HasSubstr(" *&height=65535 "), Not(HasSubstr("depth")),
            HasSubstr(fmt::format("mem.{:#x}=7 ", depth))));
  EXPECT_THAT(notes_, Contains("item-contradicted 2"));
  EXPECT_THAT(notes_, Contains(HasSubstr("`1 > 0 ? depth : 0`: the program does not describe the item")));
}

}  // namespace
}  // namespace convert::tfile
