// Tests that the number of threads does not change the merged events, that sources wait for shared sources,
// and that the failure of the first failed source is reported.
#include "converters/model/merging/merge_loop.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/timeline.h"
#include "tests/model/event_text.h"

namespace convert {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Emits calls of random depth and length on its lanes, at random times.
class Babble : public Source {
 public:
  Babble(std::vector<Lane*> lanes, LabelId label, unsigned seed, int events)
      : lanes_(std::move(lanes)), label_(label), random_(seed), left_(events) {}

  bool pump(const PumpBudget& budget) override {
    for (std::size_t emitted = 0; emitted < budget.bytes && left_ > 0;
         emitted += sizeof(PendingEvent), --left_) {
      now_ += random_() % 3 == 0 ? random_() % 1000 : 0;
      Lane& lane = *lanes_[random_() % lanes_.size()];
      if (lane.depth() > 0 && random_() % 2 == 0)
        lane.end(now_, random_() % 4 == 0 ? Arguments{{NameId{0}, std::uint64_t{random_()}}} : Arguments{});
      else if (random_() % 5 == 0)
        lane.instant(now_, label_, {{NameId{0}, std::string(random_() % 900, 'x')}});
      else
        lane.begin(now_, label_, 0, random_() % 4 == 0 ? Arguments{{NameId{0}, 1.5}} : Arguments{});
    }
    if (left_ > 0) return true;
    for (Lane* lane : lanes_)
      while (lane->depth() > 0) lane->end(now_);
    return false;
  }
  std::uint64_t watermark_ns() const override { return now_; }

 private:
  std::vector<Lane*> lanes_;
  LabelId label_;
  std::mt19937 random_;
  int left_;
  std::uint64_t now_ = 0;
};

class MergeLoopTest : public testing::Test {
 protected:
  Lane& add_lane(Timeline& timeline, std::uint64_t tid) {
    return timeline.add_lane({.process = ProcessId{1},
                              .thread = static_cast<ThreadId>(tid),
                              .process_name = {},
                              .thread_name = {}});
  }
  std::vector<std::string> babble(std::size_t jobs, std::size_t lookahead) {
    Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = lookahead, .jobs = jobs}, notes);
    timeline.begin_input("a");
    std::uint64_t tid = 0;
    for (unsigned source = 0; source < 7; ++source) {
      std::vector<Lane*> lanes;
      for (unsigned i = 0; i <= source % 3; ++i) lanes.push_back(&add_lane(timeline, ++tid));
      timeline.add_source(std::make_unique<Babble>(lanes, f, source, 2000), lanes);
    }
    EventText text(names);
    timeline.run(text, [] {});
    return text.lines();
  }

  Names names;
  Notes notes;
  NameId x = names.intern("x");
  LabelId f = names.intern_label("app", "f");
};

