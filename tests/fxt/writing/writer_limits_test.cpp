// Tests the Writer at the limits of the format: full tables, long texts, and records without an encoding.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <ios>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/writer.h"
#include "tests/fxt/trace_words.h"

namespace fxt::test {
namespace {

// ---- Strings ----

TEST(WriterStrings, AreInlineIfTheTableIsFull) {
  MemoryOutput output;
  Writer writer(output);
  for (int i = 0; i < 32'767; ++i) ASSERT_TRUE(writer.prepare("", std::to_string(i)));
  EXPECT_FALSE(writer.prepare("", "one more"));
  EXPECT_TRUE(writer.prepare("", "32766"));
  const auto before = writer.words_written();
  writer.write(Event{.time = 1, .thread = kMain, .name = "one more"});
  // The thread record has 3 words. The event has 3 words: header, time and inline name.
  EXPECT_EQ(writer.words_written() - before, 3U + 3U);
  EXPECT_EQ(writer.counters().inline_strings, 1U);
}

TEST(WriterStrings, AreCutBetweenCharacters) {
  const std::string text = std::string(31'999, 'x') + "\u20ac";
  MemoryOutput output;
  Writer writer(output);
  writer.prepare("", text);
  writer.flush();
  EXPECT_EQ(StringHeader::Length::get(output.words()[kStart.size()]), 31'999U);
  EXPECT_EQ(writer.counters().cut_strings, 1U);
}

TEST(WriterStrings, RepairedTextIsCutAgainWhenItGrew) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.time = 1, .thread = kMain, .name = Inline{std::string(32'000, '\xff')}});
  EXPECT_EQ(writer.counters().repaired_strings, 1U);
  EXPECT_EQ(writer.counters().cut_strings, 1U);
  writer.flush();
  EXPECT_EQ(EventHeader::Name::get(output.words()[kStart.size() + 3]), 0x8000U + 31'998U);
}

TEST(WriterStrings, AreWrittenRepairedAndCut) {
  std::string kept;
  EXPECT_EQ(as_written("abc\u20ac", 6, kept), "abc\u20ac");
  EXPECT_EQ(as_written("abc\u20ac", 5, kept), "abc");
  EXPECT_EQ(kept, "");
  EXPECT_EQ(as_written("ab\xff", 5, kept), "ab\ufffd");
  EXPECT_EQ(as_written("ab\xff", 4, kept), "ab");
  EXPECT_EQ(as_written(std::string_view("\0", 1), 5, kept), "\ufffd");
}

TEST(WriterStrings, TwoSpellingsOfOneTextShareItsIndex) {
  EXPECT_EQ(words_of([](Writer& writer) {
              writer.prepare("", "\xff");
              writer.prepare("", "\xfe");
              writer.prepare("", "\ufffd");
            }),
            (Words{0x0000'0003'0001'0022, 0xbd'bfef}));
}

TEST(WriterStrings, HaveNoNul) {
  MemoryOutput output;
  Writer writer(output);
  writer.write(Event{.thread = kMain, .name = Inline{std::string_view("a\0b\0", 4)}});
  writer.flush();
  EXPECT_EQ(output.words().back(), 0xbd'bfef'62bd'bfef'61);  // a, U+FFFD, b, U+FFFD
  EXPECT_EQ(writer.counters().repaired_strings, 1U);
}

// ---- Threads ----

TEST(WriterThreads, AreInlineIfTheTableIsFull) {
  MemoryOutput output;
  Writer writer(output);
  for (std::uint64_t tid = 1; tid <= 255; ++tid) ASSERT_TRUE(writer.thread_index(1, tid));
  EXPECT_FALSE(writer.thread_index(1, 256));
  EXPECT_EQ(writer.thread_index(1, 255), ThreadIndex{255});
  const auto before = writer.words_written();
  writer.write(Event{.time = 1, .thread = {.process = 1, .thread = 256}});
  EXPECT_EQ(writer.words_written() - before, 4U);
  EXPECT_EQ(writer.counters().inline_threads, 1U);
}

TEST(WriterThreads, TwoProcessesMayHaveTheSameTid) {
  MemoryOutput output;
  Writer writer(output);
  EXPECT_EQ(writer.thread_index(1, 5), ThreadIndex{1});
  EXPECT_EQ(writer.thread_index(2, 5), ThreadIndex{2});
  EXPECT_NO_THROW(writer.write(Event{.thread = {.process = 3, .thread = 5}, .name = "x"}));
}

// ---- Providers ----

TEST(WriterProviders, EachHasItsOwnTablesButOneNumbering) {
  EXPECT_EQ(words_of([](Writer& writer) {
              const auto event = writer.prepare("", "main");
              const auto thread = writer.thread_index(100, 101);
              writer.begin_provider(2, "other");
              writer.write_begin(*event, *thread, 7);
              writer.switch_provider(1);
              writer.write_end(*event, *thread, 8);
            }),
            (Words{0x0000'0004'0001'0022, 0x6e69'616d, 0x0000'0000'0001'0033, 100, 101,  //
                   0x0050'0000'0021'0020, 0x72'6568'746f,  // provider 2, "other"
                   0x0000'0000'0000'0021, 1'000'000'000,   //
                   0x0000'0004'0001'0022, 0x6e69'616d, 0x0000'0000'0001'0033, 100, 101,  //
                   0x0001'0000'0102'0024, 7,                                             //
                   0x0000'0000'0012'0010,  // section of provider 1
                   0x0001'0000'0103'0024, 8}));
}

TEST(WriterProviders, NamesAreCutAt255Bytes) {
  const Words words = file_of([](Writer&) {}, {.provider_name = std::string(300, 'p')});
  EXPECT_EQ(ProviderInfoHeader::NameLength::get(words[1]), 255U);
}

TEST(WriterProviders, GetSharedReferencesOnce) {
  const auto words_of_provider = [](int times) {
    MemoryOutput output;
    Writer writer(output);
    for (int i = 0; i < times; ++i) {
      writer.prepare("app", "main");
      writer.thread_index(100, 101);
      writer.string_ref("app");
    }
    const auto before = writer.words_written();
    writer.begin_provider(2, "other");
    return writer.words_written() - before;
  };
  EXPECT_EQ(words_of_provider(1), 4U + 2 + 2 + 3);
  EXPECT_EQ(words_of_provider(1000), words_of_provider(1));
}

// ---- Records without an encoding ----

// Writes a record that has no encoding. Returns the message of the error.
std::string message_of(const std::function<void(Writer&)>& write) {
  MemoryOutput output;
  Writer writer(output);
  const auto before = writer.words_written();
  try {
    write(writer);
  } catch (const WriterError& error) {
    EXPECT_EQ(writer.words_written(), before) << "nothing of such a record is written";
    return error.what();
  }
  return "no error";
}

TEST(WriterErrors, ProvidersMustBeAnnouncedOnce) {
  EXPECT_EQ(message_of([](Writer& writer) { writer.begin_provider(1, "again"); }),
            "provider 1 was announced before; use switch_provider() to go back to this provider");
  EXPECT_EQ(message_of([](Writer& writer) { writer.switch_provider(9); }),
            "provider 9 was never announced; use begin_provider() to announce it");
}

TEST(WriterErrors, ARecordHasAtMost15Arguments) {
  const std::vector<Argument> sixteen(16, Argument{"a", 1});
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(
                  Event{.thread = {.storage = Storage::Inline}, .name = Inline{"x"}, .arguments = sixteen});
            }),
            "event \"x\": 16 arguments, but a record holds at most 15");
}

TEST(WriterErrors, ARecordHasAtMost4095Words) {
  const std::string text(32'000, 't');
  EXPECT_EQ(message_of([&](Writer& writer) {
              writer.write(Event{.thread = {.storage = Storage::Inline},
                                 .name = Inline{"x"},
                                 .arguments = {{Inline{"a"}, Inline{text}}, {Inline{"b"}, Inline{text}}}});
            }),
            "event \"x\": its strings and arguments need more than the 4095 words of a record");
}

TEST(WriterErrors, NumbersMustFitIntoTheirFields) {
  const std::vector<std::byte> bytes(256);
  const std::vector<std::uint64_t> frames(256);
  const Thread thread{.process = 1, .thread = 2, .storage = Storage::Inline};
  EXPECT_EQ(
      message_of([&](Writer& writer) {
        writer.write(ProfilerModule{.thread = thread, .name = std::string(300, 'n'), .build_id = bytes});
      }),
      "profiler module \"" + std::string(100, 'n') + "\": 256 in a field that holds up to 255");
  EXPECT_EQ(message_of([&](Writer& writer) { writer.write(ProfilerMmap{.thread = thread, .flags = 8}); }),
            "profiler mmap: 8 in a field that holds up to 7");
  EXPECT_EQ(message_of(
                [&](Writer& writer) { writer.write(ProfilerBacktrace{.thread = thread, .frames = frames}); }),
            "profiler backtrace: 256 in a field that holds up to 255");
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(ContextSwitch{.outgoing_state = static_cast<ThreadState>(16)});
            }),
            "context switch: 16 in a field that holds up to 15");
}

TEST(WriterErrors, EventTypesMustExist) {
  EXPECT_EQ(message_of([](Writer& writer) {
              writer.write(Event{.type = static_cast<EventType>(11), .thread = kMain, .name = "x"});
            }),
            "event \"x\": event type 11 does not exist");
}

// The Writer also accepts records that break rules of readers. The Checker reports such records.
TEST(Writer, AcceptsEverythingThatCanBeEncoded) {
  MemoryOutput output;
  Writer writer(output);
  const auto event = *writer.prepare("", "frame");
  const auto thread = *writer.thread_index(0, kKoidLimit);
  EXPECT_NO_THROW(writer.write_instant(event, thread, kTimeLimit));
  EXPECT_NO_THROW(writer.write_complete(event, thread, 10, 5));
  EXPECT_NO_THROW(writer.write_end(event, thread, 4));
  EXPECT_NO_THROW(writer.write(Event{.type = EventType::Counter, .thread = kMain, .name = "a"}));
  EXPECT_NO_THROW(writer.write(Event{.type = EventType::FlowEnd, .thread = kMain, .name = "a", .id = 1}));
  EXPECT_NO_THROW(writer.write(ThreadWakeup{.cpu = 65'535, .thread = 1}));
  EXPECT_NO_THROW(writer.begin_provider(0, "zero"));
}

// ---- Blobs ----

TEST(WriterBlobs, LeaveSpaceForTheirPaddedNames) {
  for (const std::size_t name_bytes : {752U, 753U, 760U, 761U, 2001U, 32'000U}) {
    const std::string name(name_bytes, 'n');
    const std::vector<std::byte> bytes(70'000, std::byte{7});
    MemoryOutput output;
    Writer writer(output);
    ASSERT_NO_THROW(writer.write(Blob{.name = Inline{name}, .bytes = bytes})) << name_bytes;
    writer.flush();
    std::size_t read = 0;
    auto words = output.words().subspan(kStart.size());
    for (; !words.empty(); words = words.subspan(BlobHeader::Size::get(words[0]))) {
      const std::size_t payload = BlobHeader::PayloadSize::get(words[0]);
      read += payload;
      EXPECT_EQ(BlobHeader::Size::get(words[0]), 1 + (name_bytes + 7) / 8 + (payload + 7) / 8);
      if (read == 70'000) continue;
      // The blob has as many bytes as fit into the record, but at most 32,000.
      EXPECT_EQ(payload, std::min<std::size_t>(32'000, (4094 - (name_bytes + 7) / 8) * 8)) << name_bytes;
    }
    EXPECT_EQ(read, 70'000U);
  }
}

// ---- Outputs ----

TEST(Output, AStreamThatFailsIsReported) {
  std::ostream nowhere(nullptr);
  StreamOutput output(nowhere);
  EXPECT_THROW(Writer writer(output), std::ios_base::failure);
}

}  // namespace
}  // namespace fxt::test
