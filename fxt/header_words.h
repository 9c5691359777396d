// Every header word of the format, in the spec's order and words. Each word's fields are proven to name every
// bit once.
#pragma once

#include "fxt/field.h"
#include "fxt/format.h"

namespace fxt {

// Spec: "String references", a 16-bit value (here at the low end of a word).
struct StringRef {
  using Value = Field<0, 14>;  // table index, or length in bytes of an inline string
  using IsInline = Field<15>;
  using Beyond = Field<16, 63>;
};
static_assert(kTilesWord<StringRef::Value, StringRef::IsInline, StringRef::Beyond>);

// Spec: "Record header".
struct RecordHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;  // in words, this one included; so in all headers below
  using Data = Field<16, 63>;
};
static_assert(kTilesWord<RecordHeader::Type, RecordHeader::Size, RecordHeader::Data>);

// Spec: "Large record header".
struct LargeRecordHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 35>;
  using LargeType = Field<36, 39>;
  using Data = Field<40, 63>;
};
static_assert(kTilesWord<LargeRecordHeader::Type, LargeRecordHeader::Size, LargeRecordHeader::LargeType,
                         LargeRecordHeader::Data>);

// Spec: "Metadata record".
struct MetadataHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using Data = Field<20, 63>;
};
static_assert(kTilesWord<MetadataHeader::Type, MetadataHeader::Size, MetadataHeader::MetadataType,
                         MetadataHeader::Data>);

// Spec: "Provider info metadata".
struct ProviderInfoHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using NameLength = Field<52, 59>;
  using Reserved = Field<60, 63>;
};
static_assert(
    kTilesWord<ProviderInfoHeader::Type, ProviderInfoHeader::Size, ProviderInfoHeader::MetadataType,
               ProviderInfoHeader::ProviderId, ProviderInfoHeader::NameLength, ProviderInfoHeader::Reserved>);

// Spec: "Provider section metadata".
struct ProviderSectionHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using Reserved = Field<52, 63>;
};
static_assert(
    kTilesWord<ProviderSectionHeader::Type, ProviderSectionHeader::Size, ProviderSectionHeader::MetadataType,
               ProviderSectionHeader::ProviderId, ProviderSectionHeader::Reserved>);

// Spec: "Provider event metadata".
struct ProviderEventHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using ProviderId = Field<20, 51>;
  using EventId = Field<52, 55>;
  using Reserved = Field<56, 63>;
};
static_assert(
    kTilesWord<ProviderEventHeader::Type, ProviderEventHeader::Size, ProviderEventHeader::MetadataType,
               ProviderEventHeader::ProviderId, ProviderEventHeader::EventId, ProviderEventHeader::Reserved>);

// Spec: "Trace info metadata".
struct TraceInfoHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using TraceInfoType = Field<20, 23>;
  using Data = Field<24, 63>;
};
static_assert(kTilesWord<TraceInfoHeader::Type, TraceInfoHeader::Size, TraceInfoHeader::MetadataType,
                         TraceInfoHeader::TraceInfoType, TraceInfoHeader::Data>);

// Spec: "Magic number record".
struct MagicHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using MetadataType = Field<16, 19>;
  using TraceInfoType = Field<20, 23>;
  using Magic = Field<24, 55>;
  using Zero = Field<56, 63>;
};
static_assert(kTilesWord<MagicHeader::Type, MagicHeader::Size, MagicHeader::MetadataType,
                         MagicHeader::TraceInfoType, MagicHeader::Magic, MagicHeader::Zero>);
static_assert(MagicHeader::Magic::get(kMagicRecord) == kMagicNumber);

// Spec: "Initialization record". Then: ticks per second.
struct InitializationHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Reserved = Field<16, 63>;
};
static_assert(
    kTilesWord<InitializationHeader::Type, InitializationHeader::Size, InitializationHeader::Reserved>);

// Spec: "String record". Then: the text.
struct StringHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Index = Field<16, 30>;
  using Zero1 = Field<31>;
  using Length = Field<32, 46>;  // bytes
  using Zero2 = Field<47>;
  using Reserved = Field<48, 63>;
};
static_assert(kTilesWord<StringHeader::Type, StringHeader::Size, StringHeader::Index, StringHeader::Zero1,
                         StringHeader::Length, StringHeader::Zero2, StringHeader::Reserved>);

// Spec: "Thread record". Then: process koid, thread koid.
struct ThreadHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Index = Field<16, 23>;
  using Reserved = Field<24, 63>;
};
static_assert(
    kTilesWord<ThreadHeader::Type, ThreadHeader::Size, ThreadHeader::Index, ThreadHeader::Reserved>);

// Spec: "Event record". Then: timestamp, [process, thread], [category], [name], arguments, [id or end time].
struct EventHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using EventType = Field<16, 19>;
  using ArgumentCount = Field<20, 23>;
  using Thread = Field<24, 31>;    // thread ref
  using Category = Field<32, 47>;  // string ref
  using Name = Field<48, 63>;      // string ref
};
static_assert(
    kTilesWord<EventHeader::Type, EventHeader::Size, EventHeader::EventType, EventHeader::ArgumentCount,
               EventHeader::Thread, EventHeader::Category, EventHeader::Name>);

