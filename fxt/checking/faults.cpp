// The table of faults: which rule each breaks, and what it costs in which reader.
#include <algorithm>
#include <array>

#include "fxt/rules.h"

namespace fxt {
namespace {

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
  std::array<Cost, 4> costs;
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
    {Fault::LateTime, "LateTime", "W5", {{{kPerfetto, kDrops}, {kRust, "Fuchsia's Rust reader panics"}}}},
    {Fault::LongSpan, "LongSpan", "W5", {{{kTracy, "Tracy's times wrap"}}}},
    {Fault::EndBeforeBegin, "EndBeforeBegin", "W15", {{{kPerfetto, kDrops}}}},
    {Fault::WideId, "WideId", "W19", {{{kViewers, kCutIds}}}},
    {Fault::IdZero, "IdZero", "W19", {{{kViewers, "viewers take 0 for the idle thread", Warning}}}},
    {Fault::EmptyName, "EmptyName", "W18", {{{kViewers, "viewers show no name", Warning}}}},
    {Fault::NoProcess,
     "NoProcess",
     "W18",
     {{{kPerfetto, "Perfetto files its name under process 0"}, {kTracy, "other readers lose it"}}}},
    {Fault::ProcessOfOtherType,
     "ProcessOfOtherType",
     "W18",
     {{{kPerfetto, "Perfetto counts an error and loses the name"}}}},
    {Fault::ProcessNotFirst,
     "ProcessNotFirst",
     "W18",
     {{{kReaders, "some parsers look for it only there", Warning}}}},
    {Fault::UnnamedThread, "UnnamedThread", "W18", {{{kPerfetto, "Perfetto files it under process 0"}}}},
    {Fault::TakenForIdle, "TakenForIdle", "W18", {{{kPerfetto, "Perfetto takes it for the idle thread"}}}},
    {Fault::NamedInOtherProcess,
     "NamedInOtherProcess",
     "W18",
     {{{kPerfetto, "Perfetto files its switches there"}}}},
    {Fault::NameOfNoThread,
     "NameOfNoThread",
     "W18",
     {{{kViewers, "viewers show two threads, one without a name", Warning}}}},
    {Fault::NoValue, "NoValue", "W20", {{{kReaders, "no reader shows it"}}}},
    {Fault::NoNumber,
     "NoNumber",
     "W20",
     {{{kPerfetto, "Perfetto counts an error"}, {kTracy, "Tracy ignores it or takes ids for values"}}}},
    {Fault::SharedSeries, "SharedSeries", "W20", {{{kTracy, "Tracy draws both as one plot"}}}},
    {Fault::KnownCounter,
     "KnownCounter",
     "W20",
     {{{kPerfetto, "Perfetto draws such counters by cpu; it drops this one, or that argument"}}}},
    {Fault::RepeatedName, "RepeatedName", "W25", {{{kPerfetto, kOneIsKept}}}},
    {Fault::NameOfBegin, "NameOfBegin", "W25", {{{kPerfetto, kOneIsKept}}}},
    {Fault::FrameMark,
     "FrameMark",
     "W28",
     {{{kTracy, "Tracy takes it for the start of a frame and does not show it on its thread"}}}},
    {Fault::BoolArgument, "BoolArgument", "W22", {{{kTracy, "debug builds of Tracy abort", Warning}}}},
    {Fault::BlobArgument,
     "BlobArgument",
     "W23",
     {{{kTracy, "Tracy misreads what follows"},
       {kCpp, "Fuchsia's C++ reader adds the padding"},
       {kPerfetto, "Perfetto shows it as unknown"}}}},
    {Fault::UnknownArgument,
     "UnknownArgument",
     "W25",
     {{{kCpp, kCppReports}, {kTracy, "Tracy misreads what follows"}, {kSpec, "the spec has no such type"}}}},
    {Fault::SchedulingArgument, "SchedulingArgument", "W25", {{{kPerfetto, "Perfetto drops the record"}}}},
    {Fault::LargeCpu, "LargeCpu", "W25", {{{kPerfetto, "Perfetto aborts"}}}},
    {Fault::UnknownState,
     "UnknownState",
     "W25",
     {{{kViewers, "viewers show none", Warning}, {kSpec, "the spec has no such state"}}}},
    {Fault::UserspaceObject,
     "UserspaceObject",
     "W24",
     {{{kCpp, "Fuchsia's C++ reader reports a record of unknown type 6"}}}},
    {Fault::InlineProfilerThread,
     "InlineProfilerThread",
     "W23",
     {{{kFuchsia, "Fuchsia's two readers read it differently"}}}},
    {Fault::NoPackets,
     "NoPackets",
     "W23",
     {{{kPerfetto, "Perfetto fails, or loses this and what follows in such blobs"}}}},
    {Fault::PartOfPacket, "PartOfPacket", "W23", {{{kPerfetto, "Perfetto loses it"}}}},
    {Fault::LargeBlobWithoutMetadata,
     "LargeBlobWithoutMetadata",
     "W14",
     {{{kRust, "Fuchsia's Rust reader aborts"}}}},
    {Fault::OversizedRecord, "OversizedRecord", "W13", {{{kViewers, kLosesTheRest}}}},
    {Fault::ProviderZero,
     "ProviderZero",
     "W2",
     {{{kReaders, "readers use it for records of no provider", Warning}}}},

