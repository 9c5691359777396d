// SPDX-License-Identifier: Apache-2.0
// All header words of the format, in the order and with the names of the spec. Static assertions prove that
// the fields of each word cover each bit once. The comments list what follows each header word. Parts in
// [brackets] are missing in some records.
#pragma once

#include "fxt/field.h"
#include "fxt/format.h"

namespace FXT_API fxt {

// Spec: "String references", a 16-bit value. This struct expects it in the low bits of a word.
struct StringRef {
  using Value = Field<0, 14>;  // table index, or length in bytes of an inline string
  using IsInline = Field<15>;
  using Beyond = Field<16, 63>;
  static_assert(kTilesWord<Value, IsInline, Beyond>);
};

// The fields with which the headers of records and arguments begin.
struct HeaderStart {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;  // size of the record in words, including this word
};

// Spec: "Record header".
struct RecordHeader : HeaderStart {
  using Data = Field<16, 63>;
  static_assert(kTilesWord<Type, Size, Data>);
};

// Spec: "Large record header".
struct LargeRecordHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 35>;
  using LargeType = Field<36, 39>;
  using Data = Field<40, 63>;
  static_assert(kTilesWord<Type, Size, LargeType, Data>);
};

// Spec: "Metadata record".
struct MetadataHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using Data = Field<20, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, Data>);
};

// Spec: "Provider info metadata".
struct ProviderInfoHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using NameLength = Field<52, 59>;
  using Reserved = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, ProviderId, NameLength, Reserved>);
};

// Spec: "Provider section metadata".
struct ProviderSectionHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using Reserved = Field<52, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, ProviderId, Reserved>);
};

// Spec: "Provider event metadata".
struct ProviderEventHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using EventId = Field<52, 55>;
  using Reserved = Field<56, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, ProviderId, EventId, Reserved>);
};

// Spec: "Trace info metadata".
struct TraceInfoHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using TraceInfoType = Field<20, 23>;
  using Data = Field<24, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, TraceInfoType, Data>);
};

// Spec: "Magic number record".
struct MagicHeader : HeaderStart {
  using MetadataType = Field<16, 19>;
  using TraceInfoType = Field<20, 23>;
  using Magic = Field<24, 55>;
  using Zero = Field<56, 63>;
  static_assert(kTilesWord<Type, Size, MetadataType, TraceInfoType, Magic, Zero>);
};
static_assert(MagicHeader::Magic::get(kMagicRecord) == kMagicNumber);

// Spec: "Initialization record". After the header: ticks per second.
struct InitializationHeader : HeaderStart {
  using Reserved = Field<16, 63>;
  static_assert(kTilesWord<Type, Size, Reserved>);
};

// Spec: "String record". After the header: the text.
struct StringHeader : HeaderStart {
  using Index = Field<16, 30>;
  using Zero1 = Field<31>;
  using Length = Field<32, 46>;  // bytes
  using Zero2 = Field<47>;
  using Reserved = Field<48, 63>;
  static_assert(kTilesWord<Type, Size, Index, Zero1, Length, Zero2, Reserved>);
};

// Spec: "Thread record". After the header: process koid, thread koid.
struct ThreadHeader : HeaderStart {
  using Index = Field<16, 23>;
  using Reserved = Field<24, 63>;
  static_assert(kTilesWord<Type, Size, Index, Reserved>);
};

// Spec: "Event record". After the header: timestamp, [process, thread], [category], [name], arguments,
// [last word]. The last word is an id, an end time or a scope.
struct EventHeader : HeaderStart {
  using EventType = Field<16, 19>;
  using ArgumentCount = Field<20, 23>;
  using Thread = Field<24, 31>;    // thread ref
  using Category = Field<32, 47>;  // string ref
  using Name = Field<48, 63>;      // string ref
  static_assert(kTilesWord<Type, Size, EventType, ArgumentCount, Thread, Category, Name>);
};

// Spec: "BLOB record". After the header: [name], payload.
struct BlobHeader : HeaderStart {
  using Name = Field<16, 31>;         // string ref
  using PayloadSize = Field<32, 46>;  // bytes
  using Reserved1 = Field<47>;
  using BlobType = Field<48, 55>;
  using Reserved2 = Field<56, 63>;
  static_assert(kTilesWord<Type, Size, Name, PayloadSize, Reserved1, BlobType, Reserved2>);
};

// Spec: "Userspace object record". After the header: pointer, [process], [name], arguments.
struct UserspaceObjectHeader : HeaderStart {
  using Process = Field<16, 23>;  // like a thread ref, but an inline process has only one word
  using Name = Field<24, 39>;     // string ref
  using ArgumentCount = Field<40, 43>;
  using Reserved = Field<44, 63>;
  static_assert(kTilesWord<Type, Size, Process, Name, ArgumentCount, Reserved>);
};

// Spec: "Kernel object record". After the header: koid, [name], arguments.
struct KernelObjectHeader : HeaderStart {
  using ObjectType = Field<16, 23>;
  using Name = Field<24, 39>;  // string ref
  using ArgumentCount = Field<40, 43>;
  using Reserved = Field<44, 63>;
  static_assert(kTilesWord<Type, Size, ObjectType, Name, ArgumentCount, Reserved>);
};

// The fields that all scheduling records share.
struct SchedulingHeader : HeaderStart {
  using Data = Field<16, 59>;
  using SchedulingType = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, Data, SchedulingType>);
};

