#include "converters/uftrace/arguments/enums.h"

#include <cstddef>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns lines such as "color: GREEN=5 RED=0", and "? …" for invalid text. In each line, larger values come
// first.
std::vector<std::string> lines(std::string_view list) {
  Names names;
  EnumTypes types;
  std::vector<std::string> problems, lines;
  parse_enums(list, names, types, problems);
  for (const auto& [name, type] : types) {
    std::string line = name + ":";
    for (const Enumerator& one : type.enumerators()) line += fmt::format(" {}={}", one.name, one.value);
    lines.push_back(line);
  }
  for (const std::string& problem : problems) lines.push_back("? " + problem);
  return lines;
}

TEST(Enums, ValuesCountUp) {
  EXPECT_THAT(lines("enum color {RED,GREEN=5,BLUE,MASK=0x100,LAST}"),
              ElementsAre("color: LAST=257 MASK=256 BLUE=6 GREEN=5 RED=0"));
  EXPECT_THAT(lines("enum open {O_RDONLY = 00,O_CREAT = 0100,O_X}"),
              ElementsAre("open: O_X=65 O_CREAT=64 O_RDONLY=0"));
  EXPECT_THAT(lines("enum bad {A = 08}"), ElementsAre("? enum bad {A = 08"));
  EXPECT_THAT(lines("enum neg { A = -1, B, C = -0x2 };"), ElementsAre("neg: B=0 A=-1 C=-2"));
}

// An enumerator without a value has the previous value plus one. If the previous value has more than 32 bits,
// the recorder uses only its lowest 32 bits, as an int.
TEST(Enums, AfterALongValueTheNextValuesAreInts) {
  EXPECT_THAT(lines("enum a {BIG=-9223372036854775808,ONE}"),
              ElementsAre("a: ONE=1 BIG=-9223372036854775808"));
  EXPECT_THAT(lines("enum b {FIRST=0x1ffffffff,ZERO}"), ElementsAre("b: FIRST=8589934591 ZERO=0"));
  EXPECT_THAT(lines("enum c {TOP=0xfffffffe,LAST}"), ElementsAre("c: LAST=4294967295 TOP=4294967294"));
  EXPECT_THAT(lines("enum d {LOW=-2147483648,NEXT}"), ElementsAre("d: NEXT=-2147483647 LOW=-2147483648"));
}

TEST(Enums, ALineMayHaveSeveralDefinitions) {
  EXPECT_THAT(lines("enum b { B, };enum a {A = 1,};enum a {X};"), ElementsAre("a: A=1", "b: B=0"));
  EXPECT_THAT(lines("enum e {}"), ElementsAre("e:"));
  EXPECT_THAT(lines("enum e {,A,, B}"), ElementsAre("e: B=1 A=0"));
  EXPECT_THAT(lines(" "), IsEmpty());
}

TEST(Enums, DamagedDefinitionsAreReported) {
  EXPECT_THAT(lines("enum a {A=x};enum b {B};struct c {C};enum d {=1};enum e {E"),
              ElementsAre("b: B=0", "? enum a {A=x", "? struct c {C", "? enum d {=1", "? enum e {E"));
}

TEST(Enums, EveryPrefixIsAccepted) {
  const std::string text = "enum color { RED, GREEN = -5, };enum b {B=0xff,C};";
  for (std::size_t size = 0; size <= text.size(); ++size) lines(text.substr(0, size));
}

class EnumValues : public testing::Test {
 protected:
  // Returns the text that uftrace prints for the value.
  static std::string shown(const EnumType& type, std::uint64_t bits) {
    const std::int64_t value = type.value_of(bits);
    if (const Enumerator* const known = type.find(value)) return known->name;
    std::string text = ">";
    return type.describe(value, text) ? text : text + std::to_string(value);
  }
  Names names_;
  EnumType color_{{{"RED", 0}, {"GREEN", 5}, {"BLUE", 6}, {"MASK", 256}, {"ROT", 0}}, names_};
  EnumType signed_{{{"MINUS", -1}, {"ZERO", 0}, {"ONE", 1}, {"TWO", 2}, {"FOUR", 4}}, names_};
  EnumType flags_{{{"A", 1}, {"B", 2}}, names_};
};

TEST_F(EnumValues, AreShownByName) {
  EXPECT_EQ(shown(color_, 5), "GREEN");
  EXPECT_EQ(shown(color_, 0), "RED");  // RED comes before ROT, which is 0 as well
  EXPECT_EQ(shown(color_, 256), "MASK");
}

TEST_F(EnumValues, SumsAreShownByTheirParts) {
  EXPECT_EQ(shown(color_, 261), ">MASK|GREEN");
  EXPECT_EQ(shown(color_, 77), ">BLUE|GREEN|RED|ROT+0x42");
  EXPECT_EQ(shown(color_, 0xffff'ffff), ">MASK|BLUE|GREEN|RED|ROT+0xfffffef4");
  EXPECT_EQ(shown(flags_, 3), ">B|A");
}

// uftrace prints the same texts.
TEST_F(EnumValues, NegativeValuesMayLackTheirUpperHalf) {
  EXPECT_EQ(shown(signed_, 0xffff'ffff), "MINUS");
  EXPECT_EQ(shown(signed_, ~std::uint64_t{0}), "MINUS");
  EXPECT_EQ(shown(signed_, 0xffff'fffe), ">-2");
  EXPECT_EQ(shown(signed_, 8), ">FOUR|TWO|ONE|ZERO+0x1");
}

// In .dbg files, the enumerators of small unsigned types are sign-extended.
TEST_F(EnumValues, OfSmallUnsignedTypesHaveTheirNames) {
  const EnumType bytes({{"X", -56}, {"Y", -1}, {"A", 1}, {"B", 2}, {"FLAG", -128}}, names_);
  EXPECT_EQ(shown(bytes, 200), "X");
  EXPECT_EQ(shown(bytes, 255), "Y");
  EXPECT_EQ(shown(bytes, 129), ">FLAG|A");
  EXPECT_EQ(shown(bytes, 3), ">B|A");
  const EnumType words({{"X", -15536}, {"A", 1}}, names_);
  EXPECT_EQ(shown(words, 50000), "X");
  EXPECT_EQ(shown(words, 50001), ">X|A");
  const EnumType wide({{"NEG", -1}, {"A", 1}, {"BIG", 65536}}, names_);
  EXPECT_EQ(shown(wide, 65535), ">A+0xfffe") << "no type of two bytes has BIG";
  EXPECT_EQ(shown(wide, 70000), ">BIG|A+0x116f");
  EXPECT_EQ(shown(words, 70000), ">A+0x1116f") << "no type of two bytes has the value";
  const EnumType ints({{"TOP", -2147483648}, {"A", 1}}, names_);
  EXPECT_EQ(shown(ints, 0x8000'0001), ">TOP+0x1");
  const EnumType longs({{"TOP", 0x8000'0000}, {"A", 1}}, names_);
  EXPECT_EQ(shown(longs, 0x8000'0001), ">TOP|A");
}

TEST_F(EnumValues, SumsOfMoreThan64EnumeratorsAreCut) {
  std::vector<Enumerator> ones(100, {"A", 1});
  EXPECT_THAT(shown(EnumType(std::move(ones), names_), 100), testing::EndsWith("|A|A+0x24"));
}

TEST_F(EnumValues, ValuesWithoutPartsAreNumbers) {
  EXPECT_EQ(shown(flags_, 0), ">0");
  EXPECT_EQ(shown(EnumType({}, names_), 7), ">7");
}

}  // namespace
}  // namespace convert::uftrace
