// Each task of a round is done once. A worker never has two tasks at the same time.
#include "converters/model/merging/workers.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace convert {
namespace {

TEST(Workers, EveryTaskIsDoneOnce) {
  for (const std::size_t jobs : {1u, 2u, 5u}) {
    Workers workers(jobs);
    EXPECT_EQ(workers.jobs(), jobs);
    for (int round = 0; round < 200; ++round) {
      const auto count = static_cast<std::size_t>(round % 9);
      std::vector<std::atomic<int>> done(count), busy(jobs);
      std::atomic<bool> is_alone = true;
      workers.start(count, [&](std::size_t task, std::size_t worker) {
        if (busy.at(worker)++ != 0) is_alone = false;
        ++done.at(task);
        --busy.at(worker);
      });
      workers.finish();
      for (const auto& times : done) EXPECT_EQ(times, 1);
      EXPECT_TRUE(is_alone);
    }
  }
}

TEST(Workers, WithOneJobFinishDoesAllTasks) {
  Workers workers(1);
  int done = 0;
  workers.start(3, [&](std::size_t, std::size_t worker) {
    EXPECT_EQ(worker, 0u);
    ++done;
  });
  EXPECT_EQ(done, 0);
  workers.finish();
  EXPECT_EQ(done, 3);
}

TEST(Workers, FinishThrowsTheExceptionOfTheFirstFailedTask) {
  for (const std::size_t jobs : {1u, 3u}) {
    Workers workers(jobs);
    std::atomic<int> done = 0;
    workers.start(20, [&](std::size_t task, std::size_t) {
      ++done;
      if (task % 7 == 5) throw std::invalid_argument(std::to_string(task));
    });
    EXPECT_THAT([&] { workers.finish(); }, testing::ThrowsMessage<std::invalid_argument>("5"));
    EXPECT_EQ(done, 20);
    workers.start(1, [&](std::size_t, std::size_t) { ++done; });
    workers.finish();
    EXPECT_EQ(done, 21) << "a failure does not end the next round";
  }
}

// If the merge throws, Workers is destroyed in the middle of a round. The destructor waits for running tasks,
// and starts no other task.
TEST(Workers, CanEndInTheMiddleOfARound) {
  std::atomic<int> done = 0;
  {
    Workers workers(3);
    workers.start(100, [&](std::size_t, std::size_t) { ++done; });
  }
  EXPECT_LE(done, 100);
}

}  // namespace
}  // namespace convert
