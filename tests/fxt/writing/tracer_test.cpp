// The Tracer: threads, flushes at any time, programs that die.
#include "fxt/tracer.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <variant>
#include <vector>

#include "fxt/checker.h"
#include "tests/fxt/tool_test.h"

namespace fxt::test {
namespace {

const TraceCategory kApp("app");
const TraceEvent kOuter(kApp, "outer"), kInner(kApp, "inner"), kHit(kApp, "hit"), kQueue(kApp, "queue"),
    kFrame(kApp, "a Frame");

struct Seen {
  std::string findings;
  std::map<std::string, std::size_t> events;                  // by name
  std::map<std::string, std::vector<std::uint64_t>> lengths;  // of complete events
  std::map<std::string, std::string> arguments;               // of the latest event
  std::set<std::pair<std::uint64_t, std::uint64_t>> threads;  // that have events
  std::map<std::uint64_t, std::string> names;                 // of threads and the process
};

class TracerTest : public ToolTest {
 protected:
  // What fxt-dump --check has to say, and what is there.
  Seen seen() const {
    FileInput input(path_);
    Reader reader(input);
    Seen seen;
    Checker checker(
        [&](const Finding& finding) { seen.findings += std::string(finding.rule) + ' ' + finding.problem; });
    for (const Entry& entry : reader) {
      checker.add(entry, reader);
      if (const auto* object = std::get_if<KernelObject>(&entry.record))
        seen.names[object->koid] = object->name.text;
      const auto* event = std::get_if<Event>(&entry.record);
      if (event == nullptr) continue;
      const std::string name(event->name.text);
      ++seen.events[name];
      seen.threads.emplace(event->thread.process, event->thread.thread);
      if (event->type == EventType::DurationComplete) seen.lengths[name].push_back(event->end - event->time);
      std::string text;
      for (const Argument& argument : event->arguments) {
        text += std::string(argument.name.text) + '=';
        if (const auto* number = std::get_if<std::int32_t>(&argument.value)) text += std::to_string(*number);
        if (const auto* number = std::get_if<std::uint32_t>(&argument.value)) text += std::to_string(*number);
        if (const auto* value = std::get_if<String>(&argument.value)) text += value->text;
        if (std::holds_alternative<Pointer>(argument.value)) text += "pointer";
        text += ' ';
      }
      seen.arguments[name] = text;
    }
    checker.finish(reader);
    return seen;
  }
  // Does `work` in a process of its own, which ends as it may; `meanwhile` gets its number.
  static int in_child(const std::function<void()>& work, const std::function<void(pid_t)>& meanwhile = {}) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    if (meanwhile) meanwhile(child);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  std::string path_ = folder() + "out.fxt";
};

TEST_F(TracerTest, WithoutOneNothingHappens) {
  const TraceScope scope(kOuter, "size", 1);
  trace_instant(kHit);
  trace_counter(kQueue, 1);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TracerTest, WritesScopesInstantsAndCounters) {
  {
    Tracer tracer(path_, {.process_name = "prog"});
    tracer.name_thread("the main one");
    const int here = 1;
    const TraceScope outer(kOuter, "int", -5, "text", std::string("some\xfftext"), "here", &here, "yes",
                           true);
    { const TraceScope inner(kInner); }
    const char* const nothing = nullptr;
    trace_instant(kHit, "n", 7U, "word", "x", "none", nothing);
    trace_instant(kFrame);
    trace_counter(kQueue, 12);
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events, (std::map<std::string, std::size_t>{
                             {"a Frame", 1}, {"hit", 1}, {"inner", 1}, {"outer", 1}, {"queue", 1}}));
  EXPECT_EQ(seen.arguments.at("outer"), "int=-5 text=some\ufffdtext here=pointer yes=1 ");
  EXPECT_EQ(seen.arguments.at("hit"), "n=7 word=x none= ");
  EXPECT_EQ(seen.arguments.at("queue"), "queue=12 ");
  EXPECT_EQ(seen.lengths.at("a Frame"), std::vector<std::uint64_t>{0}) << "instants would be Tracy's frames";
  EXPECT_GT(seen.lengths.at("outer")[0], seen.lengths.at("inner")[0]);
  EXPECT_EQ(seen.names.at(static_cast<std::uint64_t>(::getpid())), "the main one");
}

TEST_F(TracerTest, NamesOfArgumentsAreCutToWhatReadersTake) {
  {
    const Tracer tracer(path_);
    trace_instant(kHit, "k\xff", 1, "\xff", 2, std::string(63, 'n') + "\u00e9", 3, std::string(70, 'm'), 4,
                  "\u00e9", 5);
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.arguments.at("hit"),
            "k=1 ?=2 " + std::string(63, 'n') + "=3 " + std::string(64, 'm') + "=4 \u00e9=5 ");
}

TEST_F(TracerTest, ScopesThatAreOpenEndAtEachFlush) {
  Tracer tracer(path_);
  {
    const TraceScope outer(kOuter);
    { const TraceScope inner(kInner); }
    tracer.flush();
    const Seen first = seen();
    EXPECT_EQ(first.findings, "");
    EXPECT_GE(first.lengths.at("outer")[0], first.lengths.at("inner")[0]);
    { const TraceScope inner(kInner); }
    tracer.flush();
    const Seen second = seen();
    EXPECT_EQ(second.findings, "");
    EXPECT_EQ(second.events.at("inner"), 2U);
    EXPECT_GT(second.lengths.at("outer")[0], first.lengths.at("outer")[0]);
  }
  trace_instant(kHit);
  tracer.flush();
  const Seen third = seen();
  tracer.flush();
  EXPECT_EQ(third.lengths, seen().lengths) << "is over";
  EXPECT_EQ(third.findings, "");
}

// Its buffer is used anew many times meanwhile.
TEST_F(TracerTest, AScopeMayLastForMillionsOfEvents) {
  constexpr std::size_t kEvents = 600'000;  // more than the Checker's window
  {
    const Tracer tracer(path_);
    const TraceScope outer(kOuter);
    for (std::size_t i = 0; i < kEvents; ++i) const TraceScope inner(kInner);
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events.at("inner"), kEvents);
  EXPECT_EQ(seen.events.at("outer"), 1U);
}

TEST_F(TracerTest, ManyThreadsWriteWhileOthersFlush) {
  constexpr std::size_t kThreads = 6, kEach = 20'000;
  {
    Tracer tracer(path_);
    std::atomic<std::size_t> done = 0;
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < kThreads; ++k)
      threads.emplace_back([&done] {
        const TraceScope outer(kOuter);
        for (std::size_t i = 0; i < kEach; ++i) {
          const TraceScope inner(kInner, "i", i);
          if (i % 64 == 0) trace_instant(kHit, "text", "abc");
        }
        ++done;
      });
    while (done != kThreads) tracer.flush();
    for (std::thread& thread : threads) thread.join();
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events.at("inner"), kThreads * kEach);
  EXPECT_EQ(seen.events.at("outer"), kThreads);
  EXPECT_EQ(seen.events.at("hit"), kThreads * ((kEach + 63) / 64));
  EXPECT_EQ(seen.threads.size(), kThreads);
}

TEST_F(TracerTest, TakesMoreThreadsThanTheTableHas) {
  constexpr std::size_t kThreads = 300;
  {
    const Tracer tracer(path_);
    for (std::size_t k = 0; k < kThreads; ++k)
      std::thread([] { const TraceScope scope(kOuter, "n", 1); }).join();
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events.at("outer"), kThreads);
}

TEST_F(TracerTest, ARingKeepsTheLatest) {
  constexpr std::size_t kRing = std::size_t{1} << 20;
  Tracer tracer(path_, {.ring_bytes = kRing});
  const TraceScope outer(kOuter);
  for (int i = 0; i < 200'000; ++i) const TraceScope inner(kInner);
  trace_instant(kHit, "last", 1);
  EXPECT_EQ(std::filesystem::file_size(path_) / 4096, 0U) << "written when it is asked for";
  for (int i = 0; i < 2; ++i) {
    tracer.flush();
    const Seen seen = this->seen();
    EXPECT_EQ(seen.findings, "");
    EXPECT_EQ(seen.events.at("hit"), 1U);
    EXPECT_FALSE(seen.events.contains("outer")) << "is long gone";
    EXPECT_GT(seen.events.at("inner"), kRing / 24 * 9 / 10);
    EXPECT_LT(std::filesystem::file_size(path_), kRing + 2 * 65'536);
  }
}

TEST_F(TracerTest, CategoriesCanBeOff) {
  TraceCategory quiet("quiet", false);
  const TraceEvent event(quiet, "quiet");
  {
    const Tracer tracer(path_);
    trace_instant(event);
    { const TraceScope scope(event); }
    quiet.set_on(true);
    trace_instant(event);
    trace_counter(kQueue, 1);
  }
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"queue", 1}, {"quiet", 1}}));
}

