// Tests files with extreme or unusual contents. The sources of Fuchsia's C++ and Rust readers, Perfetto and
// Tracy show how these readers behave. An error is expected only if a reader fails, loses data or draws
// wrongly.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "fxt/words.h"
#include "tests/fxt/checking/file_parts.h"

namespace fxt::test {
namespace {

constexpr std::uint64_t kTooLate = std::uint64_t{1} << 63;

struct EdgeFile {
  std::string_view name;
  Words words;  // the words after kPrelude
  std::string_view verdict;

  friend void PrintTo(const EdgeFile& file, std::ostream* out) { *out << file.name; }
};

// Returns a counter with the name "cpu_frequency" and the category "power". In `arguments`, string 7 is
// "cpu".
Words cpu_frequency(const Words& arguments) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < arguments.size(); i += ArgumentHeader::Size::get(arguments[i])) ++count;
  Words words = event(EventType::Counter, 5, 6, 1, joined(arguments, {0}), count);
  words[0] += EventHeader::Category::put(7);
  return all({string_record(6, "cpu_frequency"), string_record(7, "cpu"), string_record(8, "power"), words});
}

// A blob of type 3.
Words packets(std::initializer_list<unsigned> bytes) {
  Words words = {blob_header(2, bytes.size(), 1 + (bytes.size() + 7) / 8, BlobType::Perfetto)};
  std::size_t count = 0;
  for (const unsigned byte : bytes) {
    if (count % 8 == 0) words.push_back(0);
    words.back() |= std::uint64_t{byte} << count++ % 8 * 8;
  }
  return words;
}

class Edge : public testing::TestWithParam<EdgeFile> {};

TEST_P(Edge, FindingsMatchTheReaders) {
  EXPECT_EQ(broken_rules(joined(kPrelude, GetParam().words)), GetParam().verdict);
}

std::string name_of(const testing::TestParamInfo<EdgeFile>& file) { return std::string(file.param.name); }

