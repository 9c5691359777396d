// Tests the types and values of C expressions in traced_expressions.cpp, operator by operator.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/program/program.h"
#include "converters/tfile/program/value.h"
#include "tests/number_bytes.h"
#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

using Kind = Type::Kind;

class Expressions : public testing::Test {
 protected:
  Expressions() { frame_.start({}, false); }

  // Returns the value of an expression at the line with the mark.
  Value value(std::string_view expression, const char* mark = "inner expressions") {
    const auto addresses =
        program_.line_addresses("traced_expressions.cpp", line_of(mark, "traced_expressions.cpp"));
    const CodeScope* const scope = program_.scope_at(addresses.at(0));
    EXPECT_NE(scope, nullptr);
    return evaluate(expression, {.scope = *scope, .frame = frame_});
  }
  // Returns the type as text, such as "i4", "u8", "f8", "p8 to i4", "3 of i2", "item" or "enum". "?" means
  // unknown.
  std::string type(std::string_view expression, const char* mark = "inner expressions") {
    return text_of(value(expression, mark).type);
  }
  std::optional<std::int64_t> number(std::string_view expression) {
    const auto bits = integer_of(value(expression), frame_);
    return bits ? std::optional(static_cast<std::int64_t>(*bits)) : std::nullopt;
  }

 private:
  std::string text_of(const Type* type) const {
    if (type == nullptr) return "?";
    switch (type->kind) {
      case Kind::Struct:
        return type->name;
      case Kind::Signed:
        return fmt::format("i{}", type->size);
      case Kind::Unsigned:
        return fmt::format("u{}", type->size);
      case Kind::Float:
        return fmt::format("f{}", type->size);
      case Kind::Bool:
        return "bool";
      case Kind::Enum:
        return "enum";
      case Kind::Pointer:
        return "p" + std::to_string(type->size) + " to " +
               (type->target != nullptr ? text_of(type->target) : "void");
      case Kind::Reference:
        return "ref to " + text_of(type->target);
      case Kind::Array:
        return fmt::format("{} of {}", type->size / type->target->size, text_of(type->target));
      default:
        return "other";
    }
  }

  Program program_{TRACED_FIXED, Demangle::Simple};
  RegisterLayout layout_{"i386:x86-64",
                         {{.name = "rsp", .size = 8, .form = ValueForm::Pointer, .flags = {}},
                          {.name = "rax", .number = 1, .size = 8, .flags = {}}}};
  FrameMemory frame_{&layout_, std::endian::native};
};

TEST_F(Expressions, AreVariablesAndTheirMembers) {
  EXPECT_EQ(type("s"), "i2");
  EXPECT_EQ(type(" app::count "), "i8");
  EXPECT_EQ(type("ri"), "ref to i4");
  EXPECT_EQ(type("it.id"), "i2");
  EXPECT_EQ(type("it . next -> id"), "i2");
  EXPECT_EQ(type("it.real"), "f4") << "of a base, or without a name";
  EXPECT_EQ(type("rit.next"), "p8 to item");
  EXPECT_EQ(type("rq->id"), "i2");
  EXPECT_EQ(type("(it).id"), "i2");
  EXPECT_EQ(type("(*q).row"), "3 of i8");
  EXPECT_EQ(type("it.next.id"), "i2") << "as in GDB";
  for (const char* const none : {"x", "it.x", "it.", "s.id", "it->id", "p->id", "v->id", "app::", "1s"})
    EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, AreStaticMembersOfObjects) {
  EXPECT_EQ(type("((plant::Tap *)v)->tally"), "i4");
  EXPECT_EQ(type("(*(plant::Tap *)v).tally"), "i4");
  EXPECT_EQ(type("((depot::Hall *)v)->doors"), "i8");
  EXPECT_EQ(type("((depot::Hall *)v)->load"), "i4") << "of a base";
  EXPECT_EQ(type("((depot::Hall *)v)->Base::load"), "i4");
  for (const char* const none : {"CRATES", "amount", "plan", "stock"})
    EXPECT_EQ(type(std::string("((depot::Hall *)v)->") + none), "?") << none;
}

