#include "converters/uftrace/recording/directory.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(Directory, ListsTheFilesOfARecording) {
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
  const std::string path = recording.path().native();
  EXPECT_THAT(found.refused, ElementsAre(path + "/5.dat: not a regular file, so it is not opened",
                                         path + "/6.dat: not a regular file, so it is not opened"));
}

// The system may list the files in any order.
TEST(Directory, ListsFilesInTheOrderOfTheirNames) {
  TextRecording recording;
  std::vector<std::string> symbols, debug, maps;
  for (const char letter : std::string_view("hcafbged")) {
    const std::string name(1, letter);
    recording.file(name + ".sym", "").file(name + ".dbg", "").file("sid-" + name + ".map", "");
    recording.file("kernel-cpu" + std::to_string(letter) + ".dat", "");
  }
  for (const char letter : std::string_view("abcdefgh")) {
    symbols.push_back(std::string(1, letter) + ".sym");
    debug.push_back(std::string(1, letter) + ".dbg");
    maps.emplace_back(1, letter);
  }
  const Directory found = list_directory(recording.path());
  EXPECT_EQ(found.symbol_files, symbols);
  EXPECT_EQ(found.debug_files, debug);
  EXPECT_EQ(found.session_maps, maps);
  EXPECT_TRUE(std::ranges::is_sorted(found.kernel_cpus, {}, &CpuFile::cpu));
  EXPECT_EQ(found.kernel_cpus.size(), 8u);
}

TEST(Directory, OmitsRefusedAndMissingFiles) {
  TextRecording recording;
  std::filesystem::create_symlink("loop.sym", recording.path() / "loop.sym");
  std::filesystem::create_symlink("nowhere", recording.path() / "gone.sym");
  std::filesystem::create_symlink("/etc/passwd", recording.path() / "sid-0.map");
  const Directory found = list_directory(recording.path());
  EXPECT_TRUE(found.symbol_files.empty());
  EXPECT_TRUE(found.session_maps.empty());
  EXPECT_THAT(found.refused,
              ElementsAre(testing::EndsWith("/loop.sym: can't open: Too many levels of symbolic links"),
                          testing::HasSubstr("/sid-0.map: a symbolic link leads out of the recording")));
}

TEST(Directory, AMissingDirectoryIsAnError) {
  try {
    list_directory("/nonexistent/demo");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/demo: can't read: No such file or directory");
  }
}

TEST(TextFile, MustBeARegularFile) {
  TextRecording recording;
  ASSERT_EQ(::mkfifo((recording.path() / ".channel").c_str(), 0600), 0);
  EXPECT_THROW(read_text_file(fxt::FilePlace(recording.path() / ".channel")), InputError);
  EXPECT_THROW(read_text_file(fxt::FilePlace(recording.path())), InputError);
  EXPECT_FALSE(read_text_file(fxt::FilePlace(recording.path() / "missing")));
}

TEST(TextFile, IsReadCompletelyOrOnlyAtTheStart) {
  TextRecording recording;
  recording.file("note.txt", std::string("a\0b\n", 4));
  EXPECT_EQ(read_text_file(fxt::FilePlace(recording.path() / "note.txt")), std::string("a\0b\n", 4));
  EXPECT_EQ(read_text_file(fxt::FilePlace(recording.path() / "note.txt"), 1), "a");
  // The file of 6 GiB has a hole, so it needs little space on the disk.
  std::filesystem::resize_file(recording.path() / "note.txt", std::uintmax_t{6} << 30);
  EXPECT_THROW(read_text_file(fxt::FilePlace(recording.path() / "note.txt")), InputError);
  EXPECT_EQ(read_text_file(fxt::FilePlace(recording.path() / "note.txt"), 1), "a");
}

TEST(Lines, AreReturnedWithoutTheirLineBreaks) {
  Lines lines("one\r\n\nthree");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "three");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineReader, QuotedTextEndsAtTheLastQuote) {
  const auto text_of = [](std::string_view line) {
    LineReader reader(line, "f", 1);
    const std::string_view text = reader.quoted("name");
    return std::pair(std::string(text), std::string(reader.rest()));
  };
  EXPECT_EQ(text_of(R"("a" b" rest)"), std::pair(std::string(R"(a" b)"), std::string(" rest")));
  EXPECT_EQ(text_of(R"("")"), std::pair(std::string(), std::string()));
  EXPECT_THROW(text_of(R"(")"), InputError);
  EXPECT_THROW(text_of(R"(a")"), InputError);
}

TEST(LineReader, QuotesTheStartOfInvalidText) {
  const auto problem_of = [](const std::string& line) {
    try {
      LineReader(line, "f", 7).fail("no");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(problem_of(""), "f:7: no, found the end of the line");
  EXPECT_EQ(problem_of(std::string(40, 'x')), "f:7: no, found \"" + std::string(40, 'x') + "\"");
  EXPECT_EQ(problem_of(std::string(41, 'x')), "f:7: no, found \"" + std::string(40, 'x') + "…\"");
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

// While a recorder runs, it has the FIFO `.channel` open.
TEST(Directory, DetectsARunningRecorder) {
  TextRecording recording;
  const std::string channel = (recording.path() / ".channel").native();
  EXPECT_FALSE(list_directory(recording.path()).is_growing);
  ASSERT_EQ(::mkfifo(channel.c_str(), 0600), 0);
  EXPECT_FALSE(list_directory(recording.path()).is_growing) << "it was killed";
  const int recorder = ::open(channel.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(recorder, 0);
  EXPECT_TRUE(list_directory(recording.path()).is_growing);
  recording.file("info", "");
  EXPECT_FALSE(list_directory(recording.path()).is_growing);
  ::close(recorder);
}

// `uftrace recv` opens files only briefly, so it is recognized by its sockets. It always has one socket on
// which it listens, and one more socket for each sender.
TEST(Directory, DetectsAReceivedRecording) {
  TextRecording received;
  const std::filesystem::path recording = received.path() / "sent.data",
                              program = received.path() / "bin/uftrace";
  std::filesystem::create_directory(recording);
  std::filesystem::create_directory(program.parent_path());
  std::filesystem::copy_file("/bin/sleep", program);
  for (const int sockets : {1, 2}) {
    int begun[2] = {};  // exec closes this pipe
    ASSERT_EQ(::pipe2(begun, O_CLOEXEC), 0);
    const pid_t receiver = ::fork();
    if (receiver == 0) {
      for (int i = 0; i < sockets; ++i) ::socket(AF_UNIX, SOCK_STREAM, 0);
      if (::chdir(received.path().c_str()) == 0) ::execl(program.c_str(), "uftrace", "60", nullptr);
      ::_exit(1);
    }
    ::close(begun[1]);
    char byte = 0;
    EXPECT_EQ(::read(begun[0], &byte, 1), 0);
    ::close(begun[0]);
    EXPECT_EQ(list_directory(recording).is_growing, sockets == 2);
    EXPECT_FALSE(list_directory(received.path()).is_growing) << "the directory around it";
    ::kill(receiver, SIGKILL);
    ::waitpid(receiver, nullptr, 0);
    EXPECT_FALSE(list_directory(recording).is_growing) << "it has ended";
  }
}

}  // namespace
}  // namespace convert::uftrace
