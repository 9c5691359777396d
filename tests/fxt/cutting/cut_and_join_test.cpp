// Cuts random traces at random. No piece breaks a rule, and the joined pieces equal the whole trace.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/fxt/cutting/pieces.h"

namespace fxt::test {
namespace {

constexpr std::uint64_t kThreads = 3;

// The times of a call. Each call has a unique name.
struct Span {
  std::uint64_t begin = 0, end = 0;
};
using Spans = std::map<std::string, Span>;

class RandomTrace {
 public:
  explicit RandomTrace(unsigned seed) : random_(seed) {
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
      time_ = 1000 + thread;
      thread_ = {.process = 1, .thread = 2 + thread};
      while (pick(6) != 0) call(0);
    }
    std::ranges::stable_sort(events_, {}, [](const Made& made) { return made.event.time; });
  }

  Words words() const {
    return file_of([this](Writer& writer) {
      writer.name_process(1, "app");
      for (const Made& made : events_) {
        Event event = made.event;
        event.name = made.name;
        writer.write(event);
      }
    });
  }
  const Spans& spans() const { return spans_; }
  std::uint64_t length() const { return events_.empty() ? 0 : events_.back().event.time - 1000; }
  std::uint64_t pick(std::uint64_t count) { return random_() % count; }

 private:
  struct Made {
    Event event;
    std::string name;
  };

  void add(EventType type, std::uint64_t time, const std::string& name, std::uint64_t end = 0) {
    events_.push_back(
        {{.type = type, .time = time, .thread = thread_, .category = "c", .arguments = {}, .end = end},
         name});
  }
  // Each event has a time of its own. Times on different threads have different remainders modulo kThreads.
  std::uint64_t next_time() { return time_ += kThreads * (1 + pick(pick(8) == 0 ? 200 : 5)); }

  void call(std::size_t depth) {
    const std::string name = "call" + std::to_string(spans_.size());
    spans_[name] = {};
    const std::uint64_t begin = next_time();
    const bool is_pair = pick(3) == 0;
    add(is_pair ? EventType::DurationBegin : EventType::DurationComplete, begin, name);
    const std::size_t place = events_.size() - 1;
    while (pick(3) != 0) {
      if (depth < 8 && pick(3) != 0)
        call(depth + 1);
      else if (pick(2) == 0)
        add(EventType::Instant, next_time(), "mark");
      else
        count();
    }
    const std::uint64_t end = next_time();
    if (is_pair)
      add(EventType::DurationEnd, end, name);
    else
      events_[place].event.end = end;
    spans_[name] = {begin, end};
  }
  void count() {
    add(EventType::Counter, next_time(), "counter");
    events_.back().event.arguments = {{"n", static_cast<std::uint32_t>(pick(100))}};
  }

  std::mt19937 random_;
  std::uint64_t time_ = 0;
  Thread thread_;
  std::vector<Made> events_;
  Spans spans_;
};

// Joins the parts of calls from all pieces. Returns the problems at the edges of the pieces.
class Join {
 public:
  void add(const Words& piece) {
    std::map<std::uint64_t, std::vector<std::pair<std::string, std::uint64_t>>> open;
    Reader reader(std::as_bytes(std::span(piece)));
    for (const Entry& entry : reader) {
      const auto* const event = std::get_if<Event>(&entry.record);
      if (event == nullptr) continue;
      auto& stack = open[event->thread.thread];
      if (event->type == EventType::DurationBegin) stack.emplace_back(event->name.text, event->time);
      if (event->type == EventType::DurationComplete)
        part(std::string(event->name.text), {event->time, event->end}, event->arguments);
      if (event->type != EventType::DurationEnd) continue;
      if (stack.empty() || stack.back().first != event->name.text) {
        problems_ += fmt::format("end of {} ", event->name.text);
        continue;
      }
      part(stack.back().first, {stack.back().second, event->time}, event->arguments);
      stack.pop_back();
    }
    for (const auto& [thread, stack] : open)
      for (const auto& [name, begin] : stack) problems_ += fmt::format("{} is open ", name);
  }
  std::string problems() const { return problems_; }
  Spans spans() {
    for (const auto& [name, goes_on] : goes_on_)
      if (goes_on) cut_at_end_.push_back(name);
    return spans_;
  }
  const std::vector<std::string>& cut_at_begin() const { return cut_at_begin_; }
  const std::vector<std::string>& cut_at_end() const { return cut_at_end_; }

 private:
  void part(const std::string& name, const Span& span, const Arguments& arguments) {
    std::string_view cut = "no";
    for (const Argument& argument : arguments) cut = std::get<String>(argument.value).text;
    const bool is_first = !spans_.contains(name);
    const bool says_begin = cut == "begin" || cut == "both", says_end = cut == "end" || cut == "both";
    if (is_first) {
      spans_[name] = span;
      if (says_begin) cut_at_begin_.push_back(name);
    } else {
      if (!says_begin || !goes_on_[name] || span.begin < spans_[name].end)
        problems_ += fmt::format("{} goes on wrongly ", name);
      spans_[name].end = span.end;
    }
    goes_on_[name] = says_end;
  }

  Spans spans_;
  std::map<std::string, bool> goes_on_;
  std::vector<std::string> cut_at_begin_, cut_at_end_;
  std::string problems_;
};

class CutAtRandom : public testing::TestWithParam<unsigned> {};

TEST_P(CutAtRandom, JoinedPiecesAreTheWholeTrace) {
  for (unsigned seed = 16 * GetParam(); seed < 16 * GetParam() + 16; ++seed) {
    SCOPED_TRACE(seed);
    RandomTrace trace(seed);
    const std::uint64_t length = trace.length() + 1;
    std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
    CutOptions options;
    if (trace.pick(2) == 0) from = 1000 + trace.pick(length);
    if (trace.pick(2) == 0) to = std::max(from, 1000 + trace.pick(length));
    if (from != 0) options.range.from = TraceTime{.ns = from};
    if (to != std::numeric_limits<std::uint64_t>::max()) options.range.to = TraceTime{.ns = to};
    if (trace.pick(2) == 0) options.split_ns = 1 + trace.pick(length);
    if (trace.pick(2) == 0) options.split_bytes = 200 + trace.pick(2000);

    const auto cuts = cut(trace.words(), options);
    Join join;
    for (const Words& piece : cuts.pieces) {
      EXPECT_EQ(broken_rules(piece), "");
      join.add(piece);
    }
    EXPECT_EQ(join.problems(), "");
    Spans expected;
    std::vector<std::string> cut_at_begin, cut_at_end;
    for (const auto& [name, span] : trace.spans()) {
      if (span.end < from || span.begin > to) continue;
      expected[name] = {std::max(span.begin, from), std::min(span.end, to)};
      if (span.begin < from) cut_at_begin.push_back(name);
      if (span.end > to) cut_at_end.push_back(name);
    }
    const Spans spans = join.spans();
    for (const auto& [name, span] : expected) {
      ASSERT_TRUE(spans.contains(name)) << name;
      EXPECT_EQ(spans.at(name).begin, span.begin) << name;
      EXPECT_EQ(spans.at(name).end, span.end) << name;
    }
    EXPECT_EQ(spans.size(), expected.size());
    std::vector<std::string> found = join.cut_at_begin();
    std::ranges::sort(found);
    EXPECT_EQ(found, cut_at_begin);
    EXPECT_EQ(join.cut_at_end(), cut_at_end);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(, CutAtRandom, testing::Range(0U, 10U));

}  // namespace
}  // namespace fxt::test
