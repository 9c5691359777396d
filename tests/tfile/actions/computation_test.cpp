// Values that are computed from a frame step by step (DWARF 5, section 2.5.1).
#include "converters/tfile/actions/computation.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace convert::tfile {
namespace {

using What = ComputationStep::What;
using Value = std::optional<std::uint64_t>;

class Computations : public testing::Test {
 protected:
  static ResolvedStep number(std::int64_t value) { return {.what = What::Constant, .number = value}; }
  static ResolvedStep of(What what, std::int64_t number = 0) { return {.what = what, .number = number}; }

  Value value(const Computation& steps, std::size_t address_bytes = 8) {
    return computed(steps, {.of_register = [&](const Register& reg) -> Value {
                              return reg.name == "rax" ? Value(100) : std::nullopt;
                            },
                            .in_memory = [&](std::uint64_t address, std::size_t bytes) -> Value {
                              return address == 0x1000 ? Value(bytes) : std::nullopt;
                            },
                            .address_bytes = address_bytes});
  }
  static Register named(const std::string& name) {
    Register reg;
    reg.name = name;
    reg.size = 8;
    return reg;
  }
  Register rax = named("rax"), rbx = named("rbx");
};

TEST_F(Computations, OfTwoNumbers) {
  const auto both = [&](std::int64_t left, What what, std::int64_t right) {
    return static_cast<std::int64_t>(value({number(left), number(right), of(what)}).value());
  };
  EXPECT_EQ(both(7, What::Add, 5), 12);
  EXPECT_EQ(both(7, What::Subtract, 9), -2);
  EXPECT_EQ(both(-7, What::Multiply, 5), -35);
  EXPECT_EQ(both(6, What::And, 3), 2);
  EXPECT_EQ(both(6, What::Or, 3), 7);
  EXPECT_EQ(both(6, What::Xor, 3), 5);
  EXPECT_EQ(both(-1, What::ShiftLeft, 63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(both(-1, What::ShiftLeft, 64), 0);
  EXPECT_EQ(both(-1, What::ShiftRight, 63), 1);
  EXPECT_EQ(both(-1, What::ShiftRight, 64), 0);
  EXPECT_EQ(both(-16, What::ShiftRightSigned, 2), -4);
  EXPECT_EQ(both(-16, What::ShiftRightSigned, 64), -1);
  EXPECT_EQ(both(16, What::ShiftRightSigned, 64), 0);
}

TEST_F(Computations, OfOne) {
  EXPECT_EQ(value({number(5), of(What::Negate)}), static_cast<std::uint64_t>(-5));
  EXPECT_EQ(value({number(5), of(What::Invert)}), ~std::uint64_t{5});
  EXPECT_EQ(value({number(5), of(What::AddConstant, -6)}), ~std::uint64_t{0});
  EXPECT_EQ(value({number(5), of(What::Duplicate), of(What::Multiply)}), 25u);
}

TEST_F(Computations, OfWhatTheFrameHolds) {
  EXPECT_EQ(value({{.what = What::Register, .number = -1, .reg = &rax}}), 99u);
  EXPECT_EQ(value({{.what = What::Register, .reg = &rbx}}), std::nullopt);
  EXPECT_EQ(value({number(0x1000), of(What::Load, 2)}), 2u);
  EXPECT_EQ(value({number(0x1000), of(What::Load)}), 8u) << "an address";
  EXPECT_EQ(value({number(0x1000), of(What::Load)}, 4), 4u);
  EXPECT_EQ(value({number(0x1001), of(What::Load, 2)}), std::nullopt);
}

// Numbers have the size of addresses.
TEST_F(Computations, OfSmallMachines) {
  EXPECT_EQ(value({number(-1)}, 4), 0xffff'ffffu);
  EXPECT_EQ(value({number(-16), number(2), of(What::ShiftRightSigned)}, 4), 0xffff'fffcu);
  EXPECT_EQ(value({number(-16), number(28), of(What::ShiftRight)}, 4), 0xfu);
  EXPECT_EQ(value({number(1), number(32), of(What::ShiftLeft)}, 4), 0u);
  EXPECT_EQ(value({number(-16), number(40), of(What::ShiftRightSigned)}, 4), 0xffff'ffffu);
}

TEST_F(Computations, ThatLackANumber) {
  EXPECT_EQ(value({}), std::nullopt);
  EXPECT_EQ(value({number(1), of(What::Add)}), std::nullopt);
  EXPECT_EQ(value({of(What::Negate)}), std::nullopt);
  EXPECT_EQ(value(Computation(100, number(1))), std::nullopt) << "too many numbers";
}

TEST_F(Computations, AreResolvedForTheRegistersOfATarget) {
  const RegisterLayout layout("i386:x86-64", {named("rax")});
  const std::vector<ComputationStep> steps{{.what = What::Register, .number = 3, .register_name = "rax"},
                                           {.what = What::Negate}};
  const auto computation = resolved(steps, &layout);
  ASSERT_TRUE(computation);
  EXPECT_EQ(computation->front().reg, layout.find("rax"));
  EXPECT_EQ(value(*computation), static_cast<std::uint64_t>(-103));
  EXPECT_FALSE(
      resolved(std::vector<ComputationStep>{{.what = What::Register, .register_name = "r9"}}, &layout));
  EXPECT_FALSE(resolved(steps, nullptr));
  EXPECT_TRUE(resolved({}, nullptr));
}

}  // namespace
}  // namespace convert::tfile
