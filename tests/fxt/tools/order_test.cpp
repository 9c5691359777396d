// Random traces. Each trace is written in several orders that viewers draw in the same way. The programs must
// have the same output for each order.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "fxt/ordered_reader.h"
#include "fxt/tools/call_paths.h"
#include "fxt/tools/statistics.h"
#include "tests/fxt/cutting/pieces.h"
#include "tests/fxt/tool_test.h"
#include "tests/fxt/tools/drawing/drawn.h"

namespace fxt::test {
namespace {

constexpr std::size_t kThreads = 3;

// Calls of several threads, in the order of time. Several calls of a thread may start at the same time,
// except on the first thread, whose calls are pairs.
class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : random_(seed) {
    std::vector<std::vector<std::size_t>> open(kThreads);  // indices of start events
    for (int step = 0; step < 150; ++step) {
      const bool is_tie = step != 0 && !open[latest_].empty() && open[latest_].back() + 1 == events_.size() &&
                          latest_ != 0 && random_() % 4 == 0;
      const std::size_t thread = is_tie ? latest_ : random_() % kThreads;
      if (!is_tie) time_ += 1 + random_() % 1000;
      latest_ = thread;
      const std::uint64_t kind = is_tie ? 0 : random_() % 10;
      if (kind < 5)
        open[thread].push_back(add(EventType::DurationBegin, thread));
      else if (kind == 5)
        add(EventType::Instant, thread);
      else if (!open[thread].empty())
        end(open[thread], thread);
    }
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      for (time_ += 1; !open[thread].empty(); time_ += 1) end(open[thread], thread);
  }

  const std::vector<Event>& events() const { return events_; }

 private:
  std::size_t add(EventType type, std::size_t thread) {
    static constexpr std::array kNames{"main", "work", "leaf", "idle"};
    events_.push_back({.type = type,
                       .time = time_,
                       .thread = {.process = 1 + thread % 2, .thread = 10 + thread},
                       .category = "app",
                       .name = kNames[random_() % kNames.size()]});
    return events_.size() - 1;
  }
  // Calls of the first thread are pairs. Calls of the other threads are complete events.
  void end(std::vector<std::size_t>& open, std::size_t thread) {
    if (thread == 0) {
      add(EventType::DurationEnd, thread);
    } else {
      events_[open.back()].type = EventType::DurationComplete;
      events_[open.back()].end = time_;
    }
    open.pop_back();
  }

