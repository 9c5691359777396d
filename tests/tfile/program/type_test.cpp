// Tests the names, forms and offsets of the leaves of a value.
#include "converters/tfile/program/type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>

namespace convert::tfile {
namespace {

using testing::ElementsAre;

const Type kInt{.kind = Type::Kind::Signed, .size = 4, .members = {}, .enumerators = {}};
const Type kChar{
    .kind = Type::Kind::Signed, .size = 1, .is_character = true, .members = {}, .enumerators = {}};
const Type kPoint{.kind = Type::Kind::Struct,
                  .size = 8,
                  .members = {{.name = "x", .type = &kInt}, {.name = "y", .type = &kInt, .bit_offset = 32}},
                  .enumerators = {}};

Type array_of(const Type& element, std::uint64_t count) {
  return {.kind = Type::Kind::Array,
          .size = count * element.size,
          .target = &element,
          .count = count,
          .members = {},
          .enumerators = {}};
}

ValueLayout layout_of(const Type& type, const std::string& expression) {
  Names names;
  return value_layout(type, expression, names);
}

std::vector<std::string> leaf_names(const Type& type, const std::string& expression) {
  Names names;
  std::vector<std::string> texts;
  for (const Leaf& leaf : value_layout(type, expression, names).leaves)
    texts.emplace_back(names.text(leaf.name));
  return texts;
}

TEST(LeafNames, AreExpressions) {
  EXPECT_THAT(leaf_names(kPoint, "p"), ElementsAre("p.x", "p.y"));
  EXPECT_THAT(leaf_names(kPoint, "*p"), ElementsAre("p->x", "p->y"));
  EXPECT_THAT(leaf_names(kPoint, "**p"), ElementsAre("(**p).x", "(**p).y"));
  EXPECT_THAT(leaf_names(kPoint, "a->b[2].c"), ElementsAre("a->b[2].c.x", "a->b[2].c.y"));
  EXPECT_THAT(leaf_names(kPoint, "*(point*)q"), ElementsAre("(*(point*)q).x", "(*(point*)q).y"));
  EXPECT_THAT(leaf_names(kPoint, "(*p)"), ElementsAre("(*p).x", "(*p).y"));
  EXPECT_THAT(leaf_names(kPoint, "(*p).q"), ElementsAre("(*p).q.x", "(*p).q.y"));
  EXPECT_THAT(leaf_names(kPoint, "(point)q"), ElementsAre("((point)q).x", "((point)q).y"));
  EXPECT_THAT(leaf_names(kPoint, "a + b"), ElementsAre("(a + b).x", "(a + b).y"));
}

// Strings of Rust (&str), Go and D consist of a pointer and a length.
TEST(Leaves, ATextWithALengthIsOneLeaf) {
  const Type pointer{
      .kind = Type::Kind::Pointer, .size = 8, .target = &kChar, .members = {}, .enumerators = {}};
  const Type length{.kind = Type::Kind::Unsigned, .size = 8, .members = {}, .enumerators = {}};
  Type text{
      .kind = Type::Kind::Struct,
      .size = 16,
      .is_text = true,
      .members = {{.name = "len", .type = &length}, {.name = "str", .type = &pointer, .bit_offset = 64}},
      .enumerators = {}};
  const ValueLayout layout = layout_of(text, "s");
  ASSERT_EQ(layout.leaves.size(), 1u);
  const Leaf& leaf = layout.leaves.front();
  EXPECT_EQ(leaf.form, ValueForm::TextSlice);
  EXPECT_EQ(std::tuple(leaf.offset, leaf.size, leaf.pointer_at, leaf.length_at), std::tuple(0, 16, 8, 0));
  EXPECT_EQ(layout_of(array_of(text, 40), "all").more, 8u);
  text.members[1].bit_offset = 128;
  EXPECT_THAT(leaf_names(text, "s"), ElementsAre("s.len", "s.str"))
      << "a member outside is not read as a part";
  text.members[1].bit_offset = 64;
  text.is_text = false;
  EXPECT_THAT(leaf_names(text, "s"), ElementsAre("s.len", "s.str"));
}

TEST(LeafNames, ElementsAreNumbered) {
  const Type two = array_of(kInt, 2), points = array_of(kPoint, 1);
  EXPECT_THAT(leaf_names(two, "a"), ElementsAre("a[0]", "a[1]"));
  EXPECT_THAT(leaf_names(two, "a[5]@2"), ElementsAre("a[5]", "a[6]"));
  EXPECT_THAT(leaf_names(two, "a[5] @ 2"), ElementsAre("a[5]", "a[6]"));
  EXPECT_THAT(leaf_names(two, "*p@2"), ElementsAre("p[0]", "p[1]"));
  EXPECT_THAT(leaf_names(two, "x@2"), ElementsAre("(&x)[0]", "(&x)[1]"));
  EXPECT_THAT(leaf_names(two, "a[i]@2"), ElementsAre("(&a(i))(0)", "(&a(i))(1)"));
  EXPECT_THAT(leaf_names(points, "p"), ElementsAre("p[0].x", "p[0].y"));
}

TEST(Leaves, BitFieldsHaveAsFewBytesAsPossible) {
  const Type long_int{.kind = Type::Kind::Unsigned, .size = 8, .members = {}, .enumerators = {}};
  const auto leaf_of = [](const Type& type, std::uint64_t bit_offset, std::uint64_t bit_size) {
    const Type whole{
        .kind = Type::Kind::Struct,
        .size = 24,
        .members = {{.name = "f", .type = &type, .bit_offset = bit_offset, .bit_size = bit_size}},
        .enumerators = {}};
    const Leaf leaf = layout_of(whole, "s").leaves.at(0);
    return std::tuple(leaf.form, leaf.offset, leaf.size, leaf.bit_offset, leaf.bit_size);
  };
  EXPECT_EQ(leaf_of(kInt, 35, 5), std::tuple(ValueForm::Signed, 4, 1, 3, 5));
  EXPECT_EQ(leaf_of(kInt, 35, 6), std::tuple(ValueForm::Signed, 4, 2, 3, 6));
  EXPECT_EQ(leaf_of(long_int, 0, 64), std::tuple(ValueForm::Unsigned, 0, 8, 0, 64));
  EXPECT_EQ(leaf_of(long_int, 1, 64), std::tuple(ValueForm::Bytes, 0, 9, 0, 0));
  EXPECT_EQ(leaf_of(kInt, 32, 33), std::tuple(ValueForm::Signed, 4, 4, 0, 0));
  EXPECT_EQ(leaf_of(array_of(kChar, 4), 32, 8), std::tuple(ValueForm::Text, 4, 4, 0, 0));
  EXPECT_EQ(leaf_of(kPoint, 32, 8), std::tuple(ValueForm::Signed, 4, 4, 0, 0));
}

// The item "s.f" collects only a bit-field of the structure.
TEST(Leaves, ASingleBitFieldIsLikeOneInAStructure) {
  const Type long_int{.kind = Type::Kind::Unsigned, .size = 8, .members = {}, .enumerators = {}};
  const auto leaf_of = [](const Type& type, std::uint64_t bit_offset, std::uint64_t bit_size) {
    Names names;
    const Leaf leaf = value_layout(type, "s.f", names, bit_offset, bit_size).leaves.at(0);
    return std::tuple(std::string(names.text(leaf.name)), leaf.form, leaf.size, leaf.bit_offset,
                      leaf.bit_size);
  };
  EXPECT_EQ(leaf_of(kInt, 3, 6), std::tuple("s.f", ValueForm::Signed, 2, 3, 6));
  EXPECT_EQ(leaf_of(long_int, 7, 60), std::tuple("s.f", ValueForm::Bytes, 9, 0, 0))
      << "packed: none of its bits is lost";
}

TEST(Leaves, VirtualBasesAreCounted) {
  const Type base{.kind = Type::Kind::Struct,
                  .size = 8,
                  .members = {{.name = "b", .type = &kPoint}, {.type = &kInt, .location = Dwarf_Attribute{}}},
                  .enumerators = {}};
  const Type derived{
      .kind = Type::Kind::Struct,
      .size = 16,
      .members = {{.name = "d", .type = &kInt}, {.type = &base, .location = Dwarf_Attribute{}}},
      .enumerators = {}};
  const ValueLayout one = layout_of(derived, "x");
  ASSERT_EQ(one.leaves.size(), 1u);
  EXPECT_THAT(leaf_names(derived, "x"), ElementsAre("x.d"));
  EXPECT_EQ(one.more, 3u);
  const ValueLayout many = layout_of(array_of(derived, 40), "x");
  EXPECT_EQ(many.leaves.size(), 32u);
  EXPECT_EQ(many.more, 40u * 4 - 32);
}

TEST(Leaves, WideCharactersAreOneText) {
  const auto form = [](std::uint64_t size) {
    const Type character{
        .kind = Type::Kind::Unsigned, .size = size, .is_character = true, .members = {}, .enumerators = {}};
    const ValueLayout layout = layout_of(array_of(character, 3), "s");
    EXPECT_EQ(layout.leaves.size(), 1u);
    EXPECT_EQ(layout.leaves[0].size, 3 * size);
    return layout.leaves[0].form;
  };
  EXPECT_EQ(form(1), ValueForm::Text);
  EXPECT_EQ(form(2), ValueForm::Utf16);
  EXPECT_EQ(form(4), ValueForm::Utf32);
}

TEST(Leaves, ManyBytesAreOneValue) {
  const Type byte{.kind = Type::Kind::Unsigned, .size = 1, .members = {}, .enumerators = {}};
  const Type std_byte{.kind = Type::Kind::Enum, .size = 1, .members = {}, .enumerators = {}};
  for (const Type& element : {byte, std_byte}) {
    EXPECT_EQ(layout_of(array_of(element, 32), "b").leaves.size(), 32u);
    const ValueLayout many = layout_of(array_of(element, 33), "b");
    ASSERT_EQ(many.leaves.size(), 1u);
    EXPECT_EQ(many.leaves[0].form, ValueForm::Bytes);
    EXPECT_EQ(many.leaves[0].size, 33u);
    EXPECT_EQ(many.more, 0u);
  }
  EXPECT_EQ(layout_of(array_of(kInt, 33), "n").leaves.size(), 32u) << "numbers of several bytes";
  const Type row = array_of(byte, 40);
  EXPECT_THAT(leaf_names(array_of(row, 2), "rows"), ElementsAre("rows[0]", "rows[1]"));
  EXPECT_EQ(layout_of(array_of(row, 40), "rows").more, 8u);
}

TEST(Leaves, BytesDoNotDisplaceOtherMembers) {
  const Type byte{.kind = Type::Kind::Unsigned, .size = 1, .members = {}, .enumerators = {}};
  const Type bytes = array_of(byte, 16);
  Type packet{.kind = Type::Kind::Struct,
              .size = 32,
              .members = {{.name = "a", .type = &bytes}, {.name = "b", .type = &bytes, .bit_offset = 128}},
              .enumerators = {}};
  EXPECT_EQ(layout_of(packet, "p").leaves.size(), 32u);
  packet.size = 36;
  packet.members.push_back({.name = "n", .type = &kInt, .bit_offset = 256});
  EXPECT_THAT(leaf_names(packet, "p"), ElementsAre("p.a", "p.b", "p.n"));
}

// GDB prints two(2,-1) as the second element of the first list.
TEST(Leaves, FortranHasTheNamesOfTheSource) {
  Type column = array_of(kInt, 2);
  column.is_fortran = true;
  column.first = 1;
  Type two = array_of(column, 3);
  two.is_fortran = true;
  two.first = -1;
  EXPECT_THAT(leaf_names(two, "two"),
              ElementsAre("two(1,-1)", "two(2,-1)", "two(1,0)", "two(2,0)", "two(1,1)", "two(2,1)"));
  EXPECT_THAT(leaf_names(column, "one"), ElementsAre("one(1)", "one(2)"));
  const Type holder{
      .kind = Type::Kind::Struct, .size = 8, .members = {{.name = "in", .type = &column}}, .enumerators = {}};
  Type holders = array_of(holder, 2);
  holders.is_fortran = true;
  EXPECT_THAT(leaf_names(holders, "h"), ElementsAre("h(0).in(1)", "h(0).in(2)", "h(1).in(1)", "h(1).in(2)"));
}

TEST(Leaves, LargeNumbersAreNumbers) {
  const auto form = [](Type::Kind kind, std::uint64_t size) {
    return layout_of(
               {.kind = kind, .size = size, .format = FloatFormat::Double, .members = {}, .enumerators = {}},
               "x")
        .leaves[0]
        .form;
  };
  EXPECT_EQ(form(Type::Kind::Signed, 16), ValueForm::Signed);
  EXPECT_EQ(form(Type::Kind::Unsigned, 16), ValueForm::Unsigned);
  EXPECT_EQ(form(Type::Kind::Signed, 3), ValueForm::Bytes);
  EXPECT_EQ(form(Type::Kind::Pointer, 16), ValueForm::Bytes);
  EXPECT_EQ(form(Type::Kind::Complex, 16), ValueForm::Complex);
}

TEST(Leaves, CharactersAreOneText) {
  const Type text = array_of(kChar, 16);
  const ValueLayout layout = layout_of(text, "s");
  ASSERT_EQ(layout.leaves.size(), 1u);
  EXPECT_EQ(layout.leaves[0].form, ValueForm::Text);
  EXPECT_EQ(layout.leaves[0].size, 16u);
}

TEST(Leaves, LeavesBeyondTheLimitAreCounted) {
  const Type thousand = array_of(kPoint, 1000);
  const ValueLayout layout = layout_of(thousand, "p");
  EXPECT_EQ(layout.leaves.size(), ValueLayout::kMaxLeaves);
  EXPECT_EQ(leaf_names(thousand, "p").back(), "p[15].y");
  EXPECT_EQ(layout.leaves.back().offset, 124u);
  EXPECT_EQ(layout.more, 2000u - 32u);
  const Type exactly = array_of(kPoint, 16);
  EXPECT_EQ(layout_of(exactly, "p").more, 0u);
}

TEST(Leaves, AreAtMostThirtyTwoLevelsDeep) {
  std::vector<Type> types{kInt};
  types.reserve(40);
  while (types.size() < 40) types.push_back(array_of(types.back(), 1));
  EXPECT_EQ(layout_of(types[31], "a").leaves.size(), 1u);
  EXPECT_EQ(layout_of(types[32], "a").leaves.size(), 0u);
  EXPECT_EQ(layout_of(types[39], "a").leaves.size(), 0u);
  const Type many = array_of(kInt, 33);  // the last leaf is above the limit, so it is only counted
  std::vector<Type> counted{array_of(many, 2)};
  counted.reserve(40);
  while (counted.size() < 40) counted.push_back(array_of(counted.back(), 1));
  EXPECT_EQ(layout_of(counted[0], "a").more, 34u);
}

TEST(Leaves, ElementsOfAnEmptyTypeAreNotLeaves) {
  const Type nothing{.kind = Type::Kind::Struct, .size = 0, .members = {}, .enumerators = {}};
  EXPECT_TRUE(layout_of(array_of(nothing, std::uint64_t{1} << 56), "a").leaves.empty());
  Type itself{.kind = Type::Kind::Array, .count = std::uint64_t{1} << 56, .members = {}, .enumerators = {}};
  itself.target = &itself;
  EXPECT_TRUE(layout_of(itself, "a").leaves.empty());
}

TEST(Leaves, ATypeThatContainsItselfHasFewLeaves) {
  Type endless{.kind = Type::Kind::Struct, .size = 8, .members = {}, .enumerators = {}};
  endless.members = {{.name = "a", .type = &endless}, {.name = "b", .type = &kInt}};
  EXPECT_LE(layout_of(endless, "x").leaves.size(), ValueLayout::kMaxLeaves);
  Type branching{.kind = Type::Kind::Struct, .size = 8, .members = {}, .enumerators = {}};
  branching.members = {{.name = "a", .type = &branching}, {.name = "b", .type = &branching}};
  EXPECT_EQ(layout_of(branching, "x").leaves.size(), 0u);
}

}  // namespace
}  // namespace convert::tfile
