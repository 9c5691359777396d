// A finished file has exactly the data that were written.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/fxt/trace_words.h"

namespace fxt::test {
namespace {

TEST(WriterFinish, EndsNoDurationsAndMayBeCalledTwice) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.type = EventType::DurationBegin, .time = 5, .thread = kMain, .name = "x"});
  const std::uint64_t words = writer.words_written();
  writer.finish();
  writer.finish();
  EXPECT_EQ(output.words().size(), words);
}

class CountingOutput final : public Output {
 public:
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    words += filled_words;
    if (fails) throw std::runtime_error("full");
    return buffer_;
  }
  void finish() override { ++finishes; }

  std::size_t words = 0;
  int finishes = 0;
  bool fails = false;

 private:
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(kMinBufferWords);
};

TEST(WriterFinish, FinishesTheOutput) {
  CountingOutput output;
  Writer writer(output);
  writer.flush();
  EXPECT_EQ(output.finishes, 0);
  writer.finish();
  EXPECT_EQ(output.finishes, 1);
  EXPECT_EQ(output.words, kStart.size());
}

TEST(WriterFinish, PassesOnExceptionsOfTheOutput) {
  CountingOutput output;
  Writer writer(output);
  output.fails = true;
  EXPECT_THROW(writer.finish(), std::runtime_error);
  EXPECT_EQ(output.words, kStart.size());
  output.fails = false;
  writer.flush();
  EXPECT_EQ(output.words, kStart.size()) << "nothing is sent twice";
}

}  // namespace
}  // namespace fxt::test
