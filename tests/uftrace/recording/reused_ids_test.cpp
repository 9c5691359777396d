#include "converters/uftrace/recording/reused_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

// Finds the tasks that used the same id in turn. timestamp=0.000000005 is a time of 5 ns.
class ReusedIdsTest : public testing::Test {
 protected:
  ReusedIds read(std::string_view text, const ReusedIds::Forks& forks = {}) {
    events_ = parse_task_text(text, "task.txt", notes_);
    asks_for_forks_ = ReusedIds::asks_for_forks(events_);
    return ReusedIds(events_, forks);
  }
  // Returns the start of each task that had the id.
  static std::vector<std::uint64_t> begins(const ReusedIds& ids, std::uint64_t id) {
    std::vector<std::uint64_t> begins;
    for (const ReusedIds::Owner& owner : ids.owners_of(ThreadId{id})) begins.push_back(owner.begin_ns);
    return begins;
  }

  Notes notes_;
  std::vector<TaskEvent> events_;
  bool asks_for_forks_ = false;
};

constexpr std::string_view kProgram =
    "SESS timestamp=0.000000001 pid=3 sid=aa exename=\"/bin/a\"\nTASK timestamp=0.000000002 tid=3 pid=3\n";

TEST_F(ReusedIdsTest, TwoThreadsAndAProcessMayHaveOneId) {
  const ReusedIds ids =
      read(std::string(kProgram) +
           "TASK timestamp=0.000000010 tid=5 pid=3\nTASK timestamp=0.000000020 tid=5 pid=3\n"
           "FORK timestamp=0.000000030 pid=5 ppid=3\n");
  EXPECT_TRUE(ids.has_any());
  EXPECT_THAT(begins(ids, 5), ElementsAre(0, 20, 30));
  EXPECT_THAT(begins(ids, 3), ElementsAre(0));
  EXPECT_EQ(ids.at(ThreadId{5}, 19), ThreadId{5});
  EXPECT_NE(ids.at(ThreadId{5}, 20), ThreadId{5});
  EXPECT_NE(ids.at(ThreadId{5}, 30), ids.at(ThreadId{5}, 20));
  EXPECT_EQ(recorded(ids.at(ThreadId{5}, 30)), ThreadId{5});
  EXPECT_EQ(ids.at(ThreadId{6}, 30), ThreadId{6});
  EXPECT_EQ(events_[4],
            TaskEvent(Fork{.time_ns = 30, .child = ids.at(ProcessId{5}, 30), .parent = ProcessId{3}}));
}

// The lines of task.txt may have any order.
TEST_F(ReusedIdsTest, ChildrenWithOneIdHaveTheirOwnThreads) {
  const ReusedIds ids =
      read(std::string(kProgram) +
           "FORK timestamp=0.000000030 pid=5 ppid=3\nFORK timestamp=0.000000010 pid=5 ppid=3\n"
           "TASK timestamp=0.000000035 tid=6 pid=5\nTASK timestamp=0.000000015 tid=6 pid=5\n"
           "FORK timestamp=0.000000036 pid=7 ppid=5\n");
  EXPECT_THAT(begins(ids, 5), ElementsAre(0, 30));
  EXPECT_THAT(begins(ids, 6), ElementsAre(0, 35));
  const ProcessId second = ids.at(ProcessId{5}, 30);
  EXPECT_EQ(events_[4], TaskEvent(TaskStart{.time_ns = 35, .tid = ids.at(ThreadId{6}, 35), .pid = second}));
  EXPECT_EQ(events_[5], TaskEvent(TaskStart{.time_ns = 15, .tid = ThreadId{6}, .pid = ProcessId{5}}));
  EXPECT_EQ(events_[6], TaskEvent(Fork{.time_ns = 36, .child = ProcessId{7}, .parent = second}));
}

