// The types of C expressions, operator by operator.
#include "converters/tfile/program/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace convert::tfile {
namespace {

using Kind = Type::Kind;

Type number(Kind kind, std::uint64_t size) {
  return {.kind = kind, .size = size, .members = {}, .enumerators = {}};
}
Type pointing(Kind kind, const Type& target, std::uint64_t count = 0) {
  const std::uint64_t size = kind == Kind::Array ? count * target.size : 8;
  return {.kind = kind, .size = size, .target = &target, .count = count, .members = {}, .enumerators = {}};
}

class Expressions : public testing::Test {
 protected:
  Expressions() {
    item_.members = {{.name = "id", .type = &short_},
                     {.name = "next", .type = &item_pointer_},
                     {.name = "", .type = &base_},
                     {.name = "row", .type = &longs_}};
  }

  // "i4", "u8", "f8", "p to i4", "3 of i2", "item", "enum"; "?" if unknown.
  std::string type(std::string_view expression, std::size_t pointer_size = 8) {
    const auto find = [](const std::map<std::string, const Type*>& all, const std::string& name) {
      const auto found = all.find(name);
      return found != all.end() ? found->second : nullptr;
    };
    const ExpressionScope scope{.variable = [&](const std::string& name) { return find(variables_, name); },
                                .type = [&](const std::string& name) { return find(named_, name); },
                                .pointer_size = pointer_size};
    return text_of(type_of_expression(expression, scope, types_));
  }

  std::map<std::string, const Type*> variables_{{"c", &char_},
                                                {"s", &short_},
                                                {"us", &unsigned_short_},
                                                {"i", &int_},
                                                {"u", &unsigned_},
                                                {"l", &long_},
                                                {"ul", &unsigned_long_},
                                                {"b", &bool_},
                                                {"f", &float_},
                                                {"d", &double_},
                                                {"e", &enum_},
                                                {"n", &negative_enum_},
                                                {"wide", &wide_enum_},
                                                {"tiny", &tiny_enum_},
                                                {"p", &int_pointer_},
                                                {"v", &void_pointer_},
                                                {"it", &item_},
                                                {"q", &item_pointer_},
                                                {"longs", &longs_},
                                                {"ri", &int_reference_},
                                                {"rq", &pointer_reference_},
                                                {"rit", &item_reference_},
                                                {"rlongs", &array_reference_},
                                                {"app::count", &long_}};
  std::map<std::string, const Type*> named_{{"item", &item_}, {"app::Kind", &enum_}, {"unit", &short_}};
  Type item_ = number(Kind::Struct, 40);
  const Type item_pointer_ = pointing(Kind::Pointer, item_);

