// The storage of variables that are not in memory, operation by operation (DWARF 5, section 2.6.1).
#include "converters/tfile/program/variable_storage.h"

#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Storage = RegisterVariable::Storage;

Dwarf_Op op(unsigned atom, std::uint64_t number = 0) {
  return {.atom = static_cast<std::uint8_t>(atom), .number = number, .number2 = 0, .offset = 0};
}

std::string text_of(const std::vector<ComputationStep>& steps) {
  using What = ComputationStep::What;
  std::string text;
  for (const ComputationStep& step : steps) {
    if (!text.empty()) text += ' ';
    static const std::map<What, std::string> kOthers{
        {What::Duplicate, "dup"}, {What::Negate, "neg"},    {What::Invert, "not"},
        {What::Add, "+"},         {What::Subtract, "-"},    {What::Multiply, "*"},
        {What::And, "&"},         {What::Or, "|"},          {What::Xor, "^"},
        {What::ShiftLeft, "<<"},  {What::ShiftRight, ">>"}, {What::ShiftRightSigned, "sar"}};
    if (step.what == What::Constant)
      text += fmt::format("{}", step.number);
    else if (step.what == What::Register)
      text += fmt::format("{}{:+}", step.register_name, step.number);
    else if (step.what == What::AddConstant)
      text += fmt::format("{:+}", step.number);
    else if (step.what == What::Load)
      text += fmt::format("load{}", step.number);
    else
      text += kOthers.at(step.what);
  }
  return text;
}

std::vector<std::string> texts(const std::vector<Dwarf_Op>& operations, unsigned machine = EM_X86_64) {
  std::vector<std::string> texts;
  for (const RegisterVariable::Piece& piece : pieces_of(operations, machine)) {
    const std::string where = piece.storage == Storage::Register   ? piece.register_name
                              : piece.storage == Storage::Computed ? text_of(piece.steps)
                                                                   : "nowhere";
    texts.push_back(fmt::format("{}: {}", piece.size, where));
  }
  return texts;
}

TEST(Pieces, AreInRegisters) {
  EXPECT_THAT(texts({op(DW_OP_reg1), op(DW_OP_piece, 4), op(DW_OP_regx, 17), op(DW_OP_piece, 8)}),
              ElementsAre("4: rdx", "8: xmm0"));
  EXPECT_THAT(texts({op(DW_OP_reg1), op(DW_OP_piece, 4)}, EM_386), ElementsAre("4: ecx"));
}

// DWARF's register numbers differ between machines (fact sheet, section 11).
TEST(Pieces, AreInRegistersOfManyMachines) {
  const auto name = [](std::uint64_t number, unsigned machine) {
    return texts({op(DW_OP_regx, number), op(DW_OP_piece, 4)}, machine).front().substr(3);
  };
  EXPECT_EQ(name(7, EM_X86_64), "rsp");
  EXPECT_EQ(name(8, EM_X86_64), "r8");
  EXPECT_EQ(name(15, EM_X86_64), "r15");
  EXPECT_EQ(name(16, EM_X86_64), "nowhere");
  EXPECT_EQ(name(17, EM_X86_64), "xmm0");
  EXPECT_EQ(name(32, EM_X86_64), "xmm15");
  EXPECT_EQ(name(33, EM_X86_64), "nowhere");
  EXPECT_EQ(name(7, EM_386), "edi");
  EXPECT_EQ(name(8, EM_386), "nowhere");
  EXPECT_EQ(name(20, EM_386), "nowhere");
  EXPECT_EQ(name(21, EM_386), "xmm0");
  EXPECT_EQ(name(28, EM_386), "xmm7");
  EXPECT_EQ(name(29, EM_386), "nowhere");
  EXPECT_EQ(name(0, EM_AARCH64), "x0");
  EXPECT_EQ(name(30, EM_AARCH64), "x30");
  EXPECT_EQ(name(31, EM_AARCH64), "sp");
  EXPECT_EQ(name(32, EM_AARCH64), "nowhere");
  EXPECT_EQ(name(63, EM_AARCH64), "nowhere");
  EXPECT_EQ(name(64, EM_AARCH64), "v0");
  EXPECT_EQ(name(95, EM_AARCH64), "v31");
  EXPECT_EQ(name(96, EM_AARCH64), "nowhere");
  for (const unsigned machine : {unsigned{EM_ARM}, unsigned{EM_S390}}) {
    EXPECT_EQ(name(12, machine), "r12");
    EXPECT_EQ(name(13, machine), "nowhere");
  }
  for (const unsigned machine : {unsigned{EM_PPC}, unsigned{EM_PPC64}}) {
    EXPECT_EQ(name(31, machine), "r31");
    EXPECT_EQ(name(32, machine), "nowhere");
  }
  EXPECT_EQ(name(0, EM_RISCV), "nowhere");
}

