// Calls of which no record was seen: so many are drawn, and no more.
#include "converters/uftrace/records/thread_calls.h"

#include <gtest/gtest.h>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kF = 0x401100;

// A few bytes of damage must not become gigabytes of calls: 8192 at once, and two more for every record.
TEST(ThreadCallsTest, UnseenCallsAreLimited) {
  Names names;
  Notes notes;
  ChunkPool pool;
  Lane lane(pool, {});
  ThreadCalls calls({.lane = lane,
                     .names = names,
                     .notes = notes,
                     .label_of = [&](std::uint64_t) { return names.intern_label("demo", "f"); },
                     .place = [] { return Location::file("100.dat"); }});
  calls.entry(10, 8193, kF, {});
  EXPECT_EQ(lane.depth(), 0u);
  EXPECT_EQ(notes.count(kBadDepth), 1u);
  EXPECT_EQ(notes.groups().front().first.front(), "100.dat: a record at depth 8193, but 0 calls are open");
  calls.entry(11, 8192, kF, {});
  EXPECT_EQ(lane.depth(), 8193u);
  calls.exit(12, 8192, kF, {});  // two more from here on
  EXPECT_EQ(lane.depth(), 8192u);
  calls.entry(13, 8192 + 5, kF, {});
  EXPECT_EQ(lane.depth(), 8192u) << "four, with this one";
  calls.entry(14, 8192 + 6, kF, {});
  EXPECT_EQ(lane.depth(), 8192u + 7);
  EXPECT_EQ(notes.count(kBadDepth), 2u);
  EXPECT_EQ(notes.count(kEntryMissing), 8192u + 6);
  calls.finish(20);
}

}  // namespace
}  // namespace convert::uftrace
