// The fast path gives the same events as the slow path. This applies to single calls and to runs of calls.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "tests/model/lane_story.h"

namespace convert {
namespace {

using testing::ElementsAre;

class PlainCallsTest : public LaneStory {
 protected:
  PlainCall entry(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) {
    return {.time_ns = time_ns, .key = key, .depth = depth, .label = label, .is_end = 0, .mismatch = 0};
  }
  PlainCall exit(std::uint64_t time_ns, std::uint64_t key, std::size_t depth) {
    return {.time_ns = time_ns, .key = key, .depth = depth, .label = {}, .is_end = 1, .mismatch = 0};
  }
  static std::size_t add(Lane& lane, const std::vector<PlainCall>& calls, std::size_t from = 0) {
    return lane.add_run(calls.size() - from, [&](std::size_t i) { return calls[from + i]; });
  }
  // Adds plain calls in bulk, and all other calls one by one. Returns the number of calls that were added in
  // bulk.
  static std::size_t add_all(Lane& lane, const std::vector<PlainCall>& calls);

  LabelId label = names.intern_label("app", "f");
};

TEST_F(PlainCallsTest, FitTheOpenCallsAndTheTime) {
  lines_of([&](Lane& lane) {
    EXPECT_FALSE(lane.can_end(10, 0, 0)) << "none is open";
    EXPECT_TRUE(lane.can_begin(10, 0));
    lane.begin(10, label, 0xa);
    EXPECT_TRUE(lane.can_begin(12, 1));
    lane.begin(12, label, 0xb);
    EXPECT_FALSE(lane.can_end(14, 0xa, 1)) << "another function";
    EXPECT_FALSE(lane.can_end(14, 0xb, 0)) << "another depth";
    EXPECT_FALSE(lane.can_end(11, 0xb, 1)) << "back in time";
    EXPECT_FALSE(lane.can_end(kTimeLimitNs, 0xb, 1));
    EXPECT_TRUE(lane.can_end(14, 0xb, 1));
    lane.end(14);
    EXPECT_FALSE(lane.can_begin(13, 1)) << "back in time";
    EXPECT_FALSE(lane.can_begin(kTimeLimitNs, 1));
    EXPECT_FALSE(lane.can_begin(14, 2)) << "another depth";
    lane.end(14);
  });
}

// try_begin() and try_end() give the same events as begin() and end(), and release calls at the same times.
TEST_F(PlainCallsTest, ArgumentsWrittenInPlaceGiveTheSameEvents) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::uint64_t in_place = 0;
    const auto fill = [&](Lane& lane, bool tries) {
      std::mt19937_64 random(seed);
      lane.store().set_held_bytes_limit(3000);
      lane.store().skip_calls_before(seed % 5 == 0 ? 200 : 0);
      std::uint64_t time = 1;
      const auto arguments = [&] {
        Arguments all;
        for (std::uint64_t i = random() % (random() % 8 == 0 ? 17 : 4); i > 0; --i)
          all.add({names.intern("a"), std::string(random() % (random() % 30 == 0 ? 900 : 30), 'x')});
        return all;
      };
      for (int i = 0; i < 2000; ++i) {
        time += random() % 3;
        const bool ends = lane.depth() != 0 && (lane.depth() > 8 || random() % 2 == 0);
        const Arguments all = ends && random() % 2 == 0 ? Arguments() : arguments();
        const std::size_t most_words = all.words().size() + random() % 9;
        const auto put = [&](std::uint64_t* words) {
          return PackedArguments{std::ranges::copy(all.words(), words).out, all.size()};
        };
        if (!ends) {
          const std::uint64_t key = random();
          if (tries && lane.try_begin(time, label, key, most_words, put))
            ++in_place;
          else
            lane.begin(time, label, key, all);
        } else if (tries && lane.try_end(time, most_words, put)) {
          ++in_place;
        } else {
          lane.end(time, all);
        }
        if (random() % 50 == 0) lane.instant(time, names.intern_label("app", "i"));
      }
      while (lane.depth() != 0) lane.end(++time);
    };
    const auto expected = lines_of([&](Lane& lane) { fill(lane, false); });
    EXPECT_EQ(lines_of([&](Lane& lane) { fill(lane, true); }), expected) << "seed " << seed;
    EXPECT_GT(in_place, 1000u);
  }
}

TEST_F(PlainCallsTest, AddsCallsThatFit) {
  EXPECT_THAT(
      lines_of([&](Lane& lane) {
        lane.begin(5, label, 0xa);  // adds a chunk, because it is the first event
        EXPECT_EQ(add(lane, {entry(10, 0xb, 1), entry(10, 0xc, 2), exit(14, 0xc, 2), exit(15, 0xb, 1),
                             entry(15, 0xb, 1), exit(17, 0xb, 1), exit(20, 0xa, 0)}),
                  7u);
        EXPECT_EQ(lane.last_ns(), 20u);
        EXPECT_EQ(lane.depth(), 0u);
      }),
      ElementsAre("7/8 [5, 20] app:f", "7/8 [10, 15] app:f", "7/8 [10, 14] app:f", "7/8 [15, 17] app:f"));
}

