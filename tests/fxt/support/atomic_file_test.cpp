#include "fxt/support/atomic_file.h"

#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

class AtomicFileTest : public ToolTest {
 protected:
  // Pieces of that size, `count` of them.
  void write(AtomicFile& file, std::size_t size, std::size_t count) {
    const std::vector<std::byte> piece(size, std::byte{7});
    for (; count > 0; --count) file.write(piece);
  }
  std::string path_ = folder() + "/trace.fxt";
};

// Large files get blocks ahead: none of them stays.
TEST_F(AtomicFileTest, HasTheBlocksThatItNeeds) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  for (const std::size_t pieces : {1u, 15u, 17u, 129u, 300u}) {
    AtomicFile file(path_);
    write(file, kPiece, pieces);
    write(file, 3, 1);
    file.commit();
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(static_cast<std::size_t>(status.st_size), kPiece * pieces + 3);
    EXPECT_LE(static_cast<std::size_t>(status.st_blocks) * 512, kPiece * (pieces + 1)) << pieces;
    EXPECT_EQ(file.bytes_written(), kPiece * pieces + 3);
  }
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
  {
    AtomicFile file(path_);
    write(file, std::size_t{8} << 20, 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

}  // namespace
}  // namespace fxt::test
