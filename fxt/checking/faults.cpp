// The table of faults: which rule each breaks, and what it costs in which reader.
#include <algorithm>
#include <array>

#include "fxt/rules.h"

namespace fxt {
namespace {

using enum Fault;
using enum Severity;
using enum KnownReader;

constexpr KnownReaders kPerfetto{Perfetto}, kTracy{Tracy}, kCpp{FuchsiaCpp}, kRust{FuchsiaRust}, kSpec{Spec};
constexpr KnownReaders kViewers = kPerfetto | kTracy, kFuchsia = kCpp | kRust, kReaders = kViewers | kFuchsia;

struct Cost {
  KnownReaders readers = {};
  std::string_view effect = {};
  Severity severity = Error;
};

struct Entry {
  Fault fault;
  std::string_view name, rule;
  Cost first, second = {}, third = {}, fourth = {};
};

constexpr std::string_view kCutIds = "Perfetto cuts ids to 32 bits, Tracy merges threads";
constexpr std::string_view kOneIsKept = "Perfetto keeps one of them";
constexpr std::string_view kDrops = "Perfetto drops it";
constexpr std::string_view kIgnored = "readers ignore it";
constexpr std::string_view kLosesTheRest = "Perfetto and Tracy lose the rest of the file";
constexpr std::string_view kCppReports = "Fuchsia's C++ reader reports an error";
constexpr std::string_view kRustRejects = "Fuchsia's Rust reader rejects it";
constexpr std::string_view kOthersEnd = "Tracy gives it the other's end";
constexpr std::string_view kSorts = "readers must sort";

constexpr std::array<Entry, kFaults> kTable{{
    {LateTime, "LateTime", "W5", {kPerfetto, kDrops}, {kRust, "Fuchsia's Rust reader panics"}},
    {LongSpan, "LongSpan", "W5", {kTracy, "Tracy's times wrap"}},
    {EndBeforeBegin, "EndBeforeBegin", "W15", {kPerfetto, kDrops}},
    {WideId, "WideId", "W19", {kViewers, kCutIds}},
    {IdZero, "IdZero", "W19", {kViewers, "viewers take 0 for the idle thread", Warning}},
    {EmptyName, "EmptyName", "W18", {kViewers, "viewers show no name", Warning}},
    {NoProcess,
     "NoProcess",
     "W18",
     {kPerfetto, "Perfetto files its name under process 0"},
     {kTracy, "other readers lose it"}},
    {ProcessOfOtherType,
     "ProcessOfOtherType",
     "W18",
     {kPerfetto, "Perfetto counts an error and loses the name"}},
    {ProcessNotFirst, "ProcessNotFirst", "W18", {kReaders, "some parsers look for it only there", Warning}},
    {UnnamedThread, "UnnamedThread", "W18", {kPerfetto, "Perfetto files it under process 0"}},
    {TakenForIdle, "TakenForIdle", "W18", {kPerfetto, "Perfetto takes it for the idle thread"}},
    {NamedInOtherProcess, "NamedInOtherProcess", "W18", {kPerfetto, "Perfetto files its switches there"}},
    {NameOfNoThread,
     "NameOfNoThread",
     "W18",
     {kViewers, "viewers show two threads, one without a name", Warning}},
    {NoValue, "NoValue", "W20", {kReaders, "no reader shows it"}},
    {NoNumber,
     "NoNumber",
     "W20",
     {kPerfetto, "Perfetto counts an error"},
     {kTracy, "Tracy ignores it or takes ids for values"}},
    {SharedSeries, "SharedSeries", "W20", {kTracy, "Tracy draws both as one plot"}},
    {KnownCounter,
     "KnownCounter",
     "W20",
     {kPerfetto, "Perfetto draws such counters by cpu; it drops this one, or that argument"}},
    {RepeatedName, "RepeatedName", "W25", {kPerfetto, kOneIsKept}},
    {NameOfBegin, "NameOfBegin", "W25", {kPerfetto, kOneIsKept}},
    {FrameMark,
     "FrameMark",
     "W28",
     {kTracy, "Tracy takes it for the start of a frame and does not show it on its thread"}},
    {BoolArgument, "BoolArgument", "W22", {kTracy, "debug builds of Tracy abort", Warning}},
    {BlobArgument,
     "BlobArgument",
     "W23",
     {kTracy, "Tracy misreads what follows"},
     {kCpp, "Fuchsia's C++ reader adds the padding"},
     {kPerfetto, "Perfetto shows it as unknown"}},
    {UnknownArgument,
     "UnknownArgument",
     "W25",
     {kCpp, kCppReports},
     {kTracy, "Tracy misreads what follows"},
     {kSpec, "the spec has no such type"}},
    {SchedulingArgument, "SchedulingArgument", "W25", {kPerfetto, "Perfetto drops the record"}},
    {LargeCpu, "LargeCpu", "W25", {kPerfetto, "Perfetto aborts"}},
    {UnknownState,
     "UnknownState",
     "W25",
     {kViewers, "viewers show none", Warning},
     {kSpec, "the spec has no such state"}},
    {UserspaceObject,
     "UserspaceObject",
     "W24",
     {kCpp, "Fuchsia's C++ reader reports a record of unknown type 6"}},
    {InlineProfilerThread,
     "InlineProfilerThread",
     "W23",
     {kFuchsia, "Fuchsia's two readers read it differently"}},
    {NoPackets,
     "NoPackets",
     "W23",
     {kPerfetto, "Perfetto fails, or loses this and what follows in such blobs"}},
    {PartOfPacket, "PartOfPacket", "W23", {kPerfetto, "Perfetto loses it"}},
    {LargeBlobWithoutMetadata, "LargeBlobWithoutMetadata", "W14", {kRust, "Fuchsia's Rust reader aborts"}},
    {OversizedRecord, "OversizedRecord", "W13", {kViewers, kLosesTheRest}},
    {ProviderZero, "ProviderZero", "W2", {kReaders, "readers use it for records of no provider", Warning}},
    {NoMagic,
     "NoMagic",
     "W1",
     {kTracy, "Tracy ends with an exception"},
     {kRust, "Fuchsia's Rust reader refuses"},
     {kPerfetto, "Perfetto does not know the file"},
     {kSpec, "the spec begins each trace with it"}},
    {BigEndian, "BigEndian", "W1", {kReaders, "all known readers expect little-endian words"}},
    {EmptyFile,
     "EmptyFile",
     "W1",
     {kReaders, "no reader takes it for a trace"},
     {kSpec, "the spec begins each trace with a magic number"}},
    {InitializationEarly, "InitializationEarly", "W1", {kReaders, "some readers fail", Warning}},
    {OtherRateEarly,
     "OtherRateEarly",
     "W1",
     {kPerfetto, "Perfetto forgets the tick rate when a provider comes"},
     {kReaders, "some readers fail", Warning}},
    {NoInitialization, "NoInitialization", "W1", {kRust, "Fuchsia's Rust reader takes a tick for a second"}},
    {OtherTickRate, "OtherTickRate", "W4", {kTracy, "Tracy takes ticks for nanoseconds"}},
    {TickRateZero,
     "TickRateZero",
     "W4",
     {kCpp, "the C++ reader complains"},
     {kPerfetto, "Perfetto drops all events"},
     {kRust, "the Rust reader divides by zero"},
     {kSpec, "times have no meaning"}},
    {NoProvider, "NoProvider", "W1", {kRust, "Fuchsia's Rust reader knows no indexed strings", Warning}},
    {StringEarly,
     "StringEarly",
     "W2",
     {kRust, "Fuchsia's Rust reader does not know it"},
     {kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto forget it when a provider comes"}},
    {ThreadEarly,
     "ThreadEarly",
     "W2",
     {kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto forget it when a provider comes", Warning}},
    {ProviderAgain,
     "ProviderAgain",
     "W2",
     {kReaders, "Fuchsia's C++ reader and Perfetto empty its tables, the Rust reader does not"}},
    {UnknownSection,
     "UnknownSection",
     "W3",
     {kPerfetto, "Perfetto drops what follows"},
     {kFuchsia, "Fuchsia's C++ and Rust readers complain"},
     {kSpec, "the spec announces providers first"}},
    {UnknownProviderEvent, "UnknownProviderEvent", "W3", {kRust, "Fuchsia's Rust reader complains"}},
    {StringOfOtherProvider, "StringOfOtherProvider", "W3", {kTracy, "Tracy takes the other one"}},
    {ThreadOfOtherProvider,
     "ThreadOfOtherProvider",
     "W3",
     {kRust | kTracy, "Fuchsia's Rust reader and Tracy take the other one"}},
    {IndexReplaced, "IndexReplaced", "W6", {kCpp, "Fuchsia's C++ reader keeps the first meaning"}},
    {IndexZero, "IndexZero", "W7", {kCpp, kCppReports}, {kSpec, "the spec has no index 0"}},
    {UnknownString,
     "UnknownString",
     "W7",
     {kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto drop the record"},
     {kTracy | kRust, "others lose the name"},
     {kSpec, "the spec registers strings before their use"}},
    {UnknownThread,
     "UnknownThread",
     "W7",
     {kCpp, "Fuchsia's C++ reader drops the record"},
     {kPerfetto, "Perfetto files it under thread 0"},
     {kSpec, "the spec registers threads before their use"}},
    {LongString, "LongString", "W8", {kSpec, "the spec's limit is 32,000"}},
    {LongInlineString,
     "LongInlineString",
     "W8",
     {kCpp, "Fuchsia's C++ reader rejects the record"},
     {kSpec, "the spec's limit is 32,000"}},
    {InvalidUtf8, "InvalidUtf8", "W9", {kRust, kRustRejects}, {kSpec, "the spec asks for UTF-8"}},
    {Nul, "Nul", "W9", {kViewers, "Perfetto and Tracy show it up to there"}},
    {ManyLocations, "ManyLocations", "W26", {kTracy, "Tracy writes a file that it can't load"}},
    {TooShort,
     "TooShort",
     "W11",
     {kReaders, "readers drop it, read past its end or stop"},
     {kSpec, "the spec asks for more words"}},
    {SpareWords, "SpareWords", "W11", {kRust, kRustRejects}},
    {SpareWordsIgnored, "SpareWordsIgnored", "W11", {kReaders, "known readers ignore them", Warning}},
    {SpareInitialization, "SpareInitialization", "W25", {kRust, kRustRejects}},
    {InstantWord, "InstantWord", "W28", {kCpp, "only Fuchsia's C++ reader reads them", Warning}},
    {Truncated,
     "Truncated",
     "W11",
     {kReaders, "readers lose the record, some stop with an error"},
     {kSpec, "the record has no end"}},
    {SizeZero,
     "SizeZero",
     "W11",
     {kPerfetto, "Perfetto fails"},
     {kTracy | kRust, "Tracy and the Rust reader stop"},
     {kSpec, "a record has one word at least"}},
    {ReservedBits, "ReservedBits", "W12", {kSpec, "the spec reserves it for later versions"}},
    {IndexBit,
     "IndexBit",
     "W12",
     {kTracy, "Tracy takes the bit as part of the index"},
     {kSpec, "the spec reserves it for later versions"}},
    {UnknownRecord, "UnknownRecord", "W25", {kCpp, kCppReports}, {kSpec, "the spec has no such type"}},
    {SkippedRecord, "SkippedRecord", "W13", {kViewers, kLosesTheRest}},
    {Overlaps, "Overlaps", "W15", {kPerfetto, kDrops}},
    {OverlapsBegun, "OverlapsBegun", "W15", {kTracy, kOthersEnd}},
    {OpenWhenEnded, "OpenWhenEnded", "W15", {kPerfetto, "Perfetto cuts it there and ignores its end"}},
    {Crosses, "Crosses", "W15", {kTracy, kOthersEnd}},
    {TooDeep, "TooDeep", "W15", {kPerfetto, "Perfetto drops it, and ends others in its place"}},
    {StrayEnd, "StrayEnd", "W17", {kReaders, kIgnored, Warning}},
    {StrayEndInside, "StrayEndInside", "W17", {kTracy, "Tracy ends the complete event around it there"}},
    {NamesOuter,
     "NamesOuter",
     "W16",
     {kViewers, "Perfetto and Tracy pair without names and end the inner one"}},
    {NeverEnds,
     "NeverEnds",
     "W17",
     {kPerfetto, "Perfetto shows it as unfinished"},
     {kTracy, "Tracy invents an end"}},
    {OutOfWindow, "OutOfWindow", "W16", {kReaders, kSorts, Warning}},
    {NotEnclosed, "NotEnclosed", "W21", {kPerfetto, "Perfetto drops it, or binds it to the wrong slice"}},
    {BehindEnded, "BehindEnded", "W21", {kPerfetto, "Perfetto binds it to that one"}},
    {FlowInUse, "FlowInUse", "W21", {kPerfetto, kDrops}},
    {FlowNotBegun, "FlowNotBegun", "W21", {kPerfetto, kDrops}, {kSpec, "the spec asks for a begin"}},
    {FlowOfSeveral, "FlowOfSeveral", "W21", {kPerfetto, "Perfetto can't tell which one goes on here"}},
    {FlowNeverEnds, "FlowNeverEnds", "W21", {kSpec, "the spec asks for an end"}},
    {AsyncOpenWhenEnded,
     "AsyncOpenWhenEnded",
     "W17",
     {kPerfetto, "Perfetto, where ids are global, cuts it there and ignores its end"}},
    {AsyncTooDeep, "AsyncTooDeep", "W17", {kPerfetto, kDrops}},
    {AsyncStrayEnd, "AsyncStrayEnd", "W17", {kReaders, kIgnored, Warning}},
    {AsyncOfOtherProcess,
     "AsyncOfOtherProcess",
     "W17",
     {kPerfetto, "Perfetto, where ids are global, ends that one"}},
    {AsyncNeverEnds, "AsyncNeverEnds", "W17", {kPerfetto, "Perfetto shows it as unfinished", Warning}},
}};
static_assert([] {
  for (std::size_t i = 0; i < kFaults; ++i)
    if (kTable[i].fault != static_cast<Fault>(i)) return false;
  return true;
}());

constexpr std::array<std::string_view, 5> kNames = {"perfetto", "tracy", "fuchsia-cpp", "fuchsia-rust",
                                                    "spec"};

}  // namespace

FaultCost cost_of(Fault fault, KnownReaders readers) {
  const Entry& entry = kTable[static_cast<std::size_t>(fault)];
  FaultCost cost{.rule = entry.rule};
  for (const Cost& part : {entry.first, entry.second, entry.third, entry.fourth}) {
    const KnownReaders minding = part.readers & readers;
    // What the spec says is said where no reader minds.
    const bool is_spec = part.readers == kSpec;
    if (minding.empty()) continue;
    cost.readers = cost.readers | minding;
    if (is_spec ? readers == kSpec : part.severity == Error) cost.severity = Error;
    if (is_spec && !cost.effect.empty()) continue;
    cost.effect.append(cost.effect.empty() ? "" : ", ").append(part.effect);
  }
  return cost;
}

std::string_view name_of(Fault fault) { return kTable[static_cast<std::size_t>(fault)].name; }

std::string_view name_of(KnownReader reader) { return kNames[static_cast<std::size_t>(reader)]; }

std::optional<KnownReaders> parse_readers(std::string_view names) {
  KnownReaders readers;
  for (;;) {
    const std::size_t comma = names.find(',');
    const auto name = std::ranges::find(kNames, names.substr(0, comma));
    if (name == kNames.end()) return std::nullopt;
    readers = readers | KnownReaders{static_cast<KnownReader>(name - kNames.begin())};
    if (comma == std::string_view::npos) return readers;
    names.remove_prefix(comma + 1);
  }
}

}  // namespace fxt
