// Tests the Reader with hand-written words: every kind of record, and the cases that the format leaves to
// readers (R1 to R15).
#include "fxt/reader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ios>
#include <iterator>
#include <malloc.h>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

#include <boost/endian/conversion.hpp>

#include "fxt/reading/record_stream.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {
namespace {

using testing::ElementsAre;

// The results of reading a whole trace, except its records.
struct ReadTrace {
  std::vector<ProblemKind> problems;
  ReaderCounters counters;
  ReadEnd end;
  std::size_t records = 0;
};

ReadTrace read_all(const Words& words, const ReaderOptions& options = {}) {
  const auto bytes = bytes_of(words);
  Reader reader(bytes, options);
  ReadTrace trace;
  while (const Entry* entry = reader.next()) {
    ++trace.records;
    for (const Problem& problem : entry->problems) trace.problems.push_back(problem.kind);
  }
  trace.counters = reader.counters();
  trace.end = reader.end();
  return trace;
}

// The last record of a file, with all data to which it refers.
class LastRecord {
 public:
  explicit LastRecord(const Words& words, const ReaderOptions& options = {})
      : bytes_(bytes_of(words)), reader_(bytes_, options) {
    std::size_t records = 0;
    for (Reader counting(bytes_, options); counting.next() != nullptr;) ++records;
    for (std::size_t i = 0; i < records; ++i) entry_ = reader_.next();
  }
  template <typename T>
  const T& as() const {
    return std::get<T>(entry_->record);
  }
  const Entry& entry() const { return *entry_; }
  const Reader& reader() const { return reader_; }

