#include "converters/uftrace/recording/sessions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

// Reads the sessions of a recording with the given task.txt. timestamp=0.000000005 is a time of 5 ns.
class SessionsTest : public testing::Test {
 protected:
  void read(std::string_view task_text, const Info& info = {}) {
    recording_.file("task.txt", task_text);
    directory_ = list_directory(recording_.path());
    sessions_ =
        std::make_unique<Sessions>(directory_, info, read_task_file(directory_, info.order, notes_), notes_);
  }

  const Task& task(std::uint64_t tid) const {
    const Task* const found = sessions_->find_task(ThreadId{tid});
    if (found == nullptr) throw std::runtime_error("no such task");
    return *found;
  }
  // Returns the program that the task ran, or "-" if the program is unknown.
  std::string program_at(std::uint64_t tid, std::uint64_t time_ns) const {
    const SessionSpan span = sessions_->session_at(task(tid), time_ns);
    return span.session != nullptr ? span.session->exename : "-";
  }
  SessionSpan span_at(std::uint64_t tid, std::uint64_t time_ns) const {
    return sessions_->session_at(task(tid), time_ns);
  }

  TextRecording recording_;
  Directory directory_;
  Notes notes_;
  std::unique_ptr<Sessions> sessions_;
};

constexpr std::string_view kMap = "1000-2000 r-xp 00000000 00:00 0    /bin/a\n";

TEST_F(SessionsTest, ThreadsBelongToTheirProcess) {
  recording_.file("sid-aa.map", kMap);
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a_program_with_a_long_name\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "TASK timestamp=0.000000020 tid=101 pid=100\n");
  EXPECT_TRUE(task(100).is_leader());
  EXPECT_FALSE(task(101).is_leader());
  EXPECT_EQ(task(101).pid, ProcessId{100});
  EXPECT_EQ(task(101).name, "a_program_with_");
  EXPECT_EQ(program_at(101, 30), "/bin/a_program_with_a_long_name");
  EXPECT_EQ(sessions_->sessions().front().space->map.modules.size(), 1u);
  EXPECT_TRUE(notes_.empty());
}

// In maps, the recorder cuts paths at the first blank.
TEST_F(SessionsTest, ThePathOfAProgramMayHaveBlanks) {
  recording_.file("sid-aa.map",
                  "1000-2000 r-xp 00000000 00:00 0    /opt/a\n3000-4000 r-xp 00000000 00:00 0    /lib\n"
                  "7000-8000 r-xp 00000000 00:00 0    /opt/a\n");
  recording_.file("sid-bb.map", "1000-2000 r-xp 00000000 00:00 0    /opt/a b/c d build-id:12\n");
  Info info;
  info.exename = "/opt/a b/c d";
  info.build_id = "34";
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/opt/a b/c d\"\n"
      "SESS timestamp=0.000000020 pid=100 sid=bb exename=\"/opt/a b/c d\"\n"
      "TASK timestamp=0.000000020 tid=100 pid=100\n",
      info);
  const auto module = [&](std::size_t session, std::size_t index) {
    return sessions_->sessions()[session].space->map.modules[index];
  };
  EXPECT_EQ(module(0, 0).path, "/opt/a b/c d");
  EXPECT_EQ(module(0, 0).build_id, "34");
  EXPECT_EQ(module(0, 2).path, "/opt/a");
  EXPECT_EQ(module(1, 0).build_id, "12");
  EXPECT_EQ(task(100).name, "c d");
}

TEST_F(SessionsTest, RecordsBeforeATaskLineUseTheSessionOfTheMainThread) {
  recording_.file("sid-aa.map", kMap);
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "TASK timestamp=0.000000020 tid=101 pid=100\n");
  EXPECT_EQ(program_at(101, 15), "/bin/a");
  EXPECT_EQ(span_at(101, 15).until_ns, 20u);
  EXPECT_EQ(program_at(101, 5), "/bin/a");
  EXPECT_EQ(program_at(100, 5), "/bin/a");
}

TEST_F(SessionsTest, AForkedChildRunsItsParentsProgram) {
  recording_.file("sid-aa.map", kMap);
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "FORK timestamp=0.000000050 pid=200 ppid=100\n"
      "FORK timestamp=0.000000040 pid=300 ppid=200\n");
  EXPECT_EQ(task(200).pid, ProcessId{200});
  EXPECT_EQ(task(200).parent, ProcessId{100});
  EXPECT_EQ(task(200).fork_ns, 50u);
  EXPECT_EQ(task(200).name, "a");
  EXPECT_EQ(program_at(200, 60), "/bin/a");
  EXPECT_EQ(program_at(200, 45), "/bin/a");
  EXPECT_EQ(program_at(300, 60), "/bin/a");
}

