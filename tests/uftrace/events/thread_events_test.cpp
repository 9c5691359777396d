#include "converters/uftrace/events/thread_events.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string_view>
#include <vector>

#include "converters/symbols/elf_symbols.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;

constexpr std::uint64_t kWatchedBase = 0x40'0000;

// Thread 101 of process 100. The variable `counter` of this process is at 0x14000.
class ThreadEventsTest : public testing::Test {
 protected:
  ThreadEventsTest() {
    recording_.file("sid-aa.map", "10000-20000 r-xp 00000000 00:00 0    /bin/a\n");
    recording_.file("a.sym", "0000000000000100 00000010 T f\n0000000000004000 00000004 D _ZN2ns7counterE\n");
    recording_.file("task.txt",
                    "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
                    "TASK timestamp=0.000000010 tid=101 pid=100\n");
    read_recording();
  }
  void read_recording() {
    directory_ = list_directory(recording_.path());
    sessions_ = std::make_unique<Sessions>(directory_, Info{},
                                           read_task_file(directory_, std::endian::little, notes_), notes_);
    symbolizer_ = std::make_unique<Symbolizer>(directory_, *sessions_, Demangle::Simple, names_, notes_);
  }

  // An event for lines(), which emits the events on a lane. lines() returns the events of the lane as texts.
  // Arguments that wait for a call are in an instant "x:kept". At the end, there is a text "no" for each
  // rejected event.
  struct Event {
    std::uint64_t id;
    std::string_view data;
  };
  std::vector<std::string> lines(const std::vector<Event>& events) {
    std::vector<std::string> kept;
    Timeline timeline({.lanes = kTestLanes}, notes_);
    timeline.begin_input("demo");
    Lane& lane = timeline.add_lane({ProcessId{100}, ThreadId{101}, "a", "a", 0});
    recording_.file("events.txt", "EVENT: 1000000 uftest:step\n");
    UserEvents user_events(directory_, *sessions_, notes_);
    timeline.add_source(std::make_unique<Story>(
                            lane,
                            [&](Lane& told) {
                              ThreadEvents thread({.symbolizer = *symbolizer_,
                                                   .names = names_,
                                                   .user_events = user_events,
                                                   .demangle = Demangle::Simple,
                                                   .word_size = word_size_,
                                                   .order = order_},
                                                  *sessions_->find_task(ThreadId{101}));
                              for (const Event& event : events) {
                                if (!thread.emit(event.id, 20, std::as_bytes(std::span(event.data)), &told))
                                  kept.push_back("no");
                              }
                              const bool is_waiting = thread.is_waiting();
                              Arguments values;
                              if (ends_a_call_)
                                thread.add_to_exit(values);
                              else
                                thread.add_to_entry(values);
                              EXPECT_FALSE(thread.is_waiting());
                              if (is_waiting) told.instant(30, names_.intern_label("x", "kept"), values);
                            }),
                        {&lane});
    EventText text(names_);
    timeline.run(text, [] {});
    std::vector<std::string> lines = text.lines();
    lines.insert(lines.end(), kept.begin(), kept.end());
    return lines;
  }

  TextRecording recording_;
  Directory directory_;
  Names names_;
  Notes notes_;
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<Symbolizer> symbolizer_;
  std::size_t word_size_ = 8;
  std::endian order_ = std::endian::little;
  bool ends_a_call_ = false;
};

