// Tests compressed files. The tools of the formats (such as gzip) must be able to read our files, and we must
// be able to read the files of the tools. From a damaged file, the part before the damage is read.
#include "fxt/support/compressed_files.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fxt/output_file.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

struct Format {
  std::string suffix, tool;
};

const std::vector<Format> kFormats{{".gz", "gzip"}, {".zst", "zstd -q"}, {".bz2", "bzip2"}, {".xz", "xz"}};

// Returns a text in which parts are repeated after more than 20,000 bytes, and some parts are random.
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

class CompressedFiles : public ToolTest, public testing::WithParamInterface<Format> {
 protected:
  std::string path_with(const std::string& bytes, const std::string& name = "file") const {
    std::ofstream(folder() + name, std::ios::binary) << bytes;
    return folder() + name;
  }
  std::string bytes_of(const std::string& path) const {
    std::ifstream input(path, std::ios::binary);
    return {std::istreambuf_iterator(input), {}};
  }
  // Returns `plain` after compression by the tool.
  std::string by_tool(const std::string& plain) const {
    const std::string path = path_with(plain, "plain");
    return shell(GetParam().tool + " -c < " + path).output;
  }

  // The text of a file, and the problem that ended reading before the end of the file.
  struct ReadText {
    std::string text, problem;
  };
  ReadText read(const std::string& path, std::size_t room_bytes = 100'000) const {
    ReadText result;
    std::vector<std::byte> room(room_bytes);
    try {
      const auto input = open_input(path);
      while (const std::size_t got = input->read(room))
        result.text.append(reinterpret_cast<const char*>(room.data()), got);
    } catch (const FileError& error) {
      result.problem = error.what();
    }
    return result;
  }

  std::string path_ = folder() + "out" + GetParam().suffix;
};

TEST_P(CompressedFiles, AreReadByTheToolAndByOpenInput) {
  constexpr std::size_t kBlock = 64 << 10;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, kBlock + 1, 20 * kBlock + 77}) {
    const std::string plain = text_of(size);
    OutputFile file(path_);
    const auto stream = open_stream(path_, file);
    for (std::size_t at = 0; at < plain.size(); at += 70'000)
      stream->write(std::as_bytes(std::span(plain).subspan(at, std::min<std::size_t>(70'000, size - at))));
    stream->finish();
    file.commit();
    EXPECT_EQ(file.bytes_written(), bytes_of(path_).size());
    EXPECT_TRUE(read(path_).text == plain) << size;
    EXPECT_EQ(read(path_).problem, "") << size;
    EXPECT_TRUE(shell(GetParam().tool + " -dc " + path_).output == plain) << size;
  }
}

TEST_P(CompressedFiles, AreReadIfTheToolHasMadeThem) {
  for (const std::size_t size : {0U, 1U, 1000U, 1'000'000U}) {
    const std::string plain = text_of(size), packed = by_tool(plain);
    for (const std::size_t room : {1U, 7U, 100'000U}) {
      if (size > 1000 && room < 1000) continue;
      const ReadText result = read(path_with(packed), room);
      EXPECT_TRUE(result.text == plain) << size;
      EXPECT_EQ(result.problem, "") << size;
    }
  }
}

TEST_P(CompressedFiles, MayBeConcatenated) {
  const std::string plain = text_of(100'000), packed = by_tool(plain), empty = by_tool(""),
                    small = by_tool("small");
  const ReadText result = read(path_with(packed + empty + small + empty + packed + empty));
  EXPECT_TRUE(result.text == plain + "small" + plain);
  EXPECT_EQ(result.problem, "");
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += small;
  EXPECT_EQ(read(path_with(many)).text.size(), 10'000);
  EXPECT_EQ(read(path_with(many)).problem, "");
}

TEST_P(CompressedFiles, AreReadUpToAnEarlyEnd) {
  const std::string plain = text_of(40'000), one = by_tool(plain.substr(0, 100)),
                    packed = one + by_tool(plain.substr(100));
  for (std::size_t size = 6; size < packed.size(); size += size < one.size() + 100 ? 1U : 997U) {
    const ReadText result = read(path_with(packed.substr(0, size)));
    EXPECT_EQ(result.problem, size == one.size() ? "" : folder() + "file: the compressed data are truncated")
        << size;
    EXPECT_TRUE(plain.starts_with(result.text)) << size;
    EXPECT_GE(result.text.size(), size >= one.size() ? 100U : 0U) << size;
  }
}

TEST_P(CompressedFiles, AreReadUpToDamage) {
  const std::string plain = text_of(1'000'000), one = by_tool(plain);
  const std::string damaged_text = folder() + "file: the compressed data are damaged";
  constexpr std::size_t kLostByZstd = 512;
  for (const std::size_t at : {one.size() / 2, one.size() + one.size() / 2, 2 * one.size() - 1000}) {
    std::string packed = one + one;
    packed[at] = static_cast<char>(packed[at] ^ 0x55);
    const ReadText result = read(path_with(packed));
    EXPECT_EQ(result.problem, damaged_text) << at;
    if (at < one.size()) continue;
    EXPECT_GE(result.text.size(), plain.size() - kLostByZstd) << at;
    EXPECT_TRUE(plain.starts_with(result.text.substr(0, plain.size()))) << at;
  }
  const ReadText with_rubbish = read(path_with(one + "no header of any format"));
  EXPECT_GE(with_rubbish.text.size(), plain.size() - kLostByZstd);
  EXPECT_TRUE(plain.starts_with(with_rubbish.text));
  EXPECT_EQ(with_rubbish.problem, damaged_text);
}

// A small file fails in finish(), and a large file fails in write().
TEST_P(CompressedFiles, ReportAFullDisk) {
  for (const std::size_t size : {10U, 5'000'000U}) {
    OutputFile file("/dev/full");
    const auto stream = open_stream(path_, file);
    const std::string plain = text_of(size);
    const auto write = [&] {
      stream->write(std::as_bytes(std::span(plain)));
      stream->finish();
    };
    EXPECT_THAT(
        [&] {
          try {
            write();
          } catch (const std::exception& error) {
            return std::string(error.what());
          }
          return std::string();
        }(),
        "/dev/full: can't write: No space left on device");
  }
}

// Without finish(), the file is incomplete. The tool must recognize this.
TEST_P(CompressedFiles, AreNotFinishedIfTheyAreAbandoned) {
  {
    OutputFile file(path_, FileMode::InPlace);
    const auto stream = open_stream(path_, file);
    const std::string plain = text_of(5'000'000);
    stream->write(std::as_bytes(std::span(plain)));
  }
  EXPECT_NE(shell(GetParam().tool + " -t " + path_).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(All, CompressedFiles, testing::ValuesIn(kFormats),
                         [](const auto& test) { return test.param.suffix.substr(1); });

class LargeDictionaries : public CompressedFiles {};

TEST_P(LargeDictionaries, AreRefused) {
  const std::string path = path_with("text", "plain"), packed = folder() + "packed";
  shell(GetParam().tool + " -c < " + path + " > " + packed);
  EXPECT_EQ(read(packed).problem,
            packed + ": unpacking needs more than 100 MiB of memory; unpack it with another program first");
}

INSTANTIATE_TEST_SUITE_P(All, LargeDictionaries,
                         testing::Values(Format{".xz", "xz --lzma2=dict=256MiB"},
                                         Format{".zst", "zstd -q --ultra --long=30"}),
                         [](const auto& test) { return test.param.suffix.substr(1); });

}  // namespace
}  // namespace fxt::test
