// SPDX-License-Identifier: Apache-2.0
// The rules of all known readers, the faults that break them, and the effect of each fault in each reader.
// The Checker reports these faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

struct Rule {
  std::string_view id;       // "W1"; ids are stable, so scripts can use them
  std::string_view says;     // what a writer must do
  std::string_view because;  // what readers do if the rule is broken
};

// All rules, in the order of their ids.
FXT_API std::span<const Rule> rules();

// The programs that read traces. Spec stands for a reader that rejects everything that the spec forbids.
enum class KnownReader : std::uint8_t { Perfetto, Tracy, FuchsiaCpp, FuchsiaRust, Spec };

// Returns "perfetto", "tracy", "fuchsia-cpp", "fuchsia-rust" or "spec".
FXT_API std::string_view name_of(KnownReader reader);

class KnownReaders {
 public:
  constexpr KnownReaders() = default;  // none
  constexpr KnownReaders(std::initializer_list<KnownReader> readers) {
    for (const KnownReader reader : readers) bits_ |= bit(reader);
  }
  static constexpr KnownReaders all() {
    using enum KnownReader;
    return {Perfetto, Tracy, FuchsiaCpp, FuchsiaRust, Spec};
  }
  constexpr bool contains(KnownReader reader) const { return (bits_ & bit(reader)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr KnownReaders operator&(KnownReaders a, KnownReaders b) {
    return KnownReaders(a.bits_ & b.bits_);
  }
  friend constexpr KnownReaders operator|(KnownReaders a, KnownReaders b) {
    return KnownReaders(a.bits_ | b.bits_);
  }
  friend constexpr bool operator==(KnownReaders, KnownReaders) = default;

 private:
  constexpr explicit KnownReaders(unsigned bits) : bits_(bits) {}
  static constexpr unsigned bit(KnownReader reader) { return 1U << static_cast<unsigned>(reader); }
  unsigned bits_ = 0;
};

// Parses names with commas between them, such as "perfetto,tracy". Returns nothing if a name is unknown.
FXT_API std::optional<KnownReaders> parse_readers(std::string_view names);

// A way to break a rule.
enum class Fault : std::uint8_t {
  // ---- The meaning of a record ----
  LateTime,             // a time of 2^63 ns or more
  LongSpan,             // events that are 2^47 ns or more apart
  EndBeforeBegin,       // a complete event whose end is before its begin
  WideId,               // a process or thread id of 2^32 or more
  IdZero,               // a process or thread id of 0
  EmptyName,            // the name of a process or thread is empty
  NoProcess,            // a thread's name without the argument "process"
  ProcessOfOtherType,   // the argument "process" is not a koid
  ProcessNotFirst,      // the argument "process" is not the first one
  UnnamedThread,        // a thread of a context switch or wakeup has no name
  TakenForIdle,         // a thread of priority 0 in a context switch has no name
  NamedInOtherProcess,  // a thread of a context switch was last named in another process
  // a thread has a name but no events, and a thread of another process with this tid has events
  NameOfNoThread,
  NoValue,         // a counter without arguments
  NoNumber,        // an argument of a counter is not a number
  SharedSeries,    // two counters have arguments with the same name
  KnownCounter,    // a counter cpu_frequency whose arguments are not those that Perfetto requires
  RepeatedName,    // two arguments of a record have the same name
  NameOfBegin,     // an argument of an end has the same name as an argument of the begin
  NamesNoTree,     // names of arguments such as "a" and "a.b", which can't be in one tree
  TextIndex,       // an argument whose index in brackets is not a number, such as "a[i]"
  FrameMark,       // an instant with "frame" in its name
  ScopeOfInstant,  // an instant whose scope is not the thread
  BoolArgument,
  BlobArgument,
  UnknownArgument,
  SchedulingArgument,  // an argument of a type that Perfetto does not read
  LargeCpu,
  UnknownState,  // an unknown thread state
  UserspaceObject,
  InlineProfilerThread,
  UnknownBlobType,
  NoPackets,     // a blob of type Perfetto that has no packets
  PartOfPacket,  // a blob of type Perfetto that ends inside a packet
  LargeBlobWithoutMetadata,
  OversizedRecord,
  ProviderZero,
  // ---- The encoding of records. A Writer makes none of these faults. ----
  NoMagic,
  BigEndian,
  EmptyFile,
  InitializationEarly,
  OtherRateEarly,  // an initialization before any provider, with a rate other than 10^9
  NoInitialization,
  OtherTickRate,
  TickRateZero,
  NoProvider,
  StringEarly,  // a string record before any provider
  ThreadEarly,
  ProviderAgain,
  UnknownSection,
  UnknownProviderEvent,
  StringOfOtherProvider,
  ThreadOfOtherProvider,
  IndexReplaced,
  IndexZero,
  UnknownString,
  UnknownThread,
  LongString,
  LongInlineString,
  InvalidUtf8,
  Nul,
  ManyLocations,
  TooShort,
  SpareWords,
  SpareWordsIgnored,
  SpareInitialization,
  Truncated,
  SizeZero,
  ReservedBits,
  IndexBit,
  UnknownRecord,
  SkippedRecord,  // a record that is too large for the Checker
  // ---- The order of events ----
  Overlaps,         // a complete event that begins inside another complete event, and ends after it
  OverlapsBegun,    // like Overlaps, but this event begins in an open duration that is inside the other event
  OpenWhenEnded,    // a duration that is open when the complete event around it ends
  Crosses,          // a complete event that ends after the end event of the duration around it
  TakesEarlierEnd,  // a duration that begins when a complete event ends, but precedes that event in the file
  TooDeep,
  StrayEnd,
  StrayEndInside,  // an end without a begin, inside a complete event
  NamesOuter,      // an end with the name of an outer duration instead of the innermost one
  NeverEnds,
  OutOfOrder,   // an event with an earlier time than the event before it, in a CheckedOutput
  NotEnclosed,  // a flow outside of all durations
  BehindEnded,  // a flow that follows an instant or an ended complete event inside the same duration
  FlowInUse,
  FlowNotBegun,
  FlowOfSeveral,  // several processes have open flows with this id
  FlowNeverEnds,
  AsyncOpenWhenEnded,
  AsyncTooDeep,
  AsyncStrayEnd,
  AsyncInstantOutside,  // an async instant without an open operation
  AsyncOfOtherProcess,
  AsyncNeverEnds,
  // ---- Records that break no rule of the format ----
  Ignored,  // a reader that was selected by name ignores the record
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::Ignored) + 1;

enum class Severity : std::uint8_t {
  Note,     // the spec allows such records, but some reader ignores them
  Warning,  // the record breaks the spec, but all known readers read it correctly
  Error,    // some known reader fails, loses data or draws wrongly
};

// The effect of a fault.
struct FaultCost {
  std::string_view rule;      // Rule::id
  KnownReaders readers = {};  // the selected readers that are affected
  Severity severity = Severity::Warning;
  std::string effect = {};  // what each affected reader does
};
// Returns the effect of the fault in the selected readers. A fault that only the spec forbids is an error if
// the spec is the only selected reader. It is a warning if the spec and other readers are selected.
FXT_API FaultCost cost_of(Fault fault, KnownReaders readers);

// The enumerator's name.
FXT_API std::string_view name_of(Fault fault);

// True if Tracy treats an instant of this name as the start of a frame (W28).
FXT_API bool names_a_frame(std::string_view name);

struct Finding {
  std::string_view rule;  // Rule::id
  Severity severity = Severity::Error;
  std::uint64_t offset = 0;  // offset of the record, in bytes from the start of the file
  // The result of kind_of(): "instant", "string" …; "file" if the finding is not about a record.
  std::string_view record;
  std::string problem;  // the fault
  std::string effect;   // what each affected reader does
  Fault fault = {};
  KnownReaders readers = {};  // the affected readers
};

}  // namespace fxt