 private:
  std::string text_of(const Type* type) const {
    if (type == nullptr) return "?";
    if (type == &item_) return "item";
    switch (type->kind) {
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

  const Type char_ = number(Kind::Signed, 1), short_ = number(Kind::Signed, 2),
             unsigned_short_ = number(Kind::Unsigned, 2), int_ = number(Kind::Signed, 4),
             unsigned_ = number(Kind::Unsigned, 4), long_ = number(Kind::Signed, 8),
             unsigned_long_ = number(Kind::Unsigned, 8), bool_ = number(Kind::Bool, 1),
             float_ = number(Kind::Float, 4), double_ = number(Kind::Float, 8);
  const Type enum_{.kind = Kind::Enum, .size = 4, .members = {}, .enumerators = {{0, "LEVEL"}, {5, "FLOW"}}},
      negative_enum_{.kind = Kind::Enum, .size = 4, .members = {}, .enumerators = {{-1, "NONE"}}};
  const Type wide_enum_ = number(Kind::Enum, 8), tiny_enum_ = number(Kind::Enum, 1);
  const Type int_pointer_ = pointing(Kind::Pointer, int_),
             void_pointer_{.kind = Kind::Pointer, .size = 8, .members = {}, .enumerators = {}},
             longs_ = pointing(Kind::Array, long_, 3), int_reference_ = pointing(Kind::Reference, int_),
             pointer_reference_ = pointing(Kind::Reference, item_pointer_),
             item_reference_ = pointing(Kind::Reference, item_),
             array_reference_ = pointing(Kind::Reference, longs_);
  const Type base_{
      .kind = Kind::Struct, .size = 4, .members = {{.name = "real", .type = &float_}}, .enumerators = {}};
  TypeTable types_;
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
  for (const char* const none :
       {"x", "it.x", "it.", "s.id", "q.id", "it->id", "p->id", "v->id", "it.next.id", "app::", "1s"})
    EXPECT_EQ(type(none), "?") << none;
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
  EXPECT_EQ(type("&s", 4), "p4 to i2");
  for (const char* const none : {"*i", "*v", "*x", "&x", "i[0]", "p[x]", "p[0", "longs[]", "*"})
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

// As C converts both sides of an operator to one type.
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
  EXPECT_EQ(type("f * i"), "f4");
  EXPECT_EQ(type("l * f"), "f4");
  EXPECT_EQ(type("f + d"), "f8");
  EXPECT_EQ(type("d + f"), "f8");
  EXPECT_EQ(type("i << l"), "i4") << "the left side's";
  EXPECT_EQ(type("c >> ul"), "i4");
  EXPECT_EQ(type("i + x"), "?");
  EXPECT_EQ(type("x + i"), "?");
  EXPECT_EQ(type("i +"), "?");
  EXPECT_EQ(type("i j"), "?");
}

// Arithmetic on an enumeration gives an integer, which is unsigned unless an enumerator is negative.
TEST_F(Expressions, CalculateWithEnumerators) {
  EXPECT_EQ(type("e"), "enum");
  EXPECT_EQ(type("e + 1"), "u4");
  EXPECT_EQ(type("1 + n"), "i4");
  EXPECT_EQ(type("wide + 1"), "u8");
  EXPECT_EQ(type("tiny + tiny"), "u4");
  EXPECT_EQ(type("-e"), "enum") << "as in GDB";
}

TEST_F(Expressions, CalculateWithPointers) {
  EXPECT_EQ(type("p + 1"), "p8 to i4");
  EXPECT_EQ(type("1 + longs"), "p8 to i8");
  EXPECT_EQ(type("p - p"), "i8");
  EXPECT_EQ(type("p - p", 4), "i4");
  EXPECT_EQ(type("*(p + 1)"), "i4");
}

TEST_F(Expressions, CompareToTruths) {
  for (const char* const truth :
       {"d == d", "d != d", "l <= l", "ul >= l", "l && p", "p || p", "p < p", "d > d", "!d", "!p"})
    EXPECT_EQ(type(truth), "i4") << truth;
}

TEST_F(Expressions, HaveSigns) {
  EXPECT_EQ(type("-c"), "i4");
  EXPECT_EQ(type("~us"), "i4");
  EXPECT_EQ(type("+b"), "i4");
  EXPECT_EQ(type("-ul"), "u8");
  EXPECT_EQ(type("-f"), "f4");
  EXPECT_EQ(type("- ri"), "i4");
  for (const char* const none : {"-x", "!x", "~", "!"}) EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, AreNumbersAndCharacters) {
  for (const char* const number : {"7", "0x7f", "7u", "7UL", "7ll"}) EXPECT_EQ(type(number), "i4") << number;
  EXPECT_EQ(type("'a'"), "i1");
  EXPECT_EQ(type("'\\n' + 0"), "i4");
  for (const char* const none : {"0x", "7q", "99999999999999999999", "'a", "'"})
    EXPECT_EQ(type(none), "?") << none;
}

TEST_F(Expressions, UseRegistersAsNumbers) {
  EXPECT_EQ(type("$rsp"), "i8");
  EXPECT_EQ(type("$sp + 8", 4), "i4");
  EXPECT_EQ(type("$"), "?");
}

TEST_F(Expressions, AreCast) {
  EXPECT_EQ(type("(char)i"), "i1");
  EXPECT_EQ(type("(unsigned long) i"), "u8");
  EXPECT_EQ(type("(unsigned long) i", 4), "u4");
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

// A variable hides a type of the same name, except after `struct`.
TEST_F(Expressions, KnowVariablesBeforeTypes) {
  variables_["item"] = &item_pointer_;
  EXPECT_EQ(type("(item)->id"), "i2");
  EXPECT_EQ(type("(struct item *)v"), "p8 to item");
}

TEST_F(Expressions, KnowMembersOfTheirObject) {
  variables_["this"] = &item_pointer_;
  EXPECT_EQ(type("id"), "i2");
  EXPECT_EQ(type("real * 2"), "f4");
  EXPECT_EQ(type("this->id"), "i2");
  EXPECT_EQ(type("x"), "?");
  variables_["this"] = variables_["i"];
  EXPECT_EQ(type("id"), "?");
  variables_["this"] = variables_["v"];
  EXPECT_EQ(type("id"), "?");
}

}  // namespace
}  // namespace convert::tfile
