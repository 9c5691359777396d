// Tests the timeline of a real recording, which gdbserver has made.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/tfile/importer.h"
#include "tests/model/event_text.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path kSample = SAMPLES "/gdb/queue.trace";

class QueueSample : public testing::Test {
 protected:
  QueueSample() {
    Names names;
    Notes notes;
    ImportStats stats;
    Timeline timeline({.lanes = kTestLanes}, notes);
    const ImportOptions options;
    ImportContext context{names, notes, timeline, stats, options};
    import(kSample, context, {.registers = RegisterChoice::None});
    EventText text(names);
    timeline.run(text, [] {});
    lines_ = text.lines();
    threads_ = text.threads();
  }
  std::size_t count(std::string_view part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines_, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }
  std::vector<std::string> lines_, threads_;
};

TEST_F(QueueSample, HasTwoThreadsAndATracepointOnAnUnknownThread) {
  EXPECT_THAT(threads_, testing::ElementsAre(HasSubstr(" thread 1 (…dd0740)"), HasSubstr(" unknown thread "),
                                             HasSubstr(" thread 3 (…dcf6c0)")));
}

TEST_F(QueueSample, ShowsCollectedItems) {
  for (const std::string_view job : {"sort", "merge", "print"})
    EXPECT_THAT(lines_, Contains(HasSubstr("name=\"" + std::string(job) + "\"")));
  EXPECT_THAT(lines_, Contains(HasSubstr(" size=1 ")));
  EXPECT_THAT(lines_, Contains(HasSubstr(" waiting=3 ")));
}

TEST_F(QueueSample, CountsItsVariable) {
  for (const std::string_view value : {"$puts=1", "$puts=3", "$puts=6"})
    EXPECT_THAT(lines_, Contains(HasSubstr("counter variable:variable #0 " + std::string(value))));
}

TEST_F(QueueSample, StepsTwiceAfterEachTake) {
  EXPECT_EQ(count("tracepoint:step frame="), 6u);
  EXPECT_EQ(count("] tracepoint:take"), 3u);
}

TEST_F(QueueSample, ShowsItsStatus) {
  EXPECT_THAT(lines_, Contains(HasSubstr("stop_reason=\"stopped by command: done\"")));
  EXPECT_THAT(lines_, Contains(HasSubstr("notes=\"two threads and a queue\"")));
}

TEST_F(QueueSample, CanBeInspected) {
  Notes notes;
  const Outline outline = inspect(kSample, notes);
  EXPECT_EQ(outline["tracepoints"].size(), 3u);
  EXPECT_THAT(text_of(outline), HasSubstr("target:\n  architecture: i386:x86-64\n"));
  EXPECT_THAT(text_of(outline), HasSubstr("  hits: 9\n  steps: 6\n"));
  EXPECT_THAT(text_of(outline), HasSubstr("      - while-stepping 2\n"));
  EXPECT_THAT(text_of(outline), HasSubstr("damage: none\n"));
}

}  // namespace
}  // namespace convert::tfile
