// A trace with every kind of record that a Writer can write, and some hand-written records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/fxt/trace_words.h"

namespace fxt::test {

inline std::vector<std::byte> bytes_of(const Words& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

inline Words sample_trace() {
  return file_of(
      [](Writer& writer) {
        constexpr std::array kBytes = {std::byte{0xaa}, std::byte{0xbb}, std::byte{0xcc}};
        const Thread main{.process = 100, .thread = 101};
        const Thread worker{.process = 100, .thread = 102, .storage = Storage::Inline};
        writer.name_process(100, "demo");
        writer.name_thread(100, 101, "main");
        writer.name_thread(100, 102, Inline{"worker"});
        writer.write(Event{.type = EventType::DurationBegin,
                           .time = 1000,
                           .thread = main,
                           .category = "app",
                           .name = "run",
                           .arguments = {{"null", {}},
                                         {"i32", -1},
                                         {"u32", 1U},
                                         {"i64", std::int64_t{-5'000'000'000}},
                                         {"u64", std::uint64_t{5'000'000'000}},
                                         {"f64", 0.25},
                                         {"text", "table"},
                                         {Inline{"inline"}, Inline{"Gr\u00fc\u00dfe \"you\""}},
                                         {"pointer", Pointer{0xfeed}},
                                         {"koid", Koid{100}},
                                         {"yes", true},
                                         {"raw", Bytes{kBytes}}}});
        writer.write(Event{.type = EventType::Counter,
                           .time = 1200,
                           .thread = main,
                           .category = "app",
                           .name = "memory",
                           .arguments = {{"rss KB", 4096U}},
                           .id = 1});
        writer.write(Event{.type = EventType::FlowBegin,
                           .time = 1300,
                           .thread = main,
                           .category = "app",
                           .name = "request",
                           .id = 7});
        writer.write(Event{.type = EventType::DurationComplete,
                           .time = 1400,
                           .thread = worker,
                           .category = "app",
                           .name = "serve",
                           .end = 1600});
        writer.write(Event{.type = EventType::FlowStep,
                           .time = 1450,
                           .thread = worker,
                           .category = "app",
                           .name = "request",
                           .id = 7});
        writer.write(
            Event{.type = EventType::AsyncBegin, .time = 1500, .thread = main, .name = "io", .id = 9});
        writer.write(
            Event{.type = EventType::AsyncInstant, .time = 1510, .thread = main, .name = "io", .id = 9});
        writer.write(Event{.type = EventType::AsyncEnd, .time = 1520, .thread = main, .name = "io", .id = 9});
        writer.write(Event{.type = EventType::FlowEnd,
                           .time = 1700,
                           .thread = main,
                           .category = "app",
                           .name = "request",
                           .id = 7});
        writer.write(Event{.time = 1750, .thread = main, .category = "app", .name = "mark"});
        writer.write(Event{
            .type = EventType::DurationEnd, .time = 1800, .thread = main, .category = "app", .name = "run"});
        writer.write(LegacyContextSwitch{.time = 1850,
                                         .cpu = 2,
                                         .outgoing_state = ThreadState::Blocked,
                                         .outgoing = main,
                                         .outgoing_priority = 16});
        writer.write(ContextSwitch{.time = 1860,
                                   .cpu = 300,
                                   .outgoing_state = ThreadState::Running,
                                   .outgoing_thread = 101,
                                   .incoming_thread = 102,
                                   .arguments = {{"incoming_weight", 3}}});
        writer.write(ThreadWakeup{.time = 1870, .cpu = 300, .thread = 101, .arguments = {{"weight", 3}}});
        writer.write(Log{.time = 1900, .thread = main, .message = "done"});
        writer.buffer_full();
        writer.write(Blob{.name = "notes", .bytes = kBytes});
        writer.write(UserspaceObject{.process = {.process = 100}, .pointer = 0xfeed, .name = "object"});
        writer.begin_provider(2, "other");
        writer.write(Event{
            .time = 2000, .thread = main, .category = "app", .name = "mark", .scope = InstantScope::Process});
        writer.switch_provider(1);
        writer.write(LargeBlob{.time = 2100,
                               .thread = main,
                               .category = "app",
                               .name = "notes",
                               .arguments = {{"i32", 1}},
                               .bytes = kBytes});
        writer.write(LargeBlobWithoutMetadata{.category = "app", .name = "notes", .bytes = kBytes});
      },
      {.provider_name = "sample"});
}

// Profiler records, one of them with a spare word, and records of unknown types.
inline const Words kUncommonRecords = {
    0x0000'0000'0000'0033,
    100,
    101,  // thread 0, which readers must ignore
    0x0000'0000'0005'0033,
    100,
    105,  // thread 5
    0x0040'5000'7050'005a,
    3000,
    0x6d'2e62'696c,
    0xddcc'bbaa,
    0,  // module 7 "lib.m", a build id, and a spare word
    0x0000'1000'1051'005a,
    3001,
    0x1000,
    0x2000,
    0x400,  // mmap of module 1, flags 1
    0x0000'0000'2052'004a,
    3002,
    0xaa,
    0xbb,  // backtrace of two frames
    0x0000'0000'0000'002b,
    1,                      // record type 11
    0x3000'0000'0000'0018,  // scheduling subtype 3
    0x0000'0000'0005'0010,  // metadata type 5
};

}  // namespace fxt::test