    {Fault::NoMagic,
     "NoMagic",
     "W1",
     {{{kTracy, "Tracy ends with an exception"},
       {kRust, "Fuchsia's Rust reader refuses"},
       {kPerfetto, "Perfetto does not know the file"},
       {kSpec, "the spec begins each trace with it"}}}},
    {Fault::BigEndian, "BigEndian", "W1", {{{kReaders, "all known readers expect little-endian words"}}}},
    {Fault::EmptyFile,
     "EmptyFile",
     "W1",
     {{{kReaders, "no reader takes it for a trace"},
       {kSpec, "the spec begins each trace with a magic number"}}}},
    {Fault::InitializationEarly, "InitializationEarly", "W1", {{{kReaders, "some readers fail", Warning}}}},
    {Fault::OtherRateEarly,
     "OtherRateEarly",
     "W1",
     {{{kPerfetto, "Perfetto forgets the tick rate when a provider comes"},
       {kReaders, "some readers fail", Warning}}}},
    {Fault::NoInitialization,
     "NoInitialization",
     "W1",
     {{{kRust, "Fuchsia's Rust reader takes a tick for a second"}}}},
    {Fault::OtherTickRate, "OtherTickRate", "W4", {{{kTracy, "Tracy takes ticks for nanoseconds"}}}},
    {Fault::TickRateZero,
     "TickRateZero",
     "W4",
     {{{kCpp, "the C++ reader complains"},
       {kPerfetto, "Perfetto drops all events"},
       {kRust, "the Rust reader divides by zero"},
       {kSpec, "times have no meaning"}}}},
    {Fault::NoProvider,
     "NoProvider",
     "W1",
     {{{kRust, "Fuchsia's Rust reader knows no indexed strings", Warning}}}},
    {Fault::StringEarly,
     "StringEarly",
     "W2",
     {{{kRust, "Fuchsia's Rust reader does not know it"},
       {kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto forget it when a provider comes"}}}},
    {Fault::ThreadEarly,
     "ThreadEarly",
     "W2",
     {{{kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto forget it when a provider comes", Warning}}}},
    {Fault::ProviderAgain,
     "ProviderAgain",
     "W2",
     {{{kReaders, "Fuchsia's C++ reader and Perfetto empty its tables, the Rust reader does not"}}}},
    {Fault::UnknownSection,
     "UnknownSection",
     "W3",
     {{{kPerfetto, "Perfetto drops what follows"},
       {kFuchsia, "Fuchsia's C++ and Rust readers complain"},
       {kSpec, "the spec announces providers first"}}}},
    {Fault::UnknownProviderEvent,
     "UnknownProviderEvent",
     "W3",
     {{{kRust, "Fuchsia's Rust reader complains"}}}},
    {Fault::StringOfOtherProvider, "StringOfOtherProvider", "W3", {{{kTracy, "Tracy takes the other one"}}}},
    {Fault::ThreadOfOtherProvider,
     "ThreadOfOtherProvider",
     "W3",
     {{{kRust | kTracy, "Fuchsia's Rust reader and Tracy take the other one"}}}},
    {Fault::IndexReplaced, "IndexReplaced", "W6", {{{kCpp, "Fuchsia's C++ reader keeps the first meaning"}}}},
    {Fault::IndexZero, "IndexZero", "W7", {{{kCpp, kCppReports}, {kSpec, "the spec has no index 0"}}}},
    {Fault::UnknownString,
     "UnknownString",
     "W7",
     {{{kCpp | kPerfetto, "Fuchsia's C++ reader and Perfetto drop the record"},
       {kTracy | kRust, "others lose the name"},
       {kSpec, "the spec registers strings before their use"}}}},
    {Fault::UnknownThread,
     "UnknownThread",
     "W7",
     {{{kCpp, "Fuchsia's C++ reader drops the record"},
       {kPerfetto, "Perfetto files it under thread 0"},
       {kSpec, "the spec registers threads before their use"}}}},
    {Fault::LongString, "LongString", "W8", {{{kSpec, "the spec's limit is 32,000"}}}},
    {Fault::LongInlineString,
     "LongInlineString",
     "W8",
     {{{kCpp, "Fuchsia's C++ reader rejects the record"}, {kSpec, "the spec's limit is 32,000"}}}},
    {Fault::InvalidUtf8, "InvalidUtf8", "W9", {{{kRust, kRustRejects}, {kSpec, "the spec asks for UTF-8"}}}},
    {Fault::Nul, "Nul", "W9", {{{kViewers, "Perfetto and Tracy show it up to there"}}}},
    {Fault::ManyLocations, "ManyLocations", "W26", {{{kTracy, "Tracy writes a file that it can't load"}}}},
    {Fault::TooShort,
     "TooShort",
     "W11",
     {{{kReaders, "readers drop it, read past its end or stop"}, {kSpec, "the spec asks for more words"}}}},
    {Fault::SpareWords, "SpareWords", "W11", {{{kRust, kRustRejects}}}},
    {Fault::SpareWordsIgnored,
     "SpareWordsIgnored",
     "W11",
     {{{kReaders, "known readers ignore them", Warning}}}},
    {Fault::SpareInitialization, "SpareInitialization", "W25", {{{kRust, kRustRejects}}}},
    {Fault::InstantWord, "InstantWord", "W28", {{{kCpp, "only Fuchsia's C++ reader reads them", Warning}}}},
    {Fault::Truncated,
     "Truncated",
     "W11",
     {{{kReaders, "readers lose the record, some stop with an error"}, {kSpec, "the record has no end"}}}},
    {Fault::SizeZero,
     "SizeZero",
     "W11",
     {{{kPerfetto, "Perfetto fails"},
       {kTracy | kRust, "Tracy and the Rust reader stop"},
       {kSpec, "a record has one word at least"}}}},
    {Fault::ReservedBits, "ReservedBits", "W12", {{{kSpec, "the spec reserves it for later versions"}}}},
    {Fault::IndexBit,
     "IndexBit",
     "W12",
     {{{kTracy, "Tracy takes the bit as part of the index"},
       {kSpec, "the spec reserves it for later versions"}}}},
    {Fault::UnknownRecord,
     "UnknownRecord",
     "W25",
     {{{kCpp, kCppReports}, {kSpec, "the spec has no such type"}}}},
    {Fault::SkippedRecord, "SkippedRecord", "W13", {{{kViewers, kLosesTheRest}}}},

    {Fault::Overlaps, "Overlaps", "W15", {{{kPerfetto, kDrops}}}},
    {Fault::OverlapsBegun, "OverlapsBegun", "W15", {{{kTracy, kOthersEnd}}}},
    {Fault::OpenWhenEnded,
     "OpenWhenEnded",
     "W15",
     {{{kPerfetto, "Perfetto cuts it there and ignores its end"}}}},
    {Fault::Crosses, "Crosses", "W15", {{{kTracy, kOthersEnd}}}},
    {Fault::TooDeep, "TooDeep", "W15", {{{kPerfetto, "Perfetto drops it, and ends others in its place"}}}},
    {Fault::StrayEnd, "StrayEnd", "W17", {{{kReaders, kIgnored, Warning}}}},
    {Fault::StrayEndInside,
     "StrayEndInside",
     "W17",
     {{{kTracy, "Tracy ends the complete event around it there"}}}},
    {Fault::NamesOuter,
     "NamesOuter",
     "W16",
     {{{kViewers, "Perfetto and Tracy pair without names and end the inner one"}}}},
    {Fault::NeverEnds,
     "NeverEnds",
     "W17",
     {{{kPerfetto, "Perfetto shows it as unfinished"}, {kTracy, "Tracy invents an end"}}}},
    {Fault::OutOfWindow, "OutOfWindow", "W16", {{{kReaders, kSorts, Warning}}}},
    {Fault::NotEnclosed,
     "NotEnclosed",
     "W21",
     {{{kPerfetto, "Perfetto drops it, or binds it to the wrong slice"}}}},
    {Fault::BehindEnded, "BehindEnded", "W21", {{{kPerfetto, "Perfetto binds it to that one"}}}},
    {Fault::FlowInUse, "FlowInUse", "W21", {{{kPerfetto, kDrops}}}},
    {Fault::FlowNotBegun,
     "FlowNotBegun",
     "W21",
     {{{kPerfetto, kDrops}, {kSpec, "the spec asks for a begin"}}}},
    {Fault::FlowOfSeveral,
     "FlowOfSeveral",
     "W21",
     {{{kPerfetto, "Perfetto can't tell which one goes on here"}}}},
    {Fault::FlowNeverEnds, "FlowNeverEnds", "W21", {{{kSpec, "the spec asks for an end"}}}},
    {Fault::AsyncOpenWhenEnded,
     "AsyncOpenWhenEnded",
     "W17",
     {{{kPerfetto, "Perfetto, where ids are global, cuts it there and ignores its end"}}}},
    {Fault::AsyncTooDeep, "AsyncTooDeep", "W17", {{{kPerfetto, kDrops}}}},
    {Fault::AsyncStrayEnd, "AsyncStrayEnd", "W17", {{{kReaders, kIgnored, Warning}}}},
    {Fault::AsyncOfOtherProcess,
     "AsyncOfOtherProcess",
     "W17",
     {{{kPerfetto, "Perfetto, where ids are global, ends that one"}}}},
    {Fault::AsyncNeverEnds,
     "AsyncNeverEnds",
     "W17",
     {{{kPerfetto, "Perfetto shows it as unfinished", Warning}}}},
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
  for (const Cost& part : entry.costs) {
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
