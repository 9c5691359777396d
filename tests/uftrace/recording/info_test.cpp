#include "converters/uftrace/recording/info.h"

#include <cstddef>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

// Returns the header of a 64-bit little-endian recording of version 4 with the features 0x1363.
std::string header() {
  return std::string(
      "Ftrace!\0"
      "\x04\0\0\0"
      "\x28\0"
      "\x01\x02"
      "\x63\x13\0\0\0\0\0\0"
      "\xff\xfb\0\0\0\0\0\0"
      "\x00\x04"
      "\0\0\0\0\0\0",
      40);
}

std::string big_endian_header() {
  return std::string(
      "Ftrace!\0"
      "\0\0\0\x03"
      "\0\x28"
      "\x02\x01"
      "\0\0\0\0\0\0\x13\x63"
      "\0\0\0\0\0\0\xfb\xff"
      "\x04\x00"
      "\0\0\0\0\0\0",
      40);
}

Info parse(const std::string& bytes) {
  Notes notes;
  const Info info = parse_info(bytes, "demo/info", notes);
  EXPECT_TRUE(notes.empty());
  return info;
}

std::string error_of(const std::string& bytes) {
  Notes notes;
  try {
    parse_info(bytes, "demo/info", notes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "understood";
}

TEST(Info, TheHeaderOfA64BitRecordingIsRead) {
  const Info info = parse(header());
  EXPECT_TRUE(info.present);
  EXPECT_EQ(info.version, 4u);
  EXPECT_EQ(info.order, std::endian::little);
  EXPECT_EQ(info.bits, 64u);
  EXPECT_EQ(info.max_stack, 1024);
  EXPECT_TRUE(info.has<FeatureBits::MaxStack>());
  EXPECT_FALSE(info.has<FeatureBits::EstimateReturn>());
  EXPECT_EQ(feature_names(info.features),
            "PLTHOOK | TASK_SESSION | SYM_REL_ADDR | MAX_STACK | PERF_EVENT | AUTO_ARGS | SYM_SIZE");
}

TEST(Info, TheHeaderMayHaveTheOtherByteOrder) {
  const Info info = parse(big_endian_header());
  EXPECT_EQ(info.version, 3u);
  EXPECT_EQ(info.order, std::endian::big);
  EXPECT_EQ(info.bits, 32u);
  EXPECT_EQ(info.max_stack, 1024);
  EXPECT_EQ(info.features, 0x1363u);
}

TEST(Info, LinesAreRead) {
  const Info info = parse(header() + R"text(exename:/home/u/my program
build_id:6126057874665b06c90184f88a912e25eab0a59a
exit_status:256
cmdline:uftrace record ./my\"program\" back\slash a\\b c\\" d\
cpuinfo:lines=2
cpuinfo:nr_cpus=2 / 4 (online/possible)
cpuinfo:desc=ARM64 (v8)
meminfo:20.2 / 23.5 GB (free / total)
osinfo:lines=3
osinfo:kernel=Linux 6.1
osinfo:hostname=vm
osinfo:distro="Debian GNU/Linux 12 (bookworm)"
taskinfo:lines=2
taskinfo:nr_tid=3
taskinfo:tids=30,10,20
usageinfo:lines=6
usageinfo:systime=0.003696
usageinfo:ctxsw=4 / 0 (voluntary / involuntary)
loadinfo:2.48 / 1.65 / 0.76
argspec:lines=3
argspec:f@arg1
argauto:malloc@arg1
auto-args:1
record_date:Fri Nov 20 18:48:00 2026
elapsed_time:0.010904173 sec
pattern_type:glob
uftrace_version:v0.19 ( x86_64 )
utc_offset:1795199419
tomorrow:a key nobody knows yet
)text");
  EXPECT_EQ(info.exename, "/home/u/my program");
  EXPECT_EQ(info.build_id, "6126057874665b06c90184f88a912e25eab0a59a");
  EXPECT_EQ(info.exit_status, 256);
  EXPECT_EQ(info.cmdline, R"(uftrace record ./my"program" back\slash a\\b c\" d\)");
  EXPECT_EQ(info.cpu_count, "2 / 4 (online/possible)");
  EXPECT_EQ(info.cpu_description, "ARM64 (v8)");
  EXPECT_EQ(info.meminfo, "20.2 / 23.5 GB (free / total)");
  EXPECT_EQ(info.kernel, "Linux 6.1");
  EXPECT_EQ(info.hostname, "vm");
  EXPECT_EQ(info.distro, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_THAT(info.tids, ElementsAre(ThreadId{10}, ThreadId{20}, ThreadId{30}));
  EXPECT_EQ(info.usage.systime, "0.003696");
  EXPECT_EQ(info.usage.ctxsw, "4 / 0 (voluntary / involuntary)");
  EXPECT_EQ(info.load, "2.48 / 1.65 / 0.76");
  EXPECT_THAT(info.argument_lines, ElementsAre("argspec:f@arg1", "argauto:malloc@arg1", "auto-args:1"));
  EXPECT_EQ(info.record_date, "Fri Nov 20 18:48:00 2026");
  EXPECT_EQ(info.elapsed_time, "0.010904173 sec");
  EXPECT_EQ(info.pattern_type, "glob");
  EXPECT_EQ(info.uftrace_version, "v0.19 ( x86_64 )");
  EXPECT_EQ(info.utc_offset_s, 1795199419);
}

TEST(Info, TheElapsedTimeIsInNanoseconds) {
  const auto elapsed = [](std::string text) {
    Info info;
    info.elapsed_time = std::move(text);
    return elapsed_ns(info);
  };
  EXPECT_EQ(elapsed("0.010904173 sec"), 10'904'173u);
  EXPECT_EQ(elapsed("12.000000001 sec"), 12'000'000'001u);
  EXPECT_EQ(elapsed("12.000000001"), 12'000'000'001u);
  EXPECT_EQ(elapsed("18446744072.999999999 sec"), 18'446'744'072'999'999'999u);
  for (const char* text : {"", "sec", "1 sec", "1.5 sec", "x.000000001 sec", "1.00000000x sec", "1.00000001",
                           "18446744073.000000000 sec", "99999999999999999999.000000000 sec"})
    EXPECT_EQ(elapsed(text), std::nullopt) << text;
}

TEST(Info, EmptyValuesAreIgnored) {
  const Info info = parse(header() + "exit_status:\ncpuinfo:nr_cpus=\nutc_offset:\ntaskinfo:tids=\n");
  EXPECT_FALSE(info.exit_status);
  EXPECT_EQ(info.utc_offset_s, 0);
  EXPECT_EQ(info.cpu_count, "");
  EXPECT_TRUE(info.tids.empty());
}

TEST(Info, ADamagedLineDoesNotAffectOtherLines) {
  Notes notes;
  const Info info =
      parse_info(header() + "exit_status:one\ntaskinfo:tids=10,x\nexename:/bin/true", "demo/info", notes);
  EXPECT_FALSE(info.exit_status);
  EXPECT_THAT(info.tids, ElementsAre(ThreadId{10}));
  EXPECT_EQ(info.exename, "/bin/true");
  ASSERT_EQ(notes.count(kDamagedLine), 2u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/info:1: expected exit status, a decimal number, found \"one\"",
                          "demo/info:2: expected tid, a decimal number, found \"x\""));
}

TEST(Info, ALineMayBeVeryLong) {
  const std::string long_spec(1'000'000, 'x');
  EXPECT_THAT(parse(header() + "argauto:" + long_spec + "\nexit_status:9\n").exit_status, 9);
}

TEST(Info, TheTextStartsAfterALongerHeader) {
  std::string bytes = header();
  bytes[12] = 48;
  EXPECT_EQ(parse(bytes + "01234567" + "exename:/bin/true\n").exename, "/bin/true");
}

TEST(Info, AWrongHeaderSizeIsNoted) {
  std::string bytes = header() + "exename:/bin/true\n";
  bytes[12] = 7;
  Notes notes;
  EXPECT_EQ(parse_info(bytes, "demo/info", notes).exename, "/bin/true");
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("demo/info:+0xc: header size is 7, assumed to be 40"));
}

TEST(Info, UnsupportedFilesAreErrors) {
  std::string newer = header();
  for (const int version : {5, 31}) {
    newer[8] = static_cast<char>(version);
    EXPECT_EQ(error_of(newer), fmt::format("demo/info:+0x8: unknown version {} of the uftrace format; "
                                           "versions 3 and 4 are supported",
                                           version));
  }
}

TEST(Info, DamageIsNoted) {
  const auto assumed = [](const std::string& bytes) {
    Notes notes;
    EXPECT_FALSE(parse_info(bytes, "demo/info", notes).present);
    EXPECT_EQ(notes.groups().front().kind->name, "no-info");
    return notes.groups().front().first.front();
  };
  EXPECT_EQ(assumed("not at all"),
            "demo/info:+0x0: not a uftrace info file, because it does not start with \"Ftrace!\"; assumed: "
            "version 4, little endian, 64 bit");
  std::string big = header();
  big[14] = 2;
  std::swap(big[8], big[11]);
  EXPECT_EQ(assumed(big.substr(0, 20)),
            "demo/info:+0x10: truncated: feature mask needs 8 bytes, but 4 are left; "
            "assumed: version 4, big endian, 64 bit");
  for (const int version : {0, 2, 32}) {
    std::string bytes = header() + "exename:/bin/true\n";
    bytes[8] = static_cast<char>(version);
    Notes notes;
    const Info info = parse_info(bytes, "demo/info", notes);
    EXPECT_EQ(info.exename, "/bin/true");
    EXPECT_EQ(info.version, 4);
    EXPECT_THAT(notes.groups().front().first,
                ElementsAre(fmt::format("demo/info:+0x8: version is {}, assumed to be 4", version)));
  }
}

TEST(Info, EveryPrefixIsAcceptedOrNoted) {
  const std::string whole = header() + "exit_status:256\ncmdline:a\\\"b\ntaskinfo:tids=1,2\nutc_offset:5\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Notes notes;
    const Info info = parse_info(std::string_view(whole).substr(0, size), "demo/info", notes);
    EXPECT_EQ(info.present, size >= header().size());
    if (info.present) continue;
    EXPECT_THAT(notes.groups().front().first, ElementsAre(testing::StartsWith("demo/info:+0x")));
  }
}

TEST(Info, AMissingFileIsNoted) {
  Notes notes;
  const Info info = read_info({.folder = std::make_shared<const fxt::Folder>("/nonexistent")}, notes);
  EXPECT_FALSE(info.present);
  EXPECT_EQ(info.version, 4u);
  EXPECT_EQ(info.bits, 64u);
  EXPECT_THAT(notes.groups().front().first,
              ElementsAre("/nonexistent/info: is missing; assumed: version 4, little endian, 64 bit"));
}

TEST(Info, IsMissingWhileTheRecorderRuns) {
  Notes notes;
  EXPECT_FALSE(
      read_info({.folder = std::make_shared<const fxt::Folder>("/nonexistent"), .is_growing = true}, notes)
          .present);
  EXPECT_EQ(notes.count(kStillRecording), 1u);
  EXPECT_EQ(notes.count(kNoInfo), 0u);
}

TEST(Info, AnUnreadableFileIsNoted) {
  Notes notes;
  const std::string endless(300, 'x');  // longer than any file name
  EXPECT_FALSE(read_info({.folder = std::make_shared<const fxt::Folder>("/tmp/" + endless)}, notes).present);
  EXPECT_THAT(notes.groups().front().first, ElementsAre(testing::HasSubstr("File name too long")));
}

TEST(UftraceInfo, ReportsHowTheProgramEnded) {
  EXPECT_EQ(ending_of(0), "exited with code 0");
  EXPECT_EQ(ending_of(0x300), "exited with code 3");
  EXPECT_EQ(ending_of(9), "killed by SIGKILL");
  EXPECT_EQ(ending_of(0x8b), "killed by SIGSEGV") << "with a core dump";
  EXPECT_EQ(ending_of(40), "killed by signal 40") << "a real-time signal";
  EXPECT_EQ(ending_of(65536), "stopped by a finish trigger");
  EXPECT_EQ(ending_of(65537), "unknown");
  EXPECT_EQ(ending_of(-1), "unknown");
  for (const std::int64_t killed : {9, 0x8b, 40}) EXPECT_TRUE(is_killed(killed)) << killed;
  for (const std::int64_t not_killed : {0, 0x300, 65536, 65545, -1})
    EXPECT_FALSE(is_killed(not_killed)) << not_killed;
}

TEST(UftraceTimes, LeapTooFarIfTheRecordingWasShort) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 47;
  EXPECT_TRUE(leaps_too_far(5, 5 + kFar, 1));
  EXPECT_FALSE(leaps_too_far(5, 4 + kFar, 1));
  EXPECT_FALSE(leaps_too_far(5, 5 + kFar, std::nullopt));
  EXPECT_FALSE(leaps_too_far(5 + kFar, 5, 1));
  EXPECT_FALSE(leaps_too_far(5, 5 + kFar, kFar / 2));
  EXPECT_TRUE(leaps_too_far(5, 5 + kFar, kFar / 2 - 1));
}

}  // namespace
}  // namespace convert::uftrace