TEST(Pieces, AreValues) {
  EXPECT_THAT(texts({op(DW_OP_breg2, static_cast<std::uint64_t>(-7)), op(DW_OP_stack_value),
                     op(DW_OP_piece, 4), op(DW_OP_lit31), op(DW_OP_stack_value), op(DW_OP_piece, 2),
                     op(DW_OP_consts, 300), op(DW_OP_stack_value), op(DW_OP_piece, 2)}),
              ElementsAre("4: rcx-7", "2: 31", "2: 300"));
}

TEST(Pieces, AreComputed) {
  const auto text = [](std::vector<Dwarf_Op> operations) {
    operations.push_back(op(DW_OP_stack_value));
    operations.push_back(op(DW_OP_piece, 8));
    return texts(operations).front();
  };
  EXPECT_EQ(text({op(DW_OP_breg0), op(DW_OP_lit3), op(DW_OP_mul)}), "8: rax+0 3 *");
  EXPECT_EQ(text({op(DW_OP_breg3, 1), op(DW_OP_const1u, 32), op(DW_OP_shl), op(DW_OP_const1u, 32),
                  op(DW_OP_shra), op(DW_OP_lit1), op(DW_OP_minus)}),
            "8: rbx+1 32 << 32 sar 1 -");
  EXPECT_EQ(text({op(DW_OP_breg9), op(DW_OP_dup), op(DW_OP_plus), op(DW_OP_plus_uconst, 7), op(DW_OP_shr)}),
            "8: r9+0 dup + +7 >>");
  EXPECT_EQ(text({op(DW_OP_breg0), op(DW_OP_breg1), op(DW_OP_and), op(DW_OP_or), op(DW_OP_xor), op(DW_OP_neg),
                  op(DW_OP_not)}),
            "8: rax+0 rdx+0 & | ^ neg not");
  EXPECT_EQ(text({op(DW_OP_breg5, 4), op(DW_OP_deref_size, 4), op(DW_OP_deref)}), "8: rdi+4 load4 load0");
  EXPECT_EQ(text({{.atom = DW_OP_bregx, .number = 17, .number2 = 5, .offset = 0}}), "8: xmm0+5");
  EXPECT_EQ(text({op(DW_OP_breg0 + 16)}), "8: nowhere") << "no register";
  EXPECT_EQ(text({op(DW_OP_breg0), op(DW_OP_entry_value)}), "8: nowhere") << "a value of the caller";
}

TEST(Pieces, AreNowhere) {
  EXPECT_THAT(texts({op(DW_OP_piece, 4), op(DW_OP_reg0), op(DW_OP_piece, 4)}),
              ElementsAre("4: nowhere", "4: rax"));
  EXPECT_THAT(texts({op(DW_OP_addr, 0x401c), op(DW_OP_piece, 4)}), ElementsAre("4: nowhere")) << "in memory";
  EXPECT_THAT(texts({op(DW_OP_reg0 + 16), op(DW_OP_piece, 8)}), ElementsAre("8: nowhere"))
      << "the return address' column is no register";
  EXPECT_THAT(texts({op(DW_OP_breg2, 1), op(DW_OP_piece, 4)}), ElementsAre("4: nowhere")) << "also in memory";
}

TEST(Pieces, EndWithALength) {
  EXPECT_THAT(texts({op(DW_OP_reg0), op(DW_OP_piece, 4), op(DW_OP_reg1)}), ElementsAre("4: rax"));
  EXPECT_THAT(texts({op(DW_OP_reg0)}), IsEmpty());
  EXPECT_THAT(texts({}), IsEmpty());
}

}  // namespace
}  // namespace convert::tfile