TEST_F(Expressions, FollowPointers) {
  EXPECT_EQ(type("*p"), "i4");
  EXPECT_EQ(type("**&p"), "i4");
  EXPECT_EQ(type("*longs"), "i8");
  EXPECT_EQ(type("*rlongs"), "i8");
  EXPECT_EQ(type("p[3]"), "i4");
  EXPECT_EQ(type("rlongs[i + 1]"), "i8");
  EXPECT_EQ(type("q->next[2].row[0]"), "i8");
  EXPECT_EQ(type("&s"), "p8 to i2");
  EXPECT_EQ(type("&ri"), "p8 to i4");
  for (const char* const none : {"*it", "*v", "*x", "&x", "s[x]", "p[x]", "p[0", "longs[]", "*"})
    EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, RepeatElements) {
  EXPECT_EQ(type("s@3"), "3 of i2");
  EXPECT_EQ(type("ri@2"), "2 of i4");
  EXPECT_EQ(type("*q@1"), "1 of item");
  EXPECT_EQ(type("longs[1] @ 0x10"), "16 of i8");
  EXPECT_EQ(type("c@4294967295"), "4294967295 of i1");
  for (const char* const none : {"s@0", "s@4294967296", "s@x", "s@", "x@2", "v[0]@2"})
    EXPECT_EQ(type(none), "?") << none;
}

// C converts both operands of an operator to a common type.
TEST_F(Expressions, CombineTypes) {
  EXPECT_EQ(type("c + s"), "i4");
  EXPECT_EQ(type("us * us"), "i4");
  EXPECT_EQ(type("b + b"), "i4");
  EXPECT_EQ(type("i - l"), "i8");
  EXPECT_EQ(type("l % i"), "i8");
  EXPECT_EQ(type("i | u"), "u4");
  EXPECT_EQ(type("u & i"), "u4");
  EXPECT_EQ(type("u ^ l"), "i8");
  EXPECT_EQ(type("l / ul"), "u8");
  EXPECT_EQ(type("ri + 1"), "i4");
  EXPECT_EQ(type("i << l"), "i4") << "the left side's";
  EXPECT_EQ(type("c >> ul"), "i4");
  EXPECT_EQ(type("i + x"), "?");
  EXPECT_EQ(type("x + i"), "?");
  EXPECT_EQ(type("i +"), "?");
  EXPECT_EQ(type("i j"), "?");
}

// Arithmetic with an enumeration gives an integer, which is signed only if an enumerator is negative.
TEST_F(Expressions, CalculateWithEnumerators) {
  EXPECT_EQ(type("e"), "enum");
  EXPECT_EQ(type("e + 1"), "u4");
  EXPECT_EQ(type("1 + n"), "i4");
  EXPECT_EQ(type("wide + 1"), "u8") << "as wide as its type";
  EXPECT_EQ(type("large + 1"), "i4") << "the negative enumerator is beyond the limit";
  EXPECT_EQ(type("tiny + tiny"), "u4");
  EXPECT_EQ(type("-e"), "u4");
}

TEST_F(Expressions, CalculateWithPointers) {
  EXPECT_EQ(type("p + 1"), "p8 to i4");
  EXPECT_EQ(type("1 + longs"), "p8 to i8");
  EXPECT_EQ(type("p - p"), "i8");
  EXPECT_EQ(type("*(p + 1)"), "i4");
}

TEST_F(Expressions, FunctionsAreTheirAddresses) {
  EXPECT_EQ(number("expressions == &expressions"), 1);
  EXPECT_EQ(number("*expressions == expressions"), 1);
  EXPECT_EQ(number("expressions == 0"), 0);
  EXPECT_EQ(number("(long)expressions"), number("(long)&expressions"));
}

TEST_F(Expressions, ComparisonsGiveBooleans) {
  for (const char* const truth : {"l <= l", "ul >= l", "l && p", "p || p", "p < p", "i == l", "!u", "!p"})
    EXPECT_EQ(type(truth), "bool") << truth;
  EXPECT_EQ(number("(2 == 2) + 1"), 2);
  EXPECT_EQ(type("(2 == 2) + 1"), "i4");
}

