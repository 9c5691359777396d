// Tests the table of the kinds of content, and its copy in the README.
#include "fxt/contents.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>

#include "fxt/support/text.h"

namespace fxt::test {
namespace {

TEST(Contents, CoverEachKindOfRecordWithContent) {
  std::set<std::string_view> expected(kinds().begin(), kinds().end());
  for (const std::string_view kind :
       {"event", "magic", "provider-info", "provider-section", "initialization", "string", "thread"})
    expected.erase(kind);
  std::set<std::string_view> named;
  for (const ContentUse& use : content_uses())
    for (const std::string_view kind : parts_of(use.kinds, ", "))
      if (!kind.empty()) named.insert(kind);
  EXPECT_EQ(named, expected);
}

TEST(Contents, BelongToRecords) {
  EXPECT_EQ(content_of(Event{.type = EventType::FlowStep}), Content::Flows);
  EXPECT_EQ(content_of(KernelObject{.type = KernelObjectType::Thread}), Content::ThreadNames);
  EXPECT_EQ(content_of(KernelObject{.type = static_cast<KernelObjectType>(3)}), Content::OtherObjects);
  EXPECT_EQ(content_of(Blob{.type = BlobType::Perfetto}), Content::PerfettoBlobs);
  EXPECT_EQ(content_of(ThreadWakeup{}), Content::Scheduling);
  EXPECT_EQ(content_of(StringRecord{}), std::nullopt);
}

TEST(Contents, NameTheReadersThatIgnoreThem) {
  EXPECT_EQ(readers_that_ignore(Content::Durations), KnownReaders{});
  EXPECT_EQ(readers_that_ignore(Content::AsyncOperations), KnownReaders{KnownReader::Tracy});
  EXPECT_EQ(readers_that_ignore(Content::Logs), (KnownReaders{KnownReader::Perfetto, KnownReader::Tracy}));
}

TEST(Contents, MatchTheReadme) {
  std::string table =
      "| | Perfetto | Tracy | Fuchsia's C++ reader | Fuchsia's Rust reader |\n|---|---|---|---|---|\n";
  for (const auto& [content, name, kinds, uses] : content_uses()) {
    std::string code;
    for (const std::string_view kind : parts_of(kinds, ", "))
      if (!kind.empty()) code += fmt::format("{}`{}`", code.empty() ? " (" : ", ", kind);
    table += fmt::format("| {}{}{} | {} | {} | {} | {} |\n", name, code, code.empty() ? "" : ")", uses[0],
                         uses[1], uses[2], uses[3]);
  }
  std::ifstream file(README);
  const std::string readme{std::istreambuf_iterator(file), {}};
  EXPECT_NE(readme.find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace fxt::test
