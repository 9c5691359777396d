// Tests agent bytecode: how it is listed, and how it runs again on a frame.
#include "converters/tfile/actions/bytecode.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <utility>

#include "converters/tfile/actions/emulator.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

std::vector<std::byte> code(std::string_view digits) { return hex_bytes(digits).value(); }

TEST(Bytecode, IsListedWithGdbsNames) {
  EXPECT_EQ(disassemble(code("26000622100222b816080222080c27")),
            "reg 6; const8 16; add; const8 184; ext 8; add; const8 8; trace; end");
  EXPECT_EQ(disassemble(code("2400404100230100250000000000000001200005")),
            "const32 0x404100; const16 256; const64 0x1; if_goto 5");
  EXPECT_EQ(disassemble(code("340100036869002727")), "printf 3 bytes; end; end");
  EXPECT_EQ(disassemble(code("34010003686900")), "printf 3 bytes");
  EXPECT_EQ(disassemble(code("340100036869")), "?? 34 01 00 03 68 69");
}

TEST(Bytecode, DamageIsListedAsBytes) {
  EXPECT_EQ(disassemble(code("020031ff")), "add; ?? 00 31 ff");
  EXPECT_FALSE(is_well_formed(code("0231")));
  EXPECT_FALSE(is_well_formed(code("25000000")));
  EXPECT_TRUE(is_well_formed(code("2227")));
  EXPECT_TRUE(is_well_formed({}));
}

// KGTP appends bytes to its expressions. These bytes are ignored.
TEST(Bytecode, CodeAfterTheEndIsIgnored) {
  EXPECT_TRUE(is_well_formed(code("2e001d2700")));
  EXPECT_FALSE(
      is_well_formed(code("220120000627"
                          "00")));  // if_goto 6
}

TEST(Bytecode, ShapesDescribeTheRecordedBlocks) {
  EXPECT_EQ(shape_of(code("2c00012e00012927")).only_variable, 1u);
  EXPECT_EQ(shape_of(code("2c000222010216402d000227")).blocks, "");
  EXPECT_TRUE(shape_of(code("26000622100222e81608020d081a2300c82f27")).records_string);
  EXPECT_EQ(shape_of(code("26000622100222e81608020d081a2300c82f2e000127")).blocks, "MMV");
  EXPECT_EQ(shape_of(code("240040416022040c27")).only_variable, std::nullopt);
  EXPECT_TRUE(shape_of(code("2600061608222002"
                            "22010c27"))
                  .cuts_numbers)
      << "reg 6; ext 8";
  EXPECT_FALSE(shape_of(code("26000622f816080222040c27")).cuts_numbers) << "reg 6; const8 -8";
  EXPECT_FALSE(shape_of(code("260006164022f816080222040c27")).cuts_numbers) << "reg 6; ext 64";
}

// `words` is the memory of the target: a word for each address that can be read. Register N has the value
// N * 0x1000. If N bytes are read at address 0x60, N * 0x100 is added to the word.
class Target : public EmulatorTarget {
 public:
  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return number < 32 ? std::optional(number * 0x1000) : std::nullopt;
  }
  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t size) override {
    const auto found = words.find(address);
    return found != words.end() ? std::optional(found->second + (address == 0x60 ? size << 8 : 0))
                                : std::nullopt;
  }
  std::optional<std::uint64_t> read_variable(std::uint64_t number) override { return 100 + number; }
  bool record(const MemoryRecord& recording) override {
    const auto text = [](std::optional<std::uint64_t> number) {
      return number ? fmt::format("{:#x}", *number) : std::string("?");
    };
    recorded.push_back(fmt::format("{}+{}{}{}", text(recording.address), text(recording.length),
                                   recording.is_string ? " string" : "",
                                   recording.is_operand ? " operand" : ""));
    return true;
  }
  std::map<std::uint64_t, std::uint64_t> words;
  std::vector<std::string> recorded;
};

std::vector<std::string> recorded_by(std::string_view digits,
                                     std::map<std::uint64_t, std::uint64_t> words = {}) {
  Target target;
  target.words = std::move(words);
  run(code(digits), target);
  return target.recorded;
}

TEST(Emulation, FindsALocalVariable) {
  // reg 6 + 16 + (signed byte 0xb8), 8 bytes
  EXPECT_THAT(recorded_by("26000622100222b816080222080c27"), ElementsAre("0x5fc8+0x8"));
}

