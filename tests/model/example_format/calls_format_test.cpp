// Converts the example of docs/adding-a-format.md: a complete file, a damaged file, and each prefix of a
// file.
#include "tests/model/example_format/calls_format.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/reading/input_error.h"
#include "tests/model/event_text.h"

namespace convert::example {
namespace {

using testing::ElementsAre;

constexpr std::string_view kCalls =
    "calls 1\n"
    "1000 7 > main\n"
    "1200 8 > work\n"
    "1500 7 > draw\n"
    "1700 7 <\n"
    "1900 8 <\n"
    "2000 7 <\n";

class CallsFormat : public testing::Test {
 protected:
  ~CallsFormat() override { std::filesystem::remove(path); }

  std::vector<std::string> lines_of(std::string_view content, const ImportOptions& options = {}) {
    std::ofstream(path) << content;
    Timeline timeline({.lanes = kTestLanes}, notes);
    ImportContext context{names, notes, timeline, stats, options};
    make_importer()->import(path, context);
    EventText text(names);
    timeline.run(text, [] {});
    threads = text.threads();
    return text.lines();
  }

  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "example.calls";
  Names names;
  Notes notes;
  ImportStats stats;
  std::vector<std::string> threads;
};

TEST_F(CallsFormat, ListsCallsOfEachThread) {
  EXPECT_THAT(lines_of(kCalls), ElementsAre("1/7 [1000, 2000] calls:main", "1/8 [1200, 1900] calls:work",
                                            "1/7 [1500, 1700] calls:draw"));
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(stats.bytes_read + std::string_view("calls 1\n").size(), stats.bytes_total);
  EXPECT_EQ(stats.records_read, 6U);
}

TEST_F(CallsFormat, ThreadsThatAreNotSelectedAreLeftOut) {
  EXPECT_THAT(lines_of(kCalls, {.tids = {8}}), ElementsAre("1/8 [1200, 1900] calls:work"));
}

TEST_F(CallsFormat, UnusualLinesAreNoted) {
  EXPECT_THAT(lines_of("calls 1\n5 7 <\n10 7 > f\n8 7 > g\n?\n12 7 <\n"),
              ElementsAre("1/7 [10, 12] calls:f", "1/7 [10, 12] calls:g"));
  EXPECT_EQ(notes.count(kExitWithoutCall), 1U);
  EXPECT_EQ(notes.count(kTimeWentBack), 1U);
  EXPECT_EQ(notes.count(kDamagedLine), 1U);
  EXPECT_EQ(notes.count(kOpenAtEnd), 1U);
  EXPECT_THAT(notes.groups().back().first, ElementsAre(path.native() + ": f"));
}

TEST_F(CallsFormat, EveryPrefixIsConvertedOrRejected) {
  for (std::size_t size = 0; size <= kCalls.size(); ++size) {
    try {
      const auto lines = lines_of(kCalls.substr(0, size));
      EXPECT_LE(lines.size(), 6U) << "three calls, each a begin and an end if it has no length";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path.native() + ": no call can be read");
      EXPECT_LT(size, std::string_view("calls 1\n1000 7 > m").size());
    }
  }
}

TEST_F(CallsFormat, IsRecognizedByItsFirstLine) {
  std::ofstream(path) << kCalls;
  EXPECT_TRUE(make_importer()->recognizes(path));
  EXPECT_EQ(make_importer()->inspect(path, notes)["threads"].size(), 2U);
  std::ofstream(path) << "call";
  EXPECT_FALSE(make_importer()->recognizes(path));
}

}  // namespace
}  // namespace convert::example
