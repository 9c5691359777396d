// Tests at which record the reader continues after damage, and which times it accepts.
#include "converters/uftrace/records/resync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/uftrace/records/record_bytes.h"

namespace convert::uftrace {
namespace {

using testing::Optional;

constexpr std::uint64_t kNoCode = 0x999000;
constexpr std::uint64_t kTime = 1'000'000'000'000;

class ResyncTest : public testing::Test {
 protected:
  // The result is valid until the next call of ahead().
  Lookahead ahead(const RecordBytes& bytes, bool at_end = true) {
    text_ = bytes.whole();
    return {std::as_bytes(std::span(text_)), at_end};
  }
  bool is_timely_at(const RecordBytes& bytes, const Expectation& expected = {.time_ns = kTime}) {
    return resync_.is_timely_at(ahead(bytes), expected);
  }
  bool fits_at(const RecordBytes& bytes, std::size_t depth, std::uint64_t top = kF) {
    return resync_.fits_at(ahead(bytes), {.time_ns = kTime, .depth = depth, .top_address = top});
  }
  std::optional<std::size_t> likely(const RecordBytes& bytes, std::size_t from = 0,
                                    std::size_t reach = kMaxPayload) {
    return resync_.find_likely(ahead(bytes), from, reach, {.time_ns = kTime});
  }

  ThreadFacts facts_{.code = std::make_shared<CodeAt>(std::set<std::uint64_t>{kF, kG})};
  DepthShift shift_;
  ScannedCalls<> open_;
  Resync resync_{facts_, shift_, open_};

 private:
  std::string text_;
};

// ---- Single records ----

TEST_F(ResyncTest, ARecordComesAtMostAMicrosecondTooEarlyOrAnHourLater) {
  constexpr std::uint64_t kSlack = 1000, kGap = std::uint64_t{1} << 42;
  EXPECT_TRUE(is_timely_at(RecordBytes().entry(kTime - kSlack, 7, kNoCode)));
  EXPECT_FALSE(is_timely_at(RecordBytes().entry(kTime - kSlack - 1, 7, kNoCode)));
  EXPECT_TRUE(is_timely_at(RecordBytes().exit(kTime + kGap - 1, 7, kNoCode)));
  EXPECT_FALSE(is_timely_at(RecordBytes().exit(kTime + kGap, 7, kNoCode)));
}

TEST_F(ResyncTest, TheFirstRecordMayHaveAnyTimeThatCanBeDrawn) {
  EXPECT_FALSE(is_timely_at(RecordBytes().entry(0, 0, kF), {}));
  EXPECT_TRUE(is_timely_at(RecordBytes().entry(1, 0, kF), {}));
  EXPECT_TRUE(is_timely_at(RecordBytes().entry(kTimeLimitNs - 1, 0, kF), {}));
  EXPECT_FALSE(is_timely_at(RecordBytes().entry(kTimeLimitNs, 0, kF), {}));
}

TEST_F(ResyncTest, ALossHasOnlyACount) {
  constexpr std::uint64_t kLost = 0x2a, kMore = 4, kDepthUnit = 64, kCountUnit = 65536;
  EXPECT_TRUE(is_timely_at(RecordBytes().lost(1)));
  EXPECT_FALSE(is_timely_at(RecordBytes().lost(0)));
  EXPECT_FALSE(is_timely_at(RecordBytes().word(kTime).word(kLost + kCountUnit)));
  EXPECT_FALSE(is_timely_at(RecordBytes().word(0).word(kLost + kDepthUnit + kCountUnit)));
  EXPECT_FALSE(is_timely_at(RecordBytes().word(0).word(kLost + kMore + kCountUnit)));
  EXPECT_FALSE(is_timely_at(RecordBytes().word(0).word(2 + kCountUnit))) << "no magic";
}

TEST_F(ResyncTest, EventsHaveOnlyIdsThatUftraceUses) {
  for (const std::uint64_t id : {100'001u, 100'100u, 200'001u, 200'100u, 1'000'000u, 2'000'000u})
    EXPECT_TRUE(fits_at(RecordBytes().event(kTime, id), 1)) << id;
  for (const std::uint64_t id : {100'000u, 100'101u, 200'000u, 200'101u, 999'999u, 2'000'001u})
    EXPECT_FALSE(fits_at(RecordBytes().event(kTime, id), 1)) << id;
  constexpr std::uint64_t kAtDepthOne = 0x2b + 64 + std::uint64_t{100'001} * 65536;
  EXPECT_FALSE(fits_at(RecordBytes().word(kTime).word(kAtDepthOne), 1));
}

TEST_F(ResyncTest, AnEntryFollowsAtTheDepthOfTheOpenCalls) {
  EXPECT_TRUE(fits_at(RecordBytes().entry(kTime, 2, kNoCode), 2));
  EXPECT_FALSE(fits_at(RecordBytes().entry(kTime, 1, kF), 2));
  EXPECT_FALSE(fits_at(RecordBytes().entry(kTime, 3, kF), 2));
  EXPECT_FALSE(fits_at(RecordBytes().entry(kTime, 2, 0), 2));
  EXPECT_TRUE(fits_at(RecordBytes().entry(kTime, 0, kF + 1), 1024)) << "1024 runs over into the address";
}

TEST_F(ResyncTest, AnExitFollowsTheExitOfTheInnermostCall) {
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime, 1, kF), 2));
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime, 2, kF), 2));
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime, 1, kG), 2));
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime, 1, kG), 2, 0)) << "which is not known";
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime, 1023, kF), 0)) << "none is open";
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime, 1023, kF + 1), 1024));
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime, 0, kF + 1), 1025)) << "1024 runs over into the address";
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime, 0, kF), 1025));
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime, 0, kF + 2), 1025));
}