  std::mt19937_64 random_;
  std::uint64_t time_ = 1000;
  std::size_t latest_ = 0;  // thread of the latest event
  std::vector<Event> events_;
};

std::map<std::string, std::vector<Event>> orders_of(const std::vector<Event>& events) {
  std::map<std::string, std::vector<Event>> orders{{"starts", events}};
  const auto add = [&](const char* name, auto key) {
    std::vector<Event> sorted = events;
    std::ranges::stable_sort(sorted, {}, key);
    orders.emplace(name, std::move(sorted));
  };
  add("ends", [](const Event& event) { return std::max(event.time, event.end); });
  add("threads", [](const Event& event) { return event.thread.thread; });
  add("late starts", [](const Event& event) { return event.end > 20'000; });
  constexpr std::size_t kChunk = 7;
  std::vector<Event> swapped;
  for (std::size_t end = events.size(); end > 0; end -= std::min(end, kChunk))
    swapped.insert(swapped.end(), events.begin() + static_cast<std::ptrdiff_t>(end - std::min(end, kChunk)),
                   events.begin() + static_cast<std::ptrdiff_t>(end));
  orders.emplace("chunks", std::move(swapped));
  return orders;
}

// Returns the statistics, the folded stacks and the picture of a trace as text.
std::string shown(const std::vector<Event>& events, const tools::Selection& selection) {
  const auto bytes = bytes_of(trace_of(events));
  OrderedReader reader(bytes);
  tools::Statistics statistics(selection);
  tools::CallPaths paths(selection, tools::CallPaths::Root::Thread);
  while (const Entry* const entry = reader.next()) {
    statistics.add(*entry, reader.reader());
    paths.add(*entry, reader.reader());
  }
  statistics.finish();
  paths.finish();
  TextBuffer text;
  for (const auto* const function : statistics.lines())
    append(text, "{} {} {} {} {} {}\n", function->name->name, function->calls, function->total_ns,
           function->self_ns, function->min_ns, function->max_ns);
  for (const std::string& note : statistics.notes()) append(text, "{}\n", note);
  paths.append_folded(text, [&text] { text.push_back('\n'); });
  const Drawn picture = drawn(bytes, {.events = selection});
  append(text, "{}\n{}\n", picture.svg, fmt::join(picture.lines, "\n"));
  return std::string(text.data(), text.size());
}

// The number of random traces: FXT_SEEDS in the environment, or `count` if FXT_SEEDS is not set.
std::uint64_t seeds(std::uint64_t count) {
  const char* const asked = std::getenv("FXT_SEEDS");
  return asked == nullptr ? count : std::strtoull(asked, nullptr, 10);
}

TEST(Order, OfTheFileDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < seeds(30); ++seed) {
    const RandomTrace trace(seed);
    for (const tools::Selection& selection :
         {tools::Selection{}, tools::Selection{.range = parse_time_range("5us~25us")}}) {
      const std::string right = shown(trace.events(), selection);
      for (const auto& [name, events] : orders_of(trace.events()))
        ASSERT_EQ(shown(events, selection), right) << "seed " << seed << ", order of " << name;
    }
  }
}

// The self time of all calls, by name.
std::map<std::string, std::uint64_t> self_times(const std::vector<Words>& pieces, const CutOptions& options) {
  std::map<std::string, std::uint64_t> times;
  for (const Words& piece : pieces) {
    tools::Statistics statistics({.range = options.range});
    OrderedReader reader(std::as_bytes(std::span(piece)));
    while (const Entry* const entry = reader.next()) statistics.add(*entry, reader.reader());
    statistics.finish();
    for (const auto* const function : statistics.lines()) times[function->name->name] += function->self_ns;
  }
  std::erase_if(times, [](const auto& time) { return time.second == 0; });
  return times;
}

TEST(Order, OfTheFileDoesNotMatterForCuts) {
  const TimeRange range = parse_time_range("5us~25us");
  for (std::uint64_t seed = 0; seed < seeds(30); ++seed) {
    const RandomTrace trace(seed);
    const Words whole = trace_of(trace.events());
    for (const CutOptions& options :
         {CutOptions{.range = range}, CutOptions{.split_ns = 7000}, CutOptions{.split_bytes = 2000},
          CutOptions{.range = range, .split_ns = 3000, .split_bytes = 1500}}) {
      const std::vector<Words> right = cut(whole, options).pieces;
      EXPECT_EQ(self_times(right, {}), self_times({whole}, options)) << "seed " << seed;
      // The ends of calls have random names, which may break a rule. A piece may break a rule only if the
      // whole trace breaks it.
      for (const Words& piece : right) {
        const std::string broken = broken_rules(piece);
        EXPECT_TRUE(broken.empty() || broken == broken_rules(whole)) << broken << ", seed " << seed;
      }
      for (const auto& [name, events] : orders_of(trace.events()))
        ASSERT_EQ(cut(trace_of(events), options).pieces, right) << "seed " << seed << ", order of " << name;
    }
  }
}

class OrderOfTrees : public ToolTest {};

TEST_F(OrderOfTrees, DoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const RandomTrace trace(seed);
    const auto tree = [this](const std::vector<Event>& events) {
      return shell(std::string(FXT_DUMP) + " --tree " + file("order", trace_of(events))).output;
    };
    const std::string right = tree(trace.events());
    for (const auto& [name, events] : orders_of(trace.events()))
      EXPECT_EQ(tree(events), right) << "seed " << seed << ", order of " << name;
  }
}

}  // namespace
}  // namespace fxt::test
