#include "fxt/support/text.h"

#include <gmock/gmock.h>

namespace fxt {
namespace {

// A text with control characters (one of them is a C1 control character of 8-bit terminals), and with a byte
// that is not UTF-8.
constexpr std::string_view kOdd = "a\x1b[31m\x7f\xc2\x9b\xff\u00fc\n";

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(printable(kOdd), "a\\x1b[31m\\x7f\\xc2\\x9b\\xff\u00fc\\x0a");
  EXPECT_EQ(printable("a\u202eb\u2069\u202f\u206a"), "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa9\u202f\u206a")
      << "what follows would seem another text";
  EXPECT_EQ(printable("\u2028\u2029\u200e\u200f\u061c\u200d"),
            "\\xe2\\x80\\xa8\\xe2\\x80\\xa9\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xd8\\x9c\u200d")
      << "ends of lines in scripts, and marks of direction";
}

TEST(Printable, QuotedTextEscapesLineEnds) {
  TextBuffer out;
  append_quoted(out, std::string(kOdd) + "\"\\\r\t");
  EXPECT_EQ(fmt::to_string(out), "\"a\\x1b[31m\\x7f\\xc2\\x9b\\xff\u00fc\\n\\\"\\\\\\r\\t\"");
}

TEST(JsonString, IsText) {
  TextBuffer out;
  append_json_string(out, std::string(kOdd) + "\"\\\u202e");
  EXPECT_EQ(fmt::to_string(out), "\"a\\u001b[31m\\u007f\\u009b\ufffd\u00fc\\u000a\\\"\\\\\\u202e\"");
}

TEST(XmlText, IsEscaped) {
  EXPECT_EQ(in_xml("map<int, \"x\">::operator&()"), "map&lt;int, &quot;x&quot;&gt;::operator&amp;()");
  EXPECT_EQ(in_xml("Gr\u00fc\u00dfe \u6f22 \U0001f600"), "Gr\u00fc\u00dfe \u6f22 \U0001f600");
}

TEST(XmlText, HasOnlyCharactersThatXmlAllows) {
  EXPECT_EQ(in_xml("a\x01\n\t\x7f"), "a\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(in_xml(std::string_view("\0", 1)), "\ufffd");
  EXPECT_EQ(in_xml("\u0080\u009f\u00a0"), "\ufffd\ufffd\u00a0");
  EXPECT_EQ(in_xml("\xff\xc3"), "\ufffd\ufffd");
  EXPECT_EQ(in_xml("\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf"), "\ufffd\ufffd\ufffd");
}

TEST(FittedText, IsCutIfThereIsNoSpace) {
  EXPECT_EQ(fitted("checksum", 8), "checksum");
  EXPECT_EQ(fitted("checksum", 7.9), "checks\u2026");
  EXPECT_EQ(fitted("checksum", 3), "ch\u2026");
  EXPECT_EQ(fitted("checksum", 2.9), "");
  EXPECT_EQ(fitted("ab", 3), "ab");
}

TEST(FittedText, SupportsWideCharacters) {
  EXPECT_EQ(columns_of("a\u00fc\u6f22\u2026\ufffd"), 6);
  EXPECT_EQ(fitted("\u6f22\u5b57\u6f22\u5b57", 8), "\u6f22\u5b57\u6f22\u5b57");
  EXPECT_EQ(fitted("\u6f22\u5b57\u6f22\u5b57", 6), "\u6f22\u5b57\u2026");
  EXPECT_EQ(fitted("\xff\xff\xff\xff", 3), "\ufffd\ufffd\u2026");
}

}  // namespace
}  // namespace fxt
