#include "converters/symbols/name_pattern.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

bool matches(std::string_view pattern, const std::string& name, PatternKind kind = PatternKind::Regex) {
  return NamePattern(pattern, kind).matches(name);
}

TEST(NamePattern, WithoutSpecialCharactersMatchesTheWholeName) {
  EXPECT_TRUE(matches("main", "main"));
  EXPECT_FALSE(matches("main", "domain"));
  EXPECT_TRUE(NamePattern("ns::f", PatternKind::Regex).is_plain());
  EXPECT_FALSE(NamePattern("ns::f*", PatternKind::Regex).is_plain());
}

TEST(NamePattern, ARegexMatchesAnyPart) {
  EXPECT_TRUE(matches("a.c", "xabcx"));
  EXPECT_FALSE(matches("^a.c", "xabcx"));
  EXPECT_TRUE(matches("^(str|mem)cpy$", "memcpy"));
  EXPECT_FALSE(matches("^(str|mem)cpy$", "memcpy2"));
  EXPECT_TRUE(matches(".", "f"));
}

TEST(NamePattern, ARegexNeedsOnlyOneTry) {
  EXPECT_EQ(from_first_character("a.c|^b"), "^.*(a.c|^b)");
  EXPECT_EQ(from_first_character("[])]\\)(a)"), "^.*([])]\\)(a))");
  for (const char* const other : {"(a)\\1", "a)(b"}) EXPECT_EQ(from_first_character(other), other);
  EXPECT_FALSE(matches("a.*c", std::string(1'000'000, 'a')));
}

TEST(NamePattern, AGlobMatchesTheWholeName) {
  EXPECT_TRUE(matches("str*", "strcpy", PatternKind::Glob));
  EXPECT_FALSE(matches("tr*", "strcpy", PatternKind::Glob));
  EXPECT_TRUE(matches("?tr[a-c]py", "strcpy", PatternKind::Glob));
}

TEST(NamePattern, SimpleIsNeverAPattern) {
  EXPECT_FALSE(matches("a.c", "abc", PatternKind::Plain));
  EXPECT_TRUE(matches("a.c", "a.c", PatternKind::Plain));
}

TEST(NamePattern, MangledNamesAreDemangled) {
  EXPECT_TRUE(matches("_Znwm", "operator new"));
  EXPECT_TRUE(NamePattern("_Znwm", PatternKind::Regex).is_plain());
}

TEST(NamePattern, IsDemangledInTheModeOfTheNames) {
  const auto matches_as = [](Demangle mode, const std::string& name) {
    return NamePattern("_Z3fooi", PatternKind::Plain, mode).matches(name);
  };
  EXPECT_TRUE(matches_as(Demangle::Simple, "foo"));
  EXPECT_TRUE(matches_as(Demangle::Full, "foo(int)"));
  EXPECT_TRUE(matches_as(Demangle::No, "_Z3fooi"));
}

TEST(NamePattern, OperatorsAreLiteral) {
  EXPECT_TRUE(matches("operator new[]", "operator new[]"));
  EXPECT_FALSE(matches("operator new[]", "operator new"));
}

TEST(NamePattern, AnInvalidRegexIsText) {
  EXPECT_TRUE(matches("a(", "a("));
  EXPECT_FALSE(matches("a(", "a"));
  EXPECT_NE(NamePattern("a(", PatternKind::Regex).problem(), "");
  EXPECT_EQ(NamePattern("a(", PatternKind::Glob).problem(), "");
  EXPECT_EQ(NamePattern("a.", PatternKind::Regex).problem(), "");
}

TEST(NamePattern, KindsHaveTheWordsOfUftrace) {
  EXPECT_EQ(pattern_kind_of("glob"), PatternKind::Glob);
  EXPECT_EQ(pattern_kind_of("simple"), PatternKind::Plain);
  EXPECT_EQ(pattern_kind_of("regex"), PatternKind::Regex);
  EXPECT_EQ(pattern_kind_of(""), PatternKind::Regex);
}

}  // namespace
}  // namespace convert