TEST_F(ThreadEventsTest, ValuesOfAProcessAreCountersForAllThreads) {
  EXPECT_THAT(lines({{100001, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\1\0\0\0\0\0\0"sv},
                     {100002, "\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0"sv}}),
              ElementsAre("100/101 @20 counter event:memory #0 vmsize KB=1 vmrss KB=2 shared KB=259",
                          "100/101 @20 counter event:page-fault #0 major faults=4 minor faults=5"));
}

TEST_F(ThreadEventsTest, ValuesOfTheProcessorAreCountersOfTheThread) {
  constexpr auto kTwo = "\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0"sv;
  EXPECT_THAT(lines({{100005, kTwo}, {100007, kTwo}, {100009, kTwo}}),
              ElementsAre("100/101 @20 counter event:pmu-cycle #101 cycles=4 instructions=5",
                          "100/101 @20 counter event:pmu-cache #101 cache references=4 cache misses=5",
                          "100/101 @20 counter event:pmu-branch #101 branches=4 branch misses=5"));
}

TEST_F(ThreadEventsTest, DifferencesAreArgumentsOfTheCallThatEnds) {
  constexpr auto kTwo = "\xff\xff\xff\xff\xff\xff\xff\xff\5\0\0\0\0\0\0\0"sv;
  ends_a_call_ = true;
  EXPECT_THAT(
      lines({{100003, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"sv}, {100004, kTwo}}),
      ElementsAre("100/101 @30 x:kept diff.vmsize=1 diff.vmrss=2 diff.shared=3 diff.major=-1 diff.minor=5"));
  EXPECT_THAT(lines({{100006, kTwo}, {100008, kTwo}, {100010, kTwo}}),
              ElementsAre("100/101 @30 x:kept diff.cycles=-1 diff.instructions=5 diff.cache-references=-1 "
                          "diff.cache-misses=5 diff.branches=-1 diff.branch-misses=5"));
  ends_a_call_ = false;
  EXPECT_THAT(lines({{100004, kTwo}}), ElementsAre("100/101 @30 x:kept"));
}

TEST_F(ThreadEventsTest, CallSitesAreArgumentsOfTheNextCall) {
  EXPECT_THAT(lines({{100013, "\x01\0\0\0\0\0\0\0"sv}, {100013, "\x47\x83\0\x88\x63\x55\0\0"sv}}),
              ElementsAre("100/101 @30 x:kept callsite=0x556388008347"));
  ends_a_call_ = true;
  EXPECT_THAT(lines({{100013, "\x47\x83\0\x88\x63\x55\0\0"sv}}), ElementsAre("100/101 @30 x:kept"));
}

// Each call site has a text with the function's name. Very long names would need too much memory, so they are
// cut.
TEST_F(ThreadEventsTest, VeryLongNamesOfCallSitesAreCut) {
  recording_.file("sid-aa.map", "10000-20000 r-xp 00000000 00:00 0    /bin/a\n");
  recording_.file("a.sym", fmt::format("0000000000000100 00000100 T {}\n", std::string(1000, 'x')));
  read_recording();
  EXPECT_THAT(lines({{100013, "\x04\x01\1\0\0\0\0\0"sv}}),
              ElementsAre(fmt::format("100/101 @30 x:kept callsite='{}…+0x4'", std::string(300, 'x'))));
}

TEST_F(ThreadEventsTest, WatchedCpusAndVariablesAreCounters) {
  EXPECT_THAT(
      lines({{100011, "\3\0\0\0"sv}, {100011, "\xff\xff\xff\xff"sv}}),
      ElementsAre("100/101 @20 counter event:cpu #101 cpu=3", "100/101 @20 counter event:cpu #101 cpu=-1"));
  EXPECT_THAT(lines({{100012, "\0\x40\1\0\0\0\0\0\xff"sv},
                     {100012, "\2\x40\1\0\0\0\0\0\1\0\0\2"sv},
                     {100012, "\0\x40\1\0\0\0\0\0\xfe\xff"sv},
                     {100012, "\0\x40\1\0\0\0\0\0\xfe\xff\xff"sv},
                     {100012, "\0\x40\1\0\0\0\0\0\xfd\xff\xff\xff\0\0\0\0"sv},
                     {100012, "\0\x30\1\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"sv}}),
              ElementsAre("100/101 @20 counter event:watch #0 ns::counter=255",
                          "100/101 @20 counter event:watch #0 ns::counter=33554433",
                          "100/101 @20 counter event:watch #0 ns::counter=-2",
                          "100/101 @20 counter event:watch #0 ns::counter=16777214",
                          "100/101 @20 counter event:watch #0 ns::counter=-3",
                          "100/101 @20 counter event:watch #0 <13000>=-1"));
}

// PARAMETERS is the path of a program with debug information. The recorded memory map has this path.
TEST_F(ThreadEventsTest, DebugInformationHasTheTypesOfWatchedVariables) {
  const InputFile file{fxt::FilePlace(PARAMETERS)};
  const ElfImage elf(file);
  const auto symbols = read_elf_symbols(elf, nullptr);
  std::string sym_file, addresses;
  std::vector<std::string> events;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string_view>>{
           {"_ZN7watched5ratioE", "\0\0\0\0\0\0\xe0\xbf"sv},
           {"_ZN7watched4partE", "\0\0\0\x40\1\2\3\4"sv},
           {"_ZN7watched5totalE", "\xff\xff\xff\xff\xff\xff\xff\xff"sv},
           {"_ZN7watched5smallE", "\xfd\0\0\0\0\0\0\0"sv},
           {"_ZN7watched5ratioE", "\1\0"sv}}) {
    const auto symbol = std::ranges::find(symbols->symbols(), name, &Symbol::name);
    ASSERT_NE(symbol, symbols->symbols().end());
    sym_file += fmt::format("{:016x} {:08x} D {}\n", symbol->start, symbol->end - symbol->start, name);
    const std::uint64_t address = kWatchedBase + symbol->start;
    events.emplace_back(reinterpret_cast<const char*>(&address), sizeof address);
    events.back() += value;
  }
  recording_.file("sid-aa.map", fmt::format("{:x}-{:x} r-xp 00000000 00:00 0    {}\n", kWatchedBase,
                                            kWatchedBase + elf.mapped_size(), PARAMETERS));
  recording_.file("parameters.sym", sym_file);
  read_recording();
  std::vector<Event> all;
  for (const std::string& event : events) all.push_back({100012, event});
  EXPECT_THAT(lines(all),
              ElementsAre("100/101 @20 counter event:watch #0 watched::ratio=-0.5",
                          "100/101 @20 counter event:watch #0 watched::part=2",
                          "100/101 @20 counter event:watch #0 watched::total=18446744073709551615",
                          "100/101 @20 counter event:watch #0 watched::small=-3",
                          "100/101 @20 counter event:watch #0 watched::ratio=1"));
}

TEST_F(ThreadEventsTest, EventsMayBeOf32BitAndBigEndianPrograms) {
  word_size_ = 4;
  EXPECT_THAT(lines({{100012, "\0\x40\1\0\7\0\0\0"sv}}),
              ElementsAre("100/101 @20 counter event:watch #0 ns::counter=7"));
  order_ = std::endian::big;
  EXPECT_THAT(lines({{100012, "\0\1\x40\0\0\7"sv},
                     {100011, "\0\0\0\3"sv},
                     {100002, "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\1\0"sv}}),
              ElementsAre("100/101 @20 counter event:watch #0 ns::counter=7",
                          "100/101 @20 counter event:cpu #101 cpu=3",
                          "100/101 @20 counter event:page-fault #0 major faults=1 minor faults=256"));
}

TEST_F(ThreadEventsTest, UserEventsAreInstants) {
  EXPECT_THAT(lines({{1000000, ""sv}, {1000001, ""sv}, {1000000, "\1\xab"sv}}),
              ElementsAre("100/101 @20 event:uftest:step", "100/101 @20 event:event:1000001",
                          "100/101 @20 event:uftest:step data=\"01ab\""));
}

TEST_F(ThreadEventsTest, UnknownAndTooShortEventsAreRejected) {
  const std::string long_data(64, '\0');
  EXPECT_THAT(
      lines({{100000, long_data}, {100014, long_data}, {200001, long_data}, {999999, long_data}, {0, ""}}),
      ElementsAre("no", "no", "no", "no", "no"));
  for (const std::uint64_t id :
       {100001u, 100002u, 100003u, 100004u, 100005u, 100006u, 100007u, 100008u, 100009u, 100010u}) {
    const std::size_t needed = id == 100001 || id == 100003 ? 24 : 16;
    EXPECT_THAT(lines({{id, std::string_view(long_data).substr(0, needed - 1)}}), ElementsAre("no")) << id;
  }
  EXPECT_THAT(lines({{100011, "\0\0\0"sv},
                     {100013, "\0\0\0\0\0\0\0"sv},
                     {100012, "\0\0\0\0\0\0\0\0"sv},
                     {100012, std::string_view(long_data).substr(0, 17)}}),
              ElementsAre("no", "no", "no", "no"));
}

TEST_F(ThreadEventsTest, ForgottenArgumentsAreNotAddedToACall) {
  UserEvents user_events(directory_, *sessions_, notes_);
  ThreadEvents thread({.symbolizer = *symbolizer_,
                       .names = names_,
                       .user_events = user_events,
                       .demangle = Demangle::Simple,
                       .word_size = 8,
                       .order = order_},
                      *sessions_->find_task(ThreadId{101}));
  ChunkPool pool;
  Lane lane(pool, {});
  const std::string data(16, '\1');
  thread.emit(100013, 20, std::as_bytes(std::span(data)), &lane);
  thread.emit(100004, 20, std::as_bytes(std::span(data)), &lane);
  EXPECT_TRUE(thread.is_waiting());
  thread.forget();
  EXPECT_FALSE(thread.is_waiting());
}

}  // namespace
}  // namespace convert::uftrace