TEST_F(PlainCallsTest, StopsBeforeACallThatDoesNotFit) {
  lines_of([&](Lane& lane) {
    lane.begin(5, label, 0xa);
    lane.begin(10, label, 0xb);
    const auto refuses = [&](const PlainCall& call) {
      EXPECT_EQ(add(lane, {call}), 0u);
      EXPECT_EQ(lane.depth(), 2u);
      EXPECT_EQ(lane.last_ns(), 10u);
    };
    refuses(entry(11, 0xc, 1));
    refuses(entry(11, 0xc, 3));
    refuses(entry(11, 0xc, ~std::size_t{0}));
    refuses(entry(9, 0xc, 2));
    refuses(entry(kTimeLimitNs, 0xc, 2));
    refuses(exit(11, 0xb, 0));
    refuses(exit(11, 0xb, 2));
    refuses(exit(11, 0xa, 1));
    refuses(exit(9, 0xb, 1));
    refuses(exit(kTimeLimitNs, 0xb, 1));
    refuses(exit(10, 0xb, 1));  // the call has zero length
    PlainCall odd = entry(11, 0xc, 2);
    odd.mismatch = std::uint64_t{1} << 63;
    refuses(odd);
    EXPECT_EQ(add(lane, {exit(11, 0xb, 1), odd, exit(12, 0xa, 0)}), 1u);
    lane.end(12);
  });
}

TEST_F(PlainCallsTest, AnEndBelongsToAPendingCall) {
  Arguments many;
  for (std::int64_t i = 0; i < 16; ++i) many.add({names.intern("a"), i});
  lines_of([&](Lane& lane) {
    EXPECT_EQ(add(lane, {exit(4, 0xa, 0)}), 0u) << "none is open";
    lane.begin(5, label, 0xa, many);  // written as a pair, because it has too many arguments
    EXPECT_EQ(add(lane, {exit(6, 0xa, 0)}), 0u);
    lane.begin(7, label, 0xb);
    lane.store().release_oldest();
    EXPECT_EQ(add(lane, {exit(8, 0xb, 1)}), 0u) << "its begin is emitted";
    lane.end(9);
    lane.end(9);
  });
}

TEST_F(PlainCallsTest, AreNotDeeperThanTheShownDepth) {
  lines_of(
      [&](Lane& lane) {
        lane.begin(5, label, 0xa);
        EXPECT_EQ(add(lane, {entry(6, 0xb, 1), entry(7, 0xc, 2)}), 1u);
        lane.begin(7, label, 0xc);
        EXPECT_EQ(add(lane, {exit(8, 0xc, 2)}), 0u) << "too deep";
        while (lane.depth() > 0) lane.end(9);
      },
      {.limits = kTestLanes.limits, .max_depth = 2});
  lines_of(
      [&](Lane& lane) {
        lane.begin(5, label, 0xa);
        EXPECT_EQ(add(lane, {entry(6, 0xb, 1)}), 0u) << "all calls are pairs";
        lane.end(9);
      },
      {.durations = DurationForm::Pairs});
}

// Returns random nested calls. Some of them need the slow path.
std::vector<PlainCall> random_calls(unsigned seed, LabelId label) {
  std::mt19937 random(seed);
  std::vector<PlainCall> calls;
  std::vector<std::uint64_t> open;
  std::uint64_t time_ns = 1;
  for (int i = 0; i < 3000; ++i) {
    time_ns += random() % 4;
    const bool is_end = !open.empty() && (random() % 2 == 0 || open.size() > 100);
    if (is_end) {
      calls.push_back(
          {.time_ns = time_ns, .key = open.back(), .depth = open.size() - 1, .label = {}, .is_end = 1});
      open.pop_back();
    } else {
      calls.push_back(
          {.time_ns = time_ns, .key = random() % 8, .depth = open.size(), .label = label, .is_end = 0});
      open.push_back(calls.back().key);
    }
  }
  while (!open.empty()) {
    calls.push_back(
        {.time_ns = ++time_ns, .key = open.back(), .depth = open.size() - 1, .label = {}, .is_end = 1});
    open.pop_back();
  }
  return calls;
}

// Adds one call on the slow path.
void add_one(Lane& lane, const PlainCall& call) {
  if (call.is_end != 0) {
    EXPECT_TRUE(lane.can_end(call.time_ns, call.key, call.depth));
    lane.end(call.time_ns);
  } else {
    EXPECT_TRUE(lane.can_begin(call.time_ns, call.depth));
    lane.begin(call.time_ns, call.label, call.key);
  }
}

