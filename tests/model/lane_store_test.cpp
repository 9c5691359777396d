// Tests which events a lane holds back, and which events the merge gets.
#include "converters/model/lanes/lane_store.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "converters/model/lanes/lane.h"
#include "tests/model/event_text.h"

namespace convert {
namespace {

// After its last events, a closed lane also gives up its chunk, so that other lanes can use the memory.
TEST(LaneStore, AClosedLaneReturnsItsChunkAfterTheLastEvent) {
  ChunkPool pool;
  Lane lane(pool, {});
  lane.begin(1, LabelId{}, 0, {{NameId{}, "first"}});
  lane.end(2);
  lane.store().seal();
  lane.store().queue().close();
  lane.store().queue().close();
  const SealedEvents events = lane.store().queue().pop_sealed();
  EXPECT_EQ(events.chunk, nullptr);
  EXPECT_EQ((*events.events.front().arguments().begin()).text, "first");
  const SealedEvents last = lane.store().queue().pop_sealed();
  EXPECT_TRUE(last.events.empty());
  ASSERT_NE(last.chunk, nullptr);
  EXPECT_EQ(last.chunk->words.size(), 1u);
  EXPECT_FALSE(lane.store().queue().has_sealed());
}

// The merge counts the bytes that wait in lanes. The number is exact, even if a chunk is sealed in several
// parts.
TEST(LaneStore, SealedBytesAreTheBytesOfEventsAndArguments) {
  ChunkPool pool;
  Lane lane(pool, {});
  std::size_t sealed = 0;
  for (std::uint64_t i = 0; i < 3 * EventChunk::kEvents; ++i) {
    lane.instant(i, LabelId{}, {{NameId{}, std::string(100, 'x')}});
    if (i % 50 == 0) sealed += lane.store().seal();
  }
  sealed += lane.store().seal();
  EXPECT_EQ(sealed, 3 * EventChunk::kEvents * sizeof(PendingEvent) + lane.store().queue().blocks().bytes());
  std::size_t popped = 0;
  while (lane.store().queue().has_sealed()) popped += lane.store().queue().pop_sealed().bytes;
  EXPECT_EQ(popped, sealed);
}

// A chunk is kept even if all of its events are retracted, because events in other chunks may use its words.
// Therefore, the bytes of this chunk are also counted.
TEST(LaneStore, ManyRetractedCallsLeaveNoEvents) {
  for (const std::uint64_t calls : {std::uint64_t{1}, std::uint64_t{5 * EventChunk::kEvents}}) {
    ChunkPool pool;
    Lane lane(pool, {.max_depth = 1'000'000});
    lane.store().set_held_bytes_limit(std::size_t{1} << 30);
    lane.begin(1, LabelId{}, 0, {{NameId{}, "first"}});
    lane.end(2);
    for (std::uint64_t i = 0; i < calls; ++i) lane.begin(3, LabelId{});
    for (std::uint64_t i = calls; i-- > 0;) EXPECT_TRUE(lane.retract(0, 4));
    EXPECT_TRUE(lane.store().queue().has_events());
    EXPECT_GE(lane.store().seal(), sizeof(PendingEvent));
    EXPECT_EQ(lane.store().queue().first_ns(), 1);
    std::size_t events = 0;
    while (lane.store().queue().has_sealed()) events += lane.store().queue().pop_sealed().events.size();
    EXPECT_EQ(events, 1);
    EXPECT_FALSE(lane.store().queue().has_events());
    lane.instant(5, LabelId{});
    EXPECT_TRUE(lane.store().queue().has_events());
    EXPECT_EQ(lane.store().queue().first_ns(), 5);
  }
}

// Events after the start of an open call wait for the end of the call. If these events and their arguments
// need more bytes than the limit, the call is released.
TEST(LaneStore, ManyWordsAfterAnOpenCallReleaseIt) {
  for (const std::size_t words :
       {10u, 300u}) {  // small texts share a chunk, large texts have their own memory
    ChunkPool pool;
    Lane lane(pool, kTestLanes);
    lane.store().set_held_bytes_limit(40'000);
    lane.begin(1, LabelId{});
    lane.store().seal();
    ASSERT_FALSE(lane.store().queue().has_sealed());
    const std::string text(8 * words, 'x');
    for (std::uint64_t t = 2; t < 2 + 60'000 / text.size(); ++t)
      lane.instant(t, LabelId{}, {{NameId{}, text}});
    lane.store().seal();
    ASSERT_TRUE(lane.store().queue().has_sealed()) << words;
    EXPECT_EQ(lane.store().queue().pop_sealed().events.front().kind, EventKind::Begin);
    lane.end(1'000'000);
  }
}

// Events before the start of an open call do not count for the limit, even if they are in the same chunk as
// the start.
TEST(LaneStore, EventsBeforeAnOpenCallDoNotReleaseIt) {
  ChunkPool pool;
  Lane lane(pool, kTestLanes);
  lane.store().set_held_bytes_limit(40'000);
  for (std::uint64_t t = 1; t <= 100; ++t) lane.instant(t, LabelId{});
  lane.begin(101, LabelId{1});
  lane.instant(102, LabelId{}, {{NameId{}, std::int64_t{7}}});  // allocates the first block of words
  lane.end(103);
  lane.store().seal();
  ASSERT_TRUE(lane.store().queue().has_sealed());
  EXPECT_EQ(lane.store().queue().pop_sealed().events[100].kind, EventKind::Complete);
}

// The argument at the end of the outer call may need a new chunk. When a lane adds a chunk, it may release
// open calls. Here, the inner call must stay pending.
TEST(LaneStore, ACallInsideACallThatEndedEarlierIsStillPending) {
  for (std::uint64_t instants = 160; instants < 180; ++instants) {
    ChunkPool pool;
    Lane lane(pool, kTestLanes);
    lane.begin(1, LabelId{});
    lane.begin(4, LabelId{});
    for (std::uint64_t i = 0; i < instants; ++i)
      lane.instant(5 + i, LabelId{}, {{NameId{}, std::int64_t{7}}});
    EXPECT_TRUE(lane.end_earlier(0, 3, {{NameId{}, "why"}}));
    lane.store().seal();
    ASSERT_TRUE(lane.store().queue().has_sealed());
    EXPECT_EQ(lane.store().queue().pop_sealed().events.size(), 1u) << instants;
  }
}

// A thread gets its own chunks again, because they are still in the cache of the thread's core.
TEST(ChunkPool, ThreadsGetTheirOwnChunksAgain) {
  ChunkPool pool;
  auto of_maker = pool.acquire_events(), of_other = pool.acquire_events();
  EventChunk *const first = of_maker.get(), *const second = of_other.get();
  pool.give_back(std::move(of_maker));
  std::thread([&] {
    pool.give_back(std::move(of_other));
    of_other = pool.acquire_events();
    EXPECT_EQ(of_other.get(), second);
    pool.give_back(std::move(of_other));
  }).join();
  EXPECT_EQ((of_maker = pool.acquire_events()).get(), first);
  // This thread has no chunks of its own, so it gets the chunk that the other thread returned.
  EXPECT_EQ(pool.acquire_events().get(), second);
}

}  // namespace
}  // namespace convert