// In recordings of QEMU, an exit has the depth of the caller, so the exit of the outermost call has depth 0.
TEST_F(ResyncTest, TheExitOfTheOutermostCallMayHaveDepth0) {
  shift_ = {.entry = 0, .exit = 1};
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime + 1, 0, kF), 1));
  EXPECT_TRUE(fits_at(RecordBytes().exit(kTime + 1, 0, kF), 2));
  EXPECT_FALSE(fits_at(RecordBytes().exit(kTime + 1, 0, kF), 3));
}

TEST_F(ResyncTest, TheEndOfTheFileAlsoFits) {
  EXPECT_TRUE(resync_.fits_at(ahead(RecordBytes().word(1)), {}));
  EXPECT_FALSE(resync_.fits_at(ahead(RecordBytes().word(1), false), {}));
  EXPECT_FALSE(is_timely_at(RecordBytes().word(kTime)));
}

TEST_F(ResyncTest, AfterAnExitTheCallerIsInnermost) {
  const ScannedCalls<> open({kF, kG});
  const Resync resync(facts_, shift_, open);
  const auto after = [&](RecordType type, std::size_t depth) {
    const Expectation e = resync.after({.type = type, .time_ns = 5, .depth = depth, .address = kNoCode});
    EXPECT_EQ(e.time_ns, 5u);
    return std::pair(e.depth, e.top_address);
  };
  EXPECT_EQ(after(RecordType::Entry, 2), std::pair(std::size_t{3}, kNoCode));
  EXPECT_EQ(after(RecordType::Exit, 2), std::pair(std::size_t{2}, kG));
  EXPECT_EQ(after(RecordType::Exit, 1), std::pair(std::size_t{1}, kF));
  EXPECT_EQ(after(RecordType::Exit, 0), std::pair(std::size_t{0}, std::uint64_t{0}));
  EXPECT_EQ(after(RecordType::Exit, 3), std::pair(std::size_t{3}, std::uint64_t{0})) << "not open";
}

// ---- Searches ----

TEST_F(ResyncTest, ALikelyCallHasAKnownFunctionOrFitsTheNextRecord) {
  EXPECT_THAT(likely(RecordBytes().text(24).entry(kTime, 3, kF).entry(kTime, 9, kNoCode).text(16)),
              Optional(24));
  EXPECT_THAT(likely(RecordBytes().text(24).entry(kTime, 3, kNoCode).exit(kTime, 3, kNoCode).text(16)),
              Optional(24));
  EXPECT_EQ(likely(RecordBytes().text(24).entry(kTime, 3, kNoCode).entry(kTime, 9, kNoCode).text(16)),
            std::nullopt);
  EXPECT_THAT(likely(RecordBytes().text(24).entry(kTime, 3, kNoCode)), Optional(24)) << "the end follows";
}

