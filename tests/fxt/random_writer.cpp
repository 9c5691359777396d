#include "tests/fxt/random_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/checked_output.h"
#include "fxt/checker.h"
#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/tools/record_text.h"
#include "fxt/writer.h"

namespace fxt::test {

std::uint64_t Choice::pick(std::uint64_t count) {
  if (from_bytes_) {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte % count;
  }
  // splitmix64
  std::uint64_t mixed = (state_ += 0x9e37'79b9'7f4a'7c15);
  mixed = (mixed ^ mixed >> 30) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d0'49bb'1331'11eb;
  return (mixed ^ mixed >> 31) % count;
}

namespace {

using namespace std::string_view_literals;

// If the Writer gets the text `given`, it writes the text `written`.
struct Text {
  std::string_view given, written;
};
constexpr std::array kTexts = {Text{"a"sv, "a"sv},
                               Text{"b"sv, "b"sv},
                               Text{"c"sv, "c"sv},
                               Text{"main"sv, "main"sv},
                               Text{""sv, ""sv},
                               Text{"weight"sv, "weight"sv},
                               Text{"waker"sv, "waker"sv},
                               Text{"process"sv, "process"sv},
                               Text{"power"sv, "power"sv},
                               Text{"cpu_frequency"sv, "cpu_frequency"sv},
                               Text{"value"sv, "value"sv},
                               Text{"cpu"sv, "cpu"sv},
                               Text{"\u20ac"sv, "\u20ac"sv},
                               Text{"\xff"sv, "\ufffd"sv},
                               Text{"\xfe"sv, "\ufffd"sv},
                               Text{"\ufffd"sv, "\ufffd"sv},
                               Text{"n\0l"sv, "n\ufffdl"sv},
                               Text{"Frame"sv, "Frame"sv}};

// Makes records. With equal choices, two makers make the same records, except for the texts. The records of
// one maker are for the Writer, and have the given texts. The records of the other maker are those that the
// file must have, with the written texts.
class Maker {
 public:
  enum class Texts : std::uint8_t { AsGiven, AsWritten };
  // `clock` is the time of the last record, or null if times may decrease.
  Maker(Choice& choice, Texts texts, std::uint64_t* clock) : choice_(choice), texts_(texts), clock_(clock) {}

  Record record() {
    switch (pick(23)) {
      case 0:
        return blob();
      case 1:
        return object();
      case 2:
        return UserspaceObject{
            .process = {.process = koid()}, .pointer = 5, .name = string(), .arguments = arguments()};
      case 3:
        return LegacyContextSwitch{.time = time(),
                                   .cpu = cpu(),
                                   .outgoing_state = state(),
                                   .outgoing = side(),
                                   .incoming = side(),
                                   .outgoing_priority = static_cast<std::uint8_t>(pick(2)),
                                   .incoming_priority = static_cast<std::uint8_t>(pick(2))};
      case 4:
        return ContextSwitch{.time = time(),
                             .cpu = cpu(),
                             .outgoing_state = state(),
                             .outgoing_thread = koid(),
                             .incoming_thread = koid(),
                             .arguments = arguments()};
      case 5:
        return ThreadWakeup{.time = time(), .cpu = cpu(), .thread = koid(), .arguments = arguments()};
      case 6:
        return Log{.time = time(), .thread = thread(), .message = text()};
      case 7:
        return LargeBlob{.time = time(),
                         .thread = thread(),
                         .category = string(),
                         .name = string(),
                         .arguments = arguments(),
                         .bytes = bytes()};
      case 8:
        return LargeBlobWithoutMetadata{.category = string(), .name = string(), .bytes = bytes()};
      case 9:
        return ProfilerModule{
            .time = time(), .thread = thread(), .name = text(), .build_id = bytes().first(0)};
      case 10:
        return ProfilerMmap{.time = time(), .thread = thread(), .flags = static_cast<std::uint8_t>(pick(8))};
      case 11:
        return ProfilerBacktrace{.time = time(), .thread = thread()};
      default:
        return event();
    }
  }
  Event event() {
    const auto type = static_cast<EventType>(choice_.one_in(200) ? 11 + pick(5) : pick(11));
    Event event{.type = type, .time = time(), .thread = thread(), .category = string(), .name = string()};
    if (type == EventType::Counter || choice_.one_in(4)) event.arguments = arguments();
    if (type == EventType::DurationComplete) event.end = choice_.one_in(8) ? time() : event.time + pick(9);
    if (type == EventType::Counter || type >= EventType::AsyncBegin) event.id = pick(3);
    return event;
  }
  std::uint64_t time() {
    if (clock_ != nullptr) return *clock_ += pick(4);
    constexpr std::array kFar = {kTimeLimit, kTimeLimit - 1, kSpanLimit, kSpanLimit - 1, ~std::uint64_t{0}};
    return choice_.one_in(100) ? kFar[pick(kFar.size())] : pick(24);
  }
  Thread thread() {
    constexpr std::array<Thread, 4> kThreads = {Thread{1, 11}, Thread{1, 12}, Thread{2, 11}, Thread{2, 21}};
    Thread thread = kThreads[pick(kThreads.size())];
    if (choice_.one_in(8)) thread.storage = Storage::Inline;
    if (choice_.one_in(100)) thread.thread = koid();
    return thread;
  }
  std::string_view text() {
    const Text& text = kTexts[choice_.one_in(3) ? pick(kTexts.size()) : pick(4)];
    return texts_ == Texts::AsGiven ? text.given : text.written;
  }
  std::uint64_t pick(std::uint64_t count) { return choice_.pick(count); }

 private:
  String string() { return choice_.one_in(4) ? String(Inline{text()}) : String(text()); }
  std::uint64_t koid() {
    constexpr std::array kKoids = {std::uint64_t{0}, kKoidLimit, kKoidLimit - 1};
    return choice_.one_in(20) ? kKoids[pick(kKoids.size())] : 10 + pick(3);
  }
  std::uint16_t cpu() {
    constexpr std::array<std::uint16_t, 5> kCpus = {255, 256, 4095, 4096, 65'535};
    return choice_.one_in(10) ? kCpus[pick(kCpus.size())] : static_cast<std::uint16_t>(pick(4));
  }
  ThreadState state() { return static_cast<ThreadState>(choice_.one_in(30) ? pick(256) : pick(6)); }
  Thread side() { return choice_.one_in(2) ? kIdleThread : thread(); }
  Blob blob() {
    const auto type = static_cast<BlobType>(choice_.one_in(20) ? pick(256) : 1 + pick(3));
    const std::span<const std::byte> whole = bytes();  // at most 30,000 of them fit into one record
    return {
        .name = string(), .type = type, .bytes = whole.first(std::min(whole.size(), std::size_t{30'000}))};
  }
  KernelObject object() {
    KernelObject object{.type = static_cast<KernelObjectType>(1 + pick(3)), .koid = koid(), .name = string()};
    if (object.type == KernelObjectType::Thread && !choice_.one_in(10))
      object.arguments = {{"process", Koid{1 + pick(2)}}};
    else if (choice_.one_in(4))
      object.arguments = arguments();
    return object;
  }
  std::span<const std::byte> bytes() {
    static const std::array<std::byte, 40'000> kBytes = {std::byte{1}, std::byte{2}, std::byte{3}};
    return std::span(kBytes).first(choice_.one_in(50) ? kBytes.size() - pick(10) : pick(20));
  }
  Value value() {
    switch (pick(13)) {
      case 1:
        return -5;
      case 2:
        return 5U;
      case 3:
        return std::int64_t{-5};
      case 4:
        return choice_.one_in(4) ? kTimeLimit : std::uint64_t{5};
      case 5:
        return 0.5;
      case 6:
        return string();
      case 7:
        return Pointer{choice_.one_in(4) ? kTimeLimit : 9};
      case 8:
        return Koid{9};
      case 9:
        return true;
      case 10:
        return Bytes{bytes()};
      case 11:
        return choice_.one_in(20) ? Value(UnknownValue{.type = 15}) : Value(7);
      case 12:
        return 12;
      default:
        return {};
    }
  }
  Arguments arguments() {
    std::vector<Argument> list(choice_.one_in(30) ? pick(20) : pick(4));
    for (Argument& argument : list) argument = {string(), value()};
    return lists_.emplace_back(std::move(list));
  }

  Choice& choice_;
  Texts texts_;
  std::uint64_t* clock_;
  std::deque<std::vector<Argument>> lists_;
};

class Run {
 public:
  Run(Choice choice, bool is_repaired)
      : choice_(choice),
        clock_(is_repaired ? &time_ : nullptr),
        checked_(output_, {.on_finding = OnFinding::Repair}),
        writer_(is_repaired ? static_cast<Output&>(checked_) : output_) {
    const std::uint64_t steps = 1 + choice_.pick(40);
    for (std::uint64_t i = 0; i < steps && !choice_.is_used_up(); ++i) step();
    writer_.finish();
  }

  // Returns the first difference between the written and the read records, or an empty text.
  std::string difference() {
    Reader reader(std::as_bytes(output_.words()));
    std::size_t next = 0;
    for (const Entry& entry : reader) {
      if (std::ranges::any_of(entry.problems, is_odd)) return "odd: " + text_of(entry) + '\n' + dump();
      if (is_bookkeeping(entry.record)) continue;
      if (next == expected_.size() || !is_equal(entry.record, expected_[next++]))
        return "not what was written: " + text_of(entry) + '\n' + dump();
    }
    if (next != expected_.size() || reader.end().reason != ReadEnd::Reason::EndOfFile)
      return "ends early\n" + dump();
    return "";
  }
  // Returns the errors in the repaired file, except those that the CheckedOutput has reported.
  std::string left_over() {
    std::string errors;
    Reader reader(std::as_bytes(output_.words()));
    Checker checker([&](const Finding& error) {
      if (error.severity == Severity::Error &&
          std::ranges::find(checked_.findings(), error.fault, &Finding::fault) == checked_.findings().end())
        errors +=
            std::string(error.record) + ' ' + error.problem + " at " + std::to_string(error.offset) + '\n';
    });
    for (const Entry& entry : reader) {
      checker.add(entry, reader);
      checker.add_sorted(entry, reader);  // the CheckedOutput also calls both functions
    }
    checker.finish(reader);
    return errors.empty() ? "" : errors + dump();
  }

 private:
  void step() {
    switch (choice_.pick(16)) {
      case 0:
        return try_to([&] { writer_.begin_provider(static_cast<std::uint32_t>(choice_.pick(4)), "p"); });
      case 1:
        return try_to([&] { writer_.switch_provider(static_cast<std::uint32_t>(choice_.pick(4))); });
      case 2:
        return writer_.flush();
      case 3:
        writer_.buffer_full();
        return expected_.push_back(ProviderEvent{});
      case 4:
      case 5:
      case 6:
      case 7:
        return short_way();
      default:
        return write_value();
    }
  }
  template <typename Act>
  void try_to(Act act) {
    try {
      act();
    } catch (const WriterError&) {
    }
  }

  void write_value() {
    Choice again = choice_;
    Maker given(choice_, Maker::Texts::AsGiven, clock_);
    const Record record = given.record();
    makers_.emplace_back(again, Maker::Texts::AsWritten, clock_);
    const Record written = makers_.back().record();
    try_to([&] {
      std::visit(
          [this](const auto& value) {
            if constexpr (requires { writer_.write(value); }) writer_.write(value);
          },
          record);
      const auto* legacy = std::get_if<LegacyContextSwitch>(&written);
      expected_.push_back(legacy != nullptr && legacy->cpu > 255 ? newer(*legacy) : written);
    });
  }
  Record newer(const LegacyContextSwitch& legacy) {
    static const Argument kOut{"outgoing_weight", std::numeric_limits<std::int32_t>::min()};
    static const Argument kIn{"incoming_weight", std::numeric_limits<std::int32_t>::min()};
    std::vector<Argument> weights;
    if (legacy.outgoing == kIdleThread) weights.push_back(kOut);
    if (legacy.incoming == kIdleThread) weights.push_back(kIn);
    return ContextSwitch{.time = legacy.time,
                         .cpu = legacy.cpu,
                         .outgoing_state = legacy.outgoing_state,
                         .outgoing_thread = legacy.outgoing.thread,
                         .incoming_thread = legacy.incoming.thread,
                         .arguments = weights_.emplace_back(std::move(weights))};
  }

  void short_way() {
    Maker make(choice_, Maker::Texts::AsWritten, clock_);
    const Thread thread = make.thread();
    const std::string_view name = make.text();
    std::optional<PreparedEvent> event;
    std::optional<ThreadIndex> index;
    try_to([&] {
      event = writer_.prepare("app", name);
      index = writer_.thread_index(thread.process, thread.thread);
    });
    if (!event || !index) return;
    Event written{.time = make.time(), .thread = thread, .category = "app", .name = name};
    const auto write = [&](EventType type, auto call) {
      written.type = type;
      try_to([&] {
        call();
        expected_.push_back(written);
      });
    };
    switch (choice_.pick(4)) {
      case 0:
        return write(EventType::DurationBegin, [&] { writer_.write_begin(*event, *index, written.time); });
      case 1:
        return write(EventType::DurationEnd, [&] { writer_.write_end(*event, *index, written.time); });
      case 2:
        return write(EventType::Instant, [&] { writer_.write_instant(*event, *index, written.time); });
      default:
        written.end = choice_.one_in(8) ? make.time() : written.time + choice_.pick(9);
        return write(EventType::DurationComplete,
                     [&] { writer_.write_complete(*event, *index, written.time, written.end); });
    }
  }

  static bool is_bookkeeping(const Record& record) {
    return std::holds_alternative<Magic>(record) || std::holds_alternative<ProviderInfo>(record) ||
           std::holds_alternative<ProviderSection>(record) ||
           std::holds_alternative<Initialization>(record) || std::holds_alternative<StringRecord>(record) ||
           std::holds_alternative<ThreadRecord>(record);
  }
  // True if the records of a Writer can't have this problem.
  static bool is_odd(const Problem& problem) {
    return problem.kind != ProblemKind::EndBeforeBegin && problem.kind != ProblemKind::UnknownArgumentType;
  }
  static bool is_equal(const Record& read, const Record& expected) {
    if (std::holds_alternative<ProviderEvent>(expected)) return std::holds_alternative<ProviderEvent>(read);
    return read == expected;
  }

  static std::string text_of(const Entry& entry) {
    TextBuffer text;
    fmt::format_to(std::back_inserter(text), "{:6} ", entry.offset);
    tools::append_line(text, entry);
    return fmt::to_string(text);
  }
  std::string dump() const {
    std::string lines;
    Reader reader(std::as_bytes(output_.words()));
    for (const Entry& entry : reader) lines += text_of(entry) + '\n';
    return lines;
  }

  Choice choice_;
  std::uint64_t time_ = 0;
  std::uint64_t* clock_;
  MemoryOutput output_;
  CheckedOutput checked_;
  Writer writer_;
  std::vector<Record> expected_;
  std::deque<Maker> makers_;
  std::deque<std::vector<Argument>> weights_;  // arguments of expected switches
};

}  // namespace

std::string fault_of_random_writing(Choice choice) {
  return Run(choice, false).difference() + Run(choice, true).left_over();
}

}  // namespace fxt::test