TEST(Emulation, FollowsAPointer) {
  EXPECT_THAT(recorded_by("26000622100222b81608020d081a22400c27", {{0x5fc8, 0x404000}}),
              ElementsAre("0x5fc8+0x8 operand", "0x404000+0x40"));
}

TEST(Emulation, UnknownValuesStayUnknown) {
  EXPECT_THAT(recorded_by("26000622100222b81608020d081a22400c27"),
              ElementsAre("0x5fc8+0x8 operand", "?+0x40"));
}

TEST(Emulation, RecordsStringsWithTheirLimit) {
  EXPECT_THAT(recorded_by("26000622100222e81608020d081a2300c82f27", {{0x5ff8, 0x7000}}),
              ElementsAre("0x5ff8+0x8 operand", "0x7000+0xc8 string"));
}

struct Sum {
  std::string_view name, digits;
  std::uint64_t result;

  friend void PrintTo(const Sum& sum, std::ostream* out) { *out << sum.name; }
};
class Arithmetic : public testing::TestWithParam<Sum> {};
INSTANTIATE_TEST_SUITE_P(
    All, Arithmetic,
    testing::Values(
        Sum{"add", "220522030227", 8}, Sum{"sub", "220522030327", 2}, Sum{"mul", "220522030427", 15},
        Sum{"div_signed", "22f81608220205 27", ~std::uint64_t{3}}, Sum{"rem_unsigned", "220722040827", 3},
        Sum{"lsh", "220122040927", 16}, Sum{"rsh_signed", "22f0160822020a27", ~std::uint64_t{3}},
        Sum{"rsh_unsigned", "22f022040b27", 15}, Sum{"log_not", "22000e27", 1},
        Sum{"less_signed", "22ff160822011427", 1}, Sum{"less_unsigned", "22ff160822011527", 0},
        Sum{"equal", "220522051327", 1}, Sum{"zero_ext", "22ff16082a1027", 0xffff},
        Sum{"ext 64 does nothing", "22ff164027", 255}, Sum{"swap", "220522032b0327", ~std::uint64_t{1}},
        Sum{"pick", "22052203320127", 5}, Sum{"rot", "2201220222033327", 2}, Sum{"getv", "2c000727", 107},
        Sum{"goto", "210006220127220227", 2}, Sum{"if_goto", "2201200008220127220227", 2},
        Sum{"if_goto of 0", "2200200008220127220227", 1}, Sum{"div_unsigned", "220722020627", 3},
        Sum{"rem_signed", "22f91608220407 27", ~std::uint64_t{2}},
        Sum{"div_signed of the lowest", "25800000000000000022ff16080527", 1ull << 63},
        Sum{"rem_signed of the lowest", "25800000000000000022ff16080727", 0},
        Sum{"div_signed of another", "220622ff16080527", ~std::uint64_t{5}},
        Sum{"div_signed by another", "258000000000000000220205 27", 0xc000'0000'0000'0000},
        Sum{"and", "220622030f27", 2}, Sum{"or", "220622031027", 7}, Sum{"xor", "220622031127", 5},
        Sum{"not", "22051227", ~std::uint64_t{5}}, Sum{"log_not of 5", "22050e27", 0},
        Sum{"lsh 63", "2201223f0927", 1ull << 63}, Sum{"lsh 64", "220122400927", 0},
        Sum{"rsh_signed 63", "22ff1608223f0a27", ~std::uint64_t{0}},
        Sum{"rsh_signed 64", "22ff160822400a27", ~std::uint64_t{0}},
        Sum{"rsh_unsigned 63", "22ff1608223f0b27", 1}, Sum{"rsh_unsigned 64", "22ff160822400b27", 0},
        Sum{"less_signed of equals", "220522051427", 0}, Sum{"less_unsigned of less", "220422051527", 1},
        Sum{"less_unsigned of equals", "220522051527", 0}, Sum{"equal of others", "220522061327", 0},
        Sum{"zero_ext 64 does nothing", "22ff16082a4027", ~std::uint64_t{0}},
        Sum{"ext 0 does nothing", "22ff160027", 255},
        Sum{"ext 32", "24800000001620 27", 0xffff'ffff'8000'0000},
        Sum{"ext of more bits", "237f801608 27", ~std::uint64_t{0x7f}}, Sum{"dup", "2205280227", 10},
        Sum{"pick 0", "22052203320027", 3}, Sum{"pop", "22052203292201 0227", 6},
        Sum{"what is popped last", "22052927", 5}, Sum{"what is popped behind another", "220522092927", 9},
        Sum{"setv keeps its value", "22052d000227", 5}, Sum{"tracev", "22052e000227", 5},
        Sum{"reg", "26000327", 0x3000}, Sum{"const16", "23abcd27", 0xabcd},
        Sum{"const32", "24deadbeef27", 0xdead'beef},
        Sum{"const64", "25123456789abcdef027", 0x1234'5678'9abc'def0}, Sum{"ref8", "226017 27", 0x100},
        Sum{"ref16", "22601827", 0x200}, Sum{"ref32", "22601927", 0x400}, Sum{"ref64", "22601a27", 0x800}),
    [](const auto& test) {
      std::string name(test.param.name);
      std::ranges::replace(name, ' ', '_');
      return name;
    });
TEST_P(Arithmetic, GivesTheResult) {
  std::string digits(GetParam().digits);
  std::erase(digits, ' ');
  Target target;
  target.words[0x60] = 0;
  EXPECT_EQ(run(code(digits), target).result, GetParam().result);
}

TEST(Emulation, StopsWhereTheTargetWould) {
  Target target;
  EXPECT_EQ(run(code("220122000527"), target).outcome, Outcome::Stopped);  // division by zero
  EXPECT_EQ(run(code("0227"), target).outcome, Outcome::Stopped);          // empty stack
  EXPECT_EQ(run(code("31"), target).outcome, Outcome::Stopped);            // unknown opcode
  EXPECT_EQ(run(code("210000"), target).outcome, Outcome::Stopped);        // an endless loop
  // fills the stack in an endless loop
  EXPECT_EQ(run(code("2201210000"), target).outcome, Outcome::Stopped);
  EXPECT_EQ(run(code("2200172000052727"), target).outcome, Outcome::Unknown);
  for (const std::string_view lacks_an_operand : {"22010227", "28", "320027", "2201320127", "29", "22012b",
                                                  "220122023327"
                                                  "0e27",
                                                  "17", "200000", "0d08", "300008", "22010c27", "22012f27"})
    EXPECT_EQ(run(code(lacks_an_operand), target).outcome, Outcome::Stopped) << lacks_an_operand;
  for (const std::string_view divides_by_zero :
       {"220122000527", "220122000627", "220122000727", "220122000827"})
    EXPECT_EQ(run(code(divides_by_zero), target).outcome, Outcome::Stopped) << divides_by_zero;
  for (const std::string_view no_integers : {"1b", "1c", "1d", "1e", "1f"})  // ref_float to d_to_l
    EXPECT_EQ(run(code("22602260" + std::string(no_integers) + "27"), target).outcome, Outcome::Stopped)
        << no_integers;
}

// The stack of gdbserver has 100 words.
TEST(Emulation, HasTheStackLimitOfGdbserver) {
  const auto outcome = [](std::size_t pushes) {
    Target target;
    std::string digits;
    for (std::size_t i = 0; i < pushes; ++i) digits += "2201";
    return run(code(digits + "27"), target).outcome;
  };
  EXPECT_EQ(outcome(100), Outcome::Finished);
  EXPECT_EQ(outcome(101), Outcome::Stopped);
}

TEST(Emulation, RecordsOperands) {
  // The first bytecode is: const8 0x60; trace_quick 1; ref8; … The second one has trace16 instead of
  // trace_quick.
  EXPECT_THAT(recorded_by("22600d011722040c27", {{0x60, 0}}), ElementsAre("0x60+0x1 operand", "0x100+0x4"));
  EXPECT_THAT(recorded_by("226030000118290127", {{0x60, 0}}), ElementsAre("0x60+0x1 operand"));
  EXPECT_THAT(recorded_by("22600d011d27", {{0x60, 0}}), ElementsAre("0x60+0x1 operand")) << "a long double";
  EXPECT_THAT(recorded_by("22600d08292216291f27", {}), ElementsAre("0x60+0x8"));
  EXPECT_THAT(recorded_by("22600d0816402727"), ElementsAre("0x60+0x8")) << "ext 64 reads nothing";
  EXPECT_THAT(recorded_by("22600d081e27"), ElementsAre("0x60+0x8"));
}

}  // namespace
}  // namespace convert::tfile