TEST_F(ResyncTest, AFunctionOfAnOpenCallIsKnown) {
  const RecordBytes bytes = RecordBytes().exit(kTime, 9, kNoCode).entry(kTime, 3, kF);
  EXPECT_THAT(likely(bytes), Optional(16));
  for (const std::vector<std::uint64_t>& calls : {std::vector{kNoCode, kF}, std::vector{kF, kNoCode}}) {
    const ScannedCalls<> open(calls);
    const Resync resync(facts_, shift_, open);
    EXPECT_THAT(resync.find_likely(ahead(bytes), 0, kMaxPayload, {.time_ns = kTime}), Optional(0));
  }
  const ScannedCalls<> others({kF, kG});
  const Resync resync(facts_, shift_, others);
  EXPECT_THAT(resync.find_likely(ahead(bytes), 0, kMaxPayload, {.time_ns = kTime}), Optional(16));
}

TEST_F(ResyncTest, APlausibleTimeMustComeAfterARecord) {
  EXPECT_EQ(likely(RecordBytes().entry(kTime, 3, kF).text(16)), std::nullopt);
  EXPECT_THAT(likely(RecordBytes().entry(kTime, 3, kF).lost(1)), Optional(0));
  EXPECT_THAT(likely(RecordBytes().entry(kTime, 3, kF, 24).text(16)), Optional(0))
      << "what follows its payload is not known";
  EXPECT_THAT(likely(RecordBytes().lost(2).entry(kTime, 3, kF)), Optional(0));
  EXPECT_EQ(likely(RecordBytes().lost(2).entry(kTime - 1001, 3, kF)), std::nullopt)
      << "a loss says nothing of the time";
}

TEST_F(ResyncTest, RecordsAreFoundAtWordsUpToTheReach) {
  const RecordBytes bytes = RecordBytes().text(24).entry(kTime, 3, kF);
  EXPECT_THAT(likely(bytes, 0, 24), Optional(24));
  EXPECT_EQ(likely(bytes, 0, 23), std::nullopt);
  EXPECT_THAT(likely(bytes, 24), Optional(24));
  EXPECT_EQ(likely(bytes, 32), std::nullopt);
  EXPECT_EQ(likely(RecordBytes().text(4).entry(kTime, 3, kF)), std::nullopt);
}

// A payload has at most 1024 bytes.
TEST_F(ResyncTest, ARecordMustComeAfterACallWithAPayload) {
  const auto call = [](std::size_t payload) {
    return RecordBytes().entry(kTime, 3, kNoCode, payload).exit(kTime, 3, kNoCode).text(2000);
  };
  EXPECT_THAT(likely(call(8), 0, 0), Optional(0));
  EXPECT_THAT(likely(call(1024), 0, 0), Optional(0));
  EXPECT_EQ(likely(call(1032), 0, 0), std::nullopt);
  EXPECT_THAT(likely(RecordBytes().entry(kTime, 3, kNoCode, 1024), 0, 0), Optional(0));
  EXPECT_EQ(likely(RecordBytes().entry(kTime, 3, kNoCode, 1032), 0, 0), std::nullopt);
  EXPECT_EQ(resync_.find_likely(ahead(RecordBytes().entry(kTime, 3, kNoCode, 1024), false), 0, 0,
                                {.time_ns = kTime}),
            std::nullopt)
      << "more may come";
}

TEST_F(ResyncTest, TheLastPayloadMayEndTheFile) {
  const Expectation expected{.time_ns = kTime, .depth = 1, .top_address = kF};
  const auto following = [&](std::size_t size, bool at_end = true) {
    return resync_.find_after_payload(ahead(RecordBytes().text(size), at_end), expected);
  };
  EXPECT_THAT(following(8), Optional(8));
  EXPECT_THAT(following(1024), Optional(1024));
  EXPECT_EQ(following(1032), std::nullopt);
  EXPECT_EQ(following(12), std::nullopt);
  EXPECT_EQ(following(8, false), std::nullopt);
}