TEST_F(ReusedIdsTest, AThreadAndASpawnedProgramMayHaveOneId) {
  const ReusedIds ids = read(std::string(kProgram) +
                             "TASK timestamp=0.000000010 tid=5 pid=3\n"
                             "SESS timestamp=0.000000020 pid=5 sid=bb exename=\"/bin/b\"\n"
                             "TASK timestamp=0.000000021 tid=5 pid=5\n");
  EXPECT_THAT(begins(ids, 5), ElementsAre(0, 20));
}

TEST_F(ReusedIdsTest, AnExecDoesNotStartAnotherTask) {
  EXPECT_FALSE(read(std::string(kProgram) + "SESS timestamp=0.000000010 pid=3 sid=bb exename=\"/bin/b\"\n"
                                            "TASK timestamp=0.000000011 tid=3 pid=3\n")
                   .has_any());
  EXPECT_FALSE(read(std::string(kProgram) + "FORK timestamp=0.000000010 pid=5 ppid=3\n"
                                            "SESS timestamp=0.000000020 pid=5 sid=bb exename=\"/bin/b\"\n"
                                            "TASK timestamp=0.000000021 tid=5 pid=5\n")
                   .has_any());
  EXPECT_FALSE(read(std::string(kProgram) +
                    "TASK timestamp=0.000000010 tid=5 pid=5\nFORK timestamp=0.000000011 pid=5 ppid=3\n")
                   .has_any())
      << "one process, whose FORK line comes second";
}

TEST_F(ReusedIdsTest, ATaskBeginsAtTheForkAndNotAtItsLine) {
  const ReusedIds ids =
      read(std::string(kProgram) +
               "TASK timestamp=0.000000010 tid=5 pid=3\nTASK timestamp=0.000000020 tid=5 pid=3\n"
               "FORK timestamp=0.000000030 pid=5 ppid=3\nFORK timestamp=0.000000040 pid=5 ppid=3\n",
           {{ThreadId{5}, {9, 17, 18, 35, 45}}, {ThreadId{6}, {19}}});
  EXPECT_TRUE(asks_for_forks_);
  EXPECT_THAT(begins(ids, 5), ElementsAre(0, 18, 30, 35));
}

// posix_spawn writes no FORK line. If a spawned program reuses an id, only a fork event in a perf file shows
// that the program is a different task. Without this event, it looks like an exec.
TEST_F(ReusedIdsTest, SpawnedProgramsWithOneIdAreDifferentTasks) {
  const std::string lines = std::string(kProgram) +
                            "SESS timestamp=0.000000020 pid=5 sid=bb exename=\"/bin/b\"\n"
                            "TASK timestamp=0.000000021 tid=5 pid=5\n"
                            "SESS timestamp=0.000000030 pid=5 sid=cc exename=\"/bin/c\"\n"
                            "TASK timestamp=0.000000031 tid=5 pid=5\n";
  const ReusedIds ids = read(lines, {{ThreadId{5}, {19, 28}}});
  EXPECT_TRUE(asks_for_forks_);
  EXPECT_THAT(begins(ids, 5), ElementsAre(0, 28));
  EXPECT_EQ(events_[5], TaskEvent(TaskStart{
                            .time_ns = 31, .tid = ids.at(ThreadId{5}, 31), .pid = ids.at(ProcessId{5}, 31)}));
  EXPECT_FALSE(read(lines, {{ThreadId{5}, {19}}}).has_any()) << "an exec";
  EXPECT_FALSE(read(lines).has_any()) << "no perf files";
}

TEST_F(ReusedIdsTest, ForksAreNotNeededIfEachProcessHasOneProgram) {
  read(std::string(kProgram) +
       "FORK timestamp=0.000000010 pid=5 ppid=3\n"
       "SESS timestamp=0.000000020 pid=5 sid=bb exename=\"/bin/b\"\n"
       "TASK timestamp=0.000000021 tid=5 pid=5\nTASK timestamp=0.000000022 tid=6 pid=5\n");
  EXPECT_FALSE(asks_for_forks_);
}

}  // namespace
}  // namespace convert::uftrace
