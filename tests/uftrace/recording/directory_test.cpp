#include "converters/uftrace/recording/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "converters/model/input_error.h"
#include "converters/uftrace/recording/text_file.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(Directory, ListsWhatARecordingConsistsOf) {
  TextRecording recording;
  recording.file("20.dat", "1234").file("3.dat", "").file("perf-cpu10.dat", "").file("perf-cpu9.dat", "");
  recording.file("kernel-cpu0.dat", "").file("sid-abc.map", "").file("sid-.map", "").file("a.out.sym", "");
  recording.file("extern.dat", "")
      .file("7x.dat", "")
      .file("007.dat", "")
      .file("99999999999999999999.dat", "");
  ASSERT_EQ(::mkfifo((recording.path() / "5.dat").c_str(), 0600), 0);
  std::filesystem::create_directory(recording.path() / "6.dat");

  const Directory found = list_directory(recording.path());
  EXPECT_THAT(found.threads,
              ElementsAre(Field(&ThreadFile::tid, ThreadId{3}), Field(&ThreadFile::tid, ThreadId{20})));
  EXPECT_EQ(found.threads[1].size_bytes, 4u);
  EXPECT_THAT(found.perf_cpus, ElementsAre(Field(&CpuFile::cpu, 9u), Field(&CpuFile::cpu, 10u)));
  EXPECT_THAT(found.kernel_cpus, ElementsAre(Field(&CpuFile::cpu, 0u)));
  EXPECT_THAT(found.session_maps, ElementsAre("abc"));
  EXPECT_THAT(found.symbol_files, ElementsAre("a.out.sym"));
}

TEST(Directory, AMissingOneSaysSo) {
  try {
    list_directory("/nonexistent/demo");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/demo: can't be listed: No such file or directory");
  }
}

TEST(TextFile, AFifoIsNoFile) {
  TextRecording recording;
  ASSERT_EQ(::mkfifo((recording.path() / ".channel").c_str(), 0600), 0);
  EXPECT_FALSE(read_text_file(recording.path() / ".channel"));
  EXPECT_FALSE(read_text_file(recording.path()));
  EXPECT_FALSE(read_text_file(recording.path() / "missing"));
}

TEST(TextFile, ReadsAllOrTheBeginning) {
  TextRecording recording;
  recording.file("note.txt", std::string("a\0b\n", 4));
  EXPECT_EQ(read_text_file(recording.path() / "note.txt"), std::string("a\0b\n", 4));
  EXPECT_EQ(read_text_file(recording.path() / "note.txt", 1), "a");
}

TEST(Lines, EndWithOrWithoutTheirEnds) {
  Lines lines("one\r\n\nthree");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "three");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineReader, TimesAreExactToTheNanosecond) {
  const auto time_of = [](std::string_view text) { return LineReader(text, "f", 1).seconds_as_ns("time"); };
  EXPECT_EQ(time_of("0.0"), 0u);
  EXPECT_EQ(time_of("1061.683386530"), 1'061'683'386'530u);
  EXPECT_EQ(time_of("7"), 7'000'000'000u);
  EXPECT_EQ(time_of("7.5"), 7'500'000'000u);
  EXPECT_EQ(time_of("7.1234567899"), 7'123'456'789u);
  EXPECT_EQ(time_of("18446744073.709551615"), ~std::uint64_t{0});
  EXPECT_THROW(time_of("18446744073.709551616"), InputError);
}

}  // namespace
}  // namespace convert::uftrace