void nest(int depth) {
  const TraceScope scope(kInner);
  if (depth > 1) return nest(depth - 1);
  trace_instant(kHit);
}

TEST_F(TracerTest, NothingLiesDeeperThanReadersTake) {
  {
    const Tracer tracer(path_);
    nest(600);
    nest(3);
    EXPECT_EQ(tracer.lost(), 101U) << "a hundred scopes, and what happened in them";
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events.at("inner"), TraceBuffer::kMaxDepth + 3);
}

TEST_F(TracerTest, OneAfterTheOther) {
  {
    const Tracer tracer(path_);
    EXPECT_THROW(Tracer(folder() + "other.fxt"), std::logic_error);
    trace_instant(kHit);
  }
  EXPECT_EQ(seen().events.at("hit"), 1U);
  trace_instant(kInner);  // nobody traces
  {
    const Tracer tracer(path_);
    const TraceScope scope(kOuter);
    EXPECT_EQ(tracer.lost(), 0U);
  }
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"outer", 1}}));
  EXPECT_EQ(seen().findings, "");
}

// Its destructor runs after that of the thread's buffer, which is made at the first event.
TEST_F(TracerTest, EventsOfAThreadWithoutABufferAreLost) {
  struct Last {
    ~Last() { const TraceScope scope(kInner); }
  };
  const Tracer tracer(path_);
  std::thread([] {
    static thread_local const Last last;
    const TraceScope scope(kOuter);
  }).join();
  EXPECT_EQ(tracer.lost(), 1U);
}