std::size_t PlainCallsTest::add_all(Lane& lane, const std::vector<PlainCall>& calls) {
  std::size_t added = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::size_t count = add(lane, calls, i);
    added += count;
    i += count;
    if (i == calls.size()) break;
    add_one(lane, calls[i]);
  }
  return added;
}

TEST_F(PlainCallsTest, CallsInBulkGiveTheSameEventsAsOneByOne) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto calls = random_calls(seed, label);
    const LaneOptions options = {.limits = kTestLanes.limits, .max_depth = seed % 2 == 0 ? 512u : 8u};
    const auto each = lines_of(
        [&](Lane& lane) {
          for (const PlainCall& call : calls) add_one(lane, call);
        },
        options);
    std::size_t added = 0;
    const auto bulk = lines_of([&](Lane& lane) { added = add_all(lane, calls); }, options);
    EXPECT_EQ(bulk, each);
    EXPECT_GT(added, 200U);
  }
}

// True if a line is a complete call that ends before `time_ns`.
bool is_over(const std::string& line, std::uint64_t time_ns) {
  const auto comma = line.find(", ");
  return comma != std::string::npos && std::stoull(line.substr(comma + 2)) < time_ns;
}

TEST_F(PlainCallsTest, SkippedCallsAreNotEmitted) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto calls = random_calls(seed, label);
    const LaneOptions options = {.limits = kTestLanes.limits, .max_depth = seed % 2 == 0 ? 512u : 8u};
    const std::uint64_t needed_ns = calls[calls.size() / 2].time_ns;
    const auto all = lines_of([&](Lane& lane) { add_all(lane, calls); }, options);
    std::uint64_t skipped = 0;
    const auto needed = lines_of(
        [&](Lane& lane) {
          lane.store().skip_calls_before(needed_ns);
          add_all(lane, calls);
          skipped = lane.store().counters().skipped_calls;
        },
        options);
    EXPECT_GT(skipped, 40U);
    EXPECT_EQ(all.size() - needed.size(), skipped);
    auto next = needed.begin();
    for (const std::string& line : all) {
      if (next != needed.end() && *next == line)
        ++next;
      else
        EXPECT_TRUE(is_over(line, needed_ns)) << line;
    }
    EXPECT_EQ(next, needed.end());
    EXPECT_EQ(needed.front(), all.front());
  }
}

TEST_F(PlainCallsTest, CallsThatLastUntilTheNeededTimeAreEmitted) {
  EXPECT_THAT(
      lines_of([&](Lane& lane) {
        lane.begin(5, label, 0xa);
        lane.store().skip_calls_before(20);
        const std::vector calls{entry(10, 0xb, 1), entry(11, 0xc, 2), exit(12, 0xc, 2),
                                entry(13, 0xd, 2), exit(20, 0xd, 2),  exit(21, 0xb, 1),
                                entry(22, 0xb, 1), exit(23, 0xb, 1),  exit(24, 0xa, 0)};
        EXPECT_EQ(add(lane, calls), 4u) << "up to the time that is needed";
        EXPECT_EQ(lane.store().counters().skipped_calls, 1u);
        EXPECT_EQ(lane.last_ns(), 13u);
        EXPECT_EQ(add(lane, calls, 4), 0u) << "the first one after that time needs the slow path";
        lane.end(20);
        EXPECT_EQ(add(lane, calls, 5), 4u);
      }),
      ElementsAre("7/8 [5, 24] app:f", "7/8 [10, 21] app:f", "7/8 [13, 20] app:f", "7/8 [22, 23] app:f"));
}

TEST_F(PlainCallsTest, StopsBeforeACallThatDoesNotFitEvenIfCallsAreSkipped) {
  lines_of([&](Lane& lane) {
    lane.begin(5, label, 0xa);
    lane.store().skip_calls_before(1000);
    PlainCall odd = entry(11, 0xc, 1);
    odd.mismatch = 1;
    for (const PlainCall& call : {entry(11, 0xc, 0), entry(11, 0xc, 2), entry(9, 0xc, 1), odd}) {
      EXPECT_EQ(add(lane, {entry(10, 0xb, 1), exit(10, 0xb, 1)}), 1u) << "of zero length";
      lane.end(10);
      EXPECT_EQ(add(lane, {call}), 0u);
      EXPECT_EQ(lane.depth(), 1u);
    }
    EXPECT_EQ(add(lane, {entry(11, 0xb, 1), exit(12, 0xc, 1)}), 1u) << "of another one";
    EXPECT_EQ(add(lane, {entry(13, 0xd, 2), exit(14, 0xd, 2), exit(15, 0xb, 1)}), 3u)
        << "a call that was open before";
    EXPECT_EQ(lane.store().counters().skipped_calls, 2u);
    lane.end(16);
  });
}

}  // namespace
}  // namespace convert
