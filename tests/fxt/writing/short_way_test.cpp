// Tests the words of prepared events. Also tests that a Writer accepts prepared events in any order of time.
#include <gtest/gtest.h>
#include <optional>

#include "tests/fxt/check_words.h"

namespace fxt::test {
namespace {

TEST(PreparedEvents, AreWrittenAsInstants) {
  std::optional<PreparedEvent> event;
  std::optional<ThreadIndex> thread;
  EXPECT_EQ(words_after(
                [&](Writer& writer) {
                  event = writer.prepare("app", "main");
                  thread = writer.thread_index(100, 101);
                },
                [&](Writer& writer) { writer.write_instant(*event, *thread, 5); }),
            (Words{0x0002'0001'0100'0024, 5}));
}

TEST(PreparedEvents, MayComeInAnyOrder) {
  MemoryOutput output;
  Writer writer(output);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  writer.write_complete(*event, *thread, 10, 20);
  EXPECT_NO_THROW(writer.write_complete(*event, *thread, 5, 15));
  EXPECT_NO_THROW(writer.write_end(*event, *thread, 4));
}

}  // namespace
}  // namespace fxt::test