INSTANTIATE_TEST_SUITE_P(
    Metadata, Edge,
    testing::Values(EdgeFile{"ProviderWithoutName", {0x0000'0000'0021'0010}, ""},
                    EdgeFile{"SectionOfTheSameProvider", {0x0000'0000'0012'0010}, ""},
                    EdgeFile{// Fuchsia's Rust reader does not support provider 0
                             "SectionOfNoProvider",
                             {0x0000'0000'0002'0010},
                             "W3"},
                    EdgeFile{"NameBeyondTheRecord", {0x0090'0000'0021'0020, 0x74'7866}, "W11"},
                    EdgeFile{"NameThatIsNotUtf8", {0x0010'0000'0021'0020, 0xff}, "W9"},
                    EdgeFile{"TraceInfoOfUnknownType", {0x0000'0000'0014'0010}, "W25"},
                    EdgeFile{"ProviderEventOfUnknownType", {0x0010'0000'0013'0010}, "W25"},
                    EdgeFile{"MagicOfTwoWords", {kMagicRecord + 0x10, 0}, "W11"},  // one reader rejects it
                    EdgeFile{"InitializationTwice", joined(kInit, kInit), ""},
                    EdgeFile{"InitializationOfOneWord", {0x11}, "W11"},
                    EdgeFile{"RateZeroAndMendedAfterwards", joined({0x21, 0}, kInit), "W4"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Tables, Edge,
    testing::Values(
        EdgeFile{"StringBeyondItsRecord", {0x0000'0009'0006'0022, 0x78}, "W11"},
        EdgeFile{"FirstAndLastIndex",
                 all({string_record(32'767, "x"), event(EventType::Instant, 5, 32'767),
                      thread_record(255, 1, 1), instant(6, 255)}),
                 ""},
        EdgeFile{"EmptyStringByIndex", all({string_record(6, ""), event(EventType::Instant, 5, 6)}), ""},
        EdgeFile{"StringWithANulThatNothingUses", string_record(6, {"a\0b", 3}), ""},
        EdgeFile{"NameWithANul", joined(string_record(6, {"a\0b", 3}), event(EventType::Instant, 5, 6)),
                 "W9"},
        EdgeFile{"CategoryWithANul", all({string_record(6, {"a\0b", 3}), {0x0002'0006'0100'0024, 5}}), "W9"},
        EdgeFile{"ArgumentWithANul",
                 joined(string_record(6, {"a\0b", 3}), event(EventType::Instant, 5, kA, 1, {0x6'0010}, 1)),
                 "W9"},
        EdgeFile{"NameOfAProcessWithANul", joined(string_record(6, {"a\0b", 3}), {0x0000'0000'0601'0027, 5}),
                 "W9"},
        EdgeFile{"NameOfAnotherObjectWithANul",
                 joined(string_record(6, {"a\0b", 3}), {0x0000'0000'0603'0027, 5}), ""},
        EdgeFile{"NameOfABlobWithANul", joined(string_record(6, {"a\0b", 3}), {0x0001'0000'0006'0015}), ""},
        EdgeFile{
            "NameOfAFlowWithANul",
            all({string_record(6, {"a\0b", 3}), complete(0, 9), event(EventType::FlowBegin, 5, 6, 1, {7})}),
            "w21"},
        EdgeFile{"UnregisteredThreadOfASwitch", joined(named(100, 101), {0x0010'1090'1300'0028, 5}), "W7"},
        EdgeFile{"UnregisteredThreadOfALog", {0x0000'0009'0001'0039, 5, 0x78}, "W7"},
        EdgeFile{"UnregisteredNameOfABlob", {0x0001'0000'0009'0015}, "W7"},
        EdgeFile{"InlineThreadOfALogMayBeLarge", {0x0000'0000'0001'0059, 5, 1ULL << 40, 1, 0x78}, ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Arguments, Edge,
    testing::Values(
        EdgeFile{"OfSizeZero", event(EventType::Instant, 5, kA, 1, {0x5'0001}, 1), "W11"},
        EdgeFile{"BeyondTheRecord", event(EventType::Instant, 5, kA, 1, {0x5'0031}, 1), "W11"},
        EdgeFile{"CountedButMissing", event(EventType::Instant, 5, kA, 1, {}, 1), "W11"},
        EdgeFile{"ValueMissing", event(EventType::Instant, 5, kA, 1, {0x5'0013}, 1), "W11"},
        EdgeFile{"EmptyInlineNameAndText", event(EventType::Instant, 5, kA, 1, {0x8000'8000'0016}, 1), ""},
        EdgeFile{"WithoutName", event(EventType::Instant, 5, kA, 1, {0x7'0000'0011}, 1), ""},
        EdgeFile{"TwoWithoutName", event(EventType::Instant, 5, kA, 1, {0x7'0000'0011, 0x7'8000'0011}, 2),
                 "W25"},
        // Perfetto stores these numbers as signed numbers. It prints them with the formats %u and 0x%x, so
        // the printed numbers are correct.
        EdgeFile{"LargestNumber", event(EventType::Instant, 5, kA, 1, {0x5'0024, ~std::uint64_t{0}}, 1), ""},
        EdgeFile{"LargestPointer",
                 event(EventType::DurationComplete, 5, kA, 1, {0x5'0027, ~std::uint64_t{0}, 6}, 1), ""},
        EdgeFile{"LargestKoid", event(EventType::Instant, 5, kA, 1, {0x5'0028, ~std::uint64_t{0}}, 1), ""},
        EdgeFile{"NegativeNumber", event(EventType::Instant, 5, kA, 1, {0x5'0023, kTooLate}, 1), ""},
        EdgeFile{"OfAnEndNamedLikeOneOfItsBegin",  // Perfetto combines the arguments of a start and its end
                 joined(event(EventType::DurationBegin, 5, kA, 1, {0x7'0005'0011, 0x7'0004'0011}, 2),
                        event(EventType::DurationEnd, 6, kA, 1, {0x8'0003'0011, 0x8'0004'0011}, 2)),
                 "W25"},
        EdgeFile{"OfAnEndNamedOtherwise",
                 joined(event(EventType::DurationBegin, 5, kA, 1, {0x7'0005'0011}, 1),
                        event(EventType::DurationEnd, 6, kA, 1, {0x8'0004'0011}, 1)),
                 ""},
        EdgeFile{"OfAnEndNamedLikeOneOfTheBeginAround",
                 all({event(EventType::DurationBegin, 5, kA, 1, {0x7'0005'0011}, 1), begin(6),
                      event(EventType::DurationEnd, 7, kA, 1, {0x8'0005'0011}, 1), end(8)}),
                 ""},
        EdgeFile{"OfAnAsyncEndNamedLikeOneOfItsBegin",
                 joined(event(EventType::AsyncBegin, 5, kA, 1, {0x7'0005'0011, 7}, 1),
                        event(EventType::AsyncEnd, 6, kA, 1, {0x8'0005'0011, 7}, 1)),
                 "W25"},
        EdgeFile{"OfAnAsyncInstantNamedLikeOneOfItsBegin",  // Perfetto shows the instant as another slice
                 all({event(EventType::AsyncBegin, 5, kA, 1, {0x7'0005'0011, 7}, 1),
                      event(EventType::AsyncInstant, 6, kA, 1, {0x8'0005'0011, 7}, 1),
                      event(EventType::AsyncEnd, 7, kA, 1, {0x8'0004'0011, 7}, 1)}),
                 ""},
        EdgeFile{"OfAFlowEndNamedLikeOneOfItsBegin",  // no reader shows this argument
                 all({complete(0, 9), event(EventType::FlowBegin, 5, kA, 1, {0x7'0005'0011, 7}, 1),
                      event(EventType::FlowEnd, 6, kA, 1, {0x8'0005'0011, 7}, 1)}),
                 ""},
        EdgeFile{"BlobBeyondTheArgument", event(EventType::Instant, 5, kA, 1, {0x9'0005'002a, 0}, 1), "W11"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Times, Edge,
    testing::Values(EdgeFile{"LogTooLate", {0x0000'0001'0001'0039, kTooLate, 0x78}, "W5"},  // a reader panics
                    EdgeFile{"SwitchTooLate",
                             all({named(100, 101), named(100, 102), {0x0010'1020'1300'0028, kTooLate}}),
                             "W5"},
                    EdgeFile{"WakeupTooLate", {0x2000'0000'0000'0038, kTooLate, 101}, "W5"},
                    EdgeFile{"LargeBlobTooLate", {0x4f, 0x10'0002'0001, kTooLate, 0}, "W5"},
                    EdgeFile{"BacktraceTooLate", {0x0000'0000'0012'002a, kTooLate}, "W5"},
                    EdgeFile{"OnlyTheEndTooLate", complete(5, kTooLate), "W5"},
                    EdgeFile{"LogFarFromTheEvents",  // Tracy does not read the times of logs
                             joined(instant(5), {0x0000'0001'0001'0039, kTooLate - 1, 0x78}), ""},
                    EdgeFile{"WakeupFarFromTheEvents",
                             joined(instant(5), {0x2000'0000'0000'0038, kTooLate - 1, 109}), ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Counters, Edge,
    testing::Values(
        EdgeFile{"NullIsNoNumber", counter(5, kA, {0x5'0010}), "W20"},
        EdgeFile{"KoidIsNoNumber", counter(5, kA, {0x5'0028, 7}), "W20"},
        EdgeFile{"LargestNumber", counter(5, kA, {0x5'0024, ~std::uint64_t{0}}), ""},
        EdgeFile{"CpuFrequency", cpu_frequency({0x3'0007'0012, 0x7'0005'0012}), ""},
        EdgeFile{"CpuFrequencyOfNoCpu", cpu_frequency({0x7'0005'0012}), "W20"},
        EdgeFile{"CpuFrequencyWithoutValue", cpu_frequency({0x3'0007'0012}), "W20"},
        EdgeFile{"CpuFrequencyOfTheLastCpu", cpu_frequency({0xfff'0007'0012, 0x7'0005'0012}), ""},
        EdgeFile{"CpuFrequencyOfALargeCpu", cpu_frequency({0x1000'0007'0012, 0x7'0005'0012}), "W20"},
        EdgeFile{"CpuFrequencyOfANegativeCpu", cpu_frequency({0xffff'ffff'0007'0011, 0x7'0005'0012}), "W20"},
        EdgeFile{"CpuFrequencyOfHalfACpu", cpu_frequency({0x7'0025, 0x3fe0'0000'0000'0000, 0x7'0005'0012}),
                 "W20"},
        EdgeFile{"CpuFrequencyBelow0", cpu_frequency({0x3'0007'0012, 0xffff'ffff'0005'0011}), "W20"},
        EdgeFile{"CpuFrequencyOf0", cpu_frequency({0x3'0007'0012, 0x0'0005'0011}), ""},
        EdgeFile{"CpuFrequencyWithoutBound", cpu_frequency({0x3'0007'0012, 0x5'0025, 0x7ff0'0000'0000'0000}),
                 "W20"},
        EdgeFile{"CpuFrequencyWithMore", cpu_frequency({0x3'0007'0012, 0x7'0005'0012, 0x7'0002'0012}), "W20"},
        EdgeFile{"CpuFrequencyOfAnotherCategory",
                 joined(string_record(6, "cpu_frequency"), counter(5, 6, {0x7'0005'0012})), ""},
        EdgeFile{"LargestId", counter(5, kA, {0x7'0005'0011}, ~std::uint64_t{0}), ""},
        EdgeFile{"FarTime", joined(counter(5, kA, {0x7'0005'0011}), instant(5 + (1ULL << 47))), "W5"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Objects, Edge,
    testing::Values(
        EdgeFile{"OtherKindsMayHaveAnyKoid", {0x0000'0000'0203'0027, kTooLate}, ""},
        EdgeFile{"UnknownKind", {0x0000'0000'02ff'0027, 5}, ""},
        EdgeFile{"ProcessWithALargeKoid", {0x0000'0000'0201'0027, 1ULL << 32}, "W19"},
        EdgeFile{"ProcessZero", {0x0000'0000'0201'0027, 0}, "w19"},
        EdgeFile{
            "ProcessArgumentInline", {0x0000'0100'0202'0057, 101, 0x8007'0038, 0x73'7365'636f'7270, 100}, ""},
        EdgeFile{
            "ThreadOfTwoProcesses",
            all({thread_record(4, 200, 101), named(100, 101), named(200, 101), instant(5), instant(6, 4)}),
            ""},
        EdgeFile{"ThreadOfTwoProcessesNamedInOne",
                 all({thread_record(4, 200, 101), named(100, 101), instant(5), instant(6, 4)}), ""},
        EdgeFile{"ThreadNamedTwice",  // the last name is used
                 all({named(100, 101), thread_object({0x4'0028, 100}, 101, kB), instant(5)}), ""},
        EdgeFile{"ProcessArgumentTwice", {0x0000'0200'0202'0067, 101, 0x4'0028, 100, 0x4'0028, 200}, "W25"},
        EdgeFile{"ProcessArgumentSecond", {0x0000'0200'0202'0057, 101, 0x7'0005'0011, 0x4'0028, 100}, "w18"},
        EdgeFile{"UserspaceObjectOfAThread", {0x0000'0000'0201'0026, 0xabcd}, "W24"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Scheduling, Edge,
    testing::Values(
        EdgeFile{"LargestLegacyCpu", all({named(100, 101), named(100, 102), {0x0010'1020'13ff'0028, 5}}), ""},
        EdgeFile{"LargeKoidInALegacySwitch",
                 all({named(100, 101), {0x0010'1010'0000'0048, 5, 100, 1ULL << 32}}), "W19 W18"},
        EdgeFile{"OfAThreadWithoutName",  // Perfetto assigns this thread to process 0
                 all({named(100, 101), {0x0010'1020'1300'0028, 5}}), "W18"},
        EdgeFile{"OfAThreadNamedLater", all({{0x0010'1020'1300'0028, 5}, named(100, 102), named(100, 101)}),
                 ""},
        EdgeFile{"OfAThreadThatWasLastNamedElsewhere",
                 all({named(100, 101), named(100, 102), {0x0010'1020'1300'0028, 5}, named(200, 102)}), "W18"},
        EdgeFile{"OfAThreadThatWasFirstNamedElsewhere",
                 all({named(200, 102), named(100, 101), {0x0010'1020'1300'0028, 5}, named(100, 102)}), ""},
        EdgeFile{"OfAThreadWhoseLastNameHasNoProcess",
                 all({named(100, 101), named(100, 102), {0x0010'1020'1300'0028, 5}, thread_object({}, 102)}),
                 "W18"},
        EdgeFile{"OfAThreadOfProcess0", all({named(100, 101), {0x0010'1000'1300'0048, 5, 0, 7}}), ""},
        EdgeFile{"OfTheIdleThread", all({named(100, 101), {0x0000'1000'1300'0048, 5, 0, 0}}), ""},
        EdgeFile{"NewerOfAThreadOfWhichNothingElseIsSaid", {0x1000'0030'1000'0048, 5, 101, 0}, ""},
        EdgeFile{"NewerOfAThreadWithEventsAndNoName",  // two threads in Perfetto
                 joined(instant(1), {0x1000'0030'1000'0048, 5, 0, 101}), "W18"},
        // Perfetto assigns the event and the switch to process 0.
        EdgeFile{"NewerOfAThreadWithEventsInProcess0",
                 joined({0x0002'0001'0000'0044, 1, 0, 7}, {0x1000'0030'1000'0048, 5, 0, 7}), "w19"},
        EdgeFile{"NewerOfAThreadWithEventsAndName",
                 all({instant(1), {0x1000'0030'1000'0048, 5, 0, 101}, named(100, 101)}), ""},
        EdgeFile{
            "NewerOfAnIdleThreadWithEvents",
            all({kWeights,
                 instant(1),
                 {0x1000'0030'1002'0068, 5, 101, 101, kIdleArgument | 0x7'0000, kIdleArgument | 0x8'0000}}),
            ""},
        EdgeFile{"WakeupOfAThreadWithEventsAndNoName", joined(instant(1), {0x2000'0000'0000'0038, 5, 101}),
                 "W18"},
        EdgeFile{"WakeupOfAnIdleThreadWithEvents",
                 all({kWeights, instant(1), {0x2000'0000'0001'0048, 5, 101, kIdleArgument | 0x6'0000}}), ""},
        EdgeFile{"LargestCpu", {0x1000'0030'fff0'0048, 5, 101, 0}, ""},
        EdgeFile{"LargeCpu", {0x1000'0031'0000'0048, 5, 101, 0}, "W25"},
        EdgeFile{"LargeCpuWithOneIdleSide",
                 all({kWeights, {0x1000'0031'0001'0058, 5, 101, 0, kIdleArgument | 0x7'0000}}), "W25"},
        EdgeFile{"LargeCpuWithTheOtherIdleSide",
                 all({kWeights, {0x1000'0031'0001'0058, 5, 101, 0, kIdleArgument | 0x8'0000}}), "W25"},
        EdgeFile{"LargeCpuWithBothSidesIdle",  // Perfetto ignores this CPU
                 all({kWeights,
                      {0x1000'0031'0002'0068, 5, 0, 0, kIdleArgument | 0x7'0000, kIdleArgument | 0x8'0000}}),
                 ""},
        EdgeFile{"LargeCpuOfAWakeup", {0x2000'0001'0000'0038, 5, 101}, "W25"},
        EdgeFile{"LargeCpuOfAnIdleWakeup",
                 all({kWeights, {0x2000'0001'0001'0048, 5, 101, kIdleArgument | 0x6'0000}}), ""},
        EdgeFile{"LargeCpuOfAWakeupWithAnotherWeight",
                 all({kWeights, {0x2000'0001'0001'0048, 5, 101, 0x8000'0001'0006'0011}}), "W25"},
        EdgeFile{"LargeKoidInASwitch", {0x1000'0030'1000'0048, 5, 1ULL << 32, 0}, "W19"},
        EdgeFile{"LargeKoidInAWakeup", {0x2000'0000'0000'0038, 5, 1ULL << 32}, "W19"},
        EdgeFile{"SwitchWithoutSecondThread", {0x1000'0030'1000'0038, 5, 101}, "W11"},
        EdgeFile{"SpareWordInASwitch", all({named(100, 101), named(100, 102), {0x0010'1020'1300'0038, 5, 0}}),
                 "W11"},
        EdgeFile{"StateSix", {0x1000'0060'1000'0048, 5, 101, 0}, "w25"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Blobs, Edge,
    testing::Values(
        EdgeFile{"Empty", {0x0001'0000'0002'0015}, ""},
        EdgeFile{"OfUnknownType", {0x0009'0000'0002'0015}, "w25"},
        EdgeFile{"BeyondTheRecord", {0x0001'0009'0002'0025, 0}, "W11"},
        EdgeFile{"OfPerfettoAndEmpty", {0x0003'0000'0002'0015}, ""},
        EdgeFile{"OfNoPackets", packets({0x68, 0x65, 0x6c, 0x6c, 0x6f}), "W23"},
        EdgeFile{"OfEmptyPackets", packets({0x0a, 0, 0x0a, 0}), ""},
        EdgeFile{"OfAPacketWithAllWireTypes",
                 packets({0x0a, 25, 0x08, 0x96, 0x01, 0x11, 1, 2,    3, 4, 5, 6, 7,    8,
                          0x1a, 3,  'a',  'b',  'c',  0x22, 0, 0x2d, 1, 2, 3, 4, 0x80, 0}),
                 "W23"},  // a tag with the number 0, which is not allowed
        EdgeFile{"OfAPacketOfAllWireTypes",
                 packets({0x0a, 23,   0x08, 0x96, 0x01, 0x11, 1,    2, 3,    4, 5, 6, 7,
                          8,    0x1a, 3,    'a',  'b',  'c',  0x22, 0, 0x2d, 1, 2, 3, 4}),
                 "W23"},  // the size is one byte too small
        EdgeFile{"OfOnePacket", packets({0x0a, 24,   0x08, 0x96, 0x01, 0x11, 1,    2, 3,    4, 5, 6, 7,
                                         8,    0x1a, 3,    'a',  'b',  'c',  0x22, 0, 0x2d, 1, 2, 3, 4}),
                 ""},
        EdgeFile{"OfAnotherField", packets({0x12, 1, 0}), "W23"},
        EdgeFile{"OfAFieldBeyondItsPacket", packets({0x0a, 3, 0x0a, 2, 0, 0x0a, 0}), "W23"},
        EdgeFile{"OfAVarintBeyondItsPacket", packets({0x0a, 2, 0x08, 0x80, 0x0a, 0}), "W23"},
        EdgeFile{"OfATagAtTheEndOfItsPacket", packets({0x0a, 1, 0x08, 0x0a, 0}), "W23"},
        EdgeFile{"OfASizedTagAtTheEndOfItsPacket", packets({0x0a, 1, 0x0a, 0x0a, 0}), "W23"},
        EdgeFile{"OfAnUnknownWireType", packets({0x0a, 1, 0x0b}), "W23"},
        EdgeFile{"OfAVarintOfTenBytes",
                 packets({0x0a, 11, 0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}), ""},
        EdgeFile{"OfAVarintOfElevenBytes",
                 packets({0x0a, 12, 0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}), "W23"},
        EdgeFile{"OfHalfAPacket", packets({0x0a, 3, 0x08}), "W23"},
        EdgeFile{"OfAPacketInTwo", joined(packets({0x0a, 2, 0x08}), packets({1, 0x0a, 0})), ""},
        EdgeFile{"OfABrokenPacketThatIsSaidOnce", joined(packets({1}), packets({2})), "W23"},
        EdgeFile{"LargeAndEmpty", {0x4f, 0x10'0002'0001, 5, 0}, ""},
        EdgeFile{"LargeBeyondTheRecord", {0x5f, 0x10'0002'0001, 5, 9, 0}, "W11"},
        EdgeFile{"LargeOfNearlyAllBytesThereAre", {0x4f, 0x10'0002'0001, 5, ~std::uint64_t{0}}, "W11"},
        EdgeFile{"LargeWithASpareWord", {0x5f, 0x10'0002'0001, 5, 0, 0}, "W11"},  // one reader rejects it
        EdgeFile{"LargeOfUnknownFormat", {0x0000'0200'0000'004f, 0x10'0002'0001, 5, 0}, "W25"},
        EdgeFile{"LargeOfUnknownType", {0x0000'0010'0000'004f, 0x10'0002'0001, 5, 0}, "W25"},
        EdgeFile{"BacktraceWithoutFrames", {0x0000'0000'0012'002a, 5}, ""},
        EdgeFile{"BacktraceBeyondTheRecord", {0x0000'0000'2012'002a, 5}, "W11"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Links, Edge,
    testing::Values(
        EdgeFile{"AsyncInstantAlone", event(EventType::AsyncInstant, 5, kA, 1, {7}), "w17"},
        EdgeFile{"AsyncOfTheLargestId",
                 joined(async_begin(5, ~std::uint64_t{0}),
                        event(EventType::AsyncEnd, 6, kA, 1, {~std::uint64_t{0}})),
                 ""},
        EdgeFile{"FlowOfIdZero",
                 all({complete(0, 9), flow(EventType::FlowBegin, 1, 0), flow(EventType::FlowEnd, 2, 0)}), ""},
        EdgeFile{"FlowStepBeforeItsBegin",
                 all({complete(0, 9), flow(EventType::FlowStep, 1, 7), flow(EventType::FlowBegin, 2, 7),
                      flow(EventType::FlowEnd, 3, 7)}),
                 "W21"},
        EdgeFile{"FlowAtBothEdgesOfItsDuration",
                 all({complete(5, 9), flow(EventType::FlowBegin, 5, 7), flow(EventType::FlowEnd, 9, 7)}), ""},
        EdgeFile{"FlowBeforeTheBeginOfTheSameTime",  // in the file, the flow comes first
                 all({flow(EventType::FlowBegin, 5, 7), complete(5, 9), flow(EventType::FlowEnd, 6, 7)}),
                 "W21"},
        EdgeFile{"FlowAfterACompleteInsideItsDuration",  // for Perfetto, the complete event is still open
                 all({begin(0), complete(1, 2), flow(EventType::FlowBegin, 3, 7), end(9)}), "W21 w21"},
        EdgeFile{"FlowAfterACompleteInsideAComplete",
                 all({complete(0, 9), complete(1, 2), flow(EventType::FlowBegin, 3, 7)}), "W21 w21"},
        EdgeFile{"FlowAtTheEndOfACompleteInsideItsDuration",
                 all({begin(0), complete(1, 2), flow(EventType::FlowBegin, 2, 7), end(9)}), "w21"},
        EdgeFile{"FlowAfterAnInstantInsideItsDuration",
                 all({begin(0), instant(1), flow(EventType::FlowBegin, 2, 7), end(9)}), "W21 w21"},
        EdgeFile{"FlowAtTheTimeOfAnInstant",
                 all({begin(0), instant(1), flow(EventType::FlowBegin, 1, 7), end(9)}), "W21 w21"},
        EdgeFile{"FlowInsideACompleteOfNoLength",
                 all({begin(0), instant(1), complete(1, 1), flow(EventType::FlowBegin, 1, 7), end(9)}),
                 "w21"},
        EdgeFile{"FlowAfterACompleteOfNoLength",
                 all({begin(0), complete(1, 1), flow(EventType::FlowBegin, 2, 7), end(9)}), "W21 w21"},
        EdgeFile{"FlowAfterAPairInsideItsDuration",  // the end event has closed the pair
                 all({begin(0), begin(1), end(2), flow(EventType::FlowBegin, 3, 7), end(9)}), "w21"},
        EdgeFile{"FlowAfterACompleteAndAPair",
                 all({begin(0), complete(1, 2), begin(3), end(4), flow(EventType::FlowBegin, 5, 7), end(9)}),
                 "w21"},
        EdgeFile{"FlowAfterACompleteAroundAnOpenBegin",
                 all({complete(0, 4), begin(1), flow(EventType::FlowBegin, 5, 7), end(6)}), "W15 w21"},
        EdgeFile{"FlowAfterTheEndOfTheSameTime",
                 all({begin(5), flow(EventType::FlowBegin, 6, 7), end(9), flow(EventType::FlowEnd, 9, 7)}),
                 "W21"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Sizes, Edge,
    testing::Values(EdgeFile{"EventOfSizeZero", {0x0002'0001'0100'0004, 5}, "W11"},
                    EdgeFile{"LargeRecordOfSizeZero", {0xf, 5}, "W11"},
                    EdgeFile{"EventWithoutTime", {0x0002'0001'0100'0014}, "W11"},
                    EdgeFile{"CompleteWithoutEnd", event(EventType::DurationComplete, 5, kA), "W11"},
                    EdgeFile{"CompleteWithASpareWord", event(EventType::DurationComplete, 5, kA, 1, {6, 0}),
                             "w11"},
                    EdgeFile{"TruncatedLargeRecord", {0xffff'ffff'f}, "W11"}),
    name_of);

std::string asyncs_within_each_other(std::uint64_t count) {
  Words words = kPrelude;
  for (std::uint64_t i = 0; i < count; ++i) words = joined(words, async_begin(i, 7));
  for (std::uint64_t i = 0; i < count; ++i)
    words = joined(words, event(EventType::AsyncEnd, count + i, kA, 1, {7}));
  return broken_rules(words);
}

TEST(EdgeDepth, OfAsyncOperations) {
  EXPECT_EQ(asyncs_within_each_other(512), "");
  EXPECT_EQ(asyncs_within_each_other(513), "W17 w17");
}

TEST(EdgeDepth, OfBeginsAndTheEventsInThem) {
  Words deep = kPrelude, ends;
  for (std::uint64_t i = 0; i < 511; ++i) deep = joined(deep, begin(i));
  for (std::uint64_t i = 0; i < 511; ++i) ends = joined(ends, end(1000 + i));
  EXPECT_EQ(broken_rules(all({deep, instant(600), instant(601), ends})), "");
  EXPECT_EQ(broken_rules(all({deep, instant(600), instant(600), ends})), "W15");  // Perfetto nests instants
}

}  // namespace
}  // namespace fxt::test