TEST_F(MergeLoopTest, TheNumberOfThreadsChangesNothing) {
  for (const std::size_t lookahead : {std::size_t{1}, std::size_t{60'000}, std::size_t{16} << 20}) {
    const auto alone = babble(1, lookahead);
    ASSERT_GT(alone.size(), 10'000u);
    for (const std::size_t jobs : {2u, 3u, 8u}) EXPECT_THAT(babble(jobs, lookahead), ElementsAreArray(alone));
  }
}

// A Ticker delivers increasing times to a Queue. The source Fed emits an instant at each of these times.
struct Queue {
  std::vector<std::uint64_t> times;
};

class Ticker : public SharedSource {
 public:
  Ticker(Queue& queue, std::vector<std::uint64_t> times) : queue_(queue), times_(std::move(times)) {}
  bool pump(const PumpBudget&) override {
    staged_.push_back(times_[next_++]);
    return next_ < times_.size();
  }
  void deliver() override {
    queue_.times.insert(queue_.times.end(), staged_.begin(), staged_.end());
    staged_.clear();
  }
  std::uint64_t watermark_ns() const override { return times_[next_]; }
  std::size_t waiting_bytes() const override { return queue_.times.size() * kMessageBytes; }

  static constexpr std::size_t kMessageBytes = 1000;

 private:
  Queue& queue_;
  std::vector<std::uint64_t> times_;
  std::size_t next_ = 0;
  std::vector<std::uint64_t> staged_;
};

// Emits an instant at each time in its queue. If `begin_ns` is not 0, also emits a call from `begin_ns` to
// `end_ns`.
class Fed : public Source {
 public:
  Fed(Lane& lane, Queue& queue, LabelId label, std::uint64_t begin_ns, std::uint64_t end_ns)
      : lane_(lane), queue_(queue), label_(label), end_ns_(end_ns) {
    if (begin_ns != 0) lane_.begin(begin_ns, label_);
  }
  bool pump(const PumpBudget& budget) override {
    const std::uint64_t until_ns = std::min(budget.delivered_until_ns, end_ns_);
    std::size_t emitted = 0;
    for (; emitted < queue_.times.size() && queue_.times[emitted] < until_ns; ++emitted)
      lane_.instant(queue_.times[emitted], label_);
    queue_.times.erase(queue_.times.begin(), queue_.times.begin() + static_cast<std::ptrdiff_t>(emitted));
    watermark_ns_ = until_ns;
    if (budget.delivered_until_ns <= end_ns_) return true;
    if (lane_.depth() > 0) lane_.end(end_ns_);
    return false;
  }
  std::uint64_t watermark_ns() const override { return watermark_ns_; }

 private:
  Lane& lane_;
  Queue& queue_;
  LabelId label_;
  std::uint64_t end_ns_, watermark_ns_ = 0;
};

// Adds a shared source that delivers `times`, and a source that emits an instant at each of these times
// before `end_ns`.
template <typename Source = Fed>
void add_fed(Timeline& timeline, Lane& lane, LabelId label, Queue& queue, std::vector<std::uint64_t> times,
             std::uint64_t end_ns) {
  timeline.add_source(std::make_unique<Source>(lane, queue, label, 0, end_ns), {&lane});
  timeline.add_shared_source(std::make_unique<Ticker>(queue, std::move(times)));
}

std::vector<std::uint64_t> times_up_to(std::uint64_t last_ns) {
  std::vector<std::uint64_t> times(last_ns);
  std::iota(times.begin(), times.end(), 1);
  return times;
}

TEST_F(MergeLoopTest, SourcesWaitForSharedSources) {
  for (const std::size_t jobs : {1u, 3u}) {
    Timeline timeline({.lanes = kTestLanes, .jobs = jobs}, notes);
    timeline.begin_input("fed");
    Queue queue;
    Lane& lane = add_lane(timeline, 1);
    timeline.add_source(std::make_unique<Fed>(lane, queue, f, 10, 50), {&lane});
    timeline.add_shared_source(std::make_unique<Ticker>(queue, std::vector<std::uint64_t>{20, 30, 40}));
    timeline.begin_input("free");
    Queue none;
    Lane& other = add_lane(timeline, 2);
    timeline.add_source(std::make_unique<Fed>(other, none, f, 15, 35), {&other});
    EventText text(names);
    timeline.run(text, [] {});
    EXPECT_THAT(text.lines(), ElementsAre("1/1 [10, 50] app:f", "1073741824/2 [15, 35] app:f",
                                          "1/1 @20 app:f", "1/1 @30 app:f", "1/1 @40 app:f"));
  }
}

// Emits nothing in two of three pumps.
class SlowlyFed : public Fed {
 public:
  using Fed::Fed;
  bool pump(const PumpBudget& budget) override { return ++pumped_ % 3 != 0 || Fed::pump(budget); }

 private:
  unsigned pumped_ = 0;
};

TEST_F(MergeLoopTest, SharedSourcesReadOneBlockAhead) {
  constexpr std::size_t kBlocks = 100;
  const auto rounds_with = [&]<typename Source>() {
    Timeline timeline({.lanes = kTestLanes}, notes);
    timeline.begin_input("fed");
    Queue queue;
    add_fed<Source>(timeline, add_lane(timeline, 1), f, queue, times_up_to(kBlocks), 5000);
    EventText text(names);
    std::size_t rounds = 0;
    timeline.run(text, [&] {
      ++rounds;
      EXPECT_LE(queue.times.size(), 2u);
    });
    EXPECT_EQ(text.lines().size(), kBlocks);
    return rounds;
  };
  EXPECT_LE(rounds_with.operator()<Fed>(), kBlocks + 3) << "both in the same rounds";
  EXPECT_LE(rounds_with.operator()<SlowlyFed>(), 3 * kBlocks + 9);
}

// While a call is pending, the merge waits, and data of shared sources fill their queues. If the queues reach
// a limit, the call is released.
TEST_F(MergeLoopTest, TheDataOfSharedSourcesIsLimited) {
  Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 5 * Ticker::kMessageBytes}, notes);
  timeline.begin_input("fed");
  Queue queue, none;
  Lane& waits = add_lane(timeline, 1);
  timeline.add_source(std::make_unique<Fed>(waits, none, f, 1, 5000), {&waits});
  std::vector<std::uint64_t> times;
  for (std::uint64_t time = 10; time < 4000; time += 10) times.push_back(time);
  add_fed(timeline, add_lane(timeline, 2), f, queue, times, 4000);
  std::size_t most = 0;
  EventText text(names);
  timeline.run(text, [&] { most = std::max(most, queue.times.size()); });
  EXPECT_EQ(text.lines().size(), 2 + times.size()) << "the call is a pair";
  EXPECT_EQ(text.lines().front(), "1/1 [1 app:f");
  EXPECT_LE(most, 7u);
}

// Emits consecutive instants from `begin_ns` on. Records the byte budget of each pump in `pumped`.
class Instants : public Source {
 public:
  Instants(Lane& lane, LabelId label, std::uint64_t begin_ns, std::vector<std::size_t>& pumped,
           std::uint64_t count = 2000)
      : lane_(lane),
        label_(label),
        begin_ns_(begin_ns),
        now_(begin_ns),
        end_ns_(begin_ns + count),
        pumped_(pumped) {}
  bool pump(const PumpBudget& budget) override {
    pumped_.push_back(budget.bytes);
    for (std::size_t bytes = 0; bytes < budget.bytes && now_ < end_ns_; bytes += sizeof(PendingEvent))
      lane_.instant(now_++, label_);
    return now_ < end_ns_;
  }
  std::uint64_t watermark_ns() const override { return now_; }
  std::uint64_t begin_ns() const override { return begin_ns_; }

 private:
  Lane& lane_;
  LabelId label_;
  std::uint64_t begin_ns_, now_, end_ns_;
  std::vector<std::size_t>& pumped_;
};

TEST_F(MergeLoopTest, AnUnneededSharedSourceIsNotRead) {
  Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 1}, notes);
  timeline.begin_input("fed");
  Queue queue;
  add_fed(timeline, add_lane(timeline, 1), f, queue, times_up_to(100), 5);
  timeline.begin_input("other");
  Lane& other = add_lane(timeline, 2);
  std::vector<std::size_t> pumped;
  timeline.add_source(std::make_unique<Instants>(other, f, 0, pumped), {&other});
  EventText text(names);
  timeline.run(text, [&] { EXPECT_LE(queue.times.size(), 2u); });
  EXPECT_GT(pumped.size(), 10U);
}