// Spec: "BLOB record". Then: [name], payload.
struct BlobHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Name = Field<16, 31>;         // string ref
  using PayloadSize = Field<32, 46>;  // bytes
  using Reserved1 = Field<47>;
  using BlobType = Field<48, 55>;
  using Reserved2 = Field<56, 63>;
};
static_assert(kTilesWord<BlobHeader::Type, BlobHeader::Size, BlobHeader::Name, BlobHeader::PayloadSize,
                         BlobHeader::Reserved1, BlobHeader::BlobType, BlobHeader::Reserved2>);

// Spec: "Userspace object record". Then: pointer, [process], [name], arguments.
struct UserspaceObjectHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Process = Field<16, 23>;  // thread ref, but ONE word when inline
  using Name = Field<24, 39>;     // string ref
  using ArgumentCount = Field<40, 43>;
  using Reserved = Field<44, 63>;
};
static_assert(kTilesWord<UserspaceObjectHeader::Type, UserspaceObjectHeader::Size,
                         UserspaceObjectHeader::Process, UserspaceObjectHeader::Name,
                         UserspaceObjectHeader::ArgumentCount, UserspaceObjectHeader::Reserved>);

// Spec: "Kernel object record". Then: koid, [name], arguments.
struct KernelObjectHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ObjectType = Field<16, 23>;
  using Name = Field<24, 39>;  // string ref
  using ArgumentCount = Field<40, 43>;
  using Reserved = Field<44, 63>;
};
static_assert(
    kTilesWord<KernelObjectHeader::Type, KernelObjectHeader::Size, KernelObjectHeader::ObjectType,
               KernelObjectHeader::Name, KernelObjectHeader::ArgumentCount, KernelObjectHeader::Reserved>);

// What all scheduling records share (fxt-notes section 5).
struct SchedulingHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Data = Field<16, 59>;
  using SchedulingType = Field<60, 63>;
};
static_assert(kTilesWord<SchedulingHeader::Type, SchedulingHeader::Size, SchedulingHeader::Data,
                         SchedulingHeader::SchedulingType>);

// Spec: "Context switch record". Then: timestamp, [outgoing process, thread], [incoming process, thread].
struct LegacyContextSwitchHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Cpu = Field<16, 23>;
  using OutgoingState = Field<24, 27>;
  using Outgoing = Field<28, 35>;  // thread ref
  using Incoming = Field<36, 43>;  // thread ref
  using OutgoingPriority = Field<44, 51>;
  using IncomingPriority = Field<52, 59>;
  using SchedulingType = Field<60, 63>;
};
static_assert(
    kTilesWord<LegacyContextSwitchHeader::Type, LegacyContextSwitchHeader::Size,
               LegacyContextSwitchHeader::Cpu, LegacyContextSwitchHeader::OutgoingState,
               LegacyContextSwitchHeader::Outgoing, LegacyContextSwitchHeader::Incoming,
               LegacyContextSwitchHeader::OutgoingPriority, LegacyContextSwitchHeader::IncomingPriority,
               LegacyContextSwitchHeader::SchedulingType>);

// fxt-notes section 5. Then: timestamp, outgoing thread koid, incoming thread koid, arguments.
struct ContextSwitchHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ArgumentCount = Field<16, 19>;
  using Cpu = Field<20, 35>;
  using OutgoingState = Field<36, 39>;
  using Reserved = Field<40, 59>;
  using SchedulingType = Field<60, 63>;
};
static_assert(
    kTilesWord<ContextSwitchHeader::Type, ContextSwitchHeader::Size, ContextSwitchHeader::ArgumentCount,
               ContextSwitchHeader::Cpu, ContextSwitchHeader::OutgoingState, ContextSwitchHeader::Reserved,
               ContextSwitchHeader::SchedulingType>);

// fxt-notes section 5. Then: timestamp, waking thread koid, arguments.
struct ThreadWakeupHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ArgumentCount = Field<16, 19>;
  using Cpu = Field<20, 35>;
  using Reserved = Field<36, 59>;
  using SchedulingType = Field<60, 63>;
};
static_assert(
    kTilesWord<ThreadWakeupHeader::Type, ThreadWakeupHeader::Size, ThreadWakeupHeader::ArgumentCount,
               ThreadWakeupHeader::Cpu, ThreadWakeupHeader::Reserved, ThreadWakeupHeader::SchedulingType>);

// Spec: "Log record". Then: timestamp, [process, thread], message.
struct LogHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Length = Field<16, 30>;  // bytes
  using Zero = Field<31>;
  using Thread = Field<32, 39>;  // thread ref
  using Reserved = Field<40, 63>;
};
static_assert(kTilesWord<LogHeader::Type, LogHeader::Size, LogHeader::Length, LogHeader::Zero,
                         LogHeader::Thread, LogHeader::Reserved>);

