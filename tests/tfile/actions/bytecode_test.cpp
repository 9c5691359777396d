// Agent bytecode: its listing, and running it again on what was recorded (fact sheet, section 8).
#include "converters/tfile/actions/bytecode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "converters/tfile/actions/emulator.h"
#include "converters/tfile/description/hex.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

std::vector<std::byte> code(std::string_view digits) { return hex_bytes(digits).value(); }

TEST(Bytecode, IsListedInGdbsWords) {
  EXPECT_EQ(disassemble(code("26000622100222b816080222080c27")),
            "reg 6; const8 16; add; const8 184; ext 8; add; const8 8; trace; end");
  EXPECT_EQ(disassemble(code("2400404100230100250000000000000001200005")),
            "const32 0x404100; const16 256; const64 0x1; if_goto 5");
  EXPECT_EQ(disassemble(code("340100036869002727")), "printf 3 bytes; end; end");
}

TEST(Bytecode, DamageIsNamed) {
  EXPECT_EQ(disassemble(code("020031ff")), "add; ?? 00 31 ff");
  EXPECT_FALSE(is_well_formed(code("0231")));
  EXPECT_FALSE(is_well_formed(code("25000000")));
  EXPECT_TRUE(is_well_formed(code("2227")));
  EXPECT_TRUE(is_well_formed({}));
}

// KGTP's files have such bytes.
TEST(Bytecode, BehindTheEndNothingIsRun) {
  EXPECT_TRUE(is_well_formed(code("2e001d2700")));
  EXPECT_FALSE(
      is_well_formed(code("220120000627"
                          "00")));  // if_goto 6
}

TEST(Bytecode, ShapesTellWhatIsRecorded) {
  EXPECT_EQ(shape_of(code("2c00012e00012927")).only_variable, 1u);
  EXPECT_FALSE(shape_of(code("2c000222010216402d000227")).records);
  EXPECT_TRUE(shape_of(code("26000622100222e81608020d081a2300c82f27")).records_string);
  EXPECT_EQ(shape_of(code("240040416022040c27")).only_variable, std::nullopt);
}

// A target whose registers are 0x1000 times their number, and that holds the words given.
class Target : public Surroundings {
 public:
  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return number < 32 ? std::optional(number * 0x1000) : std::nullopt;
  }
  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t) override {
    const auto found = words.find(address);
    return found != words.end() ? std::optional(found->second) : std::nullopt;
  }
  std::optional<std::uint64_t> read_variable(std::uint64_t number) override { return 100 + number; }
  bool record(const Recording& recording) override {
    const auto text = [](std::optional<std::uint64_t> number) {
      return number ? fmt::format("{:#x}", *number) : std::string("?");
    };
    recorded.push_back(fmt::format("{}+{}{}{}", text(recording.address), text(recording.length),
                                   recording.is_string ? " string" : "",
                                   recording.on_the_way ? " on the way" : ""));
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
              ElementsAre("0x5fc8+0x8 on the way", "0x404000+0x40"));
}

TEST(Emulation, WhatIsUnknownStaysUnknown) {
  EXPECT_THAT(recorded_by("26000622100222b81608020d081a22400c27"),
              ElementsAre("0x5fc8+0x8 on the way", "?+0x40"));
}

TEST(Emulation, RecordsStringsWithTheirLimit) {
  EXPECT_THAT(recorded_by("26000622100222e81608020d081a2300c82f27", {{0x5ff8, 0x7000}}),
              ElementsAre("0x5ff8+0x8 on the way", "0x7000+0xc8 string"));
}

struct Sum {
  std::string_view name, digits;
  std::uint64_t result;
};
class Arithmetic : public testing::TestWithParam<Sum> {};
INSTANTIATE_TEST_SUITE_P(
    All, Arithmetic,
    testing::Values(Sum{"add", "220522030227", 8}, Sum{"sub", "220522030327", 2},
                    Sum{"mul", "220522030427", 15}, Sum{"div_signed", "22f81608220205 27", ~std::uint64_t{3}},
                    Sum{"rem_unsigned", "220722040827", 3}, Sum{"lsh", "220122040927", 16},
                    Sum{"rsh_signed", "22f0160822020a27", ~std::uint64_t{3}},
                    Sum{"rsh_unsigned", "22f022040b27", 15}, Sum{"log_not", "22000e27", 1},
                    Sum{"less_signed", "22ff160822011427", 1}, Sum{"less_unsigned", "22ff160822011527", 0},
                    Sum{"equal", "220522051327", 1}, Sum{"zero_ext", "22ff16082a1027", 0xffff},
                    Sum{"ext 64 does nothing", "22ff164027", 255},
                    Sum{"swap", "220522032b0327", ~std::uint64_t{1}}, Sum{"pick", "22052203320127", 5},
                    Sum{"rot", "2201220222033327", 2}, Sum{"getv", "2c000727", 107},
                    Sum{"goto", "210006220127220227", 2}, Sum{"if_goto", "2201200008220127220227", 2}),
    [](const auto& test) {
      std::string name(test.param.name);
      std::ranges::replace(name, ' ', '_');
      return name;
    });
TEST_P(Arithmetic, GivesTheResult) {
  std::string digits(GetParam().digits);
  std::erase(digits, ' ');
  Target target;
  EXPECT_EQ(run(code(digits), target).result, GetParam().result);
}

TEST(Emulation, StopsWhereTheTargetWould) {
  Target target;
  EXPECT_EQ(run(code("220122000527"), target).outcome, Outcome::Stopped);  // division by zero
  EXPECT_EQ(run(code("0227"), target).outcome, Outcome::Stopped);          // empty stack
  EXPECT_EQ(run(code("31"), target).outcome, Outcome::Stopped);            // unknown opcode
  EXPECT_EQ(run(code("210000"), target).outcome, Outcome::Stopped);        // an endless loop
  EXPECT_EQ(run(code("2201210000"), target).outcome, Outcome::Stopped);    // and one that fills the stack
  EXPECT_EQ(run(code("2200172000052727"), target).outcome, Outcome::Unknown);
}

}  // namespace
}  // namespace convert::tfile
