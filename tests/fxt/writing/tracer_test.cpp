// Tests the Tracer: threads, flushes at any time, and programs that are killed.
#include "fxt/tracer.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
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
  std::map<std::string, std::size_t> events;                  // numbers, by name
  std::map<std::string, std::vector<EventType>> types;        // by name
  std::map<std::string, std::vector<std::uint64_t>> lengths;  // lengths of complete events, by name
  std::map<std::string, std::string> arguments;               // arguments of the latest event with each name
  std::set<std::pair<std::uint64_t, std::uint64_t>> threads;  // threads with events
  std::map<std::uint64_t, std::string> names;                 // names of threads and of the process
};

class TracerTest : public ToolTest {
 protected:
  // Reads the trace. Returns its content, and the findings of a Checker.
  Seen seen() const {
    FileInput input(path_);
    Reader reader(input);
    Seen seen;
    Checker checker(
        [&](const Finding& finding) { seen.findings += std::string(finding.rule) + ' ' + finding.problem; });
    OrderedReader trace([this] { return std::make_unique<FileInput>(path_); });
    checker.check(trace);
    for (const Entry& entry : reader) {
      if (const auto* object = std::get_if<KernelObject>(&entry.record))
        seen.names[object->koid] = object->name.text;
      const auto* event = std::get_if<Event>(&entry.record);
      if (event == nullptr) continue;
      const std::string name(event->name.text);
      ++seen.events[name];
      seen.types[name].push_back(event->type);
      seen.threads.emplace(event->thread.process, event->thread.thread);
      if (event->type == EventType::DurationComplete) seen.lengths[name].push_back(event->end - event->time);
      std::string text;
      for (const Argument& argument : event->arguments) {
        text += std::string(argument.name.text) + '=';
        if (const auto* number = std::get_if<std::int32_t>(&argument.value)) text += std::to_string(*number);
        if (const auto* number = std::get_if<std::uint32_t>(&argument.value)) text += std::to_string(*number);
        if (const auto* value = std::get_if<String>(&argument.value)) text += value->text;
        if (const auto* number = std::get_if<double>(&argument.value)) text += std::to_string(*number);
        if (std::holds_alternative<Pointer>(argument.value)) text += "pointer";
        if (std::holds_alternative<std::monostate>(argument.value)) text += "null";
        text += ' ';
      }
      seen.arguments[name] = text;
    }
    return seen;
  }
  // Runs `work` in a child process, which may be killed. Calls `meanwhile` with the id of the child. Returns
  // the status of the ended child.
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

TEST_F(TracerTest, WithoutATracerNothingHappens) {
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

TEST_F(TracerTest, ArgumentsMayBeEnumeratorsOptionalsAndNull) {
  enum class Color : std::uint8_t { Red = 7 };
  {
    const Tracer tracer(path_);
    const std::optional<std::string> text = "x";
    trace_instant(kHit, "color", Color::Red, "some", std::optional(5), "none", std::optional<int>(), "text",
                  text, "null", nullptr, "half", 0.5F);
  }
  EXPECT_EQ(seen().arguments.at("hit"), "color=7 some=5 none=null text=x null=null half=0.500000 ");
}

TEST_F(TracerTest, AScopeMayNameItsEventInPlace) {
  {
    const Tracer tracer(path_);
    for (int i = 0; i < 2; ++i) {
      FXT_SCOPE("in place", "named", "i", i);
      FXT_SCOPE(kApp, "of a category");
      TraceCategory::named("in place").set_on(i == 1);
    }
    TraceCategory::named("in place").set_on(false);
    FXT_SCOPE("in place", "off");
  }
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"named", 1}, {"of a category", 2}}));
  EXPECT_EQ(seen().arguments.at("named"), "i=0 ");
  TraceCategory::named("in place").set_on(true);
}

TEST_F(TracerTest, CountersMayHaveSeveralSeries) {
  {
    const Tracer tracer(path_);
    trace_counter(kQueue, "waiting", 3, "load", 1.5);
  }
  EXPECT_EQ(seen().findings, "");
  EXPECT_EQ(seen().arguments.at("queue"), "waiting=3 load=1.500000 ");
}

