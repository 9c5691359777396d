// Tests on which tracks frames are shown.
#include "converters/tfile/threads/thread_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(ThreadTracks, ThereIsOnePerClue) {
  ThreadTracks tracks;
  EXPECT_EQ(tracks.track_of(ThreadClue::Pid, 7), 0u);
  EXPECT_EQ(tracks.track_of(ThreadClue::Cpu, 7), 1u);
  EXPECT_EQ(tracks.track_of(ThreadClue::Pid, 8), 2u);
  EXPECT_EQ(tracks.track_of(ThreadClue::Pid, 7), 0u);
  EXPECT_EQ(tracks.all()[0].id, 7u) << "a pid is an id";
  EXPECT_EQ(tracks.all()[1].id, 0u) << "a CPU is none";
}

TEST(ThreadTracks, ThreadsBeyondTheLimitShareATrack) {
  ThreadTracks tracks;
  for (std::uint64_t pid = 0; pid < ThreadTracks::kMaxTracks; ++pid) tracks.track_of(ThreadClue::Pid, pid);
  EXPECT_EQ(tracks.frames_without_own(), 0u);
  const std::size_t shared = tracks.track_of(ThreadClue::Pid, ThreadTracks::kMaxTracks);
  EXPECT_EQ(tracks.all()[shared].clue, ThreadClue::None);
  EXPECT_EQ(tracks.track_of(ThreadClue::Cpu, 0), shared);
  EXPECT_EQ(tracks.track_of(ThreadClue::Pid, 0), 0u);
  EXPECT_EQ(tracks.frames_without_own(), 2u);
}

class NearStacks : public testing::Test {
 protected:
  std::vector<std::size_t> tracks_of(std::initializer_list<std::uint64_t> stack_pointers) {
    ThreadTracks tracks;
    std::vector<std::size_t> found;
    for (const std::uint64_t stack_pointer : stack_pointers) {
      found.push_back(tracks.near_stack(stack_pointer).value());
      tracks.add_stack_pointer(found.back(), stack_pointer);
    }
    return found;
  }
};