TEST_F(Expressions, HaveSigns) {
  EXPECT_EQ(type("-c"), "i4");
  EXPECT_EQ(type("~us"), "i4");
  EXPECT_EQ(type("+b"), "i4");
  EXPECT_EQ(type("-ul"), "u8");
  EXPECT_EQ(type("- ri"), "i4");
  for (const char* const none : {"-x", "!x", "~", "!"}) EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, AreNumbersAndCharacters) {
  EXPECT_EQ(type("7"), "i4");
  EXPECT_EQ(type("0x7f"), "i4");
  EXPECT_EQ(type("7u"), "u4");
  EXPECT_EQ(type("7UL"), "u8");
  EXPECT_EQ(type("7ll"), "i8");
  EXPECT_EQ(type("0x7fffffff"), "i4");
  EXPECT_EQ(type("0xffffffff"), "u4") << "as in C";
  EXPECT_EQ(type("037777777777"), "u4");
  EXPECT_EQ(type("4294967295"), "i8");
  EXPECT_EQ(type("4294967295u"), "u4");
  EXPECT_EQ(type("0x100000000"), "i8");
  EXPECT_EQ(type("0x100000000u"), "u8");
  EXPECT_EQ(type("0xffffffffffffffff"), "u8");
  EXPECT_EQ(number("-1 < 0xffffffff"), 0);
  EXPECT_EQ(type("'a'"), "i1");
  EXPECT_EQ(number("'a' + 1"), 98);
  for (const char* const none : {"0x", "7q", "99999999999999999999", "'a", "'"})
    EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, UseRegistersAsNumbers) {
  EXPECT_EQ(type("$rsp"), "p8 to i1");
  EXPECT_EQ(type("*(unsigned char *)$rsp"), "u1");
  EXPECT_EQ(type("$rax"), "i8");
  EXPECT_EQ(type("$eax"), "i4");
  EXPECT_EQ(type("$al"), "?") << "of parts only these";
  EXPECT_EQ(type("$"), "?");
}

TEST_F(Expressions, AreCast) {
  EXPECT_EQ(type("(char)i"), "i1");
  EXPECT_EQ(type("(unsigned long) i"), "u8");
  EXPECT_EQ(type("(struct item *)v"), "p8 to item");
  EXPECT_EQ(type("(const volatile char *const)v"), "p8 to i1");
  EXPECT_EQ(type("*(int **)v"), "p8 to i4");
  EXPECT_EQ(type("(app::Kind)i"), "enum");
  EXPECT_EQ(type("(enum app::Kind)i"), "enum");
  EXPECT_EQ(type("(unit)i"), "i2");
  EXPECT_EQ(type("(void *)i"), "p8 to void");
  EXPECT_EQ(type("((item *)v)->id"), "i2");
  EXPECT_EQ(type("-(char)i"), "i4");
  for (const char* const none : {"(void)i", "(nothing)i", "(item *)x", "(item", "(item *", "()i",
                                 "(unit unit)i", "(struct i)l", "(item *constant)v", "(item *volatile_)v"})
    EXPECT_EQ(type(none), "?") << none;
}

// In a cast, a type with template arguments is recognized even if no "::" follows the arguments. `i < 2` is a
// comparison, because `i` is a variable.
TEST_F(Expressions, AreCastToTemplates) {
  EXPECT_EQ(type("(plant::Basin<2,3>*)v"), "p8 to plant::Basin<2, 3>");
  EXPECT_EQ(type("*(plant::Basin<2, 3> *)&i"), "plant::Basin<2, 3>");
  EXPECT_EQ(type("(i < 2)"), "bool");
}