TEST_F(TracerTest, SaysAtTheBeginningWhatCannotBeWritten) {
  EXPECT_THROW(Tracer("/no/such/folder/out.fxt"), std::system_error);
  EXPECT_THROW(Tracer("/dev/full"), std::system_error);
  EXPECT_THROW(Tracer("/dev/null"), std::system_error) << "what is open could not be ended";
  const std::string fifo = folder() + "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(Tracer{fifo}, std::system_error) << "and nobody reads it";
  const Tracer tracer(path_);
}

// ---- Programs that die ----

TEST_F(TracerTest, AKilledProgramLeavesWhatWasFlushed) {
  for (const std::uintmax_t size : {100'000U, 1'000'000U, 3'000'000U}) {
    const int status = in_child(
        [this] {
          const Tracer tracer(path_);
          const TraceScope outer(kOuter);
          for (;;) {
            const TraceScope middle(kInner);
            const TraceScope inner(kInner, "n", 1);
          }
        },
        [&](pid_t child) {
          std::error_code none;
          while (!std::filesystem::exists(path_) || std::filesystem::file_size(path_, none) < size)
            ::usleep(100);
          ::kill(child, SIGKILL);
        });
    EXPECT_TRUE(WIFSIGNALED(status));
    const Seen seen = this->seen();
    EXPECT_EQ(seen.findings, "");
    EXPECT_EQ(seen.events.at("outer"), 1U);
    EXPECT_GT(seen.events.at("inner"), 1000U);
    std::filesystem::remove(path_);
  }
}

TEST_F(TracerTest, ASignalMayFlushTheRing) {
  for (const bool flushes : {true, false}) {
    const int status = in_child([&] {
      const Tracer tracer(path_, {.ring_bytes = 65'536, .flushes_on_signals = flushes});
      const TraceScope outer(kOuter);
      trace_instant(kHit);
      std::raise(SIGABRT);
    });
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
    EXPECT_EQ(seen().events.contains("hit"), flushes);
    EXPECT_EQ(seen().findings, "");
  }
}

// They take the lock again and again to empty their buffers.
TEST_F(TracerTest, ASignalFlushesWhileOtherThreadsAreBusy) {
  for (int round = 0; round < 10; ++round) {
    const int status = in_child([this] {
      const Tracer tracer(path_, {.ring_bytes = std::size_t{1} << 20, .flushes_on_signals = true});
      std::vector<std::jthread> threads;
      for (int i = 0; i < 16; ++i)
        threads.emplace_back([] {
          for (;;) trace_instant(kHit);
        });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::raise(SIGABRT);
    });
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
    EXPECT_GT(seen().events["hit"], 1000U);
    EXPECT_EQ(seen().findings, "");
  }
}

TEST_F(TracerTest, AFullDiskDoesNotHarmTheProgram) {
  in_child([this] {
    std::signal(SIGXFSZ, SIG_IGN);
    const Tracer tracer(path_);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 20'000; ++i) const TraceScope scope(kOuter);
    std::ofstream(folder() + "error") << tracer.error() << (tracer.lost() > 0 ? ", and events are lost" : "");
  });
  std::string error;
  std::getline(std::ifstream(folder() + "error"), error);
  EXPECT_EQ(error, path_ + ": can't write: File too large, and events are lost");
  EXPECT_EQ(seen().findings.find("W15"), std::string::npos);
}

TEST_F(TracerTest, AChildIsNotTraced) {
  {
    const Tracer tracer(path_);
    trace_instant(kHit);
    in_child([] {
      for (int i = 0; i < 10'000; ++i) trace_instant(kInner);
    });
    trace_instant(kHit);
  }
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"hit", 2}}));
}

}  // namespace
}  // namespace fxt::test