// Spec: "Context switch record". After the header: timestamp, [outgoing koids], [incoming koids].
struct LegacyContextSwitchHeader : HeaderStart {
  using Cpu = Field<16, 23>;
  using OutgoingState = Field<24, 27>;
  using Outgoing = Field<28, 35>;  // thread ref
  using Incoming = Field<36, 43>;  // thread ref
  using OutgoingPriority = Field<44, 51>;
  using IncomingPriority = Field<52, 59>;
  using SchedulingType = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, Cpu, OutgoingState, Outgoing, Incoming, OutgoingPriority,
                           IncomingPriority, SchedulingType>);
};

// Spec: "Scheduling Record", type 1. After the header: timestamp, koids of both threads, arguments.
struct ContextSwitchHeader : HeaderStart {
  using ArgumentCount = Field<16, 19>;
  using Cpu = Field<20, 35>;
  using OutgoingState = Field<36, 39>;
  using Reserved = Field<40, 59>;
  using SchedulingType = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, ArgumentCount, Cpu, OutgoingState, Reserved, SchedulingType>);
};

// Spec: "Scheduling Record", type 2. After the header: timestamp, waking thread koid, arguments.
struct ThreadWakeupHeader : HeaderStart {
  using ArgumentCount = Field<16, 19>;
  using Cpu = Field<20, 35>;
  using Reserved = Field<36, 59>;
  using SchedulingType = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, ArgumentCount, Cpu, Reserved, SchedulingType>);
};

// Spec: "Log record". After the header: timestamp, [process, thread], message.
struct LogHeader : HeaderStart {
  using Length = Field<16, 30>;  // bytes
  using Zero = Field<31>;
  using Thread = Field<32, 39>;  // thread ref
  using Reserved = Field<40, 63>;
  static_assert(kTilesWord<Type, Size, Length, Zero, Thread, Reserved>);
};

// The fields that all profiler records share. These records are not in the spec, but Fuchsia's readers read
// them. After the header: timestamp, [process, thread].
struct ProfilerHeader : HeaderStart {
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;  // thread ref
  using Data = Field<28, 63>;
  static_assert(kTilesWord<Type, Size, ProfilerType, Thread, Data>);
};

// After the timestamp and [process, thread]: name stream, build id stream.
struct ProfilerModuleHeader : HeaderStart {
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using ModuleId = Field<28, 43>;
  using NameLength = Field<44, 51>;     // bytes
  using BuildIdLength = Field<52, 59>;  // bytes
  using Reserved = Field<60, 63>;
  static_assert(kTilesWord<Type, Size, ProfilerType, Thread, ModuleId, NameLength, BuildIdLength, Reserved>);
};

// After the timestamp and [process, thread]: start, range, virtual address.
struct ProfilerMmapHeader : HeaderStart {
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using ModuleId = Field<28, 43>;
  using Flags = Field<44, 46>;
  using Reserved = Field<47, 63>;
  static_assert(kTilesWord<Type, Size, ProfilerType, Thread, ModuleId, Flags, Reserved>);
};

// After the timestamp and [process, thread]: one word per frame.
struct ProfilerBacktraceHeader : HeaderStart {
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using FrameCount = Field<28, 35>;
  using Flags = Field<36, 63>;  // only Fuchsia's Rust reader reads these flags
  static_assert(kTilesWord<Type, Size, ProfilerType, Thread, FrameCount, Flags>);
};

// Spec: "Large BLOB record". After the header: a format header.
struct LargeBlobHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 35>;
  using LargeType = Field<36, 39>;
  using Format = Field<40, 43>;
  using Reserved = Field<44, 63>;
  static_assert(kTilesWord<Type, Size, LargeType, Format, Reserved>);
};

// Spec: "In Band Large Blob Record With Metadata", format header word. After this word: [category], [name],
// timestamp, [process, thread], arguments, blob size, payload.
struct LargeBlobMetadataHeader {
  using Category = Field<0, 15>;  // string ref
  using Name = Field<16, 31>;     // string ref
  using ArgumentCount = Field<32, 35>;
  using Thread = Field<36, 43>;  // thread ref
  using Reserved = Field<44, 63>;
  static_assert(kTilesWord<Category, Name, ArgumentCount, Thread, Reserved>);
};

// Spec: "In Band Large Blob Record No Metadata", format header word. After this word: [category], [name],
// blob size, payload.
struct LargeBlobPlainHeader {
  using Category = Field<0, 15>;  // string ref
  using Name = Field<16, 31>;     // string ref
  using Reserved = Field<32, 63>;
  static_assert(kTilesWord<Category, Name, Reserved>);
};

// Spec: "Argument header". After the header: [name], value.
struct ArgumentHeader : HeaderStart {
  using Name = Field<16, 31>;   // string ref
  using Value = Field<32, 63>;  // the value of int32 and uint32; size of a blob in bytes; otherwise reserved
  static_assert(kTilesWord<Type, Size, Name, Value>);
};

// Spec: "String argument".
struct StringArgumentHeader : HeaderStart {
  using Name = Field<16, 31>;
  using Text = Field<32, 47>;  // string ref
  using Reserved = Field<48, 63>;
  static_assert(kTilesWord<Type, Size, Name, Text, Reserved>);
};

// Spec: "Boolean argument".
struct BoolArgumentHeader : HeaderStart {
  using Name = Field<16, 31>;
  using Truth = Field<32>;
  using Reserved = Field<33, 63>;
  static_assert(kTilesWord<Type, Size, Name, Truth, Reserved>);
};

}  // namespace fxt
