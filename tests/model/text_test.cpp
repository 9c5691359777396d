#include "converters/model/reading/text.h"

#include <gtest/gtest.h>
#include <string>

namespace convert {
namespace {

using namespace std::string_view_literals;

TEST(Text, InvalidBytesAreEscaped) {
  EXPECT_EQ(spelled("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(spelled("\x88\x83"), "\\210\\203");
  EXPECT_EQ(spelled("a\\b\n\x7f\0c"sv), "a\\\\b\\012\\177\\000c");
  EXPECT_EQ(spelled("\xc3"), "\\303") << "cut inside a character";
  EXPECT_EQ(spelled("\xf0\x9f\x98\x80\xf0\x9f\x98"), "\xf0\x9f\x98\x80\\360\\237\\230");
  EXPECT_EQ(spelled(""), "");
}

TEST(Text, AmbiguousStringsAreInQuotes) {
  for (const char* const unclear :
       {"",    " ",  " a",  "a\t",   "NULL", "null", "true", "false",    "0",    "-1",   "+1",
        "1.5", ".5", "1e9", "1e999", "-inf", "nan",  "NaN",  "Infinity", "0x1f", "-0X1F"})
    EXPECT_EQ(shown_string(unclear), '"' + std::string(unclear) + '"');
  for (const char* const clear : {"a", "a b", "a\n", "Null", "nullptr", "True", "-", "+", "--1", "+-1", ".",
                                  "1.5.0", "1 2", "0x", "0xg", "1f", "info", "\"\"", "'A' (65)"})
    EXPECT_EQ(shown_string(clear), clear);
}

TEST(Text, CharactersAreShownWithTheirCode) {
  EXPECT_EQ(spelled_character('A'), "'A' (65)");
  EXPECT_EQ(spelled_character('\n'), "'\\n' (10)");
  EXPECT_EQ(spelled_character('\''), "'\\'' (39)");
  EXPECT_EQ(spelled_character(0), "'\\000' (0)");
  EXPECT_EQ(spelled_character(-23), "'\\351' (-23)");
  EXPECT_EQ(spelled_character(233), "'\\351' (233)");
}

}  // namespace
}  // namespace convert