TEST_F(SessionsTest, AnExecChangesProgramAndName) {
  recording_.file("sid-aa.map", kMap).file("sid-bb.map", "");
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "SESS timestamp=0.000000080 pid=100 sid=bb exename=\"/bin/b\"\n"
      "TASK timestamp=0.000000090 tid=100 pid=100\n");
  EXPECT_EQ(program_at(100, 89), "/bin/a");
  EXPECT_EQ(program_at(100, 90), "/bin/b");
  EXPECT_EQ(span_at(100, 50).from_ns, 11u);
  EXPECT_EQ(span_at(100, 50).until_ns, 90u);
  EXPECT_EQ(span_at(100, 90).until_ns, kForever);
  EXPECT_EQ(task(100).name, "b");
}

TEST_F(SessionsTest, ASpawnedProgramHasNoParent) {
  recording_.file("sid-aa.map", kMap).file("sid-bb.map", "");
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "SESS timestamp=0.000000080 pid=200 sid=bb exename=\"/bin/b\"\n"
      "TASK timestamp=0.000000090 tid=200 pid=200\n");
  EXPECT_EQ(task(200).parent, std::nullopt);
  EXPECT_EQ(program_at(200, 100), "/bin/b");
}

TEST_F(SessionsTest, LibrariesAreLoadedInOrderOfTime) {
  recording_.file("sid-aa.map", kMap);
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "DLOP timestamp=0.000000030 tid=100 sid=aa base=7000 libname=\"/lib/late.so\"\n"
      "DLOP timestamp=0.000000005 tid=100 sid=aa base=5000 libname=\"/lib/early.so\"\n"
      "DLOP timestamp=0.000000030 tid=100 sid=unknown base=5000 libname=\"/lib/other.so\"\n");
  const AddressSpace& space = *sessions_->sessions().front().space;
  ASSERT_EQ(space.libraries.size(), 2u);
  EXPECT_EQ(space.libraries[0].path, "/lib/early.so");
  EXPECT_EQ(space.libraries_at(4), 0u);
  EXPECT_EQ(space.libraries_at(5), 1u);
  EXPECT_EQ(space.libraries_at(30), 2u);
}

// Since version 0.17, recorders do not record that a library was loaded again at the same address.
TEST_F(SessionsTest, ALibraryAtTheAddressOfAnotherIsNotedIfReloadsAreNotRecorded) {
  recording_.file("sid-aa.map", kMap);
  const std::string lines =
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n"
      "DLOP timestamp=0.000000020 tid=100 sid=aa base=7000 libname=\"./one.so\"\n"
      "DLOP timestamp=0.000000025 tid=100 sid=aa base=9000 libname=\"./two.so\"\n"
      "DLOP timestamp=0.000000030 tid=100 sid=aa base=7000 libname=\"./three.so\"\n"
      "DLOP timestamp=0.000000035 tid=100 sid=aa base=7000 libname=\"./one.so\"\n";
  for (const auto& [version, count] : {std::pair("", 0u),
                                       {"v0.16 ( x86_64 )", 0u},
                                       {"v0.17 ( x86_64 )", 1u},
                                       {"v0.19-3-gabc", 2u},
                                       {"v1.0", 3u}}) {
    Info info;
    info.uftrace_version = version;
    read(lines, info);
    EXPECT_EQ(notes_.count(kLibraryReloaded), count) << version;
  }
  EXPECT_EQ(notes_.groups().front().first.front(),
            (recording_.path() / "task.txt").native() +
                ": ./three.so was loaded at 0x7000, where ./one.so "
                "was before; if ./one.so was loaded at this address "
                "again, calls of ./one.so have the names of ./three.so");
}

TEST_F(SessionsTest, ThreadsMayBeKnownOnlyFromInfoOrFiles) {
  recording_.file("sid-aa.map", kMap).file("100.dat", "").file("102.dat", "");
  Info info;
  info.present = true;
  info.tids = {ThreadId{100}, ThreadId{101}};
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000011 tid=100 pid=100\n",
      info);
  EXPECT_EQ(task(101).pid, ProcessId{100});
  EXPECT_EQ(program_at(102, 20), "/bin/a");
  ASSERT_EQ(notes_.count(kUnlistedThread), 1u);
  EXPECT_EQ(notes_.groups().front().first.front(),
            (recording_.path() / "102.dat").native() + ": the thread of this file is not listed in info");
}