TEST_F(TracerTest, OperationsAndFlowsCrossThreads) {
  constexpr std::size_t kEach = 20'000;  // more events than fit into a buffer
  {
    Tracer tracer(path_);
    std::atomic<std::size_t> sent = 0;
    std::atomic<bool> is_done = false;
    std::thread receiver([&] {
      for (std::size_t i = 1; i <= kEach; ++i) {
        while (sent < i) std::this_thread::yield();
        const TraceScope scope(kInner);
        trace_flow_end(kHit, i);
        trace_async_end(kQueue, i);
      }
      is_done = true;
    });
    std::thread sender([&] {
      for (std::size_t i = 1; i <= kEach; ++i) {
        const TraceScope scope(kOuter);
        trace_async_begin(kQueue, i, "i", i);
        trace_flow_begin(kHit, i);
        sent = i;
      }
    });
    while (!is_done) tracer.flush();
    EXPECT_EQ(seen().findings, "") << "what led to an event is in the file, too";
    sender.join();
    receiver.join();
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events, (std::map<std::string, std::size_t>{
                             {"hit", 2 * kEach}, {"inner", kEach}, {"outer", kEach}, {"queue", 2 * kEach}}));
}

TEST_F(TracerTest, AFlowBindsToTheDurationAroundIt) {
  {
    const Tracer tracer(path_);
    const TraceScope outer(kOuter);
    trace_flow_begin(kHit, 1);
    trace_flow_step(kHit, 1);
    { const TraceScope inner(kInner); }
    // Readers would connect this event to `inner`, so the Tracer adds a short duration around the event.
    trace_flow_end(kHit, 1);
  }
  using enum EventType;
  EXPECT_EQ(seen().findings, "");
  EXPECT_EQ(seen().types.at("hit"), (std::vector{FlowBegin, FlowStep, DurationComplete, FlowEnd}));
}

TEST_F(TracerTest, StartsAndEndsMayBeInDifferentFunctions) {
  {
    const Tracer tracer(path_);
    trace_end(kOuter);  // ignored, because no duration of kOuter is open
    const auto start = [] { trace_begin(kOuter, "n", 1); };
    const auto end = [] { trace_end(kOuter); };
    start();
    {
      const TraceScope scope(kInner);
      trace_end(kInner);  // does not end a scope
      trace_instant(kHit);
    }
    trace_begin(kQueue);  // still open at the end of kOuter, so both end together
    end();
    trace_end(kQueue);
    end();
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events,
            (std::map<std::string, std::size_t>{{"hit", 1}, {"inner", 1}, {"outer", 1}, {"queue", 1}}));
  EXPECT_EQ(seen.arguments.at("outer"), "n=1 ");
  EXPECT_GT(seen.lengths.at("outer")[0], seen.lengths.at("inner")[0] + seen.lengths.at("queue")[0]);
}

// ---- Scopes that do not end in order ----

TEST_F(TracerTest, ScopesThatEndInAnyOrderNest) {
  {
    const Tracer tracer(path_);
    auto outer = std::make_unique<TraceScope>(kOuter);
    auto inner = std::make_unique<TraceScope>(kInner);
    outer.reset();
    trace_instant(kHit);
    inner.reset();
  }
  EXPECT_EQ(seen().findings, "");
  EXPECT_GT(seen().lengths.at("outer")[0], seen().lengths.at("inner")[0]);
}

TEST_F(TracerTest, AScopeMayBeDestroyedByAnotherThread) {
  {
    const Tracer tracer(path_);
    std::unique_ptr<TraceScope> scope;
    std::thread([&] { scope = std::make_unique<TraceScope>(kOuter); }).join();
    std::thread([&] {  // this thread reuses the buffer of the first thread
      const TraceScope inner(kInner);
      scope.reset();
      trace_instant(kHit);
    })
        .join();
    const TraceScope here(kInner);
    std::thread([&] { scope = std::make_unique<TraceScope>(kOuter); }).join();
    scope.reset();
  }
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.events, (std::map<std::string, std::size_t>{{"hit", 1}, {"inner", 2}, {"outer", 2}}));
}

TEST_F(TracerTest, AScopeMayOutliveItsThreadAndTheTracer) {
  const int status = in_child([this] {
    static std::unique_ptr<Tracer> tracer = std::make_unique<Tracer>(path_);
    static const TraceScope scope(kOuter);
    { const TraceScope inner(kInner); }
    std::exit(0);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(seen().findings, "");
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"inner", 1}, {"outer", 1}}));
}