// Emits one blob of `bytes` in each pump, from `begin_ns` on. Counts these blobs in `emitted`.
class Blobs : public Source {
 public:
  Blobs(Lane& lane, std::uint64_t begin_ns, std::size_t bytes, std::size_t& emitted)
      : lane_(lane), now_(begin_ns), bytes_(bytes), emitted_(emitted) {}
  bool pump(const PumpBudget&) override {
    lane_.blob(now_++, "memory", bytes_);
    return ++emitted_ < 1000;
  }
  std::uint64_t watermark_ns() const override { return now_; }

 private:
  Lane& lane_;
  std::uint64_t now_;
  std::vector<std::byte> bytes_;
  std::size_t& emitted_;
};

// While the merge takes events from the early input, the late input is read ahead only up to a limit. Blobs
// in lanes count for this limit.
TEST_F(MergeLoopTest, BytesOfWaitingBlobsAreCounted) {
  constexpr std::size_t kLookahead = std::size_t{1} << 20, kBlobBytes = std::size_t{64} << 10;
  Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = kLookahead}, notes);
  timeline.begin_input("early");
  Lane& early = add_lane(timeline, 1);
  std::vector<std::size_t> pumped;
  timeline.add_source(std::make_unique<Instants>(early, f, 0, pumped, 100'000), {&early});
  timeline.begin_input("late");
  Lane& late = add_lane(timeline, 2);
  std::size_t emitted = 0;
  timeline.add_source(std::make_unique<Blobs>(late, 200'000, kBlobBytes, emitted), {&late});
  EventText text(names);
  std::size_t most = 0;
  timeline.run(text, [&] {
    if (text.lines().size() < 100'000) most = std::max(most, emitted);
  });
  EXPECT_GT(pumped.size(), 20U);
  EXPECT_LE(most * kBlobBytes, kLookahead);
  EXPECT_EQ(emitted, 1000U);
}

// Emits nothing in the first pump. Calls `fill` in the second pump.
class TwoPumps : public Source {
 public:
  TwoPumps(Lane& lane, std::function<void(Lane&)> fill, std::uint64_t watermark_ns)
      : lane_(lane), fill_(std::move(fill)), watermark_ns_(watermark_ns) {}
  bool pump(const PumpBudget&) override {
    if (pumps_++ == 0) return true;
    fill_(lane_);
    return false;
  }
  std::uint64_t watermark_ns() const override { return watermark_ns_; }

 private:
  Lane& lane_;
  std::function<void(Lane&)> fill_;
  std::uint64_t watermark_ns_;
  int pumps_ = 0;
};

TEST_F(MergeLoopTest, ABrokenContractIsAnErrorThatNamesTheInput) {
  // Returns the error, up to its first semicolon. The source promises that no event is before `watermark_ns`.
  const auto broken = [&](const std::function<void(Lane&)>& fill, std::uint64_t watermark_ns = 0) {
    Timeline timeline({.lanes = kTestLanes}, notes);
    timeline.begin_input("a.trace");
    Lane& lane = add_lane(timeline, 1);
    timeline.add_source(std::make_unique<TwoPumps>(lane, fill, watermark_ns), {&lane});
    EventText text(names);
    try {
      timeline.run(text, [] {});
    } catch (const InputError& error) {
      const std::string_view what = error.what();
      return std::string(what.substr(0, what.find(';')));
    }
    return std::string();
  };
  EXPECT_EQ(broken([&](Lane& lane) { lane.instant(5, f); }, 5), "");
  EXPECT_EQ(broken([&](Lane& lane) {
              lane.begin(1, f);
              lane.begin(2, f);
            }),
            "a.trace: at the end, 2 calls of a thread are open");
  EXPECT_EQ(broken([&](Lane& lane) {
              lane.instant(7, f);
              lane.instant(6, f);
            }),
            "a.trace: an event at 6 ns comes after an event at 7 ns");
  EXPECT_EQ(broken([&](Lane& lane) {
              lane.begin(7, f);
              lane.end(6);
            }),
            "a.trace: an event at 6 ns comes after an event at 7 ns");
  EXPECT_EQ(broken([&](Lane& lane) { lane.instant(kTimeLimitNs, f); }),
            fmt::format("a.trace: an event at {} ns is too late to be drawn", kTimeLimitNs));
  EXPECT_EQ(broken([&](Lane& lane) { lane.end(3); }), "a.trace: a call ends at 3 ns, but no call is open");
  EXPECT_EQ(broken([&](Lane& lane) { lane.instant(4, f); }, 5),
            "a.trace: an event at 4 ns is too early: its source has guaranteed that all further events are "
            "at 5 ns or later");
}

TEST_F(MergeLoopTest, ALaneBelongsToOneSource) {
  Timeline timeline({.lanes = kTestLanes}, notes);
  timeline.begin_input("a");
  Lane& lane = add_lane(timeline, 1);
  for (int i = 0; i < 2; ++i)
    timeline.add_source(std::make_unique<Babble>(std::vector{&lane}, f, 0, 1), {&lane});
  EventText text(names);
  EXPECT_THROW(timeline.run(text, [] {}), BrokenContract);
}

// If thousands of threads run one after the other, the events of later threads must not be in memory from the
// start.
TEST_F(MergeLoopTest, ASourceThatTheMergeHasNotReachedHoldsNothing) {
  constexpr std::size_t kSources = 1000;
  for (const std::size_t jobs : {1u, 3u}) {
    Timeline timeline({.lanes = kTestLanes, .jobs = jobs}, notes);
    timeline.begin_input("a");
    std::vector<std::vector<std::size_t>> pumped(kSources);
    for (std::size_t i = 0; i < kSources; ++i) {
      Lane& lane = add_lane(timeline, i + 1);
      timeline.add_source(std::make_unique<Instants>(lane, f, 5000 * i, pumped[i]), {&lane});
    }
    EventText text(names);
    std::size_t rounds = 0;
    timeline.run(text, [&] {
      if (++rounds == 10) {
        EXPECT_THAT(pumped.back(), testing::IsEmpty());
      }
    });
    EXPECT_EQ(text.lines().size(), kSources * 2000);
    for (const auto& bytes : pumped) EXPECT_EQ(bytes.front(), 16'384u);
  }
}

// Emits one instant in its twentieth pump.
class Late : public Source {
 public:
  Late(Lane& lane, LabelId label) : lane_(lane), label_(label) {}
  bool pump(const PumpBudget&) override {
    if (++pumped_ < 20) return true;
    lane_.instant(1000, label_);
    return false;
  }
  std::uint64_t watermark_ns() const override { return 0; }

 private:
  Lane& lane_;
  LabelId label_;
  unsigned pumped_ = 0;
};

// The merge can't start before the time of the moved input's first event is known. Until then, other inputs
// are pumped only once.
TEST_F(MergeLoopTest, OtherInputsAreNotReadAheadBeforeTheFirstTimeOfAnInputIsKnown) {
  Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 1}, notes);
  timeline.begin_input("moved");
  Lane& late = add_lane(timeline, 1);
  timeline.add_source(std::make_unique<Late>(late, f), {&late});
  timeline.shift_input(0, -5);
  timeline.begin_input("other");
  Lane& other = add_lane(timeline, 2);
  std::vector<std::size_t> pumped;
  timeline.add_source(std::make_unique<Instants>(other, f, 1, pumped), {&other});
  std::size_t rounds = 0;
  EventText text(names);
  timeline.run(text, [&] {
    if (++rounds == 19) {
      EXPECT_EQ(pumped.size(), 1u);
    }
  });
  EXPECT_EQ(text.lines().size(), 2001u);
}

class Failing : public Source {
 public:
  explicit Failing(std::string problem) : problem_(std::move(problem)) {}
  bool pump(const PumpBudget&) override { throw std::runtime_error(problem_); }
  std::uint64_t watermark_ns() const override { return 0; }

 private:
  std::string problem_;
};

TEST_F(MergeLoopTest, TheFirstOfSeveralFailuresIsReported) {
  for (const std::size_t jobs : {1u, 4u}) {
    Timeline timeline({.lanes = kTestLanes, .jobs = jobs}, notes);
    timeline.begin_input("a");
    for (const char* problem : {"first", "second", "third"}) {
      Lane& lane = add_lane(timeline, 1);
      timeline.add_source(std::make_unique<Failing>(problem), {&lane});
    }
    EventText text(names);
    try {
      timeline.run(text, [] {});
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
}

// If a sink fails, for example because the disk is full, the run waits for workers that still read, and then
// ends.
TEST_F(MergeLoopTest, ASinkThatFailsEndsTheRun) {
  class Full : public EventText {
   public:
    using EventText::EventText;
    void write(std::span<const MergedRun>) override { throw std::runtime_error("full"); }
  };
  Timeline timeline({.lanes = kTestLanes, .jobs = 4}, notes);
  timeline.begin_input("a");
  for (unsigned i = 1; i < 6; ++i) {
    Lane& lane = add_lane(timeline, i);
    timeline.add_source(std::make_unique<Babble>(std::vector{&lane}, f, i, 5000), {&lane});
  }
  Full full(names);
  EXPECT_THROW(timeline.run(full, [] {}), std::runtime_error);
}

TEST_F(MergeLoopTest, ASingleSourceGivesTheSameEventsOnTwoThreads) {
  const auto text_with = [&](std::size_t jobs) {
    Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 64 << 10, .jobs = jobs}, notes);
    timeline.begin_input("a");
    std::vector<Lane*> lanes;
    for (unsigned tid = 1; tid < 4; ++tid) lanes.push_back(&add_lane(timeline, tid));
    timeline.add_source(std::make_unique<Babble>(lanes, f, 1, 50'000), lanes);
    EventText text(names);
    timeline.run(text, [] {});
    return text.lines();
  };
  const auto alone = text_with(1);
  EXPECT_GT(alone.size(), 20'000u);
  EXPECT_THAT(text_with(2), ElementsAreArray(alone));
}

// Emits a long call that contains short calls. Each pump adds the same number of short calls.
class Nested : public Source {
 public:
  Nested(Lane& lane, LabelId label, std::uint64_t calls) : lane_(lane), label_(label), calls_(calls) {
    lane_.begin(0, label_);
  }
  bool pump(const PumpBudget&) override {
    for (std::uint64_t i = 0; i < calls_; ++i) {
      lane_.begin(lane_.last_ns() + 1, label_);
      lane_.end(lane_.last_ns() + 1);
    }
    return true;
  }
  std::uint64_t watermark_ns() const override { return lane_.last_ns(); }

 private:
  Lane& lane_;
  LabelId label_;
  std::uint64_t calls_;
};

TEST_F(MergeLoopTest, CallsThatAreOpenAfterTheRangeEndInTheOrderOfTheirLanes) {
  class EndsUntilTen : public EventText {
   public:
    using EventText::EventText;
    void write(std::span<const MergedRun> runs) override {
      for (const auto& [events, lane] : runs)
        if (events.front().kind == EventKind::End) lanes.push_back(lane);
    }
    std::uint64_t needed_until_ns() const override { return 10; }
    std::vector<std::size_t> lanes;
  };
  const ShortCallRule rule{
      .shortest_ns = 5, .left_out = x, .left_out_ns = names.intern("ns"), .lengths = nullptr};
  LaneOptions options = kTestLanes;
  options.short_calls = &rule;
  for (const std::size_t jobs : {1u, 2u, 4u})
    for (const auto& calls : {std::array{100u, 200u}, std::array{200u, 100u}}) {
      Timeline timeline({.lanes = options, .jobs = jobs}, notes);
      timeline.begin_input("a");
      for (std::uint64_t i = 0; i < calls.size(); ++i) {
        Lane& lane = add_lane(timeline, i + 1);
        timeline.add_source(std::make_unique<Nested>(lane, f, calls[i]), {&lane});
      }
      EndsUntilTen ends(names);
      timeline.run(ends, [] {});
      EXPECT_THAT(ends.lanes, ElementsAre(0u, 1u)) << jobs;
    }
}

// Emits one event in each of six pumps. Records the worker of each pump in `workers`.
class Alternating : public Source {
 public:
  static constexpr std::size_t kPumps = 6;
  using Workers = std::vector<std::size_t>;  // the worker of each pump

  Alternating(Lane& lane, LabelId label, Workers& workers, std::size_t fails_at)
      : lane_(lane), label_(label), workers_(workers), fails_at_(fails_at) {}

  bool pump(const PumpBudget& budget) override {
    if (workers_.size() == fails_at_) throw std::runtime_error("pump");
    workers_.push_back(budget.worker);
    lane_.instant(workers_.size(), label_);
    return workers_.size() != kPumps;
  }
  std::uint64_t watermark_ns() const override { return lane_.last_ns(); }

 private:
  Lane& lane_;
  LabelId label_;
  Workers& workers_;
  std::size_t fails_at_;
};

class AlternatingTest : public MergeLoopTest {
 protected:
  // Returns the worker of each pump of the only source.
  Alternating::Workers run(std::size_t jobs, std::size_t fails_at = Alternating::kPumps) {
    Alternating::Workers workers;
    Timeline timeline({.lanes = kTestLanes, .jobs = jobs}, notes);
    timeline.begin_input("a");
    Lane& lane = add_lane(timeline, 1);
    timeline.add_source(std::make_unique<Alternating>(lane, f, workers, fails_at), {&lane});
    EventText text(names);
    timeline.run(text, [] {});
    EXPECT_EQ(text.lines().size(), Alternating::kPumps);
    return workers;
  }
};

// The thread that runs the loop is worker 0. It makes the first pump, and every second pump after it. The
// other thread makes the pumps between these. If the other thread is late, worker 0 also makes these pumps.
// Therefore, the test is repeated until the other thread has made a pump.
TEST_F(AlternatingTest, TwoThreadsPumpTheOnlySource) {
  for (;;) {
    const auto workers = run(2);
    for (std::size_t i = 0; i < workers.size(); i += 2) EXPECT_EQ(workers[i], 0u);
    if (workers[1] + workers[3] + workers[5] != 0) break;
  }
}

TEST_F(AlternatingTest, ASingleThreadPumpsAlone) { EXPECT_THAT(run(1), testing::Each(0)); }

TEST_F(AlternatingTest, AFailureInEitherThreadIsReported) {
  for (std::size_t fails_at = 0; fails_at < 4; ++fails_at) EXPECT_THROW(run(2, fails_at), std::runtime_error);
}

TEST_F(MergeLoopTest, ASinkThatFailsInEitherThreadEndsTheRun) {
  class FullAfter : public EventText {
   public:
    FullAfter(const Names& names, int writes) : EventText(names), left_(writes) {}
    void write(std::span<const MergedRun>) override {
      if (left_-- == 0) throw std::runtime_error("full");
    }

   private:
    int left_;
  };
  for (int writes = 0; writes < 20; ++writes) {
    Timeline timeline({.lanes = kTestLanes, .lookahead_bytes = 64 << 10, .jobs = 2}, notes);
    timeline.begin_input("a");
    Lane& lane = add_lane(timeline, 1);
    timeline.add_source(std::make_unique<Babble>(std::vector{&lane}, f, 1, 50'000), {&lane});
    FullAfter full(names, writes);
    EXPECT_THROW(timeline.run(full, [] {}), std::runtime_error) << writes;
  }
}

TEST_F(MergeLoopTest, TheTickCanStopTheRun) {
  Timeline timeline({.lanes = kTestLanes, .jobs = 2}, notes);
  timeline.begin_input("a");
  Lane& lane = add_lane(timeline, 1);
  timeline.add_source(std::make_unique<Babble>(std::vector{&lane}, f, 1, 100'000'000), {&lane});
  EventText text(names);
  EXPECT_THROW(timeline.run(text, [] { throw std::runtime_error("enough"); }), std::runtime_error);
}

TEST_F(MergeLoopTest, NotesAreJoinedInTheOrderOfTheSources) {
  static constexpr NoteKind kSome{"some", "things"};
  Timeline timeline({.lanes = kTestLanes, .jobs = 1}, notes);
  timeline.begin_input("a");
  Notes& first = timeline.new_notes();
  Notes& second = timeline.new_notes();
  Lane& lane = add_lane(timeline, 1);
  timeline.add_source(std::make_unique<Babble>(std::vector{&lane}, f, 1, 1), {&lane});
  second.add(kSome, Location::file("b"), "b");
  timeline.at_end([&] { first.add(kSome, Location::file("a"), "a", 4); });
  EventText text(names);
  timeline.run(text, [] {});
  EXPECT_EQ(notes.count(kSome), 5u);
  EXPECT_THAT(notes.groups().back().first, ElementsAre("a: a", "b: b"));
}

}  // namespace
}  // namespace convert
