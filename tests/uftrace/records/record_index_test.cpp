// A damaged index is ignored. The output is the same with an index, without an index, and with a damaged
// index.
#include "converters/uftrace/records/record_index.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/merging/sink.h"
#include "converters/model/sink/fxt_sink.h"
#include "converters/uftrace/importer.h"
#include "fxt/output.h"
#include "tests/uftrace/recording.h"

namespace convert::uftrace {
namespace {

using R = RecordingBuilder;

constexpr std::uint64_t kFromNs = 5000;

// Drops complete calls that end before kFromNs, and passes all other events.
class LateEvents final : public SinkStage {
 public:
  using SinkStage::SinkStage;
  std::uint64_t needed_from_ns() const override { return kFromNs; }
  void write(std::span<const MergedRun> runs) override {
    for (const MergedRun& run : runs)
      for (const PendingEvent& event : run.events)
        if (event.kind != EventKind::Complete || event.end_ns() >= kFromNs) {
          const MergedRun one{{&event, 1}, run.lane};
          SinkStage::write({&one, 1});
        }
  }
};

class RecordIndexTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kStepBytes = 640;

  RecordIndexTest() {
    recording_.entry(10, 0, R::kMain);
    for (std::uint64_t time_ns = 100; time_ns < 6000; time_ns += 100)
      recording_.entry(time_ns, 1, R::kF)
          .entry(time_ns + 10, 2, R::kG)
          .exit(time_ns + 20, 2, R::kG)
          .exit(time_ns + 90, 1, R::kF);
    recording_.exit(6100, 0, R::kMain);
    recording_.lines();
    std::filesystem::create_directory(folder_);
  }
  ~RecordIndexTest() override { std::filesystem::remove_all(folder_); }

  // Returns the trace of the late events. If `has_index` is true, makes the index or uses an existing one.
  std::string late(bool has_index) {
    RecordingOptions own;
    if (has_index) own.index = folder_;
    own.index_step_bytes = kStepBytes;
    Names names;
    notes_ = Notes();
    ImportStats stats;
    Timeline timeline({.lanes = {.limits = FxtSink::kLimits}}, notes_);
    const ImportOptions options;
    ImportContext context{names, notes_, timeline, stats, options};
    import(recording_.path(), context, own);
    fxt::MemoryOutput output;
    fxt::Writer writer(output);
    FxtSink sink(writer, names);
    LateEvents late(sink);
    timeline.run(late, [] {});
    writer.flush();
    records_read_ = stats.records_read;
    return std::string(output.bytes());
  }
  std::filesystem::path file() const {
    return folder_ / index_name_of(identity_of_directory(recording_.path()));
  }
  std::string index() const {
    std::ifstream input(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }
  static std::optional<RecordIndex> parsed(const std::string& bytes) {
    return RecordIndex::parse(std::as_bytes(std::span(bytes)));
  }
  void expect_ignored(const std::string& bytes, const std::string& whole, const std::string& expected) {
    EXPECT_FALSE(parsed(bytes));
    write(bytes);
    EXPECT_TRUE(late(true) == expected);
    ASSERT_EQ(notes_.groups().size(), 1U);
    EXPECT_EQ(notes_.groups().front().kind->name, kIndexIgnored.name);
    EXPECT_TRUE(index() == whole);  // a new index replaces the damaged one
  }

  R recording_;
  std::filesystem::path folder_ = recording_.path().string() + ".indexes";
  Notes notes_;
  std::uint64_t records_read_ = 0;
};

TEST_F(RecordIndexTest, ADamagedIndexIsIgnored) {
  const std::string expected = late(false);
  const std::uint64_t all_records = records_read_;
  EXPECT_TRUE(late(true) == expected);
  const std::string whole = index();
  ASSERT_TRUE(parsed(whole));
  EXPECT_GE(parsed(whole)->threads.at(0).marks.size(), 4U);
  EXPECT_TRUE(late(true) == expected);
  EXPECT_LT(records_read_, all_records / 2);
  EXPECT_TRUE(notes_.groups().empty());

  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_ignored(whole.substr(0, size), whole, expected);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
    expect_ignored(changed, whole, expected);
  }
  expect_ignored(whole + std::string(8, '\0'), whole, expected);
}

// If a mark is from another file, its open calls do not match this file.
TEST_F(RecordIndexTest, OpenCallsOfAMarkMustHaveEntriesInTheFile) {
  late(true);
  const IndexMark mark = parsed(index())->threads.at(0).marks.at(3);
  ASSERT_FALSE(mark.open.empty());
  const InputFile file{fxt::FilePlace(recording_.path() / "100.dat")};
  EXPECT_TRUE(records_of(mark, file, {}));
  const auto is_refused = [&](const std::function<void(IndexMark&)>& change) {
    IndexMark other = mark;
    change(other);
    return !records_of(other, file, {});
  };
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open[0].offset += 16; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open[0].offset += 8; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open[0].bytes = 24; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open[0].bytes = 0; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open[0].bytes = ~std::uint64_t{0}; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.open.push_back(other.open[0]); }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.offset = other.open[0].offset; }));
  EXPECT_TRUE(is_refused([](IndexMark& other) { other.time_ns = 9; }));
}

}  // namespace
}  // namespace convert::uftrace
