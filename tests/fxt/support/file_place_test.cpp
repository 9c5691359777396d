#include "fxt/support/file_place.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fxt {
namespace {

namespace fs = std::filesystem;

constexpr auto kLeadsOut =
    "a symbolic link leads out of the recording and is not followed; replace it with a copy of "
    "the file if the file belongs to the recording";
constexpr auto kLoop = "can't open: Too many levels of symbolic links";
constexpr auto kMissing = "can't open: No such file or directory";
constexpr auto kNotRegular = "not a regular file, so it is not opened";

class FilePlaceTest : public testing::Test {
 protected:
  FilePlaceTest() {
    std::string pattern = (fs::temp_directory_path() / "place-XXXXXX").native();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    top_ = pattern;
    fs::create_directories(top_ / "run/sub");
    write("secret", "outside");
    write("run/file", "inside");
    write("run/sub/file", "below");
  }
  ~FilePlaceTest() override { fs::remove_all(top_); }

  void write(const char* name, const char* text) const { std::ofstream(top_ / name) << text; }
  void link(const char* name, const fs::path& target) const { fs::create_symlink(target, top_ / name); }
  // Returns the text of the file, or the reason why the file is not opened.
  static std::string text_of(const FilePlace& place) {
    const auto opened = place.open();
    EXPECT_EQ(opened.descriptor.is_open(), opened.status.kind == FilePlace::Status::Kind::Regular);
    EXPECT_EQ(place.status().kind, opened.status.kind);
    EXPECT_EQ(place.status().problem, opened.status.problem);
    if (!opened.descriptor.is_open()) return opened.status.problem;
    std::string text(opened.status.size_bytes, '\0');
    return ::read(opened.descriptor.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size())
               ? text
               : "unreadable";
  }
  std::string beneath(const char* name) const {
    return text_of(FilePlace::beneath(std::make_shared<const Folder>(top_ / "run"), name));
  }

  fs::path top_;
};

TEST_F(FilePlaceTest, LinksBeneathTheFolderAreFollowed) {
  EXPECT_EQ(beneath("file"), "inside");
  EXPECT_EQ(beneath("sub/file"), "below");
  link("run/link", "sub/../file");
  link("run/chain", "link");
  link("run/folder", "sub");
  EXPECT_EQ(beneath("link"), "inside");
  EXPECT_EQ(beneath("chain"), "inside");
  EXPECT_EQ(beneath("folder/file"), "below");
}

TEST_F(FilePlaceTest, LinksOutOfTheFolderAreRefused) {
  link("run/absolute", top_ / "secret");
  link("run/own", top_ / "run/file");
  link("run/relative", "../secret");
  link("run/back", "../run/file");
  link("run/chain", "relative");
  link("run/nowhere", "/nonexistent");
  link("run/folder", "..");
  link("run/descriptor", "/proc/self/fd/0");
  link("run/zeros", "/dev/zero");
  for (const char* name : {"absolute", "own", "relative", "back", "chain", "nowhere", "folder/secret",
                           "descriptor", "zeros", "../secret", "/etc/passwd"})
    EXPECT_EQ(beneath(name), kLeadsOut) << name;
}

TEST_F(FilePlaceTest, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(::mkfifo((top_ / "run/fifo").c_str(), 0600), 0);
  link("run/to-fifo", "fifo");
  link("run/loop", "loop");
  link("run/nothing", "nowhere");
  EXPECT_EQ(beneath("fifo"), kNotRegular);
  EXPECT_EQ(beneath("to-fifo"), kNotRegular);
  EXPECT_EQ(beneath("sub"), kNotRegular);
  EXPECT_EQ(beneath("loop"), kLoop);
  EXPECT_EQ(beneath("nothing"), kMissing);
  EXPECT_EQ(beneath("missing"), kMissing);
  EXPECT_EQ(text_of(FilePlace(top_ / "run/fifo")), kNotRegular);
  EXPECT_EQ(text_of(FilePlace("/dev/zero")), kNotRegular);
}

TEST_F(FilePlaceTest, AReplacedFileIsCheckedAfterOpening) {
  FilePlace place = FilePlace::beneath(std::make_shared<const Folder>(top_ / "run"), "file");
  ASSERT_EQ(place.status().kind, FilePlace::Status::Kind::Regular);
  place.expect_regular();
  EXPECT_EQ(text_of(place), "inside");
  fs::remove(top_ / "run/file");
  link("run/file", top_ / "secret");
  EXPECT_EQ(text_of(place), kLeadsOut);
  fs::remove(top_ / "run/file");
  ASSERT_EQ(::mkfifo((top_ / "run/file").c_str(), 0600), 0);
  EXPECT_EQ(text_of(place), kNotRegular);
}

TEST_F(FilePlaceTest, PathsOfTheUserMayBeAnyLinks) {
  link("file-link", "run/file");
  link("folder-link", top_ / "run");
  EXPECT_EQ(text_of(FilePlace(top_ / "file-link")), "inside");
  EXPECT_EQ(text_of(FilePlace::beneath(std::make_shared<const Folder>(top_ / "folder-link"), "file")),
            "inside");
}

TEST_F(FilePlaceTest, AFolderStaysTheSameAfterRenaming) {
  const auto folder = std::make_shared<const Folder>(top_ / "run");
  fs::rename(top_ / "run", top_ / "old");
  link("run", "/etc");
  EXPECT_EQ(text_of(FilePlace::beneath(folder, "file")), "inside");
}

TEST_F(FilePlaceTest, AFolderThatCannotBeOpenedHasAnError) {
  const auto problem_of = [](const fs::path& folder) {
    return text_of(FilePlace::beneath(std::make_shared<const Folder>(folder), "file"));
  };
  EXPECT_EQ(problem_of(top_ / "missing"), kMissing);
  EXPECT_EQ(problem_of(top_ / "secret"), "can't open: Not a directory");
}

TEST_F(FilePlaceTest, PathsOfAnotherMachineStartAtItsRoot) {
  link("run/absolute", "/sub/file");
  link("run/up", "../../../file");
  EXPECT_EQ(text_of(FilePlace::in_root(top_ / "run", "/absolute")), "below");
  EXPECT_EQ(text_of(FilePlace::in_root(top_ / "run", "/up")), "inside");
  EXPECT_EQ(text_of(FilePlace::in_root(top_ / "run", "/../file")), "inside");
  EXPECT_EQ(text_of(FilePlace::in_root("", top_ / "secret")), "outside");
  EXPECT_EQ(FilePlace::in_root(top_ / "run/", "/sub/file").text(), (top_ / "run/sub/file").native());
}

}  // namespace
}  // namespace fxt