TEST_F(ResyncTest, AfterAPayloadASureRecordIsPreferred) {
  const Expectation expected{.time_ns = kTime, .depth = 2, .top_address = kG};
  // The first record is only likely. The third record fits the open calls.
  const RecordBytes bytes = RecordBytes()
                                .entry(kTime, 7, kF)
                                .entry(kTime, 9, kNoCode)
                                .exit(kTime, 1, kG)
                                .entry(kTime, 1, kF)
                                .text(8);
  EXPECT_THAT(resync_.find_likely(ahead(bytes), 0, kMaxPayload, expected), Optional(0));
  EXPECT_THAT(resync_.find_after_payload(ahead(bytes), expected), Optional(32));
}

TEST_F(ResyncTest, AnExitOfTheInnermostCallIsSure) {
  const auto sure = [&](const RecordBytes& bytes, const Expectation& expected) {
    return resync_.find_sure(ahead(bytes), 0, expected);
  };
  const RecordBytes exit = RecordBytes().exit(kTime, 1, kNoCode).entry(kTime, 9, kNoCode).text(16);
  EXPECT_THAT(sure(exit, {.time_ns = kTime, .depth = 2, .top_address = kNoCode}), Optional(0));
  EXPECT_EQ(sure(exit, {.time_ns = kTime, .depth = 2}), std::nullopt) << "which call ends is not known";
  const RecordBytes entry = RecordBytes().entry(kTime, 2, kNoCode).entry(kTime, 9, kNoCode).text(16);
  EXPECT_EQ(sure(entry, {.time_ns = kTime, .depth = 2, .top_address = kNoCode}), std::nullopt);
  const RecordBytes known = RecordBytes().entry(kTime, 2, kF).entry(kTime, 9, kNoCode).text(16);
  EXPECT_THAT(sure(known, {.time_ns = kTime, .depth = 2}), Optional(0));
  EXPECT_EQ(sure(known, {.time_ns = kTime, .depth = 3}), std::nullopt) << "neither depth nor follower fit";
}

// ---- Times ----

class ResyncTimes : public ResyncTest {
 protected:
  static constexpr std::uint64_t kMoment = std::uint64_t{1} << 16;  // shorter differences are not examined
  static constexpr std::uint64_t kClose = std::uint64_t{1} << 22;
  static constexpr std::uint64_t kFar = std::uint64_t{1} << 47;

  bool is_damaged(std::uint64_t time_ns, std::uint64_t last_ns, const RecordBytes& following) {
    const Record record{.time_ns = time_ns, .word = 0x28 + kF * 65536};
    return resync_.is_time_damaged(record, last_ns, ahead(following));
  }
  // Builds the two records that come after the record with the tested time.
  static RecordBytes two_records(std::uint64_t next_ns, std::uint64_t second_ns) {
    return RecordBytes().entry(next_ns, 1, kG).exit(second_ns, 1, kG);
  }
};

TEST_F(ResyncTimes, ThatCannotBeDrawnAreDamaged) {
  EXPECT_TRUE(is_damaged(kTimeLimitNs, kTimeLimitNs - 1, {}));
  EXPECT_FALSE(is_damaged(kTimeLimitNs - 1, kTimeLimitNs - 1, {}));
}

TEST_F(ResyncTimes, AMomentLaterAreNotChecked) {
  const RecordBytes following = two_records(kTime + 1, kTime + 2);
  EXPECT_FALSE(is_damaged(kTime + kMoment - 1, kTime, following));
  EXPECT_TRUE(is_damaged(kTime + kMoment, kTime, following));
  EXPECT_FALSE(is_damaged(kTime - 1, kTime, following));
}

