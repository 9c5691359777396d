// Tests output files: their names, the files that remain if writing fails, and errors at the start.
#include "fxt/output_file.h"

#include <array>
#include <bit>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "tests/fxt/check_words.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

class FileOutputTest : public ToolTest {
 protected:
  // Writes `count` times `size` bytes.
  static void write(OutputFile& file, std::size_t size, std::size_t count) {
    const std::vector<std::byte> piece(size, std::byte{7});
    for (; count > 0; --count) file.write(piece);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  std::string folder_ = folder().substr(0, folder().size() - 1);
  std::string path_ = folder_ + "/out.fxt";
};

// The disk blocks of a large file are reserved before they are written. At the end, unused blocks are
// released.
TEST_F(FileOutputTest, HasTheBlocksThatItNeeds) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  for (const std::size_t pieces : {1u, 15u, 17u, 129u, 300u}) {
    OutputFile file(path_, FileMode::Replace);
    write(file, kPiece, pieces);
    write(file, 3, 1);
    file.commit();
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(static_cast<std::size_t>(status.st_size), kPiece * pieces + 3);
    EXPECT_LE(static_cast<std::size_t>(status.st_blocks) * 512, kPiece * (pieces + 1)) << pieces;
    EXPECT_EQ(file.bytes_written(), kPiece * pieces + 3);
  }
}

