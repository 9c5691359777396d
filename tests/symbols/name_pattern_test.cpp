#include "converters/symbols/name_pattern.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

bool fits(std::string_view pattern, const std::string& name, PatternKind kind = PatternKind::Regex) {
  return NamePattern(pattern, kind).matches(name);
}

TEST(NamePattern, WithoutSpecialCharactersItIsTheWholeName) {
  EXPECT_TRUE(fits("main", "main"));
  EXPECT_FALSE(fits("main", "domain"));
  EXPECT_TRUE(NamePattern("ns::f", PatternKind::Regex).is_plain());
  EXPECT_FALSE(NamePattern("ns::f*", PatternKind::Regex).is_plain());
}

TEST(NamePattern, ARegexLiesAnywhere) {
  EXPECT_TRUE(fits("a.c", "xabcx"));
  EXPECT_FALSE(fits("^a.c", "xabcx"));
  EXPECT_TRUE(fits("^(str|mem)cpy$", "memcpy"));
  EXPECT_FALSE(fits("^(str|mem)cpy$", "memcpy2"));
  EXPECT_TRUE(fits(".", "f"));
}

TEST(NamePattern, AGlobFitsTheWholeName) {
  EXPECT_TRUE(fits("str*", "strcpy", PatternKind::Glob));
  EXPECT_FALSE(fits("tr*", "strcpy", PatternKind::Glob));
  EXPECT_TRUE(fits("?tr[a-c]py", "strcpy", PatternKind::Glob));
}

TEST(NamePattern, SimpleIsNeverAPattern) {
  EXPECT_FALSE(fits("a.c", "abc", PatternKind::Plain));
  EXPECT_TRUE(fits("a.c", "a.c", PatternKind::Plain));
}

TEST(NamePattern, MangledNamesAreDemangled) {
  EXPECT_TRUE(fits("_Znwm", "operator new"));
  EXPECT_TRUE(NamePattern("_Znwm", PatternKind::Regex).is_plain());
}

TEST(NamePattern, ItIsDemangledAsTheNamesAre) {
  const auto fits_as = [](Demangle demangled, const std::string& name) {
    return NamePattern("_Z3fooi", PatternKind::Plain, demangled).matches(name);
  };
  EXPECT_TRUE(fits_as(Demangle::Simple, "foo"));
  EXPECT_TRUE(fits_as(Demangle::Full, "foo(int)"));
  EXPECT_TRUE(fits_as(Demangle::No, "_Z3fooi"));
}

TEST(NamePattern, OperatorsAreTakenLiterally) {
  EXPECT_TRUE(fits("operator new[]", "operator new[]"));
  EXPECT_FALSE(fits("operator new[]", "operator new"));
}

TEST(NamePattern, ABrokenRegexIsText) {
  EXPECT_TRUE(fits("a(", "a("));
  EXPECT_FALSE(fits("a(", "a"));
  EXPECT_NE(NamePattern("a(", PatternKind::Regex).problem(), "");
  EXPECT_EQ(NamePattern("a(", PatternKind::Glob).problem(), "");
  EXPECT_EQ(NamePattern("a.", PatternKind::Regex).problem(), "");
}

TEST(NamePattern, KindsHaveUftracesWords) {
  EXPECT_EQ(pattern_kind_of("glob"), PatternKind::Glob);
  EXPECT_EQ(pattern_kind_of("simple"), PatternKind::Plain);
  EXPECT_EQ(pattern_kind_of("regex"), PatternKind::Regex);
  EXPECT_EQ(pattern_kind_of(""), PatternKind::Regex);
}

}  // namespace
}  // namespace convert
