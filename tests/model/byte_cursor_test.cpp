#include "converters/model/reading/byte_cursor.h"

#include <array>
#include <gtest/gtest.h>

namespace convert {
namespace {

constexpr std::array kBytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};

TEST(ByteCursor, ReadsBothByteOrders) {
  EXPECT_EQ(ByteCursor(kBytes, "f", std::endian::little).read<std::uint32_t>("number"), 0x04030201u);
  EXPECT_EQ(ByteCursor(kBytes, "f", std::endian::big).read<std::uint32_t>("number"), 0x01020304u);
}

TEST(ByteCursor, ErrorsNameThePositionAndTheMissingBytes) {
  ByteCursor in(kBytes, "demo/1.dat", std::endian::little, 0x40);
  in.read<std::uint32_t>("number");
  try {
    in.read<std::uint16_t>("record time");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "demo/1.dat:+0x44: truncated: record time needs 2 bytes, but 1 are left");
  }
}

TEST(ByteCursor, CanNotReadAfterTheEndOfASlice) {
  ByteCursor in(kBytes, "f");
  ByteCursor part = in.slice(2, "part");
  EXPECT_EQ(part.read<std::uint16_t>("pair"), 0x0201);
  EXPECT_THROW(part.read<std::uint8_t>("more"), InputError);
  EXPECT_EQ(in.read<std::uint8_t>("next"), 3);
}

}  // namespace
}  // namespace convert
