// Tests the Checker: for each rule, a file that breaks the rule, and a similar file that does not.
#include "fxt/checker.h"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <boost/endian/conversion.hpp>

#include "fxt/checking/findings.h"
#include "fxt/records.h"
#include "tests/fxt/checking/file_parts.h"

namespace fxt::test {
namespace {

// ---- Files that all readers accept ----

TEST(Checker, AcceptsFilesThatAllReadersAccept) {
  EXPECT_EQ(broken_rules(kStart), kClean);
  EXPECT_EQ(broken({instant(0)}), kClean);
  EXPECT_EQ(broken({event(EventType::Instant, 5, 0)}), kClean);                    // no name
  EXPECT_EQ(broken({{0x8000'8000'0100'0024, 5}}), kClean);                         // empty inline strings
  EXPECT_EQ(broken({string_record(6, "")}), kClean);                               // an empty string
  EXPECT_EQ(broken({string_record(2, "a"), thread_record(1, 100, 101)}), kClean);  // the same again
  EXPECT_EQ(broken({{0x0000'0001'0005'0039, 5, 0x6f'6c6c'6568}}), kClean);         // log
  EXPECT_EQ(broken({{0x0001'0003'0002'0025, 0xccbbaa}}), kClean);                  // blob
  EXPECT_EQ(broken({{0x0000'0000'0013'0010}}), kClean);                            // provider event
  EXPECT_EQ(broken({{0x0000'0000'0000'005f, 0x10'0002'0001, 5, 3, 0xccbbaa}}), kClean);  // a small large blob
  EXPECT_EQ(broken({named(100, 101), named(100, 102), {0x0010'1020'1300'0028, 5}}),
            kClean);                                                    // legacy context switch
  EXPECT_EQ(broken({{0x1000'0030'1000'0048, 5, 101, 0}}), kClean);      // newer context switch, to idle
  EXPECT_EQ(broken({{0x2000'0000'0020'0038, 5, 101}}), kClean);         // wakeup
  EXPECT_EQ(broken({{0x0000'0030'2012'004a, 5, 0xaa, 0xbb}}), kClean);  // backtrace, with flags
  EXPECT_EQ(broken({complete(5, 5), complete(5, 5), complete(5, 9), complete(9, 9)}), kClean);
}

TEST(Checker, AcceptsFilesOfTheWriter) {
  const Words words = file_of([](Writer& writer) {
    const Thread main{.process = 100, .thread = 101};
    writer.name_process(100, "demo");
    writer.name_thread(100, 101, "main");
    writer.write(Event{.type = EventType::DurationBegin, .time = 1, .thread = main, .name = "run"});
    writer.write(Event{.type = EventType::FlowBegin, .time = 2, .thread = main, .name = "go", .id = 1});
    writer.write(Event{.type = EventType::FlowEnd, .time = 3, .thread = main, .name = "go", .id = 1});
    writer.write(Event{.type = EventType::DurationEnd, .time = 4, .thread = main, .name = "run"});
    writer.write(Event{
        .type = EventType::Counter, .time = 5, .thread = main, .name = "memory", .arguments = {{"rss", 5}}});
    writer.write(LegacyContextSwitch{.time = 6, .outgoing = main, .outgoing_priority = 1});
    writer.begin_provider(2, "other");
    writer.write(Event{.time = 7, .thread = main, .name = "mark"});
    writer.switch_provider(1);
  });
  EXPECT_EQ(broken_rules(words), kClean);
}

TEST(Checker, ReportsOnlyRulesOfTheTable) {
  EXPECT_EQ(rules().size(), 30U);
  for (std::size_t i = 0; i < rules().size(); ++i) EXPECT_EQ(rules()[i].id, "W" + std::to_string(i + 1));
}

// ---- W1 to W5: the start, providers, times ----

TEST(Checker, W1StartOfTheFile) {
  EXPECT_EQ(broken_rules({}), "W1");
  EXPECT_EQ(broken_rules(all({kProvider, kInit})), "W1");
  EXPECT_EQ(broken_rules({0x7878'7878'7878'7878}), "W1");              // text
  EXPECT_EQ(broken_rules({0}), "W1");                                  // zeros
  EXPECT_EQ(broken({{kMagicRecord}}), kClean);                         // the magic word again
  EXPECT_EQ(broken({{kMagicRecord ^ std::uint64_t{1} << 24}}), "W1");  // another number
  EXPECT_EQ(broken_rules(all({kMagic, kProvider, kTables, instant(5)})), "W1");
  EXPECT_EQ(broken_rules(all({kMagic, kProvider, kTables, instant(5), kInit})), "W1");
  EXPECT_EQ(broken_rules(all({kMagic, kInit, kProvider})), "w1");
  EXPECT_EQ(broken_rules(all({kMagic, {0x21, 1000}, kProvider})), "W4 W1");
  EXPECT_EQ(broken_rules(all({kMagic, kInit, {0x0000'0000'0000'0044, 5, 100, 101}})), "w1");
}

TEST(Checker, W1ByteOrder) {
  Words reversed = all({kMagic, kInit});
  for (std::uint64_t& word : reversed) boost::endian::endian_reverse_inplace(word);
  EXPECT_EQ(broken_rules({reversed[0]}), "W1");
}

TEST(Checker, W2Providers) {
  EXPECT_EQ(broken({kProvider}), "W2");
  EXPECT_EQ(broken_rules(all({kMagic, string_record(1, "a"), kProvider, kInit})), "W2");
  const Words inline_instant = {0x8001'0000'0100'0034, 5, 'x'};  // on thread 1
  const Words thread = thread_record(1, 100, 101);
  EXPECT_EQ(broken_rules(all({kMagic, thread, kProvider, kInit})), "w2");
  EXPECT_EQ(broken_rules(all({kMagic, thread, kProvider, kInit, inline_instant})), "w2 W7");
  EXPECT_EQ(broken_rules(all({kMagic, thread, kInit, inline_instant})), "w2 w1");  // no provider at all
  EXPECT_EQ(broken({{0x0030'0000'0021'0020, 0x0074'7866}}), kClean);
  EXPECT_EQ(broken({{0x0030'0000'0001'0020, 0x0074'7866}}), "w2");  // id 0
}

TEST(Checker, W3Sections) {
  const Words second = {0x0030'0000'0021'0020, 0x0074'7866};
  const Words back = {0x0000'0000'0012'0010};
  EXPECT_EQ(broken({{0x0000'0000'0092'0010}}), "W3");
  EXPECT_EQ(broken({{0x0000'0000'0093'0010}}), "W3");  // a provider event
  EXPECT_EQ(broken({second, back, instant(5)}), kClean);
  EXPECT_EQ(broken({second, thread_record(1, 300, 301), back}), kClean);
  EXPECT_EQ(broken({second, thread_record(1, 300, 301), back, instant(5)}), "W3");
  EXPECT_EQ(broken({second, string_record(2, "x"), back, instant(5)}), "W3");
  EXPECT_EQ(broken({second, string_record(2, "a"), thread_record(1, 100, 101), back, instant(5)}), kClean);
}

TEST(Checker, W4TickRate) {
  EXPECT_EQ(broken({{0x21, 24'000'000}}), "W4");
  EXPECT_EQ(broken({{0x21, 0}}), "W4");
  EXPECT_EQ(broken({kInit}), kClean);
}

TEST(Checker, W5Times) {
  constexpr std::uint64_t kHalf = 1ULL << 63, kSpan = 1ULL << 47;
  EXPECT_EQ(broken({instant(kHalf)}), "W5");
  EXPECT_EQ(broken({instant(kHalf - 1)}), kClean);
  EXPECT_EQ(broken({instant(1), instant(kSpan)}), kClean);
  EXPECT_EQ(broken({instant(0), instant(kSpan)}), "W5");
  EXPECT_EQ(broken({complete(1ULL << 50, (1ULL << 50) + kSpan)}), "W5");
  // Here, neither the flow nor the duration around it has an end.
  EXPECT_EQ(broken({begin(5), flow(EventType::FlowBegin, kSpan + 5, 1)}), "W5 W17 w21");
}

// ---- W6 to W14: tables, strings, sizes ----

TEST(Checker, W6Replacement) {
  EXPECT_EQ(broken({string_record(2, "x")}), "W6");
  EXPECT_EQ(broken({thread_record(1, 100, 109)}), "W6");
}

TEST(Checker, W7Indices) {
  EXPECT_EQ(broken({instant(5, 9)}), "W7");
  EXPECT_EQ(broken({event(EventType::Instant, 5, 99)}), "W7");
  EXPECT_EQ(broken({string_record(0, "x")}), "W7");
  EXPECT_EQ(broken({thread_record(0, 100, 101)}), "W7");
  EXPECT_EQ(broken({string_record(32'767, "x"), thread_record(255, 100, 109), instant(5, 255)}), kClean);
}

TEST(Checker, W8LongStrings) {
  const auto named = [](std::uint64_t size) {
    const std::uint64_t words = (size + 7) / 8;
    Words rest(words, 0x6161'6161'6161'6161);
    if (size % 8 != 0) rest.back() >>= 64 - size % 8 * 8;
    return event(EventType::Instant, 5, 0x8000 + size, 1, rest);
  };
  EXPECT_EQ(broken({named(32'000)}), kClean);
  EXPECT_EQ(broken({named(32'001)}), "W8");
}

TEST(Checker, W9Utf8) {
  EXPECT_EQ(broken({{0x0000'0001'0006'0022, 0xff}}), "W9");
  EXPECT_EQ(broken({event(EventType::Instant, 5, 0x8001, 1, {0xff})}), "W9");
  EXPECT_EQ(broken({{0x0000'0080'0101'0037, 100, 0xff}}), kClean);  // inline name of a kernel object
}

TEST(Checker, W11Sizes) {
  EXPECT_EQ(broken({{0}}), "W11");
  EXPECT_EQ(broken({{0x0002'0001'0104'0034, 5}}), "W11");                             // truncated
  EXPECT_EQ(broken({{0x0000'0001'0006'0032, 0x78, 0}}), "W11");                       // string
  EXPECT_EQ(broken({{0x0000'0000'0009'0043, 100, 109, 0}}), "W11");                   // thread
  EXPECT_EQ(broken({{0x0000'0001'0005'0049, 5, 0x6f'6c6c'6568, 0}}), "W11");          // log
  EXPECT_EQ(broken({{0x0000'0000'0201'0037, 100, 0}}), "W11");                        // kernel object
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x5'0021, 0}, 1)}), "W11");  // argument
  EXPECT_EQ(broken({{0x0000'0000'0012'0020, 0}}), "W11");                             // provider section
  EXPECT_EQ(broken({{0x0000'0000'0013'0020, 0}}), "W11");                             // provider event
  EXPECT_EQ(broken({{0x0030'0000'0021'0030, 0x0074'7866, 0}}), "W11");                // provider info
  EXPECT_EQ(broken({event(EventType::DurationBegin, 5, kA, 1, {0}), end(6)}), "w11");
  EXPECT_EQ(broken({event(EventType::Counter, 5, kA)}), "W11");  // no id
}

TEST(Checker, W12ReservedBits) {
  EXPECT_EQ(broken({{0x0001'0001'0006'0022, 0x78}}), "w12");
  EXPECT_EQ(broken({{0x0000'0001'0006'0022, 0x7878}}), "w12");
  EXPECT_EQ(broken({{0x0000'0001'8006'0022, 0x78}}), "W12");  // Tracy treats bit 31 as a part of the index
}

TEST(Checker, W13AndW14LargeRecords) {
  Words blob = {0x0000'0000'0000'000f | 4096U << 4, 0x10'0002'0001, 5, 4092 * 8};
  blob.resize(4096);
  EXPECT_EQ(broken({blob}), "W13");
  blob[0] = 0xf | 4095U << 4;
  blob[3] = 4091 * 8;
  blob.resize(4095);
  EXPECT_EQ(broken({blob}), kClean);
  EXPECT_EQ(broken({{0x0000'0100'0000'004f, 0x2'0001, 3, 0xccbbaa}}), "W14");
}

// ---- W15 to W17: nesting ----

TEST(Checker, W15OuterFirst) {
  EXPECT_EQ(broken({complete(0, 10, kA), complete(0, 5, kB)}), kClean);
  EXPECT_EQ(broken({complete(0, 5, kB), complete(0, 10, kA)}), "W15");
  // Viewers drop the longer complete event. Therefore, the duration from 6 to 12 is not inside it.
  EXPECT_EQ(broken({complete(0, 5, kB), complete(0, 10, kA), begin(6), end(12)}), "W15");
  EXPECT_EQ(broken({complete(0, 5, kB), begin(6), end(12)}), kClean);
  EXPECT_EQ(broken({complete(0, 10), complete(0, 10)}), kClean);
}

TEST(Checker, W15NoOverlap) {
  EXPECT_EQ(broken({complete(0, 10), complete(5, 15)}), "W15");
  EXPECT_EQ(broken({complete(0, 10), complete(10, 15)}), kClean);
  EXPECT_EQ(broken({complete(0, 10), complete(5, 10)}), kClean);
  EXPECT_EQ(broken({complete(0, 10), complete(5, 15, kB, 2)}), kClean);  // another thread
  EXPECT_EQ(broken({complete(0, 10), begin(5, kB), end(15, kB)}), "W15");
  EXPECT_EQ(broken({complete(0, 10), begin(5, kB), end(10, kB)}), kClean);
  EXPECT_EQ(broken({begin(0), complete(5, 15, kB), end(10)}), "W15");
  EXPECT_EQ(broken({begin(0), complete(5, 10, kB), end(10)}), kClean);
}

TEST(Checker, W15Depth) {
  Words deep = kPrelude;
  for (std::uint64_t i = 0; i < 512; ++i) deep = joined(deep, complete(i, 2000 - i));
  EXPECT_EQ(broken_rules(deep), kClean);
  EXPECT_EQ(broken_rules(joined(deep, complete(600, 1000))), "W15");
  EXPECT_EQ(broken_rules(joined(deep, instant(600))), "W15");
  // If several events without a length have the same time, Perfetto shows each of them inside the previous
  // one.
  Words many = kPrelude;
  for (std::uint64_t i = 0; i < 512; ++i) many = joined(many, instant(5));
  EXPECT_EQ(broken_rules(joined(many, complete(5, 6))), kClean);
  EXPECT_EQ(broken_rules(joined(many, instant(6))), kClean);
  EXPECT_EQ(broken_rules(joined(many, instant(5))), "W15");
}

TEST(Checker, W15NoNegativeDuration) { EXPECT_EQ(broken({complete(10, 5)}), "W15"); }

TEST(Checker, W16Order) {
  EXPECT_EQ(broken({complete(10, 20, kB), complete(0, 10, kA)}), "W16");  // the later sibling comes first
  EXPECT_EQ(broken({complete(11, 20, kB), complete(0, 10, kA)}), kClean);
  EXPECT_EQ(broken({complete(2, 5, kB), complete(0, 10, kA)}), kClean);  // an inner call may come first
  EXPECT_EQ(broken({begin(10, kB), end(20, kB), begin(0), end(10)}), "W16");
  EXPECT_EQ(broken({begin(0), begin(10, kB), end(10), end(20, kB)}), "W16");
  EXPECT_EQ(broken({begin(0), end(10), begin(10, kB), end(20, kB)}), kClean);
  // In the file, the events of thread 2 come before the events of thread 1.
  EXPECT_EQ(broken({begin(20, kA, 2), end(30, kA, 2), begin(0), end(10)}), kClean);
}

TEST(Checker, W17Balance) {
  EXPECT_EQ(broken({begin(5)}), "W17");
  EXPECT_EQ(broken({end(5)}), "w17");
  EXPECT_EQ(broken({begin(5), end(5)}), kClean);
  EXPECT_EQ(broken({begin(5), end(6, kA, 2)}), "w17 W17");
  EXPECT_EQ(broken({begin(5), end(6, 0)}), kClean);   // the end has no name
  EXPECT_EQ(broken({begin(5), end(6, kB)}), kClean);  // the end has another name, which readers ignore
}

TEST(Checker, W17AsyncOperations) {
  const auto async = [](EventType type, std::uint64_t time, std::uint64_t id, std::uint64_t thread = 1) {
    return event(type, time, kA, thread, {id});
  };
  EXPECT_EQ(broken({async(EventType::AsyncBegin, 5, 1), async(EventType::AsyncEnd, 6, 1, 2)}), kClean);
  EXPECT_EQ(broken({async(EventType::AsyncEnd, 6, 1, 2), async(EventType::AsyncBegin, 5, 1)}), kClean);
  EXPECT_EQ(broken({async(EventType::AsyncBegin, 5, 1)}), "w17");
  EXPECT_EQ(broken({async(EventType::AsyncBegin, 5, 1), async(EventType::AsyncEnd, 6, 2)}), "w17");
}

// If async operations have the same id, Perfetto ignores their processes, and matches starts and ends by
// name.
TEST(Checker, W17AsyncOperationsOfOneIdNest) {
  const auto async = [](EventType type, std::uint64_t time, std::uint64_t name, std::uint64_t thread = 1) {
    return event(type, time, name, thread, {7});
  };
  const auto a_begins = async(EventType::AsyncBegin, 0, kA),
             b_begins = async(EventType::AsyncBegin, 5, kB, 3);
  EXPECT_EQ(
      broken({a_begins, b_begins, async(EventType::AsyncEnd, 8, kB), async(EventType::AsyncEnd, 9, kA)}),
      kClean);  // B ends in another process
  EXPECT_EQ(
      broken({a_begins, b_begins, async(EventType::AsyncEnd, 8, kA), async(EventType::AsyncEnd, 9, kB)}),
      "W17");
  EXPECT_EQ(broken({a_begins, b_begins, async(EventType::AsyncEnd, 8, kA), async(EventType::AsyncEnd, 8, kB),
                    async(EventType::AsyncBegin, 9, kA), async(EventType::AsyncEnd, 9, kA)}),
            kClean);  // A and B end at the same time
  EXPECT_EQ(broken({a_begins, b_begins, async(EventType::AsyncEnd, 8, kA),
                    async(EventType::AsyncInstant, 9, kA), async(EventType::AsyncEnd, 9, kB)}),
            "W17");
  EXPECT_EQ(broken({a_begins, async(EventType::AsyncEnd, 8, kB), async(EventType::AsyncEnd, 9, kA)}), "w17");
}

TEST(Checker, W17AsyncInstantsAreInsideTheirOperation) {
  const auto async = [](EventType type, std::uint64_t time) { return event(type, time, kA, 1, {7}); };
  const auto instant = async(EventType::AsyncInstant, 5), begin = async(EventType::AsyncBegin, 5),
             end = async(EventType::AsyncEnd, 5);
  EXPECT_EQ(broken({begin, instant, end}), kClean);
  EXPECT_EQ(broken({instant, begin, end}), "w17");
  EXPECT_EQ(broken({begin, end, instant}), "w17");
}

TEST(Checker, W17AsyncIdsAreGlobalInPerfetto) {
  const auto async = [](EventType type, std::uint64_t time, std::uint64_t thread) {
    return event(type, time, kA, thread, {7});
  };
  const auto begins = all({async(EventType::AsyncBegin, 0, 1), async(EventType::AsyncBegin, 5, 3)});
  EXPECT_EQ(broken({begins, async(EventType::AsyncEnd, 8, 3), async(EventType::AsyncEnd, 9, 1)}), kClean);
  EXPECT_EQ(broken({begins, async(EventType::AsyncEnd, 8, 1), async(EventType::AsyncEnd, 9, 3)}), "W17");
  EXPECT_EQ(broken({async(EventType::AsyncBegin, 0, 1), async(EventType::AsyncEnd, 8, 3)}), kClean);
}

TEST(Checker, W17TracyEndsTheCompleteEventAroundAStrayEnd) {
  EXPECT_EQ(broken({complete(0, 10), end(5)}), "W17");
  EXPECT_EQ(broken({complete(0, 10), end(10)}), "w17");
}

// ---- W18 to W20: names, ids, counters ----

TEST(Checker, W18Names) {
  EXPECT_EQ(broken({thread_object({0x4'0028, 100}), instant(5)}), kClean);
  EXPECT_EQ(broken({thread_object({})}), "W18");
  EXPECT_EQ(broken({thread_object({0x4'0024, 100})}), "W18");              // uint64
  EXPECT_EQ(broken({thread_object({0x5'0028, 100})}), "W18");              // called "value"
  EXPECT_EQ(broken({thread_object({0x4'0028, 100}, 101, 0)}), "w18");      // no name
  EXPECT_EQ(broken({thread_object({0x4'0028, 200}), instant(5)}), "w18");  // events are in process 100
}

TEST(Checker, W19Ids) {
  const auto on_thread = [](std::uint64_t process, std::uint64_t thread) {
    return Words{0x0002'0001'0000'0044, 5, process, thread};
  };
  EXPECT_EQ(broken({on_thread(1, 0xffff'ffff)}), kClean);
  EXPECT_EQ(broken({on_thread(1, 1ULL << 32)}), "W19");
  EXPECT_EQ(broken({on_thread(1ULL << 33, 1)}), "W19");
  EXPECT_EQ(broken({on_thread(0, 1)}), "w19");
  EXPECT_EQ(broken({thread_object({0x4'0028, 0xffff'ffff})}), kClean);
  EXPECT_EQ(broken({thread_object({0x4'0028, 1ULL << 32})}), "W19");
  EXPECT_EQ(broken({thread_record(9, 1ULL << 33, 1)}), kClean);  // never used
}

TEST(Checker, W20Counters) {
  const Words number = {0x7'0005'0011}, truth = {0x1'0005'0019};
  EXPECT_EQ(broken({counter(5, kA, number), counter(6, kA, number)}), kClean);
  EXPECT_EQ(broken({counter(5, kA, number), counter(6, kB, number)}), "W20");
  EXPECT_EQ(broken({counter(5, kA, truth)}), "w22 W20");
  EXPECT_EQ(broken({counter(5, kA, {0x5'0027, 1})}), "W20");  // pointer
  EXPECT_EQ(broken({counter(5, kA, {0x5'0016})}), "W20");     // string
  EXPECT_EQ(broken({counter(5, kA, {0x5'0025, 0x7ff8'0000'0000'0000})}),
            kClean);  // a double that is not a number
}

// Counters with the same name may have several ids, or be in several processes. Tracy then draws one curve,
// and Perfetto draws several curves. This is not a fault.
TEST(Checker, W20OneCounterMayHaveSeveralIdsAndProcesses) {
  const Words number = {0x7'0005'0011};
  const auto elsewhere = event(EventType::Counter, 7, kA, 3, joined(number, {0}), 1);
  EXPECT_EQ(broken({counter(5, kA, number, 1), counter(6, kA, number, 2)}), kClean);
  EXPECT_EQ(broken({counter(5, kA, number), elsewhere}), kClean);
}

TEST(Checker, W20CountersHaveAValue) { EXPECT_EQ(broken({event(EventType::Counter, 5, kA, 1, {0})}), "W20"); }

TEST(Checker, W18PriorityZeroIsIdleInPerfetto) {
  const auto switch_to = [](std::uint64_t incoming, std::uint64_t priority) {
    using Header = LegacyContextSwitchHeader;
    return Words{Header::Type::put(8) | Header::Size::put(incoming == 0 ? 6 : 4) |
                     Header::Incoming::put(incoming) | Header::IncomingPriority::put(priority),
                 5, 0, 0};
  };
  EXPECT_EQ(broken({switch_to(1, 1)}), "W18");
  EXPECT_EQ(broken({switch_to(1, 0)}), "W18");
  EXPECT_EQ(broken({{0x0010'0000'0000'0068, 5, 0, 0, 0, 7}}),
            kClean);  // Perfetto assigns the idle thread to process 0
  EXPECT_EQ(broken({{0x0000'0000'0000'0068, 5, 0, 0, 0, 7}}), "W18");
  EXPECT_EQ(broken({thread_object({0x4'0028, 100}), switch_to(1, 0), instant(5)}), kClean);
  EXPECT_EQ(broken({switch_to(1, 0), thread_object({0x4'0028, 100}), instant(5)}), kClean);  // in any order
  EXPECT_EQ(broken({switch_to(1, 0), thread_object({0x4'0028, 0})}), "w19 W18");             // in process 0
  EXPECT_EQ(broken({thread_object({0x4'0028, 100}), thread_object({0x4'0028, 0}), switch_to(1, 0)}),
            "w19 W18");
  EXPECT_EQ(broken({joined(switch_to(0, 0), {0, 0})}), kClean);  // idle to idle
}

TEST(Checker, W18TwoProcessesMayHaveTheSameTid) {
  const Words other = thread_record(4, 300, 101);
  EXPECT_EQ(broken({other, instant(5), instant(5, 4)}), kClean);
  EXPECT_EQ(broken({other, thread_object({0x4'0028, 300}), instant(5), instant(5, 4)}), kClean);
}

TEST(Checker, W25CpusThatPerfettoSupports) {
  const auto on_cpu = [](std::uint64_t cpu) { return Words{0x2000'0000'0000'0038 | cpu << 20, 5, 101}; };
  EXPECT_EQ(broken({on_cpu(4095)}), kClean);
  EXPECT_EQ(broken({on_cpu(4096)}), "W25");
  EXPECT_EQ(broken({{0x1000'0000'0000'0048 | 4096ULL << 20, 5, 101, 102}}), "W25");
}

TEST(Checker, W25ThreadStatesOfTheSpec) {
  const Words names = joined(named(100, 101), named(100, 102));
  EXPECT_EQ(broken({names, {0x0010'1020'1500'0028, 5}}), kClean);  // dead
  EXPECT_EQ(broken({names, {0x0010'1020'1600'0028, 5}}), "w25");
}

TEST(Checker, W25ArgumentsHaveUniqueNames) {
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x7'0005'0011, 0x8'0004'0011}, 2)}), kClean);
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x7'0005'0011, 0x8'0005'0012}, 2)}), "W25");
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x7'0005'0011, 0x7'8005'0021, 0x65'756c'6176}, 2)}),
            "W25");  // the same, inline
}

// Perfetto makes a tree from the names of arguments: `a.b` is the member b of `a`. Therefore, `a` can't have
// both a value and members. See Perfetto's function __intrinsic_arg_set_to_json.
TEST(Checker, W30NamesOfArgumentsAreATree) {
  const Words a = {0x7'0002'0011}, a_b = {0x7'8003'0021, 0x62'2e61}, a_c = {0x7'8003'0021, 0x63'2e61};
  const Words a_0 = {0x7'8004'0021, 0x5d30'5b61}, a_i = {0x7'8004'0021, 0x5d69'5b61};
  const Words ab = {0x7'8002'0021, 0x6261}, a_open = {0x7'8002'0021, 0x5b61};
  const auto with = [](EventType type, std::initializer_list<Words> arguments, const Words& rest = {}) {
    return broken({event(type, 5, kA, 1, joined(all(arguments), rest), arguments.size())});
  };
  using enum EventType;
  EXPECT_EQ(with(Instant, {a, a_b}), "w30");
  EXPECT_EQ(with(Instant, {a_b, a}), "w30");
  EXPECT_EQ(with(Instant, {a_0, ab, a}), "w30");
  EXPECT_EQ(with(Instant, {a_b, a_0}), "w30");
  EXPECT_EQ(with(DurationComplete, {a, a_b}, {9}), "w30");
  EXPECT_EQ(with(Instant, {a_b, a_c, ab}), kClean);
  EXPECT_EQ(with(Instant, {a, ab}), kClean);
  EXPECT_EQ(with(Instant, {a_i}), "w30");
  EXPECT_EQ(with(Instant, {a_open}), "w30");
  EXPECT_EQ(with(Instant, {a_0}), kClean);
  EXPECT_EQ(with(Counter, {a, a_b}, {0}), kClean);  // a counter has a track for each argument, and no tree
}

TEST(Checker, W9Nul) {
  EXPECT_EQ(broken({event(EventType::Instant, 5, 0x8003, 1, {0x62'0061})}), "W9");
  EXPECT_EQ(broken({{0x0000'0080'0301'0037, 100, 0x62'0061}}), "W9");  // a process
  EXPECT_EQ(broken({{0x0001'0003'8003'0035, 0x62'0061, 0xccbbaa}}),
            kClean);  // the name of a blob, which neither Perfetto nor Tracy shows
}

TEST(Checker, W22Bools) {
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x0000'0001'0005'0019}, 1)}), "w22");
}

TEST(Checker, W28InstantsThatTracyShowsAsFrames) {
  const Words name = string_record(6, "StackFRAME 1");
  EXPECT_EQ(broken({name, event(EventType::Instant, 5, 6)}), "W28");
  EXPECT_EQ(broken({string_record(6, "fram e"), event(EventType::Instant, 5, 6)}), kClean);
  EXPECT_EQ(broken({name, begin(5, 6), end(5, 6)}), kClean);
}

// ---- W21: flows ----

TEST(Checker, W21FlowsNeedADuration) {
  const Words from = flow(EventType::FlowBegin, 2, 7), to = flow(EventType::FlowEnd, 22, 7, 2);
  EXPECT_EQ(broken({complete(0, 10), complete(20, 30, kA, 2), from, to}), kClean);
  EXPECT_EQ(broken({complete(20, 30, kA, 2), from, to}), "W21");
  EXPECT_EQ(broken({complete(0, 1), complete(20, 30, kA, 2), from, to}), "W21");
  EXPECT_EQ(broken({begin(0), from, end(3), begin(20, kA, 2), to, end(23, kA, 2)}), kClean);
  EXPECT_EQ(broken({begin(0), end(1), from, begin(20, kA, 2), to, end(23, kA, 2)}), "W21");
  EXPECT_EQ(broken({instant(2), from, complete(20, 30, kA, 2), to}), "W21");  // an instant is not a duration
}

TEST(Checker, W21FlowIds) {
  const auto in_durations = [](std::initializer_list<Words> flows) {
    return broken({complete(0, 100), complete(0, 100, kA, 2), complete(0, 100, kA, 3), all(flows)});
  };
  EXPECT_EQ(in_durations({flow(EventType::FlowBegin, 1, 7), flow(EventType::FlowStep, 2, 7, 2),
                          flow(EventType::FlowEnd, 3, 7, 3)}),
            kClean);
  EXPECT_EQ(in_durations({flow(EventType::FlowEnd, 3, 7, 2), flow(EventType::FlowBegin, 1, 7)}), kClean);
  EXPECT_EQ(in_durations({flow(EventType::FlowStep, 1, 7)}), "W21");
  EXPECT_EQ(in_durations({flow(EventType::FlowEnd, 1, 7)}), "W21");
  EXPECT_EQ(in_durations({flow(EventType::FlowBegin, 1, 7)}), "w21");
  EXPECT_EQ(in_durations({flow(EventType::FlowBegin, 1, 7), flow(EventType::FlowBegin, 2, 7),
                          flow(EventType::FlowEnd, 3, 7)}),
            "W21");
}

// For a step or an end of a flow, Perfetto first searches the process of the event for an open flow with this
// id. If there is none, and only one other process has such a flow, Perfetto uses that flow.
TEST(Checker, W21FlowsOfSeveralProcesses) {
  const Words strings_and_thread = thread_record(4, 300, 301);
  const auto in_durations = [&](std::initializer_list<Words> flows) {
    return broken(
        {strings_and_thread, complete(0, 100), complete(0, 100, kA, 3), complete(0, 100, kA, 4), all(flows)});
  };
  const Words begin_1 = flow(EventType::FlowBegin, 1, 7), begin_3 = flow(EventType::FlowBegin, 2, 7, 3);
  const Words end_1 = flow(EventType::FlowEnd, 3, 7), end_3 = flow(EventType::FlowEnd, 4, 7, 3);
  EXPECT_EQ(in_durations({begin_1, flow(EventType::FlowEnd, 5, 7, 4)}), kClean);
  EXPECT_EQ(in_durations({begin_1, begin_3, end_1, end_3}), kClean);
  EXPECT_EQ(in_durations({begin_1, begin_3, flow(EventType::FlowStep, 2, 7, 4), end_1, end_3}), "W21");
  EXPECT_EQ(in_durations({begin_1, begin_3, end_1, flow(EventType::FlowStep, 3, 7, 4), end_3}), "W21");
  EXPECT_EQ(in_durations({begin_1, end_1, flow(EventType::FlowBegin, 5, 7, 3),
                          flow(EventType::FlowStep, 6, 7, 4), flow(EventType::FlowEnd, 7, 7, 3)}),
            kClean);  // after the end of flow 7, another process can use this id
}

// ---- W23 to W28 ----

TEST(Checker, W23Blobs) {
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x3'0005'002a, 0xccbbaa}, 1)}), "W23");
  EXPECT_EQ(broken({{0x0000'1000'1001'007a, 5, 100, 101, 0x1000, 0x2000, 0x400}}), "W23");
  EXPECT_EQ(broken({{0x0000'1000'1011'005a, 5, 0x1000, 0x2000, 0x400}}), kClean);
}

TEST(Checker, W24UserspaceObjects) { EXPECT_EQ(broken({{0x0000'0000'0200'0036, 0xabcd, 100}}), "W24"); }

TEST(Checker, W25Extensions) {
  EXPECT_EQ(broken({{0x41, 1'000'000'000, 0, 0}}), "W25");
  EXPECT_EQ(broken({{0x1b}}), "W25");
  EXPECT_EQ(broken({{0x0005'0010}}), "W25");
  EXPECT_EQ(broken({{0x0002'0001'010b'0024, 5}}), "W25");
  EXPECT_EQ(broken({{0x3000'0000'0000'0018}}), "W25");
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0x5'001b}, 1)}), "W25");
}

TEST(Checker, W25SchedulingArgumentsHaveTheirTypes) {
  const Words waker = string_record(6, "waker");
  EXPECT_EQ(broken({waker, {0x2000'0000'0021'0058, 5, 101, 0x6'0028, 102}}), kClean);
  EXPECT_EQ(broken({waker, {0x2000'0000'0021'0058, 5, 101, 0x6'0024, 102}}), "W25");
  EXPECT_EQ(broken({waker, {0x2000'0000'0021'0058, 5, 101, 0x6'0028, 0xffff'ffff}}), kClean);
  EXPECT_EQ(broken({waker, {0x2000'0000'0021'0058, 5, 101, 0x6'0028, 1ULL << 32}}), "W19");
  // In the record of a context switch, the argument `waker` may have any type.
  EXPECT_EQ(broken({waker, {0x1000'0000'0021'0068, 5, 101, 102, 0x6'0024, 102}}), kClean);
  const Words weight = string_record(6, "weight");
  EXPECT_EQ(broken({weight, {0x2000'0000'0021'0048, 5, 101, 0x7'0006'0011}}), kClean);
  EXPECT_EQ(broken({weight, {0x2000'0000'0021'0048, 5, 101, 0x7'0006'0012}}), "W25");
  const Words incoming = string_record(6, "incoming_weight");
  EXPECT_EQ(broken({incoming, {0x1000'0000'0021'0058, 5, 101, 102, 0x7'0006'0012}}), "W25");
  EXPECT_EQ(broken({incoming, {0x2000'0000'0021'0048, 5, 101, 0x7'0006'0012}}), kClean);  // not for a wakeup
}

TEST(Checker, W26Locations) {
  const auto durations_of = [](std::uint64_t names) {
    Words words = kPrelude;
    for (std::uint64_t i = 0; i < names + 100; ++i) {
      std::uint64_t text = 0;
      for (std::uint64_t digit = 0, rest = i % names; digit < 8; ++digit, rest /= 10)
        text = text << 8 | ('0' + rest % 10);
      const Words record = event(EventType::DurationComplete, i, 0x8008, 1, {text, i});
      words.insert(words.end(), record.begin(), record.end());
    }
    return words;
  };
  EXPECT_EQ(broken_rules(durations_of(32'767)), kClean);
  EXPECT_EQ(broken_rules(durations_of(32'768)), "W26");
}

// The index of a string may be registered again with another text. Here, index 6 gets a new text for each
// event, so each event has another name.
TEST(Checker, W26LocationsOfReplacedNames) {
  const auto durations_of = [](std::uint64_t names) {
    Words words = kPrelude;
    for (std::uint64_t i = 0; i < names; ++i) {
      const Words record = joined(string_record(6, std::to_string(i)), complete(i, i, 6));
      words.insert(words.end(), record.begin(), record.end());
    }
    return words;
  };
  EXPECT_EQ(broken_rules(durations_of(32'767)), "W6");
  EXPECT_EQ(broken_rules(durations_of(32'768)), "W6 W26");
}

// Each kind of record that a selected reader ignores causes one note.
TEST(Checker, W29RecordsThatReadersIgnore) {
  const auto notes = [](std::initializer_list<Words> parts, KnownReaders readers) {
    const Words words = joined(kPrelude, all(parts));
    Reader reader(std::as_bytes(std::span(words)));
    std::vector<std::string> notes;
    Checker checker(
        [&notes](const Finding& finding) {
          if (finding.severity == Severity::Note)
            notes.push_back(std::string(finding.record) + ": " + finding.problem + ": " + finding.effect);
        },
        readers);
    for (const Entry& entry : reader) checker.add(entry, reader);
    checker.finish(reader);
    return notes;
  };
  using enum KnownReader;
  using testing::ElementsAre;
  const Words log = {0x0000'0001'0002'0039, 5, 0x6968};
  EXPECT_THAT(notes({log, log}, {Perfetto}), ElementsAre("log: log messages (2): ignored by Perfetto"));
  EXPECT_THAT(notes({log}, {Perfetto, Tracy, FuchsiaCpp}),
              ElementsAre("log: log messages (1): ignored by Perfetto and Tracy"));
  EXPECT_THAT(notes({log}, {FuchsiaCpp, FuchsiaRust, Spec}), ElementsAre());
  EXPECT_THAT(notes({log}, KnownReaders::all()), ElementsAre());  // no notes if all readers are selected
  const Words operation =
      joined(event(EventType::AsyncBegin, 5, kA, 1, {7}), event(EventType::AsyncEnd, 6, kA, 1, {7}));
  const Words argument = event(EventType::Instant, 7, kA, 1, {0x7'0005'0011}, 1);
  EXPECT_THAT(notes({argument, operation, {0x1000'0000'0000'0048, 8, 101, 102}}, {Tracy, Spec}),
              ElementsAre("instant: arguments of instants (1): ignored by Tracy",
                          "async-begin: async operations (2): ignored by Tracy",
                          "thread-switch: context switches and wakeups (1): ignored by Tracy"));
  EXPECT_THAT(notes({argument, operation}, {Perfetto, FuchsiaRust}), ElementsAre());
  const Words blob = {0x0001'0003'0002'0025, 0x63'6261}, damaged = {0x0000'0001'0003'0029, 5};
  EXPECT_THAT(notes({blob, {0x1b}, damaged}, {Perfetto}),
              ElementsAre("blob: other blobs (1): ignored by Perfetto",
                          "unknown: records of unknown types (1): ignored by Perfetto"));
}

TEST(Checker, W25BlobsOfUnknownTypes) {
  for (const std::uint64_t type : {1U, 2U})
    EXPECT_EQ(broken({{0x0000'0003'0002'0025 | type << 48, 0x63'6261}}), kClean);
  for (const std::uint64_t type : {0U, 4U, 9U})
    EXPECT_EQ(broken({{0x0000'0003'0002'0025 | type << 48, 0x63'6261}}), "w25");
}

TEST(Checker, W28ScopesThatMostReadersIgnore) {
  const auto verdict = [](std::uint64_t scope) {
    return broken({event(EventType::Instant, 5, kA, 1, {scope})});
  };
  EXPECT_EQ(verdict(0), kClean);  // the scope is the thread of the instant
  EXPECT_EQ(verdict(1), "w28");
  EXPECT_EQ(verdict(2), "w28");
  EXPECT_EQ(broken({event(EventType::Instant, 5, kA, 1, {0, 0})}), "w11");
}

// ---- Findings ----

TEST(Checker, ReportsFaultsOfTheWholeFileOnce) {
  const auto findings_in = [](const Words& words) {
    int findings = 0;
    check(words, [&findings](const Finding&) { ++findings; });
    return findings;
  };
  EXPECT_EQ(findings_in(all({kMagic, string_record(1, "a"), string_record(2, "b"), kProvider, kInit})), 1);
  EXPECT_EQ(findings_in(all({kMagic, kProvider, kTables, instant(5), instant(6)})), 1);
  EXPECT_EQ(findings_in(all({kMagic, kInit, kInit, kProvider})), 1);
  EXPECT_EQ(findings_in(all({kPrelude, instant(5), instant((1ULL << 47) + 5), instant((1ULL << 47) + 6)})),
            1);
}

TEST(Checker, FindingsHavePlaceProblemAndReaders) {
  std::vector<Finding> findings;
  check(all({kPrelude, complete(0, 10), complete(5, 15)}),
        [&findings](const Finding& finding) { findings.push_back(finding); });
  ASSERT_FALSE(findings.empty());
  const std::size_t first = (kPrelude.size()) * 8;
  EXPECT_EQ(findings[0].rule, "W15");
  EXPECT_EQ(findings[0].severity, Severity::Error);
  EXPECT_EQ(findings[0].offset, first + 24);
  EXPECT_EQ(findings[0].record, "complete");
  EXPECT_EQ(findings[0].problem, "partly overlaps the complete event at " + offset_text(first));
  EXPECT_EQ(findings[0].effect, "Perfetto drops the event");
}

TEST(Checker, TracksLateEvents) {
  Words words = kPrelude;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const Words record = complete(10 * i, 10 * i + 5);
    words.insert(words.end(), record.begin(), record.end());
  }
  EXPECT_EQ(broken_rules(joined(words, complete(7, 9))), kClean);
  EXPECT_EQ(broken_rules(joined(words, complete(3, 7))), "W15");
  EXPECT_EQ(broken_rules(joined(words, begin(8))), "W17");
}

// Viewers draw the same picture for each of these orders of the records, so the findings must also be the
// same.
TEST(Checker, FindsTheSameInEveryOrder) {
  std::vector<Words> records;
  for (std::uint64_t i = 0; i < 12; ++i) {
    records.push_back(complete(100 * i, 100 * i + 90, kA, 1 + i % 2));
    records.push_back(complete(100 * i + 10, 100 * i + (i == 5 ? 95 : 40), kB, 1 + i % 2));
    records.push_back(instant(100 * i + 50, 1 + i % 2));
    records.push_back(
        flow(i % 3 == 0 ? EventType::FlowBegin : EventType::FlowEnd, 100 * i + 20, i / 3, 1 + i % 2));
    records.push_back(begin(100 * i + 60, kA, 3));
    records.push_back(end(100 * i + (i == 7 ? 65 : 170), kA, 3));
  }
  const auto findings_in = [&] {
    Words words = kPrelude;
    for (const Words& record : records) words = joined(words, record);
    std::vector<std::string> findings;
    check(words, [&](const Finding& finding) {
      const std::uint64_t time = words[finding.offset / 8 + 1];
      findings.push_back(std::string(name_of(finding.fault)) + ' ' + std::to_string(time));
    });
    std::ranges::sort(findings);
    return findings;
  };
  const std::vector<std::string> expected = findings_in();
  EXPECT_EQ(expected.size(), 5U);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::ranges::shuffle(records, random);
    EXPECT_EQ(findings_in(), expected);
  }
}

// If a start is too deep for Perfetto, its end breaks no other rule.
TEST(Checker, DeepBeginsAndTheirEndsGoTogether) {
  Words deep = kPrelude;
  for (std::uint64_t i = 0; i < 513; ++i) deep = joined(deep, begin(i));
  for (std::uint64_t i = 0; i < 513; ++i) deep = joined(deep, end(1000 + i));
  EXPECT_EQ(broken_rules(deep), "W15");
}

TEST(Checker, NamesRecordsLikeFxtDump) {
  const Words words = all({kPrelude, flow(EventType::FlowStep, 5, 7), begin(10, kB), end(20, kB),
                           complete(0, 10), async_begin(1, 4)});
  check(words, [](const Finding& finding) {
    EXPECT_TRUE(finding.record == "file" || std::ranges::find(kinds(), finding.record) != kinds().end())
        << finding.record;
  });
}

}  // namespace
}  // namespace fxt::test