// What all profiler records share (fxt-notes section 5). Then: timestamp, [process, thread].
struct ProfilerHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;  // thread ref
  using Data = Field<28, 63>;
};
static_assert(kTilesWord<ProfilerHeader::Type, ProfilerHeader::Size, ProfilerHeader::ProfilerType,
                         ProfilerHeader::Thread, ProfilerHeader::Data>);

// Then: name stream, build id stream.
struct ProfilerModuleHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using ModuleId = Field<28, 43>;
  using NameLength = Field<44, 51>;     // bytes
  using BuildIdLength = Field<52, 59>;  // bytes
  using Reserved = Field<60, 63>;
};
static_assert(
    kTilesWord<ProfilerModuleHeader::Type, ProfilerModuleHeader::Size, ProfilerModuleHeader::ProfilerType,
               ProfilerModuleHeader::Thread, ProfilerModuleHeader::ModuleId, ProfilerModuleHeader::NameLength,
               ProfilerModuleHeader::BuildIdLength, ProfilerModuleHeader::Reserved>);

// Then: start, range, vaddr.
struct ProfilerMmapHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using ModuleId = Field<28, 43>;
  using Flags = Field<44, 46>;
  using Reserved = Field<47, 63>;
};
static_assert(kTilesWord<ProfilerMmapHeader::Type, ProfilerMmapHeader::Size, ProfilerMmapHeader::ProfilerType,
                         ProfilerMmapHeader::Thread, ProfilerMmapHeader::ModuleId, ProfilerMmapHeader::Flags,
                         ProfilerMmapHeader::Reserved>);

// Then: one word a frame.
struct ProfilerBacktraceHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using ProfilerType = Field<16, 19>;
  using Thread = Field<20, 27>;
  using FrameCount = Field<28, 35>;
  using Flags = Field<36, 63>;  // not in fxt-notes; Fuchsia's Rust reader has them
};
static_assert(kTilesWord<ProfilerBacktraceHeader::Type, ProfilerBacktraceHeader::Size,
                         ProfilerBacktraceHeader::ProfilerType, ProfilerBacktraceHeader::Thread,
                         ProfilerBacktraceHeader::FrameCount, ProfilerBacktraceHeader::Flags>);

// Spec: "Large BLOB record". Then: a format header.
struct LargeBlobHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 35>;
  using LargeType = Field<36, 39>;
  using Format = Field<40, 43>;
  using Reserved = Field<44, 63>;
};
static_assert(kTilesWord<LargeBlobHeader::Type, LargeBlobHeader::Size, LargeBlobHeader::LargeType,
                         LargeBlobHeader::Format, LargeBlobHeader::Reserved>);

// Spec: "In Band Large Blob Record With Metadata", format header word.
// Then: [category], [name], timestamp, [process, thread], arguments, blob size, payload.
struct LargeBlobMetadataHeader {
  using Category = Field<0, 15>;  // string ref
  using Name = Field<16, 31>;     // string ref
  using ArgumentCount = Field<32, 35>;
  using Thread = Field<36, 43>;  // thread ref
  using Reserved = Field<44, 63>;
};
static_assert(kTilesWord<LargeBlobMetadataHeader::Category, LargeBlobMetadataHeader::Name,
                         LargeBlobMetadataHeader::ArgumentCount, LargeBlobMetadataHeader::Thread,
                         LargeBlobMetadataHeader::Reserved>);

// Spec: "In Band Large Blob Record No Metadata", format header word.
// Then: [category], [name], blob size, payload.
struct LargeBlobPlainHeader {
  using Category = Field<0, 15>;  // string ref
  using Name = Field<16, 31>;     // string ref
  using Reserved = Field<32, 63>;
};
static_assert(
    kTilesWord<LargeBlobPlainHeader::Category, LargeBlobPlainHeader::Name, LargeBlobPlainHeader::Reserved>);

// Spec: "Argument header". Then: [name], value.
struct ArgumentHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Name = Field<16, 31>;   // string ref
  using Value = Field<32, 63>;  // int32, uint32; byte count of a blob argument; else reserved
};
static_assert(
    kTilesWord<ArgumentHeader::Type, ArgumentHeader::Size, ArgumentHeader::Name, ArgumentHeader::Value>);

// Spec: "String argument".
struct StringArgumentHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Name = Field<16, 31>;
  using Text = Field<32, 47>;  // string ref
  using Reserved = Field<48, 63>;
};
static_assert(kTilesWord<StringArgumentHeader::Type, StringArgumentHeader::Size, StringArgumentHeader::Name,
                         StringArgumentHeader::Text, StringArgumentHeader::Reserved>);

// Spec: "Boolean argument".
struct BoolArgumentHeader {
  using Type = Field<0, 3>;
  using Size = Field<4, 15>;
  using Name = Field<16, 31>;
  using Truth = Field<32>;
  using Reserved = Field<33, 63>;
};
static_assert(kTilesWord<BoolArgumentHeader::Type, BoolArgumentHeader::Size, BoolArgumentHeader::Name,
                         BoolArgumentHeader::Truth, BoolArgumentHeader::Reserved>);

}  // namespace fxt