// A stack pointer belongs to a thread if it is at most 1 MiB from the thread's stack.
TEST_F(NearStacks, GrowByOneMebibyteAtATime) {
  EXPECT_THAT(tracks_of({0x1000'0000, 0x1010'0000, 0x1020'0000}), ElementsAre(0, 0, 0));
  EXPECT_THAT(tracks_of({0x1000'0000, 0x1010'0001}), ElementsAre(0, 1));
  EXPECT_THAT(tracks_of({0x1000'0000, 0x0ff0'0000, 0x0fe0'0000}), ElementsAre(0, 0, 0));
  EXPECT_THAT(tracks_of({0x1000'0000, 0x0fef'ffff}), ElementsAre(0, 1));
  EXPECT_THAT(tracks_of({0x1000'0000, 0x2000'0000, 0x1000'1000, 0x2000'1000, 0x2000'2000}),
              ElementsAre(0, 1, 0, 1, 1));
}

TEST_F(NearStacks, MoreThan256ThreadsAreNotDistinguished) {
  ThreadTracks tracks;
  for (std::uint64_t i = 1; i <= 256; ++i)
    tracks.add_stack_pointer(tracks.near_stack(i * 0x80'0000).value(), i * 0x80'0000);
  EXPECT_THAT(tracks.all(), SizeIs(256));
  EXPECT_FALSE(tracks.near_stack(0x1'0000'0000));
  EXPECT_EQ(tracks.near_stack(0x80'0000), 0u);
}

// Two threads with stacks at 1 GiB and 2 GiB. guess() adds a track with the stack pointers `low` and `high`,
// whose thread is unknown.
class MergedTracks : public testing::Test {
 protected:
  MergedTracks() {
    for (const std::uint64_t thread : {1u, 2u})
      tracks_.add_stack_pointer(tracks_.track_of(ThreadClue::ThreadPointer, thread), thread * 0x4000'0000);
  }
  void guess(std::uint64_t low, std::uint64_t high) {
    const std::size_t guessed = tracks_.near_stack(low).value();
    tracks_.add_stack_pointer(guessed, low);
    tracks_.add_stack_pointer(guessed, high);
  }
  ThreadTracks tracks_;
};

TEST_F(MergedTracks, HaveTheStackOfTheirThread) {
  guess(0x8010'0000, 0x8010'0000);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 1));
}

TEST_F(MergedTracks, AreNotFarFromTheirThread) {
  guess(0x8010'0001, 0x8010'0001);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 2));
}

TEST_F(MergedTracks, AreNotNearTwoThreads) {
  guess(0x4000'0000, 0x8000'0000);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 2));
}

TEST_F(MergedTracks, HaveTheIdOfTheirThread) {
  tracks_.add_id(1, 4711);
  tracks_.track_of(ThreadClue::Collected, 4711);
  tracks_.track_of(ThreadClue::Collected, 4712);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 1, 3));
  tracks_.add_id(1, 4711);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 1, 3));
  tracks_.add_id(1, 4713);
  EXPECT_THAT(tracks_.merged(), ElementsAre(0, 1, 2, 3)) << "what was collected is no id";
}

TEST(ThreadTracks, UnknownThreadsAreMergedIntoTheOnlyThread) {
  ThreadTracks tracks;
  tracks.track_of(ThreadClue::None, 0);
  EXPECT_THAT(tracks.merged(), ElementsAre(0));
  tracks.track_of(ThreadClue::Pid, 7);
  EXPECT_THAT(tracks.merged(), ElementsAre(1, 1));
  tracks.track_of(ThreadClue::Pid, 8);
  EXPECT_THAT(tracks.merged(), ElementsAre(0, 1, 2));
}

TEST(ThreadTracks, UnknownThreadsAreNotMergedIntoTheOnlyCpu) {
  ThreadTracks tracks;
  tracks.track_of(ThreadClue::None, 0);
  tracks.track_of(ThreadClue::Cpu, 0);
  EXPECT_THAT(tracks.merged(), ElementsAre(0, 1));
}

// Perfetto shows only the start of a long name. Therefore, a name has only as many of the last digits as
// needed.
TEST(ThreadTracks, AreNamedByTheDigitsThatDiffer) {
  ThreadTracks tracks;
  const auto names = [&] { return names_of(tracks.all(), tracks.merged()); };
  tracks.track_of(ThreadClue::ThreadPointer, 0x7fff'f7dd'0740);
  EXPECT_THAT(names(), ElementsAre("thread 1 (…dd0740)"));
  tracks.track_of(ThreadClue::ThreadPointer, 0x7fff'f75c'f6c0);
  EXPECT_THAT(names(), ElementsAre("thread 1 (…dd0740)", "thread 2 (…5cf6c0)"));
  tracks.track_of(ThreadClue::ThreadPointer, 0x7fff'c75c'f6c0);
  EXPECT_THAT(names(), ElementsAre("thread 1 (…f7dd0740)", "thread 2 (…f75cf6c0)", "thread 3 (…c75cf6c0)"));
  tracks.track_of(ThreadClue::ThreadPointer, 0x80);
  EXPECT_EQ(names().back(), "thread 4 (0x80)");
}

TEST(ThreadTracks, HaveTheNumbersThatAreFree) {
  ThreadTracks tracks;
  tracks.track_of(ThreadClue::Cpu, 0);
  tracks.track_of(ThreadClue::Collected, 2);
  for (const std::uint64_t thread : {0x1000U, 0x2000U, 0x3000U})
    tracks.track_of(ThreadClue::ThreadPointer, thread);
  tracks.add_id(3, 4711);
  EXPECT_THAT(names_of(tracks.all(), tracks.merged()),
              ElementsAre("cpu 0", "thread 2", "thread 3 (0x1000)", "thread 4711", "thread 4 (0x3000)"));
}

}  // namespace
}  // namespace convert::tfile
