// SPDX-License-Identifier: Apache-2.0
// The types and limits of the Fuchsia trace format, in the order and with the names of the spec.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// Spec: "Magic number record". It is the first word of every file.
inline constexpr std::uint64_t kMagicRecord = 0x0016'5478'4604'0010;
inline constexpr std::uint64_t kMagicNumber = 0x1654'7846;

// Limits of the format and of its known readers.
inline constexpr std::size_t kMaxRecordWords = 4095;       // including the header word
inline constexpr std::size_t kMaxStringBytes = 32'000;     // Fuchsia's C++ reader rejects longer inline texts
inline constexpr std::size_t kMaxBlobChunkBytes = 32'000;  // bytes in the payload of one blob record
inline constexpr std::size_t kMaxProviderNameBytes = 255;  // the length is a field of 8 bits
inline constexpr std::size_t kMaxArguments = 15;           // the count is a field of 4 bits
inline constexpr std::size_t kMaxStringIndex = 32'767;     // index 0 is the empty string
inline constexpr std::size_t kMaxThreadIndex = 255;        // index 0 stands for an inline thread
inline constexpr std::size_t kMaxLegacyCpu = 255;          // for context switches of subtype 0
inline constexpr std::size_t kMaxCpu = 4095;               // Perfetto aborts at larger numbers
inline constexpr std::size_t kMaxDepth = 512;              // nested durations; Perfetto drops deeper ones
// The limit for different pairs of a duration's name and its source location. Tracy can save a trace with
// more pairs, but can't load the saved file.
inline constexpr std::size_t kMaxLocations = 32'767;
inline constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;  // 1 tick = 1 ns; all readers support it
// Times in ns must be less than this. Perfetto and Fuchsia's Rust reader reject later times.
inline constexpr std::uint64_t kTimeLimit = std::uint64_t{1} << 63;
// The time from the first to the last event must be less than this, in ns (39 h). In Tracy, later times wrap.
inline constexpr std::uint64_t kSpanLimit = std::uint64_t{1} << 47;
// Perfetto truncates pids and tids to 32 bits.
inline constexpr std::uint64_t kKoidLimit = std::uint64_t{1} << 32;

// Spec: "Record Types". Older copies of the spec call Scheduling "Context switch". Most copies
// of the spec lack Profiler.
enum class RecordType : std::uint8_t {
  Metadata = 0,
  Initialization = 1,
  String = 2,
  Thread = 3,
  Event = 4,
  Blob = 5,
  UserspaceObject = 6,
  KernelObject = 7,
  Scheduling = 8,
  Log = 9,
  Profiler = 10,
  Large = 15,
};

enum class MetadataType : std::uint8_t {
  ProviderInfo = 1,
  ProviderSection = 2,
  ProviderEvent = 3,
  TraceInfo = 4
};

enum class TraceInfoType : std::uint8_t { MagicNumber = 0 };

enum class ProviderEventId : std::uint8_t { BufferFull = 0 };  // records were likely dropped

// Spec: "Event record", the data that depend on the event type.
enum class EventType : std::uint8_t {
  Instant = 0,
  Counter = 1,
  DurationBegin = 2,
  DurationEnd = 3,
  DurationComplete = 4,
  AsyncBegin = 5,
  AsyncInstant = 6,
  AsyncEnd = 7,
  FlowBegin = 8,
  FlowStep = 9,
  FlowEnd = 10,
};

// The object that an instant is about. The spec lacks the scope, but Fuchsia's programs write it, and
// Fuchsia's C++ reader reads it. Files may contain other numbers.
enum class InstantScope : std::uint64_t { Thread = 0, Process = 1, Global = 2 };

constexpr bool is_duration(EventType type) {
  return type >= EventType::DurationBegin && type <= EventType::DurationComplete;
}
constexpr bool is_async(EventType type) {
  return type >= EventType::AsyncBegin && type <= EventType::AsyncEnd;
}
constexpr bool is_flow(EventType type) { return type >= EventType::FlowBegin && type <= EventType::FlowEnd; }
constexpr bool has_id(EventType type) {
  return type == EventType::Counter || is_async(type) || is_flow(type);
}

// Spec: "Blob types". Most copies of the spec lack Perfetto.
enum class BlobType : std::uint8_t { Data = 1, LastBranch = 2, Perfetto = 3 };

// ZX_OBJ_TYPE_PROCESS and ZX_OBJ_TYPE_THREAD: viewers take names only from these two kinds of kernel objects.
enum class KernelObjectType : std::uint8_t { Process = 1, Thread = 2 };

// Spec: "Context switch record". Older files have zeros in the bits of the subtype, so their records are
// legacy context switches.
enum class SchedulingType : std::uint8_t { LegacyContextSwitch = 0, ContextSwitch = 1, ThreadWakeup = 2 };

// Spec: "Thread States".
enum class ThreadState : std::uint8_t {
  New = 0,
  Running = 1,
  Suspended = 2,
  Blocked = 3,
  Dying = 4,
  Dead = 5,
};

enum class ProfilerType : std::uint8_t { Module = 0, Mmap = 1, Backtrace = 2 };

enum class LargeRecordType : std::uint8_t { Blob = 0 };

enum class LargeBlobFormat : std::uint8_t { WithMetadata = 0, WithoutMetadata = 1 };

// Spec: "Argument types". Most copies of the spec lack Blob.
enum class ArgumentType : std::uint8_t {
  Null = 0,
  Int32 = 1,
  Uint32 = 2,
  Int64 = 3,
  Uint64 = 4,
  Double = 5,
  String = 6,
  Pointer = 7,
  Koid = 8,
  Bool = 9,
  Blob = 10,
};

// The number that represents an enumerator in a file.
template <typename Enum>
constexpr std::uint64_t code(Enum value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace fxt
