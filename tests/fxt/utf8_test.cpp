// Tests UTF-8: valid text, repairs, and cuts.
#include "fxt/utf8.h"

#include <gtest/gtest.h>

namespace fxt {
namespace {

TEST(Utf8, RecognizesWellFormedText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain ASCII, long enough for several words"));
  EXPECT_TRUE(is_valid_utf8("Gr\u00fc\u00dfe, \u4f60\u597d, \U0001f642"));
  EXPECT_TRUE(is_valid_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, RecognizesIllFormedText) {
  for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "caf\xe9", "\xe2\x82"})
    EXPECT_FALSE(is_valid_utf8(text)) << testing::PrintToString(text);
}

TEST(Utf8, FindsInvalidTextAtEveryPosition) {
  for (std::size_t size = 0; size <= 20; ++size) {
    const std::string plain(size, '~');
    EXPECT_TRUE(is_sound(plain));
    for (std::size_t at = 0; at < size; ++at)
      for (const char other : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
        std::string text = plain;
        text[at] = other;
        EXPECT_EQ(is_sound(text), other == '\x01' || other == '\x7f') << size << " bytes, byte " << at;
        EXPECT_EQ(repaired(text).has_value(), !is_sound(text));
      }
    EXPECT_TRUE(is_sound(plain + "\u20ac"));
    EXPECT_TRUE(is_sound("\u20ac" + plain));
    EXPECT_FALSE(is_sound("\u20ac" + plain + '\0'));
  }
}

TEST(Utf8, ReplacesEachMaximalIllFormedPart) {
  EXPECT_EQ(make_valid_utf8("caf\xe9!"), "caf\ufffd!");
  EXPECT_EQ(make_valid_utf8("\xe2\x82"), "\ufffd");  // both bytes are the start of a euro sign
  EXPECT_EQ(make_valid_utf8("\xe0\x80\xaf"), "\ufffd\ufffd\ufffd");  // no character begins with E0 80
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

TEST(Utf8, CutsAnywhereInInvalidText) { EXPECT_EQ(cut_utf8("\x80\x80\x80\x80\x80\x80", 5).size(), 5U); }

}  // namespace
}  // namespace fxt