TEST_F(SessionsTest, WithoutTaskLinesTheProgramComesFromTheOnlyMap) {
  recording_.file("sid-aa.map", "1000-2000 r-xp 0 0 0 /bin/a\n3000-4000 r-xp 0 0 0 /lib/libc.so.6\n");
  recording_.file("100.dat", "").file("101.dat", "");
  read("");
  EXPECT_EQ(program_at(101, 20), "/bin/a");
  EXPECT_EQ(task(101).pid, ProcessId{100});
  EXPECT_EQ(task(101).name, "a");
}

TEST_F(SessionsTest, TheProgramOfAMapIsNotALibrary) {
  recording_.file("sid-aa.map", "0500-0600 r-xp 0 0 0 /lib/ld-linux.so.2\n1000-2000 r-xp 0 0 0 /bin/a\n");
  recording_.file("100.dat", "");
  read("");
  EXPECT_EQ(program_at(100, 20), "/bin/a");
  Info info;
  info.exename = "/bin/told";
  read("", info);
  EXPECT_EQ(program_at(100, 20), "/bin/told");
}

TEST_F(SessionsTest, WithTwoMapsTheProgramIsUnknown) {
  recording_.file("sid-aa.map", kMap).file("sid-bb.map", kMap).file("100.dat", "");
  read("");
  EXPECT_EQ(program_at(100, 20), "-");
}

TEST_F(SessionsTest, WithSeveralProcessesAnUnlistedThreadIsASeparateProcess) {
  recording_.file("sid-aa.map", kMap).file("102.dat", "");
  read(
      "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
      "SESS timestamp=0.000000020 pid=101 sid=aa exename=\"/bin/a\"\n");
  EXPECT_EQ(task(102).pid, ProcessId{102});
  EXPECT_EQ(program_at(102, 20), "-");
}

// If process 1 has a parent, it is in a PID namespace. The first process of the system has no parent.
TEST_F(SessionsTest, AForkedProcess1IsInAPidNamespace) {
  read("FORK timestamp=0.000000050 pid=200 ppid=100\n");
  EXPECT_EQ(notes_.count(kPidNamespace), 0u);
  read("FORK timestamp=0.000000050 pid=1 ppid=100\nFORK timestamp=0.000000060 pid=2 ppid=1\n");
  EXPECT_EQ(notes_.count(kPidNamespace), 1u);
}

TEST_F(SessionsTest, ThreadsAreKnownWithoutAnyOtherFiles) {
  recording_.file("100.dat", "");
  read("");
  EXPECT_EQ(task(100).pid, ProcessId{100});
  EXPECT_EQ(program_at(100, 20), "-");
  EXPECT_EQ(notes_.count(kNoSession), 1u);
}

TEST_F(SessionsTest, AMissingMapIsNotedOnce) {
  read(
      "SESS timestamp=0.000000010 pid=100 sid=../aa exename=\"/bin/a\"\n"
      "SESS timestamp=0.000000020 pid=100 sid=../aa exename=\"/bin/a\"\n");
  EXPECT_EQ(notes_.count(kNoMap), 1u);
}

TEST_F(SessionsTest, CircularParentsAreHandled) {
  read(
      "FORK timestamp=0.000000010 pid=100 ppid=200\n"
      "FORK timestamp=0.000000010 pid=200 ppid=100\n"
      "FORK timestamp=0.000000010 pid=300 ppid=300\n");
  EXPECT_EQ(program_at(100, 20), "-");
  EXPECT_EQ(program_at(300, 20), "-");
}

// In large builds, each process may fork the next one. Each of these forks has a line in task.txt.
TEST_F(SessionsTest, AllProcessesOfALongChainOfForksRunTheSameProgram) {
  std::string lines = "SESS timestamp=0.000000010 pid=1 sid=aa exename=\"/bin/a\"\n";
  for (int pid = 2; pid <= 2000; ++pid)
    lines += fmt::format("FORK timestamp=0.00000{:04} pid={} ppid={}\n", pid + 10, pid, pid - 1);
  read(lines);
  EXPECT_EQ(program_at(2000, 5000), "/bin/a");
}

TEST_F(SessionsTest, TheNumberOfProgramsOfAThreadIsLimited) {
  std::string lines = "SESS timestamp=0.000000001 pid=1 sid=aa exename=\"/bin/a\"\n";
  for (int i = 0; i < 5000; ++i) lines += fmt::format("TASK timestamp=0.00000{:04} tid=1 pid=1\n", 9000 - i);
  read(lines);
  EXPECT_EQ(task(1).sessions.size(), 4096U);
  EXPECT_EQ(notes_.count(kOverLimit), 904U);
}

}  // namespace
}  // namespace convert::uftrace
