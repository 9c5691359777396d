// UTF-8: what is well-formed, how it is repaired and where it is cut.
#include "fxt/utf8.h"

#include <gtest/gtest.h>

namespace fxt {
namespace {

TEST(Utf8, KnowsWellFormedText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain ASCII, long enough for several words"));
  EXPECT_TRUE(is_valid_utf8("Gr\u00fc\u00dfe, \u4f60\u597d, \U0001f642"));
  EXPECT_TRUE(is_valid_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, KnowsIllFormedText) {
  for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "caf\xe9", "\xe2\x82"})
    EXPECT_FALSE(is_valid_utf8(text)) << testing::PrintToString(text);
}

TEST(Utf8, ReplacesEachMaximalIllFormedPart) {
  EXPECT_EQ(make_valid_utf8("caf\xe9!"), "caf\ufffd!");
  EXPECT_EQ(make_valid_utf8("\xe2\x82"), "\ufffd");                  // one part: it began as a euro sign
  EXPECT_EQ(make_valid_utf8("\xe0\x80\xaf"), "\ufffd\ufffd\ufffd");  // no sequence begins E0 80
  EXPECT_EQ(make_valid_utf8("ok \u20ac"), "ok \u20ac");
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abc", 2), "ab");
  EXPECT_EQ(cut_utf8("a\u20ac", 4), "a\u20ac");
  EXPECT_EQ(cut_utf8("a\u20ac", 3), "a");
  EXPECT_EQ(cut_utf8("a\u20ac", 2), "a");
  EXPECT_EQ(cut_utf8("\U0001f642", 3), "");
}

TEST(Utf8, CutsAnywhereInWhatIsNoUtf8) { EXPECT_EQ(cut_utf8("\x80\x80\x80\x80\x80\x80", 5).size(), 5U); }

}  // namespace
}  // namespace fxt