 private:
  std::vector<std::byte> bytes_;
  Reader reader_;
  const Entry* entry_ = nullptr;
};

constexpr std::uint64_t kInlineThread = 0;
const Words kTables = {0x0000'0003'0001'0022, 0x0070'7061,        // string 1 "app"
                       0x0000'0004'0002'0022, 0x6e69'616d,        // string 2 "main"
                       0x0000'0000'0001'0033, 100,         101};  // thread 1

Words after_tables(const Words& words) { return joined(joined(kStart, kTables), words); }

TEST(Reader, Event) {
  const LastRecord last(after_tables({0x0002'0001'0104'0034, 5000, 6000}));
  const auto& event = last.as<Event>();
  EXPECT_EQ(event.type, EventType::DurationComplete);
  EXPECT_EQ(event.time, 5000U);
  EXPECT_EQ(event.end, 6000U);
  EXPECT_EQ(event.thread, (Thread{.process = 100, .thread = 101}));
  EXPECT_EQ(event.thread.index, 1);
  EXPECT_EQ(event.category, "app");
  EXPECT_EQ(event.name, "main");
  EXPECT_EQ(event.name.index, 2);
  EXPECT_TRUE(last.entry().problems.empty());
  EXPECT_EQ(last.entry().offset, (kStart.size() + kTables.size()) * 8);
}

TEST(Reader, InlineThreadAndStrings) {
  const LastRecord last(joined(kStart, {0x8009'8003'0000'0074 | kInlineThread, 5000, 100, 101, 0x0070'7061,
                                        0x7261'6863'656e'696e, 0x73}));
  const auto& event = last.as<Event>();
  EXPECT_EQ(event.thread.storage, Storage::Inline);
  EXPECT_EQ(event.thread.thread, 101U);
  EXPECT_EQ(event.category, "app");
  EXPECT_EQ(event.name, "ninechars");
  EXPECT_EQ(event.name.storage, Storage::Inline);
}

TEST(Reader, ArgumentsKeepTheirTypes) {
  const LastRecord last(after_tables({0x0002'0001'0130'0054, 5000,  // three arguments
                                      0xffff'fffe'0001'0011,        // "app" = int32 -2
                                      0x0000'0000'0002'0028, 7}));  // "main" = koid 7; no third argument
  EXPECT_TRUE(std::holds_alternative<UnknownRecord>(last.entry().record));
  const LastRecord whole(
      after_tables({0x0002'0001'0120'0054, 5000, 0xffff'fffe'0001'0011, 0x0000'0000'0002'0028, 7}));
  EXPECT_EQ(whole.as<Event>().arguments, (Arguments{{"app", -2}, {"main", Koid{7}}}));
}

TEST(Reader, UserspaceObjectHasOneWordForAnInlineProcess) {
  const LastRecord last(after_tables({0x0000'0000'0200'0036, 0xabcd, 100}));
  EXPECT_EQ(last.as<UserspaceObject>().process.process, 100U);
  EXPECT_EQ(last.as<UserspaceObject>().pointer, 0xabcdU);
  EXPECT_EQ(last.as<UserspaceObject>().name, "main");
}

TEST(Reader, Blob) {
  const LastRecord last(after_tables({0x0001'0003'0001'0025, 0x00cc'bbaa}));
  EXPECT_EQ(last.as<Blob>().name, "app");
  EXPECT_EQ(last.as<Blob>().bytes.size(), 3U);
  EXPECT_EQ(last.as<Blob>().bytes[2], std::byte{0xcc});
}

// ---- R1, R2: files without their first records ----

TEST(ReaderRules, NeedsNoMagicNoProviderNoInitialization) {
  const ReadTrace trace = read_all({0x0000'0000'0000'0044, 5000, 100, 101});
  EXPECT_EQ(trace.records, 1U);
  EXPECT_EQ(trace.end.reason, ReadEnd::Reason::EndOfFile);
}

TEST(ReaderRules, CanRequireTheMagic) {
  const ReadTrace trace = read_all({0x0000'0000'0000'0044, 5000, 100, 101}, {.require_magic = true});
  EXPECT_EQ(trace.records, 0U);
  EXPECT_EQ(describe(trace.end), "not an FXT trace: the first word is not the magic number record");
}

std::string end_of_text(std::string_view text) {
  Reader reader(std::as_bytes(std::span(text)));
  while (reader.next() != nullptr) {
  }
  return describe(reader.end());
}

TEST(ReaderRules, OtherFilesAreNotTraces) {
  constexpr std::string_view kNoTrace = "not an FXT trace: the first word is not the magic number record";
  EXPECT_EQ(end_of_text("not a trace\n"), kNoTrace);
  EXPECT_EQ(end_of_text(std::string_view("\0\0\0\0\0\0\0\0", 8)), kNoTrace);
  EXPECT_EQ(end_of_text("\x1d" + std::string(23, '\0')), kNoTrace) << "a record of unknown type, and zeros";
  // The magic word is missing. However, the first record has a known type, so the file counts as a trace.
  EXPECT_EQ(read_all({0x0000'0000'0000'0044, 5000, 100, 101, 0}).end.reason, ReadEnd::Reason::SizeZero);
}

TEST(ReaderRules, CompressedFilesAreNamed) {
  const auto compressed_with = [](std::string_view format) {
    return "compressed with " + std::string(format) + "; decompress it first";
  };
  EXPECT_EQ(end_of_text(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\3", 10)), compressed_with("gzip"));
  EXPECT_EQ(end_of_text("\x28\xb5\x2f\xfd\x24\x08\x41\x02"), compressed_with("zstd"));
  EXPECT_EQ(end_of_text(std::string_view("\xfd\x37\x7a\x58\x5a\0\0\4", 8)), compressed_with("xz"));
  EXPECT_EQ(end_of_text("BZh91AY&SY"), compressed_with("bzip2"));
}

TEST(ReaderRules, WithoutInitializationATickIsANanosecond) {
  EXPECT_EQ(LastRecord({kMagicRecord}).reader().to_ns(12'345), 12'345U);
}

// ---- R3: providers ----

TEST(ReaderRules, EachProviderHasItsTablesAndTickRate) {
  const Words section_1 = {0x0000'0000'0012'0010}, section_2 = {0x0000'0000'0022'0010};
  Words words = after_tables({0x0010'0000'0021'0020, 0x62,    // provider 2, "b"
                              0x21, 1000,                     // 1000 ticks per second
                              0x0000'0001'0001'0022, 0x78});  // string 1 is "x" here
  const LastRecord first(joined(words, joined(section_1, {0x0001'0000'0100'0024, 5})));
  EXPECT_EQ(first.as<Event>().name, "app");
  EXPECT_EQ(first.reader().ticks_per_second(), 1'000'000'000U);
  const LastRecord second(
      joined(words, joined(joined(section_1, section_2), {0x0001'0000'0000'0044, 5, 1, 2})));
  EXPECT_EQ(second.as<Event>().name, "x");
  EXPECT_EQ(second.reader().to_ns(5), 5'000'000U);
  EXPECT_EQ(second.reader().provider_name(), "b");
}

TEST(ReaderRules, ASectionOfAnUnknownProviderStartsEmpty) {
  const auto trace = read_all(after_tables({0x0000'0000'0092'0010, 0x0001'0000'0100'0024, 5}));
  EXPECT_THAT(trace.problems, ElementsAre(ProblemKind::UnknownProvider, ProblemKind::UnknownThread,
                                          ProblemKind::UnknownString));
}

TEST(ReaderRules, AProviderAnnouncedAgainStartsEmpty) {
  const auto trace = read_all(after_tables({0x0010'0000'0011'0020, 0x62, 0x0001'0000'0100'0024, 5}));
  EXPECT_THAT(trace.problems, ElementsAre(ProblemKind::ProviderAgain, ProblemKind::UnknownThread,
                                          ProblemKind::UnknownString));
}

// ---- R4, R5: tables ----

TEST(ReaderRules, ReplacedEntriesApplyToLaterRecords) {
  const LastRecord last(after_tables({0x0000'0001'0001'0022, 0x78, 0x0001'0000'0100'0024, 5}));
  EXPECT_EQ(last.as<Event>().name, "x");
  EXPECT_THAT(read_all(after_tables({0x0000'0001'0001'0022, 0x78})).problems,
              ElementsAre(ProblemKind::StringReplaced));
  EXPECT_THAT(read_all(after_tables({0x0000'0000'0001'0033, 7, 8})).problems,
              ElementsAre(ProblemKind::ThreadReplaced));
  EXPECT_THAT(read_all(after_tables({0x0000'0000'0001'0033, 100, 101})).problems, ElementsAre());
}

TEST(ReaderRules, IndexZeroIsIgnored) {
  const LastRecord last(after_tables({0x0000'0001'0000'0022, 0x78,  // string 0 "x"
                                      0x0000'0000'0000'0033, 7, 8,  // thread 0
                                      0x0000'0000'0000'0044, 5, 100, 101}));
  EXPECT_EQ(last.as<Event>().name, "");
  EXPECT_EQ(last.as<Event>().thread.thread, 101U);
}

TEST(ReaderRules, EmptyStringsMayBeRegisteredAndInline) {
  const LastRecord last(after_tables({0x0000'0000'0003'0012,  // string 3 is ""
                                      0x8000'0003'0100'0024, 5}));
  EXPECT_EQ(last.as<Event>().category, "");
  EXPECT_EQ(last.as<Event>().name, "");
  EXPECT_TRUE(last.entry().problems.empty());
}

TEST(ReaderRules, HighIndicesAreRemembered) {
  const LastRecord last(after_tables({0x0000'0001'7fff'0022, 0x78,  // string 32767
                                      0x0000'0000'00ff'0033, 7, 8,  // thread 255
                                      0x7fff'0000'ff00'0024, 5}));
  EXPECT_EQ(last.as<Event>().name, "x");
  EXPECT_EQ(last.as<Event>().thread.thread, 8U);
}

TEST(ReaderRules, EventsOfUnregisteredThreadsAreKept) {
  const LastRecord last(after_tables({0x0002'0001'0900'0024, 5}));
  EXPECT_EQ(last.as<Event>().thread.storage, Storage::Missing);
  EXPECT_EQ(last.as<Event>().thread.index, 9);
  EXPECT_EQ(last.as<Event>().name, "main");
}

// ---- R6, R7: unknown or additional data ----

TEST(ReaderRules, UnknownTypesAreSkippedBySizeAndCounted) {
  const ReadTrace trace = read_all(after_tables({0x0000'0000'0000'002b, 1,     // record type 11
                                                 0x0000'0000'000b'0034, 1, 2,  // event type 11
                                                 0x0000'0000'0005'0010,        // metadata type 5
                                                 0x0000'0000'0014'0010,        // trace info type 1
                                                 0x3000'0000'0000'0018,        // scheduling subtype 3
                                                 0x0000'0000'0003'002a, 1,     // profiler subtype 3
                                                 0x0000'0010'0000'001f,        // large record type 1
                                                 0x0002'0001'0100'0024, 5}));
  EXPECT_EQ(trace.counters.unknown_records, 7U);
  EXPECT_EQ(trace.records, 3U + 3U + 8U);
  EXPECT_EQ(trace.end.reason, ReadEnd::Reason::EndOfFile);
}

TEST(ReaderRules, AnUnknownArgumentIsKeptRaw) {
  const LastRecord last(after_tables({0x0002'0001'0120'0064, 5000, 0x1234'5678'0001'002b, 0x99,  // type 11
                                      0x0000'0000'0002'0028, 7}));
  const auto& arguments = last.as<Event>().arguments;
  ASSERT_EQ(arguments.size(), 2U);
  const auto& unknown = std::get<UnknownValue>(arguments[0].value);
  EXPECT_EQ(unknown.type, 11);
  EXPECT_EQ(unknown.header_data, 0x1234'5678U);
  EXPECT_THAT(unknown.words, ElementsAre(0x99));
  EXPECT_EQ(arguments[1], (Argument{"main", Koid{7}}));
}

TEST(ReaderRules, SpareWordsAreAccepted) {
  const LastRecord last(after_tables({0x41, 1'000'000'000, 1, 2}));  // initialization of four words
  EXPECT_EQ(last.as<Initialization>().ticks_per_second, 1'000'000'000U);
  EXPECT_THAT(last.entry().problems, ElementsAre(Problem{ProblemKind::SpareWords, 2, 2}));
}

// ---- R8: sizes ----

TEST(ReaderRules, SizeZeroEndsReading) {
  const ReadTrace trace = read_all(after_tables({0, 0x0002'0001'0100'0024, 5}));
  EXPECT_EQ(trace.end.reason, ReadEnd::Reason::SizeZero);
  EXPECT_EQ(trace.end.offset, (kStart.size() + kTables.size()) * 8);
  EXPECT_EQ(describe(trace.end), "record of size 0, so the next record can't be found");
}

TEST(ReaderRules, ZeroWordsAreSkippedOnRequest) {
  const ReadTrace trace = read_all(after_tables({0, 0, 0x0002'0001'0100'0024, 5}), {.skip_zero_words = true});
  EXPECT_EQ(trace.records, 3U + 3U + 1U);
}

TEST(ReaderRules, ATruncatedTailIsReported) {
  const ReadTrace trace = read_all(after_tables({0x0002'0001'0104'0034, 5000}));
  EXPECT_EQ(trace.records, 6U);
  EXPECT_EQ(describe(trace.end), "truncated: the last record lacks 8 bytes");
}

// ---- R9: inner lengths ----

TEST(ReaderRules, InnerLengthsEndWithTheirRecord) {
  for (const Words& words : {Words{0x8010'0000'0100'0034, 5000, 0x78},       // the inline name lacks 8 bytes
                             Words{0x0002'0001'0110'0034, 5000, 0xff'0021},  // the argument lacks a word
                             Words{0x0002'0001'0110'0034, 5000, 0x0001'0003},  // argument of no words
                             Words{0x0002'0001'0110'0034, 5000, 0x0001'0014},  // uint64 without its word
                             Words{0x0001'0009'0001'0025, 1},                  // the blob lacks a byte
                             Words{0x0000'0009'0004'0022, 1},                  // the string lacks a byte
                             Words{0x0000'0000'0002'0023, 1},     // the thread record lacks an id
                             Words{0x0000'0000'0000'002f, 0}}) {  // large blob of two words
    const LastRecord last(after_tables(words));
    EXPECT_TRUE(std::holds_alternative<UnknownRecord>(last.entry().record)) << std::hex << words[0];
    EXPECT_EQ(last.entry().problems.back().kind, ProblemKind::TooShort);
  }
}

// ---- R10: text ----

TEST(ReaderRules, BytesThatAreNotUtf8AreKeptAndMarked) {
  const LastRecord last(after_tables({0x8002'0000'0100'0034, 5000, 0xff61}));
  EXPECT_EQ(last.as<Event>().name, "a\xff");
  EXPECT_FALSE(last.as<Event>().name.valid_utf8);
  EXPECT_THAT(last.entry().problems, ElementsAre(Problem{ProblemKind::InvalidUtf8, 2, 0}));
}

TEST(ReaderRules, InlineNamesOfKernelObjectsMayHaveAnyBytes) {
  const LastRecord last(after_tables({0x0000'0080'0201'0037, 100, 0xff61}));
  EXPECT_EQ(last.as<KernelObject>().name, "a\xff");
  EXPECT_FALSE(last.as<KernelObject>().name.valid_utf8);
  EXPECT_TRUE(last.entry().problems.empty());
}

// ---- R11: large records ----

TEST(ReaderRules, LargeRecordsHave32BitSizes) {
  Words words = after_tables({0x0000'0000'0001'004f | 0x0000'0000'0001'0000, 0x0000'0010'0002'0001, 5000});
  const std::uint64_t payload = 5000ULL * 8;
  const std::uint64_t size = 4 + 5000;
  words[words.size() - 3] = 0xf | size << 4;
  words.push_back(payload);
  words.insert(words.end(), 5000, 0x11);
  words.insert(words.end(), {0x0002'0001'0100'0024, 5});
  const LastRecord last(words);
  EXPECT_EQ(last.as<Event>().time, 5U);
  words.resize(words.size() - 2);
  EXPECT_EQ(LastRecord(words).as<LargeBlob>().bytes.size(), payload);
  EXPECT_EQ(LastRecord(words).as<LargeBlob>().time, 5000U);
}

TEST(ReaderRules, RecordsBeyondTheLimitAreSkipped) {
  Words words = after_tables({0xf | 5000U << 4});
  words.insert(words.end(), 4999, 0x11);
  words.insert(words.end(), {0x0002'0001'0100'0024, 5});
  const ReadTrace trace = read_all(words, {.max_record_bytes = 1000});
  EXPECT_EQ(trace.counters.too_large_records, 1U);
  EXPECT_EQ(trace.end.reason, ReadEnd::Reason::EndOfFile);
  EXPECT_EQ(LastRecord(words, {.max_record_bytes = 1000}).as<Event>().time, 5U);
}

TEST(ReaderRules, AHugeSizeInAHeaderAllocatesNothing) {
  const ReadTrace trace = read_all({kMagicRecord, 0x0000'000f'ffff'ffff, 1});
  EXPECT_EQ(trace.end.reason, ReadEnd::Reason::Truncated);
  EXPECT_EQ(trace.end.offset, 8U);
}

// ---- R12, R13, R14: times and koids ----

TEST(ReaderRules, AnEndBeforeItsBeginIsKept) {
  const LastRecord last(after_tables({0x0002'0001'0104'0034, 5000, 4000}));
  EXPECT_EQ(last.as<Event>().end, 4000U);
  EXPECT_THAT(last.entry().problems, ElementsAre(Problem{ProblemKind::EndBeforeBegin, 2, 0}));
}

TEST(ReaderRules, TicksBecomeNanosecondsWithoutOverflow) {
  EXPECT_EQ(ticks_to_ns(~std::uint64_t{0}, 1'000'000'000), ~std::uint64_t{0});
  EXPECT_EQ(ticks_to_ns(24'000'000ULL * 3600 * 24 * 365, 24'000'000), 31'536'000'000'000'000U);
  EXPECT_EQ(ticks_to_ns(1, 3), 333'333'333U);
  EXPECT_EQ(ticks_to_ns(3'000'000'001, 3), 1'000'000'000'333'333'333U);
  EXPECT_EQ(ticks_to_ns(~std::uint64_t{0}, 1), std::nullopt);
  EXPECT_EQ(ticks_to_ns(1, 0), std::nullopt);
}

TEST(ReaderRules, KoidsHave64Bits) {
  const LastRecord last(joined(kStart, {0x0000'0000'0000'0044, 5, 1ULL << 63, ~std::uint64_t{0}}));
  EXPECT_EQ(last.as<Event>().thread.process, 1ULL << 63);
  EXPECT_EQ(last.as<Event>().thread.thread, ~std::uint64_t{0});
}

// ---- Reserved bits and padding ----

TEST(ReaderRules, ReservedBitsAndPaddingAreChecked) {
  EXPECT_THAT(read_all(after_tables({0x0001'0001'0003'0022, 0x78})).problems,
              ElementsAre(ProblemKind::ReservedBits));
  EXPECT_THAT(read_all(after_tables({0x0000'0001'0003'0022, 0x7878})).problems,
              ElementsAre(ProblemKind::Padding));
  EXPECT_THAT(read_all(after_tables({0x0002'0001'0110'0034, 5000, 0x0000'0002'0001'0019})).problems,
              ElementsAre(ProblemKind::ReservedBits));
}

// ---- Byte order, sources ----

// In a file of the other byte order, the bytes of numbers are reversed. The bytes of texts are not reversed.
TEST(ReaderSources, TheMagicShowsTheOtherByteOrder) {
  const auto reversed = [](std::uint64_t word) { return boost::endian::endian_reverse(word); };
  Words words = {reversed(kMagicRecord),
                 reversed(0x0000'0003'0001'0022),
                 0x0070'7061,
                 reversed(0x0001'8009'0000'0064),
                 reversed(5000),
                 reversed(100),
                 reversed(101),
                 0x7261'6863'656e'696e,
                 0x73};
  const LastRecord last(words);
  EXPECT_TRUE(last.reader().other_byte_order());
  EXPECT_EQ(last.as<Event>().time, 5000U);
  EXPECT_EQ(last.as<Event>().name, "app");
  EXPECT_EQ(last.as<Event>().category, "ninechars");
}

TEST(ReaderSources, UnknownRecordsCompareByTheirWords) {
  const Words words = {5, 6}, same = words, other = {5, 7};
  EXPECT_EQ(UnknownRecord{words}, UnknownRecord{same});
  EXPECT_NE(UnknownRecord{words}, UnknownRecord{other});
  EXPECT_EQ((ProfilerBacktrace{.time = 1, .frames = words}), (ProfilerBacktrace{.time = 1, .frames = same}));
  EXPECT_NE((ProfilerBacktrace{.time = 1, .frames = words}), (ProfilerBacktrace{.time = 1, .frames = other}));
  EXPECT_EQ((UnknownValue{.type = 11, .words = words}), (UnknownValue{.type = 11, .words = same}));
  EXPECT_NE((UnknownValue{.type = 11, .words = words}), (UnknownValue{.type = 11, .words = other}));
}

TEST(ReaderSources, AlignedMemoryIsReadInPlace) {
  const Words words =
      after_tables({0x0002'0001'0100'0024, 5, 0x4f, 0x10'0002'0001, 6, 0});  // the last record is large
  Reader reader(std::as_bytes(std::span(words)));
  for (const Entry& entry : reader)
    EXPECT_EQ(entry.words.data(), words.data() + entry.offset / sizeof(std::uint64_t));
  EXPECT_EQ(reader.end().reason, ReadEnd::Reason::EndOfFile);
}

TEST(ReaderSources, MemoryNeedsNoAlignment) {
  auto bytes = bytes_of(after_tables({0x0002'0001'0100'0024, 5}));
  bytes.insert(bytes.begin(), std::byte{0});
  Reader reader(std::span<const std::byte>(bytes).subspan(1));
  std::size_t records = 0;
  while (reader.next() != nullptr) ++records;
  EXPECT_EQ(records, 7U);
}

TEST(ReaderSources, StreamsAreReadToTheirEnd) {
  const auto bytes = bytes_of(after_tables({0x0002'0001'0100'0024, 5}));
  std::istringstream stream(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  StreamInput input(stream);
  Reader reader(input);
  std::size_t records = 0;
  while (reader.next() != nullptr) ++records;
  EXPECT_EQ(records, 7U);
  EXPECT_EQ(reader.end().reason, ReadEnd::Reason::EndOfFile);
  EXPECT_EQ(reader.end().offset, bytes.size());
}

// ---- Inputs ----

// Returns three bytes at a time.
class SlowInput final : public Input {
 public:
  explicit SlowInput(std::string_view text) : left_(text) {}
  std::size_t read(std::span<std::byte> room) override {
    const std::string_view piece = left_.substr(0, 3);
    std::ranges::copy(std::as_bytes(std::span(piece)), room.begin());
    left_.remove_prefix(piece.size());
    return piece.size();
  }

 private:
  std::string_view left_;
};

TEST(InputWindow, KeepsBytesThatAreNotSkipped) {
  SlowInput input("0123456789");
  InputWindow window(input);
  ASSERT_TRUE(window.fetch(4));
  EXPECT_EQ(window.size(), 6U);  // complete parts
  window.skip(4);
  EXPECT_EQ(window.offset(), 4U);
  ASSERT_TRUE(window.fetch(5));
  EXPECT_EQ(std::memcmp(window.bytes(), "45678", 5), 0);
  EXPECT_EQ(window.offset(), 4U);
  EXPECT_FALSE(window.fetch(7));
  EXPECT_EQ(window.size(), 6U);  // all remaining bytes
}

class FailingInput final : public Input {
 public:
  explicit FailingInput(const Words& words) : bytes_(bytes_of(words)) {}
  std::size_t read(std::span<std::byte> room) override {
    if (bytes_.empty()) throw std::runtime_error("the disk is gone");
    std::ranges::copy(bytes_, room.begin());
    return std::exchange(bytes_, {}).size();
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST(ReaderInput, AfterAFailureNothingIsReadAgain) {
  for (const Words& words : {kStart, joined(kStart, {0x0002'0001'0104'0034, 5})}) {
    FailingInput input(words);
    Reader reader(input);
    for (int i = 0; i < 3; ++i) ASSERT_NE(reader.next(), nullptr);
    EXPECT_THROW(reader.next(), std::runtime_error);
    EXPECT_EQ(reader.next(), nullptr);
    EXPECT_EQ(reader.end().reason, ReadEnd::Reason::Failed);
    EXPECT_EQ(reader.end().offset, kStart.size() * 8);
    EXPECT_EQ(describe(reader.end()), "reading failed");
  }
}

TEST(ReaderInput, AStreamThatCannotBeOpenedOrFailsIsReported) {
  std::ifstream missing("/no/such/file");
  StreamInput input(missing);
  Reader reader(input);
  EXPECT_THROW(reader.next(), std::ios_base::failure);
  std::istringstream bad;
  bad.setstate(std::ios_base::badbit);
  StreamInput bad_input(bad);
  Reader bad_reader(bad_input);
  EXPECT_THROW(bad_reader.next(), std::ios_base::failure);
  std::istringstream empty;
  StreamInput empty_input(empty);
  Reader empty_reader(empty_input);
  EXPECT_EQ(empty_reader.next(), nullptr);
  EXPECT_EQ(empty_reader.end().reason, ReadEnd::Reason::EndOfFile);
}

TEST(ReaderInput, FilesByPathAndDescriptor) {
  const std::string path = testing::TempDir() + "reader_input_test." + std::to_string(getpid());
  const auto bytes = bytes_of(kStart);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  FileInput file(path);
  Reader by_path(file);
  EXPECT_EQ(std::ranges::distance(by_path.begin(), by_path.end()), 3);
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  {
    FileInput borrowed(descriptor);
    Reader by_descriptor(borrowed);
    EXPECT_EQ(std::ranges::distance(by_descriptor.begin(), by_descriptor.end()), 3);
  }
  EXPECT_EQ(::close(descriptor), 0);  // succeeds, because FileInput has not closed the descriptor
  std::remove(path.c_str());
  EXPECT_THROW(FileInput("/no/such/file"), std::system_error);
  FileInput closed(descriptor);
  Reader of_closed(closed);
  EXPECT_THROW(of_closed.next(), std::system_error);
}

// ---- Memory ----

TEST(ReaderMemory, GrowsOnlyWithTheContentOfTheFile) {
  Words words = kStart;
  for (std::uint64_t provider = 1; words.size() < 12'800; ++provider) {
    words.push_back(ProviderSectionHeader::Size::put(1) | ProviderSectionHeader::MetadataType::put(2) |
                    ProviderSectionHeader::ProviderId::put(provider));
    for (std::uint64_t index = 33; index < 32'768; index = 2 * index + 31)
      words.push_back(StringHeader::Type::put(2) | StringHeader::Size::put(1) |
                      StringHeader::Index::put(index));
    words.insert(
        words.end(),
        {ThreadHeader::Type::put(3) | ThreadHeader::Size::put(3) | ThreadHeader::Index::put(255), 1, 1});
  }
  const auto before = mallinfo2().uordblks;
  Reader reader(std::as_bytes(std::span(words)));
  while (reader.next() != nullptr) {
  }
  EXPECT_LT(mallinfo2().uordblks, before + 30 * words.size() * 8);
}

TEST(ReaderRules, StringsMayBeRegisteredInAnyOrder) {
  const auto string = [](std::uint64_t index, std::uint64_t letter) {
    return Words{StringHeader::Type::put(2) | StringHeader::Size::put(2) | StringHeader::Index::put(index) |
                     StringHeader::Length::put(1),
                 letter};
  };
  Words words = kStart;
  for (const std::uint64_t index : {3U, 5U, 2U, 1U, 4U, 9U})
    words = joined(words, string(index, 'a' + index));
  for (const std::uint64_t index : {1U, 2U, 3U, 4U, 5U, 9U}) {
    const LastRecord last(joined(words, {0x0000'0000'0000'0044 | index << 48, 5, 1, 2}));
    EXPECT_EQ(last.as<Event>().name.text, std::string(1, static_cast<char>('a' + index)));
  }
  for (const std::uint64_t index : {6U, 8U, 10U}) {
    const LastRecord last(joined(words, {0x0000'0000'0000'0044 | index << 48, 5, 1, 2}));
    EXPECT_EQ(last.as<Event>().name.storage, Storage::Missing);
  }
  EXPECT_THAT(read_all(joined(words, string(9, 'j'))).problems, ElementsAre());
  EXPECT_THAT(read_all(joined(words, string(9, 'x'))).problems, ElementsAre(ProblemKind::StringReplaced));
  EXPECT_THAT(read_all(joined(words, string(3, 'x'))).problems, ElementsAre(ProblemKind::StringReplaced));
}

}  // namespace
}  // namespace fxt::test
