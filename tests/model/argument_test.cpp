// After values are packed into arguments, they can be read again. The words have the documented format.
#include <bit>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert {
namespace {

using testing::ElementsAre;

constexpr NameId kA{5}, kB{0xffff'ffff};

TEST(Arguments, ANumberIsTwoWords) {
  const Arguments arguments{{kA, std::int32_t{-1}}, {kB, std::uint64_t{7}}};
  EXPECT_THAT(arguments.words(), ElementsAre(0x51, ~std::uint64_t{0},  // name 5, Int64 (1)
                                             0xf'ffff'fff2, 7));       // name 2^32-1, Uint64 (2)
  EXPECT_EQ(arguments.size(), 2u);
}

TEST(Arguments, TextsArePaddedWithZeros) {
  const Arguments arguments{{kA, "hello, you"}, {kA, ""}, {kA, std::monostate{}}};
  EXPECT_THAT(arguments.words(),
              ElementsAre(0xa0'0000'0054, 0x79'20'2c'6f'6c'6c'65'68, 0x75'6f,  // 10 bytes, Text (4)
                          0x54, 0x50));                                        // empty; Null (0)
}

TEST(Arguments, EveryTypeIsReadAsItWasAdded) {
  const std::string eight = "12345678";
  const std::vector<Argument> all{{kA, std::monostate{}},
                                  {kB, std::numeric_limits<std::int32_t>::min()},
                                  {kA, std::uint32_t{0xffff'ffff}},
                                  {kA, std::numeric_limits<std::int64_t>::min()},
                                  {kA, ~std::uint64_t{0}},
                                  {kA, -0.5},
                                  {kA, "1234567"},
                                  {kA, eight},
                                  {kA, Pointer{0x7fff'0000'1234}},
                                  {kA, NameId{77}}};
  Arguments arguments;
  for (const Argument& argument : all) arguments.add(argument);
  EXPECT_EQ(std::vector<Argument>(arguments.begin(), arguments.end()), all);
  Arguments copy;
  copy.add(arguments.row());
  EXPECT_THAT(copy.words(), testing::ElementsAreArray(arguments.words()));
  EXPECT_EQ(copy.size(), all.size());
  copy.clear();
  EXPECT_TRUE(copy.empty());
  EXPECT_TRUE(copy.words().empty());
}

TEST(Arguments, CanBePackedByTheProducer) {
  Arguments arguments{{kA, 1}};
  std::uint64_t* const words = arguments.reserve(100);
  words[0] = PackedHeader::of(kB, ArgumentKind::Int64);
  words[1] = 3;
  arguments.commit(words + 2, 1);
  EXPECT_EQ(std::vector<Argument>(arguments.begin(), arguments.end()),
            (std::vector<Argument>{{kA, 1}, {kB, std::int64_t{3}}}));
  EXPECT_EQ(arguments.size(), 2u);
}

}  // namespace
}  // namespace convert