TEST_F(TracerTest, NamesOfArgumentsAreCutToTheLimitOfReaders) {
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

TEST_F(TracerTest, OpenScopesEndAtEachFlush) {
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

TEST_F(TracerTest, AScopeMayLastForMillionsOfEvents) {
  constexpr std::size_t kEvents = 600'000;  // enough events to fill the buffer many times
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

TEST_F(TracerTest, SupportsMoreThreadsThanTheTableHas) {
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

TEST_F(TracerTest, ARingKeepsTheLatestEvents) {
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

TEST_F(TracerTest, CategoriesCanBeDisabled) {
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

TEST_F(TracerTest, NestingIsLimitedToTheDepthOfReaders) {
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

TEST_F(TracerTest, TracersMayFollowEachOther) {
  {
    const Tracer tracer(path_);
    EXPECT_THROW(const Tracer tracer(folder() + "other.fxt"), std::logic_error);
    trace_instant(kHit);
  }
  EXPECT_EQ(seen().events.at("hit"), 1U);
  trace_instant(kInner);  // no Tracer exists
  {
    const Tracer tracer(path_);
    const TraceScope scope(kOuter);
    EXPECT_EQ(tracer.lost(), 0U);
  }
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{{"outer", 1}}));
  EXPECT_EQ(seen().findings, "");
}

// The thread gets its buffer at the first event, after `last` was created. Therefore, the thread gives the
// buffer back before `last` is destroyed, and the event in the destructor of `last` is lost.
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

TEST_F(TracerTest, ThrowsAtTheStartIfTheFileCannotBeWritten) {
  EXPECT_THROW(const Tracer tracer("/no/such/folder/out.fxt"), std::system_error);
  EXPECT_THROW(const Tracer tracer("/dev/full"), std::system_error);
  EXPECT_THROW(const Tracer tracer("/dev/null", {.ring_bytes = 1}), std::system_error)
      << "a ring is written again and again";
  const Tracer tracer(path_);
}

// ---- Files that can't be overwritten ----

void trace_scopes_that_are_open_at_flushes(Tracer& tracer) {
  const TraceScope outer(kOuter, "n", 1);
  for (int i = 0; i < 3; ++i) {
    const TraceScope middle(kInner);
    tracer.flush();
    { const TraceScope inner(kInner); }
    trace_instant(kHit);
  }
  tracer.flush();
}

TEST_F(TracerTest, WritesToADevice) {
  Tracer tracer("/dev/null");
  trace_scopes_that_are_open_at_flushes(tracer);
  EXPECT_EQ(tracer.error(), "");
}

TEST_F(TracerTest, WritesToAPipe) {
  const std::string fifo = folder() + "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread reader(
      [&] { std::ofstream(path_, std::ios::binary) << std::ifstream(fifo, std::ios::binary).rdbuf(); });
  {
    Tracer tracer(fifo, {.flush_period = std::chrono::hours(1)});
    trace_scopes_that_are_open_at_flushes(tracer);
    trace_begin(kQueue);  // the program does not end this duration
  }
  reader.join();
  using enum EventType;
  const Seen seen = this->seen();
  EXPECT_EQ(seen.findings, "");
  EXPECT_EQ(seen.types.at("outer"), (std::vector{DurationBegin, DurationEnd}));
  EXPECT_EQ(seen.types.at("queue"), (std::vector{DurationBegin, DurationEnd}));
  EXPECT_EQ(seen.types.at("hit"), std::vector(3, Instant));
  EXPECT_EQ(seen.lengths.at("inner").size(), 3U);
}

TEST_F(TracerTest, APipeWithoutAReaderDoesNotEndTheProgram) {
  const std::string fifo = folder() + "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  Tracer tracer(fifo);
  ::close(reader);
  trace_instant(kHit);
  tracer.flush();
  EXPECT_EQ(tracer.error(), fifo + ": can't write: Broken pipe");
}

// ---- Programs that die ----

TEST_F(TracerTest, AKilledProgramLeavesTheFlushedEvents) {
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

// The events do not fill the thread's buffer, so only the periodic flush can save them.
TEST_F(TracerTest, AProgramThatDiesLosesOnlyTheLastMoment) {
  constexpr std::size_t kEvents = 1000;
  for (const std::function<void()>& die : std::initializer_list<std::function<void()>>{
           [] { ::kill(::getpid(), SIGKILL); }, [] { std::abort(); }, [] { ::_exit(0); }}) {
    in_child([&] {
      const Tracer tracer(path_);
      const TraceScope outer(kOuter);
      for (std::size_t i = 0; i < kEvents; ++i) const TraceScope inner(kInner, "i", i);
      for (int i = 0; i < 10'000 && std::filesystem::file_size(path_) < kEvents * 4 * 8; ++i) ::usleep(1000);
      die();
    });
    const Seen seen = this->seen();
    EXPECT_EQ(seen.findings, "");
    EXPECT_EQ(seen.events, (std::map<std::string, std::size_t>{{"inner", kEvents}, {"outer", 1}}));
    std::filesystem::remove(path_);
  }
}

TEST_F(TracerTest, WithoutAPeriodItFlushesWhenABufferIsFull) {
  const Tracer tracer(path_, {.flush_period = {}});
  trace_instant(kHit);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(seen().events, (std::map<std::string, std::size_t>{}));
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

// The other threads take the tracer's lock again and again, to empty their buffers.
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
