// The table of faults: the rule that each fault breaks, and its effect in each reader.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/checking/findings.h"
#include "fxt/checking/value_rules.h"
#include "fxt/rules.h"

namespace fxt {
namespace {

using enum Severity;
using enum KnownReader;

// The effects of a fault, such as "PT what they do|?C what another one does". Each effect begins with the
// letters of its readers: Perfetto, Tracy, Fuchsia's C++ reader, Fuchsia's Rust reader, the spec. A * means
// the first four. A ? before the letters makes the effect a warning, and a - makes it a note.
constexpr std::string_view kLetters = "PTCRS";

// `problem` is set for faults whose text is always the same, except for an id. The id replaces the # in the
// text.
struct FaultEntry {
  Fault fault;
  std::string_view name, rule, costs, problem = {};
};

struct Cost {
  KnownReaders readers = {};
  Severity severity = Error;
  std::string_view effect = {};
};

// Removes the first effect from the text, and returns it.
constexpr Cost next_cost(std::string_view& text) {
  Cost cost;
  std::string_view part = text.substr(0, text.find('|'));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  if (part.starts_with('?') || part.starts_with('-')) {
    cost.severity = part.front() == '?' ? Warning : Note;
    part.remove_prefix(1);
  }
  for (; part.front() != ' '; part.remove_prefix(1)) {
    if (part.front() == '*')
      cost.readers = {Perfetto, Tracy, FuchsiaCpp, FuchsiaRust};
    else
      cost.readers = cost.readers | KnownReaders{static_cast<KnownReader>(kLetters.find(part.front()))};
  }
  cost.effect = part.substr(1);
  return cost;
}

namespace by_fault {

using enum Fault;

constexpr std::array<FaultEntry, kFaults> kTable{{
    {LateTime, "LateTime", "W5", "P Perfetto drops the record|R Fuchsia's Rust reader panics"},
    {LongSpan, "LongSpan", "W5", "T Tracy's times wrap"},
    {EndBeforeBegin, "EndBeforeBegin", "W15", "P Perfetto drops the event"},
    {WideId, "WideId", "W19", "PT Perfetto truncates ids to 32 bits, and Tracy may show two threads as one"},
    {IdZero, "IdZero", "W19", "?PT viewers show the idle thread"},
    {EmptyName, "EmptyName", "W18", "?PT viewers show no name"},
    {NoProcess, "NoProcess", "W18", "P Perfetto puts the name under process 0|T other readers lose the name"},
    {ProcessOfOtherType, "ProcessOfOtherType", "W18", "P Perfetto counts an error and loses the name"},
    {ProcessNotFirst, "ProcessNotFirst", "W18", "?* some parsers find this argument only if it is the first"},
    {UnnamedThread, "UnnamedThread", "W18", "P Perfetto puts the thread under process 0"},
    {TakenForIdle, "TakenForIdle", "W18", "P Perfetto shows the thread as the idle thread"},
    {NamedInOtherProcess, "NamedInOtherProcess", "W18",
     "P Perfetto shows the thread's switches under the process of the record that names the thread"},
    {NameOfNoThread, "NameOfNoThread", "W18", "?PT viewers show two threads, and one of them has no name"},
    {NoValue, "NoValue", "W20", "* no reader shows the event"},
    {NoNumber, "NoNumber", "W20",
     "P Perfetto counts an error|T Tracy ignores the argument or reads an id as a value"},
    {SharedSeries, "SharedSeries", "W20", "T Tracy draws both counters as one plot"},
    {KnownCounter, "KnownCounter", "W20",
     "P Perfetto draws this counter once for each CPU, so it drops the counter or the wrong argument"},
    {RepeatedName, "RepeatedName", "W25", "P Perfetto keeps only one of the arguments with this name"},
    {NameOfBegin, "NameOfBegin", "W25", "P Perfetto keeps only one of the two arguments",
     "has an argument with the same name as an argument of its start"},
    {NamesNoTree, "NamesNoTree", "W30", "?P Perfetto's window shows an error, or not all arguments"},
    {TextIndex, "TextIndex", "W30", "?P Perfetto's window shows an error instead of the event's data"},
    {FrameMark, "FrameMark", "W28",
     "T Tracy treats the instant as the start of a frame and does not show it on its thread"},
    {ScopeOfInstant, "ScopeOfInstant", "W28",
     "?PTR Perfetto, Tracy and Fuchsia's Rust reader show the instant on its thread only"},
    {BoolArgument, "BoolArgument", "W22", "?T debug builds of Tracy abort"},
    {BlobArgument, "BlobArgument", "W23",
     "T Tracy misreads the rest of the record|C Fuchsia's C++ reader adds the padding to the blob|P Perfetto "
     "shows the argument as unknown"},
    {UnknownArgument, "UnknownArgument", "W25",
     "C Fuchsia's C++ reader reports an error|T Tracy misreads the rest of the record|S the spec has no such "
     "type"},
    {SchedulingArgument, "SchedulingArgument", "W25", "P Perfetto drops the record"},
    {LargeCpu, "LargeCpu", "W25", "P Perfetto aborts"},
    {UnknownState, "UnknownState", "W25", "?PT viewers show no state|S the spec has no such state"},
    {UserspaceObject, "UserspaceObject", "W24", "C Fuchsia's C++ reader reports a record of unknown type 6"},
    {InlineProfilerThread, "InlineProfilerThread", "W23",
     "CR Fuchsia's two readers read the record in different ways"},
    {UnknownBlobType, "UnknownBlobType", "W25",
     "?PT Perfetto and Tracy ignore the blob|S the spec has no such type"},
    {NoPackets, "NoPackets", "W23", "P Perfetto fails, or loses this blob and later blobs of this type"},
    {PartOfPacket, "PartOfPacket", "W23", "P Perfetto loses the packet"},
    {LargeBlobWithoutMetadata, "LargeBlobWithoutMetadata", "W14", "R Fuchsia's Rust reader aborts"},
    {OversizedRecord, "OversizedRecord", "W13", "PT Perfetto and Tracy lose the rest of the file"},
    {ProviderZero, "ProviderZero", "W2", "?* readers use this id for records without a provider"},
    {NoMagic, "NoMagic", "W1",
     "T Tracy ends with an exception|R Fuchsia's Rust reader rejects the file|P Perfetto does not recognize "
     "the file|S the spec requires the magic word at the start of each trace"},
    {BigEndian, "BigEndian", "W1", "* all known readers expect little-endian words"},
    {EmptyFile, "EmptyFile", "W1",
     "* no reader recognizes the file as a trace|S the spec requires a magic number at the start of each "
     "trace"},
    {InitializationEarly, "InitializationEarly", "W1", "?* some readers fail"},
    {OtherRateEarly, "OtherRateEarly", "W1",
     "P Perfetto forgets the tick rate at the next provider|?* some readers fail"},
    {NoInitialization, "NoInitialization", "W1", "R Fuchsia's Rust reader treats each tick as one second"},
    {OtherTickRate, "OtherTickRate", "W4", "T Tracy treats ticks as nanoseconds"},
    {TickRateZero, "TickRateZero", "W4",
     "C Fuchsia's C++ reader reports an error|P Perfetto drops all events|R Fuchsia's Rust reader divides by "
     "zero|S times have no meaning"},
    {NoProvider, "NoProvider", "W1", "?R Fuchsia's Rust reader ignores indexed strings"},
    {StringEarly, "StringEarly", "W2",
     "R Fuchsia's Rust reader ignores the string|CP Fuchsia's C++ reader and Perfetto forget the string at "
     "the next provider"},
    {ThreadEarly, "ThreadEarly", "W2",
     "?CP Fuchsia's C++ reader and Perfetto forget the thread at the next provider"},
    {ProviderAgain, "ProviderAgain", "W2",
     "* Fuchsia's C++ reader and Perfetto empty the provider's tables, but the Rust reader does not"},
    {UnknownSection, "UnknownSection", "W3",
     "P Perfetto drops the section's records|CR Fuchsia's C++ and Rust readers report an error|S the spec "
     "requires providers to be announced first"},
    {UnknownProviderEvent, "UnknownProviderEvent", "W3", "R Fuchsia's Rust reader reports an error"},
    {StringOfOtherProvider, "StringOfOtherProvider", "W3", "T Tracy uses the string of the other provider"},
    {ThreadOfOtherProvider, "ThreadOfOtherProvider", "W3",
     "RT Fuchsia's Rust reader and Tracy use the thread of the other provider"},
    {IndexReplaced, "IndexReplaced", "W6", "C Fuchsia's C++ reader keeps the first meaning"},
    {IndexZero, "IndexZero", "W7", "C Fuchsia's C++ reader reports an error|S the spec has no index 0"},
    {UnknownString, "UnknownString", "W7",
     "CP Fuchsia's C++ reader and Perfetto drop the record|TR other readers lose the name|S the spec "
     "requires strings to be registered before their use"},
    {UnknownThread, "UnknownThread", "W7",
     "C Fuchsia's C++ reader drops the record|P Perfetto puts the record under thread 0|S the spec requires "
     "threads to be registered before their use"},
    {LongString, "LongString", "W8", "S the spec's limit is 32,000"},
    {LongInlineString, "LongInlineString", "W8",
     "C Fuchsia's C++ reader rejects the record|S the spec's limit is 32,000"},
    {InvalidUtf8, "InvalidUtf8", "W9",
     "R Fuchsia's Rust reader rejects the record|S the spec requires UTF-8"},
    {Nul, "Nul", "W9", "PT Perfetto and Tracy show only the part before the NUL"},
    {ManyLocations, "ManyLocations", "W26", "T Tracy can save this trace, but can't load the saved file"},
    {TooShort, "TooShort", "W11",
     "* readers drop the record, read past its end or stop|S the spec requires more words"},
    {SpareWords, "SpareWords", "W11", "R Fuchsia's Rust reader rejects the record"},
    {SpareWordsIgnored, "SpareWordsIgnored", "W11", "?* known readers ignore these words"},
    {SpareInitialization, "SpareInitialization", "W25", "R Fuchsia's Rust reader rejects the record"},
    {Truncated, "Truncated", "W11",
     "* readers lose the record, and some stop with an error|S the record has no end"},
    {SizeZero, "SizeZero", "W11",
     "P Perfetto fails|TR Tracy and Fuchsia's Rust reader stop|S a record has at least one word"},
    {ReservedBits, "ReservedBits", "W12", "S the spec reserves these bits for later versions"},
    {IndexBit, "IndexBit", "W12",
     "T Tracy treats the bit as part of the index|S the spec reserves the bit for later versions"},
    {UnknownRecord, "UnknownRecord", "W25",
     "C Fuchsia's C++ reader reports an error|S the spec has no such type"},
    {SkippedRecord, "SkippedRecord", "W13", "PT Perfetto and Tracy lose the rest of the file"},
    {Overlaps, "Overlaps", "W15", "P Perfetto drops the event"},
    {OverlapsBegun, "OverlapsBegun", "W15", "T Tracy ends this event at the end of the other event"},
    {OpenWhenEnded, "OpenWhenEnded", "W15", "P Perfetto cuts the duration at this time and ignores its end"},
    {Crosses, "Crosses", "W15", "T Tracy ends this event at the end of the other event",
     "partly overlaps another duration of its thread"},
    {TakesEarlierEnd, "TakesEarlierEnd", "W16", "T Tracy ends this event at the end of the other event",
     "starts at the end of a complete event that comes later in the file"},
    {TooDeep, "TooDeep", "W15", "P Perfetto drops the event, and its end then ends another event",
     "is inside 512 or more durations; for an event without a length, the preceding ones at the same time "
     "count as durations"},
    {StrayEnd, "StrayEnd", "W17", "?* readers ignore the end", "ends a duration that never began"},
    {StrayEndInside, "StrayEndInside", "W17", "T Tracy ends the outer complete event at this time",
     "ends a duration that never began"},
    {NamesOuter, "NamesOuter", "W16", "PT Perfetto and Tracy ignore names and end the inner duration",
     "ends a duration by its name while another duration is open inside it"},
    {NeverEnds, "NeverEnds", "W17",
     "P Perfetto shows the duration as unfinished|T Tracy invents an end|S the spec requires an end"},
    {OutOfOrder, "OutOfOrder", "W16", "?* readers must sort the events", "comes after a later event of "},
    {NotEnclosed, "NotEnclosed", "W21", "P Perfetto drops the flow event, or binds it to the wrong slice",
     "is not inside a duration"},
    {BehindEnded, "BehindEnded", "W21", "P Perfetto binds the flow to this duration or instant",
     "follows an instant, or a complete duration that has ended"},
    {FlowInUse, "FlowInUse", "W21", "P Perfetto drops the event", "begins flow #, which has been open since"},
    {FlowNotBegun, "FlowNotBegun", "W21", "P Perfetto drops the event|S the spec requires a start",
     "continues flow #, which has not begun"},
    {FlowOfSeveral, "FlowOfSeveral", "W21", "P Perfetto can't decide which flow continues here",
     "continues flow #, which several other processes have begun"},
    {FlowNeverEnds, "FlowNeverEnds", "W21", "S the spec requires an end"},
    {AsyncOpenWhenEnded, "AsyncOpenWhenEnded", "W17",
     "P Perfetto treats ids as global, cuts the operation at this time and ignores its end"},
    {AsyncTooDeep, "AsyncTooDeep", "W17", "P Perfetto drops the operation",
     "begins async operation # while 512 operations with this id are open"},
    {AsyncStrayEnd, "AsyncStrayEnd", "W17", "?* readers ignore the end",
     "ends async operation #, which has not begun with this category and name"},
    {AsyncInstantOutside, "AsyncInstantOutside", "W17", "S the spec requires an open operation",
     "is an instant of async operation #, which is not open"},
    {AsyncOfOtherProcess, "AsyncOfOtherProcess", "W17",
     "P Perfetto treats ids as global, and ends the inner operation",
     "ends async operation # while an operation of another process with this id is open inside it"},
    {AsyncNeverEnds, "AsyncNeverEnds", "W17",
     "?P Perfetto shows the operation as unfinished|S the spec requires an end"},
    {Ignored, "Ignored", "W29", "-* readers ignore it"},
}};
static_assert([] {
  for (std::size_t i = 0; i < kFaults; ++i)
    if (kTable[i].fault != static_cast<Fault>(i)) return false;
  return true;
}());

}  // namespace by_fault

constexpr std::array<std::string_view, 5> kReaderNames = {"perfetto", "tracy", "fuchsia-cpp", "fuchsia-rust",
                                                          "spec"};

}  // namespace

FaultCost cost_of(Fault fault, KnownReaders readers) {
  const FaultEntry& entry = by_fault::kTable[static_cast<std::size_t>(fault)];
  FaultCost cost{.rule = entry.rule, .severity = Note};
  for (std::string_view costs = entry.costs; !costs.empty();) {
    const Cost part = next_cost(costs);
    const KnownReaders minding = part.readers & readers;
    // A fault that breaks only the spec has no effect in a reader. It is an error only if the spec is
    // the only selected reader.
    const bool is_spec = part.readers == KnownReaders{Spec};
    if (minding.empty()) continue;
    cost.readers = cost.readers | minding;
    cost.severity = std::max(cost.severity, !is_spec                        ? part.severity
                                            : readers == KnownReaders{Spec} ? Error
                                                                            : Warning);
    if (is_spec && !cost.effect.empty()) continue;
    cost.effect.append(cost.effect.empty() ? "" : ", ").append(part.effect);
  }
  return cost;
}

std::string_view name_of(Fault fault) { return by_fault::kTable[static_cast<std::size_t>(fault)].name; }

std::string problem_of(Fault fault, std::uint64_t id) {
  std::string problem(by_fault::kTable[static_cast<std::size_t>(fault)].problem);
  if (const std::size_t at = problem.find('#'); at != std::string::npos)
    problem.replace(at, 1, std::to_string(id));
  return problem;
}

std::string ignored_by(KnownReaders readers) {
  constexpr std::array<std::string_view, 4> kNames = {"Perfetto", "Tracy", "Fuchsia's C++ reader",
                                                      "Fuchsia's Rust reader"};
  std::string text;
  for (std::size_t reader = 0; reader < kNames.size(); ++reader)
    if (readers.contains(static_cast<KnownReader>(reader)))
      text.append(text.empty() ? "ignored by " : " and ").append(kNames.at(reader));
  return text;
}

std::string_view name_of(KnownReader reader) { return kReaderNames[static_cast<std::size_t>(reader)]; }

std::optional<KnownReaders> parse_readers(std::string_view names) {
  KnownReaders readers;
  for (;;) {
    const std::size_t comma = names.find(',');
    const auto name = std::ranges::find(kReaderNames, names.substr(0, comma));
    if (name == kReaderNames.end()) return std::nullopt;
    readers = readers | KnownReaders{static_cast<KnownReader>(name - kReaderNames.begin())};
    if (comma == std::string_view::npos) return readers;
    names.remove_prefix(comma + 1);
  }
}

}  // namespace fxt
