// SPDX-License-Identifier: Apache-2.0
// The rules that a trace must keep so that all known readers read it alike, the ways to break them and what
// each costs in which reader. The Checker reports them.
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
  std::string_view id;       // "W1": stable, for scripts
  std::string_view says;     // what a writer must do
  std::string_view because;  // which reader does what otherwise
};

// All of them, in order.
FXT_API std::span<const Rule> rules();

// Who reads traces. The spec is one of them: it minds what it forbids.
enum class KnownReader : std::uint8_t { Perfetto, Tracy, FuchsiaCpp, FuchsiaRust, Spec };

// "perfetto", "tracy", "fuchsia-cpp", "fuchsia-rust", "spec".
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

// Names with commas between them, as "perfetto,tracy". Nothing if one of them is none.
FXT_API std::optional<KnownReaders> parse_readers(std::string_view names);

// A way to break a rule.
enum class Fault : std::uint8_t {
  // ---- What a record says ----
  LateTime,             // 2^63 ns or more
  LongSpan,             // events 2^47 ns or more apart
  EndBeforeBegin,       // of a complete event
  WideId,               // a process or thread of 2^32 or more
  IdZero,               // the same, of 0
  EmptyName,            // of a process or thread
  NoProcess,            // a thread's name without the argument "process"
  ProcessOfOtherType,   // that argument is no koid
  ProcessNotFirst,      // that argument follows others
  UnnamedThread,        // a thread that is switched or woken has no name
  TakenForIdle,         // the same, of priority 0
  NamedInOtherProcess,  // a thread that is switched was last named in another process
  NameOfNoThread,       // nothing happens on the thread that a name is for, but on one of its tid
  NoValue,              // a counter without arguments
  NoNumber,             // an argument of a counter
  SharedSeries,         // two counters have an argument of one name
  KnownCounter,         // cpu_frequency without what Perfetto draws
  RepeatedName,         // of arguments of a record
  NameOfBegin,          // of an argument of an end
  FrameMark,            // an instant with "frame" in its name
  ScopeOfInstant,       // another one than its thread
  BoolArgument,
  BlobArgument,
  UnknownArgument,
  SchedulingArgument,  // of another type than Perfetto reads
  LargeCpu,
  UnknownState,  // of a thread
  UserspaceObject,
  InlineProfilerThread,
  UnknownBlobType,
  NoPackets,     // a blob of type Perfetto
  PartOfPacket,  // the same
  LargeBlobWithoutMetadata,
  OversizedRecord,
  ProviderZero,
  // ---- How it is encoded: a Writer makes none of these faults ----
  NoMagic,
  BigEndian,
  EmptyFile,
  InitializationEarly,
  OtherRateEarly,  // the same, of another rate than 10^9
  NoInitialization,
  OtherTickRate,
  TickRateZero,
  NoProvider,
  StringEarly,  // before any provider
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
  SkippedRecord,  // too large for the Checker
  // ---- The order of events ----
  Overlaps,         // a complete event that begins inside another one
  OverlapsBegun,    // the same, with an open one between them
  OpenWhenEnded,    // inside a complete event that is over
  Crosses,          // gets the end of another one
  TakesEarlierEnd,  // the same, of a complete event that ends where this one begins, and comes later in the
                    // file
  TooDeep,
  StrayEnd,
  StrayEndInside,  // inside a complete event
  NamesOuter,      // an end, of the duration around the innermost one
  NeverEnds,
  OutOfOrder,   // comes after a later event: of what passes through a CheckedOutput
  NotEnclosed,  // a flow in no duration
  BehindEnded,  // a flow behind an inner duration that is over
  FlowInUse,
  FlowNotBegun,
  FlowOfSeveral,  // processes
  FlowNeverEnds,
  AsyncOpenWhenEnded,
  AsyncTooDeep,
  AsyncStrayEnd,
  AsyncInstantOutside,  // of an operation that is open
  AsyncOfOtherProcess,
  AsyncNeverEnds,
  // ---- What breaks no rule of the format ----
  Ignored,  // by a reader that was asked for by name
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::Ignored) + 1;

enum class Severity : std::uint8_t {
  Note,     // some reader ignores such records, as it may
  Warning,  // the spec says otherwise, but all known readers cope
  Error,    // some known reader fails, loses something or misdraws
};

// What a fault costs.
struct FaultCost {
  std::string_view rule;      // Rule::id
  KnownReaders readers = {};  // of those that are asked for: who minds
  Severity severity = Severity::Warning;
  std::string effect = {};  // which readers do what
};
// The same of the known readers that are asked for. What only the spec minds is an error if nobody else is.
FXT_API FaultCost cost_of(Fault fault, KnownReaders readers);

// The enumerator's name.
FXT_API std::string_view name_of(Fault fault);

// Whether Tracy takes an instant of this name for the start of a frame (W28).
FXT_API bool names_a_frame(std::string_view name);

struct Finding {
  std::string_view rule;  // Rule::id
  Severity severity = Severity::Error;
  std::uint64_t offset = 0;  // of the record, in bytes from the start of the file
  std::string_view record;   // as kind_of() names it: "instant", "string" …; "file" if no record is meant
  std::string problem;       // what is wrong
  std::string effect;        // which readers do what with it
  Fault fault = {};
  KnownReaders readers = {};  // that mind
};

}  // namespace fxt
