// Locations of variables that are not in memory, operation by operation (DWARF 5, section 2.6.1).
#include "converters/tfile/program/dwarf_names.h"

#include <dwarf.h>
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Place = RegisterVariable::Place;

Dwarf_Op op(unsigned atom, std::uint64_t number = 0) {
  return {.atom = static_cast<std::uint8_t>(atom), .number = number, .number2 = 0, .offset = 0};
}

std::vector<std::string> texts(const std::vector<Dwarf_Op>& operations, unsigned machine = EM_X86_64) {
  std::vector<std::string> texts;
  for (const RegisterVariable::Piece& piece : pieces_of(operations, machine)) {
    const std::string where = piece.place == Place::Register ? piece.register_name
                              : piece.place == Place::Sum
                                  ? fmt::format("{}{:+}", piece.register_name, piece.number)
                              : piece.place == Place::Constant ? fmt::format("{}", piece.number)
                                                               : "nowhere";
    texts.push_back(fmt::format("{}: {}", piece.size, where));
  }
  return texts;
}

TEST(Pieces, LieInRegisters) {
  EXPECT_THAT(texts({op(DW_OP_reg1), op(DW_OP_piece, 4), op(DW_OP_regx, 17), op(DW_OP_piece, 8)}),
              ElementsAre("4: rdx", "8: xmm0"));
  EXPECT_THAT(texts({op(DW_OP_reg1), op(DW_OP_piece, 4)}, EM_386), ElementsAre("4: ecx"));
}

TEST(Pieces, AreValues) {
  EXPECT_THAT(texts({op(DW_OP_breg2, static_cast<std::uint64_t>(-7)), op(DW_OP_stack_value),
                     op(DW_OP_piece, 4), op(DW_OP_lit31), op(DW_OP_stack_value), op(DW_OP_piece, 2),
                     op(DW_OP_consts, 300), op(DW_OP_stack_value), op(DW_OP_piece, 2)}),
              ElementsAre("4: rcx-7", "2: 31", "2: 300"));
}

TEST(Pieces, AreNowhere) {
  EXPECT_THAT(texts({op(DW_OP_piece, 4), op(DW_OP_reg0), op(DW_OP_piece, 4)}),
              ElementsAre("4: nowhere", "4: rax"));
  EXPECT_THAT(texts({op(DW_OP_addr, 0x401c), op(DW_OP_piece, 4)}), ElementsAre("4: nowhere")) << "in memory";
  EXPECT_THAT(texts({op(DW_OP_reg0 + 16), op(DW_OP_piece, 8)}), ElementsAre("8: nowhere"))
      << "the return address' column is no register";
  EXPECT_THAT(texts({op(DW_OP_breg2, 1), op(DW_OP_piece, 4)}), ElementsAre("4: nowhere")) << "in memory, too";
}

TEST(Pieces, EndWithALength) {
  EXPECT_THAT(texts({op(DW_OP_reg0), op(DW_OP_piece, 4), op(DW_OP_reg1)}), ElementsAre("4: rax"));
  EXPECT_THAT(texts({op(DW_OP_reg0)}), IsEmpty());
  EXPECT_THAT(texts({}), IsEmpty());
}

}  // namespace
}  // namespace convert::tfile