TEST_F(ResyncTimes, AreDamagedIfTwoRecordsAreCloserToThePreviousRecord) {
  constexpr std::uint64_t kLate = kTime + 2 * kMoment;
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kTime, kTime + kMoment - 1)));
  EXPECT_FALSE(is_damaged(kLate, kTime, two_records(kTime, kTime + kMoment)));
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kTime - 1, kTime + 1)))
      << "the one before may be damaged, too";
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kTime - kClose, kTime)));
  EXPECT_FALSE(is_damaged(kLate, kTime, two_records(kTime - kClose - 1, kTime)));
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kTime, kLate).entry(kTime + 1, 1, kG)));
  EXPECT_FALSE(is_damaged(kLate, kTime, two_records(kTime, kLate).entry(kLate, 1, kG)));
  EXPECT_TRUE(is_damaged(kLate, kTime, RecordBytes().exit(kTime + 1, 0, kF))) << "one alone";
  EXPECT_FALSE(is_damaged(kLate, kTime, {}));
  EXPECT_TRUE(is_damaged(kLate, kTime, RecordBytes().lost(3).entry(kTime + 1, 1, kG).exit(kTime + 2, 1, kG)))
      << "a loss has no time";
}

TEST_F(ResyncTimes, OfTheFirstRecordAreDamagedIfTheyAreLongAfterTheNextTimes) {
  EXPECT_TRUE(is_damaged(kTime + kClose, 0, two_records(kTime, kTime)));
  EXPECT_FALSE(is_damaged(kTime + kClose, 0, two_records(kTime, kTime + 1)));
  EXPECT_FALSE(is_damaged(kTime + kClose, 0, two_records(kTime + kClose, kTime + kClose)));
}

TEST_F(ResyncTimes, OfTheFirstRecordAreDamagedIfTheyAreDaysBeforeTheNextTimes) {
  facts_.elapsed_ns = 1000;
  EXPECT_TRUE(is_damaged(kTime, 0, two_records(kTime + kFar, kTime + kFar)));
  EXPECT_FALSE(is_damaged(kTime, 0, two_records(kTime + kFar, kTime)));
  EXPECT_FALSE(is_damaged(kTime, 0, RecordBytes().exit(kTime + kFar, 0, kF))) << "one alone";
  facts_.elapsed_ns.reset();
  EXPECT_FALSE(is_damaged(kTime, 0, two_records(kTime + kFar, kTime + kFar)));
}

TEST_F(ResyncTimes, MayLeapOverDaysIfTwoRecordsAreAlsoLate) {
  facts_.elapsed_ns = 1000;
  constexpr std::uint64_t kLate = kTime + kFar;
  EXPECT_FALSE(is_damaged(kLate, kTime, two_records(kLate, kLate + kClose - 1)));
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kLate, kLate + kClose)));
  EXPECT_TRUE(is_damaged(kLate, kTime, two_records(kLate - 1, kLate)));
  EXPECT_TRUE(is_damaged(kLate, kTime, {}));
  facts_.begun_ns = kTime;
  EXPECT_TRUE(is_damaged(kLate, 0, {})) << "since the thread began";
  facts_.begun_ns = 0;
  EXPECT_FALSE(is_damaged(kLate, 0, {}));
}

TEST(RecordTimes, TimesShortlyAfterTheLatestItemAreTrusted) {
  RecordTimes times;
  EXPECT_EQ(times.trusted_until_ns(), 0u);
  times.add_item(5000, true);
  times.add_item(4000, true);
  times.add_plain(4500);
  EXPECT_EQ(times.seen_ns(), 5000u);
  EXPECT_EQ(times.trusted_until_ns(), 5000u + kExaminedGapNs);
  times.add_item(9000, false);
  EXPECT_EQ(times.seen_ns(), 5000u) << "events may be estimates";
}

TEST(RecordTimes, AfterDamageATimeMayBeSlightlyBeforeTheLastTwoTimes) {
  RecordTimes times;
  times.add_plain(10 * kCloseNs);
  EXPECT_EQ(times.after_damage_ns(), 9 * kCloseNs);
  times.add_item(20 * kCloseNs, true);
  EXPECT_EQ(times.after_damage_ns(), 9 * kCloseNs);
  times.add_item(30 * kCloseNs, true);
  EXPECT_EQ(times.after_damage_ns(), 19 * kCloseNs);
}

}  // namespace
}  // namespace convert::uftrace