// Very large expressions are rejected. Without this limit, reading a very deep expression would crash.
TEST_F(Expressions, AreOfLimitedSize) {
  const auto repeated = [](std::size_t count, const std::string& begin, const std::string& end) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += begin;
    text += "1";
    for (std::size_t i = 0; i < count; ++i) text += end;
    return text;
  };
  EXPECT_EQ(number(repeated(500, "1+", "")), 501);
  for (const auto& [begin, end] :
       {std::pair("1+", ""), {"", "[0]"}, {"", ".x"}, {"", "->x"}, {"-", ""}, {"(", ")"}, {"sizeof ", ""}})
    EXPECT_EQ(number(repeated(100'000, begin, end)), std::nullopt) << begin << end;
}

TEST_F(Expressions, FindInnerVariablesFirst) {
  EXPECT_EQ(type("i"), "i1");
  EXPECT_EQ(type("i", "expressions"), "i4");
  EXPECT_EQ(type("inmost", "expressions"), "?");
}

TEST_F(Expressions, FindMembersOfTheirObject) {
  EXPECT_EQ(type("id", "own"), "i2");
  EXPECT_EQ(type("real", "own"), "f4");
  EXPECT_EQ(type("this->id", "own"), "i2");
  EXPECT_EQ(type("x", "own"), "i4");
  EXPECT_EQ(type("y", "own"), "?");
}

TEST_F(Expressions, HavePrecedence) {
  EXPECT_EQ(number("1 + 2 * 3"), 7);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("10 - 2 - 3"), 5);
  EXPECT_EQ(number("1 << 2 + 1"), 8);
  EXPECT_EQ(number("6 & 3 == 3"), 0);
  EXPECT_EQ(number("1 | 2 ^ 3"), 1);
  EXPECT_EQ(number("0 || 1 && 0"), 0);
  EXPECT_EQ(number("-7 / 2"), -3);
  EXPECT_EQ(number("-7 % 3"), -1);
  EXPECT_EQ(number("-8 >> 1"), -4);
  EXPECT_EQ(number("~0u"), 0xffff'ffff);
  EXPECT_EQ(number("0x7fffffff + 1"), -0x8000'0000LL) << "as wide as its type";
  EXPECT_EQ(number("1 / 0"), std::nullopt);
  EXPECT_EQ(number("017"), 15);
}

TEST_F(Expressions, HaveSizes) {
  EXPECT_EQ(number("sizeof(int)"), 4);
  EXPECT_EQ(number("sizeof it"), 40);
  EXPECT_EQ(number("sizeof(it.row)"), 24);
  EXPECT_EQ(number("sizeof(struct item *)"), 8);
  EXPECT_EQ(number("sizeof(nothing)"), std::nullopt);
  EXPECT_EQ(number("sizeof(int) > -1"), 1) << "in GDB a size has a sign";
  EXPECT_EQ(type("sizeof(int) * 2u"), "u4");
  EXPECT_EQ(type("sizeof(char[3000000000])"), "i8");
  EXPECT_EQ(type("sizeof sized"), "i4");
  EXPECT_EQ(number("sizeof sized"), std::nullopt) << "the frame lacks its length";
}

TEST_F(Expressions, MakeArraysOfPointers) {
  EXPECT_EQ(type("*(char(*)[8])v"), "8 of i1");
  EXPECT_EQ(type("(*(long (*)[2])v)[1]"), "i8");
  EXPECT_EQ(type("{int}v"), "i4");
  EXPECT_EQ(type("{int} &it"), "i4");
}

TEST_F(Expressions, FindGlobalNames) {
  EXPECT_EQ(type("::tally"), "i4");
  EXPECT_EQ(type("app::FLOW"), "i4");
  EXPECT_EQ(number("app::FLOW + 1"), 6);
  EXPECT_EQ(type("plant::Basin<2, 3>::volume"), "i8");
  EXPECT_EQ(type("plant::Basin<2,3>::volume + 1"), "i8");
  EXPECT_EQ(type("&expressions"), "p8 to other");
  EXPECT_EQ(type("'traced_unit.c'::tally"), "i2");
  EXPECT_EQ(type("'plant::Tap::tally'"), "i4");
  EXPECT_EQ(type("'plant::(anonymous namespace)::hidden' + 1"), "i4");
  EXPECT_EQ(type("&'app::count'"), "p8 to i8");
  EXPECT_EQ(type("'\\n'"), "?");
  EXPECT_EQ(type("plant::refill::calls"), "i4");
}

// If the frame has no memory for a part of an expression, the expression has a type, but no value.
TEST_F(Expressions, HaveATypeWithoutAValue) {
  const Value found = value("longs[1] + i");
  EXPECT_NE(found.type, nullptr);
  EXPECT_EQ(found.storage.kind, Storage::Kind::None);
  EXPECT_EQ(found.storage.missing, Missing::NotRecorded);
  EXPECT_EQ(number("ri"), std::nullopt);
}

// The chain is so long that a recursive function would overflow the stack.
TEST(Types, MayFormALongChain) {
  const Program program(TRACED_CHAIN, Demangle::Simple);
  FrameMemory frame(nullptr, std::endian::native);
  frame.start({}, false);
  const CodeScope* const scope = program.scope_at(program.functions("use").front().address);
  ASSERT_NE(scope, nullptr);
  const Type* type = evaluate("*head", {.scope = *scope, .frame = frame}).type;
  std::size_t pointers = 0;
  for (; type != nullptr && type->members.at(0).type->kind == Kind::Pointer; ++pointers)
    type = type->members.front().type->target;
  EXPECT_EQ(pointers, 20'000U);
}

}  // namespace
}  // namespace convert::tfile
