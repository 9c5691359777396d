// Each task of a round is done once, and a worker never has two tasks at the same time.
#include "converters/model/merging/workers.h"

#include <atomic>
#include <gtest/gtest.h>
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

// If the merge throws, Workers is destroyed during a round. It waits for running tasks and starts no others.
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
