// .gz outputs: what several threads compress, every reader takes, and none sees how many they were.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fxt/output_file.h"
#include "fxt/support/compressed_files.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

class GzipStream : public ToolTest {
 protected:
  // The bytes of the file, written in pieces of that size.
  std::string compressed(const std::string& plain, unsigned jobs, std::size_t piece = 64 * 1024) {
    OutputFile file(path_);
    const auto stream = open_stream(path_, file, jobs);
    for (std::size_t at = 0; at < plain.size(); at += piece)
      stream->write(std::as_bytes(std::span(plain).subspan(at, std::min(piece, plain.size() - at))));
    stream->finish();
    file.commit();
    std::ifstream input(path_, std::ios::binary);
    return {std::istreambuf_iterator(input), {}};
  }

  std::string as_we_read_it() const {
    std::string plain;
    const auto input = open_input(path_);
    std::vector<std::byte> room(100'000);
    while (const std::size_t got = input->read(room))
      plain.append(reinterpret_cast<const char*>(room.data()), got);
    return plain;
  }

  std::string path_ = folder() + "/trace.gz";
};

// Repeats itself at a distance, and now and then not at all.
std::string text_of(std::size_t size) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size) {
    if (random() % 4 == 0 || text.size() < 30'000)
      for (int i = 0; i < 40; ++i) text += static_cast<char>(random());
    else
      text += text.substr(text.size() - 20'000 - random() % 9'000, 200);
  }
  text.resize(size);
  return text;
}

TEST_F(GzipStream, ReadersTakeAnySize) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, kBlock + 1, 3 * kBlock, 5 * kBlock + 77}) {
    const std::string plain = text_of(size);
    compressed(plain, 3);
    EXPECT_EQ(as_we_read_it(), plain) << size;
    EXPECT_EQ(shell("gzip -dc " + path_).output, plain) << size;
  }
}

TEST_F(GzipStream, BytesAreTheSameForAnyNumberOfThreads) {
  const std::string plain = text_of(9 * kBlock + 12'345);
  const std::string one = compressed(plain, 1);
  EXPECT_EQ(compressed(plain, 2), one);
  EXPECT_EQ(compressed(plain, 16), one);
  EXPECT_EQ(compressed(plain, 4, 1'000'003), one);
  EXPECT_EQ(compressed(plain, 1, 17), one);
}

// Readers that know one member only must see it all; and a block knows what came before it.
TEST_F(GzipStream, IsOneMemberAsSmallAsOfOneThread) {
  const std::string plain = text_of(8 * kBlock);
  const std::string bytes = compressed(plain, 4);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
  EXPECT_EQ(shell("python3 -c 'import sys, zlib; d = zlib.decompressobj(31); "
                  "d.decompress(open(sys.argv[1], \"rb\").read()); print(d.eof, len(d.unused_data))' " +
                  path_)
                .output,
            "True 0\n");
  const std::size_t of_gzip = std::stoul(shell("gzip -dc " + path_ + " | gzip -6 | wc -c").output);
  EXPECT_LT(bytes.size(), of_gzip + of_gzip / 500);
}

TEST_F(GzipStream, FullDiskIsSaid) {
  for (const unsigned jobs : {1U, 4U}) {
    OutputFile file("/dev/full");
    const auto stream = open_stream(path_, file, jobs);
    const std::string plain = text_of(20 * kBlock);
    const auto write = [&] {
      stream->write(std::as_bytes(std::span(plain)));
      stream->finish();
    };
    EXPECT_THROW(write(), std::runtime_error);
  }
}

}  // namespace
}  // namespace fxt::test