TEST_F(FileOutputTest, LeavesNoFileWithoutCommit) {
  {
    OutputFile file(path_, FileMode::Replace);
    write(file, std::size_t{8} << 20, 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(FileOutputTest, AppearsWhenItIsComplete) {
  {
    FileOutput output(path_);
    Writer writer(output);
    writer.flush();
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_EQ(files(), 1U);  // only the temporary file exists
    writer.finish();
    EXPECT_EQ(std::filesystem::file_size(path_), kStart.size() * 8);
  }
  EXPECT_EQ(files(), 1U);
  FileInput input(path_);
  Reader reader(input);
  EXPECT_EQ(std::ranges::distance(reader.begin(), reader.end()), 3);
  const auto permissions = std::filesystem::status(path_).permissions();
  std::ofstream(folder_ + "/plain") << "x";
  EXPECT_EQ(permissions, std::filesystem::status(folder_ + "/plain").permissions());
}

TEST_F(FileOutputTest, KeepsTheOlderFileUntilTheNewOneIsComplete) {
  std::ofstream(path_) << "older";
  {
    FileOutput output(path_);
    Writer writer(output);
    writer.flush();
  }
  EXPECT_EQ(std::filesystem::file_size(path_), 5U);
  EXPECT_EQ(files(), 2U);  // the older file, and a temporary file with the new data
}

TEST_F(FileOutputTest, KeepsTheDataBeforeAnException) {
  try {
    FileOutput output(path_);
    Writer writer(output);
    writer.flush();
    throw std::runtime_error("before finish()");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(std::filesystem::file_size(path_), kStart.size() * 8);
    EXPECT_EQ(files(), 1U);
  }
}

TEST_F(FileOutputTest, LeavesNoFileWithoutData) {
  { FileOutput output(path_); }
  EXPECT_EQ(files(), 0U);
}

TEST_F(FileOutputTest, FollowsLinksAndKeepsTheMode) {
  std::ofstream(folder_ + "/there") << "older";
  ::chmod((folder_ + "/there").c_str(), 0640);
  std::filesystem::create_symlink("there", folder_ + "/second");
  std::filesystem::create_symlink(folder_ + "/second", path_);
  FileOutput output(path_);
  Writer(output).finish();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/there"), kStart.size() * 8);
  EXPECT_EQ(std::filesystem::status(folder_ + "/there").permissions(), std::filesystem::perms{0640});
  EXPECT_EQ(files(), 3U);
}

TEST_F(FileOutputTest, WritesToAFifo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  {
    FileOutput output(path_);
    Writer writer(output);
    writer.finish();
  }
  std::array<std::byte, sizeof(kMagicRecord)> bytes{};
  EXPECT_EQ(::read(reader, bytes.data(), bytes.size()), 8);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes), kMagicRecord);
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

TEST_F(FileOutputTest, ThrowsIfAFileCannotBeWritten) {
  EXPECT_THROW(FileOutput("/no/such/folder/out.fxt"), std::system_error);
  EXPECT_THROW(FileOutput{folder_}, std::system_error);  // the path is a folder
  {
    FileOutput output(path_);
    Writer writer(output);
    std::filesystem::create_directories(path_ + "/in the way");
    EXPECT_THROW(writer.finish(), std::system_error);
  }
  EXPECT_EQ(files(), 2U);  // the folder, and a temporary file with the data
}

TEST_F(FileOutputTest, KeepsTheModeOfAReplacedFile) {
  std::ofstream(path_) << "older";
  ::chmod(path_.c_str(), 0604);
  OutputFile file(path_, FileMode::Replace);
  file.commit();
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms{0604});
}

TEST_F(FileOutputTest, InPlaceIsReadableAsFarAsItWasWritten) {
  std::ofstream(path_) << std::string(100, 'x');
  const auto inode = [this] {
    struct stat status {};
    ::stat(path_.c_str(), &status);
    return status.st_ino;
  };
  const auto before = inode();
  FileOutput output(path_, FileMode::InPlace);
  Writer writer(output);
  writer.flush();
  EXPECT_EQ(std::filesystem::file_size(path_), kStart.size() * 8);
  writer.finish();
  EXPECT_EQ(inode(), before);
  EXPECT_EQ(files(), 1U);
}

// The system may write fewer bytes than requested. Here, a file may have at most 12 bytes, so only 4 of 8
// bytes are written.
TEST_F(FileOutputTest, OverwritesCompletelyOrThrows) {
  OutputFile file(path_, FileMode::InPlace);
  write(file, 16, 1);
  const std::vector<std::byte> piece(8, std::byte{9});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit limit{12, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::string problem;
  try {
    file.overwrite(8, piece);
  } catch (const std::system_error& error) {
    problem = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &usual);
  EXPECT_EQ(problem, path_ + ": can't overwrite: File too large");
  file.overwrite(8, piece);
  file.commit();
  std::ostringstream all;
  all << std::ifstream(path_).rdbuf();
  EXPECT_EQ(all.str(), std::string(8, 7) + std::string(8, 9));
}

// The user root could replace the file in this folder. Therefore, the test for root uses paths at which no
// user can create a file.
TEST_F(FileOutputTest, ThrowsAtTheStartIfAFileCannotBeReplaced) {
  if (::geteuid() == 0) {
    EXPECT_THROW(OutputFile("/etc/hostname/x"), std::system_error);
    EXPECT_THROW(OutputFile("/proc/version"), std::system_error);
    return;
  }
  std::ofstream(path_) << "older";
  std::filesystem::permissions(folder_,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(OutputFile{path_}, std::system_error);
  EXPECT_THROW(OutputFile(path_, FileMode::Replace), std::system_error);
  EXPECT_NO_THROW(OutputFile(path_, FileMode::InPlace));
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
}

// ---- Moving ----

TEST_F(FileOutputTest, OutputsCanBeMoved) {
  {
    FileOutput first(path_), output = std::move(first);
    Writer writer(output), moved = std::move(writer);
    moved.write(Event{.type = EventType::DurationBegin, .time = 1, .thread = {1, 2}, .name = "x"});
    Writer last(output);
    last = std::move(moved);
    last.write(Event{.type = EventType::DurationEnd, .time = 3, .thread = {1, 2}, .name = "x"});
    last.finish();
    EXPECT_EQ(last.counters().cut_strings, 0U);
  }
  FileInput first(path_), input = std::move(first);
  first = FileInput("/dev/null");
  Reader reader(input);
  reader.next();
  Reader moved = std::move(reader);
  std::size_t events = 0;
  std::string findings;
  Checker checker([&](const Finding&finding) { findings += finding.problem; }), other = std::move(checker);
  for (const Entry& entry : moved) events += std::holds_alternative<Event>(entry.record) ? 1U : 0U;
  EXPECT_EQ(events, 2U);
}

// ---- After the end ----

TEST(WriterAfterFinish, ThrowsBecauseTheTraceIsComplete) {
  MemoryOutput output;
  Writer writer(output);
  const auto event = writer.prepare("app", "x").value();
  const auto thread = writer.thread_index(1, 2).value();
  writer.finish();
  const std::size_t size = output.bytes().size();
  const auto message_of = [](const auto& write) -> std::string {
    try {
      write();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string complete = "the trace is complete: nothing can be written after finish()";
  EXPECT_EQ(message_of([&] { writer.write_complete(event, thread, 1, 2); }), complete);
  EXPECT_EQ(message_of([&] { writer.write(Event{.time = 5, .thread = {1, 2}, .name = "x"}); }), complete);
  EXPECT_EQ(message_of([&] { writer.reserve(3); }), complete);
  EXPECT_EQ(message_of([&] { writer.name_process(1, "later"); }), complete);
  EXPECT_NO_THROW(writer.flush());
  EXPECT_NO_THROW(writer.finish());
  EXPECT_EQ(output.bytes().size(), size);
}

}  // namespace
}  // namespace fxt::test
