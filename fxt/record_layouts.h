// The layout of each kind of record, in the order of the spec. Each layout is stated once: the Reader decodes
// with it, and the Writer encodes with it. This header is internal.
//
// In the functions below, `c` is a codec, which reads or writes one record. The parameters of a codec's
// functions are Fields of the header word and members of the record. Functions that return a bool return
// false if the record ends too early. The functions read or write:
//
//   is(Field, constant)                  bits that all records of the type have
//   zero(Field...)                       reserved bits
//   field(Field, number)                 bits of the header
//   word(number)                         a word
//   optional_word(optional number)       a word, if the record has more words
//   thread(Field, thread)                a thread ref, and its koids if it is inline
//   process(Field, thread)               a thread ref, followed only by the process koid if it is inline
//   string(Field, string)                a string ref, and its text if it is inline
//   name(Field, string)                  like string(), but the text need not be UTF-8
//   text(Field, text), bytes, words      a stream or words, whose size is in the header
//   arguments(Field, arguments)          arguments, whose number is in the header
//   next_header()                        a word; the fields that follow are in this word
//   sized_bytes(bytes)                   a word with the size, and a stream
#pragma once

#include <concepts>
#include <type_traits>

#include "fxt/header_words.h"
#include "fxt/records.h"

namespace fxt {

template <typename T, typename Kind>
concept IsA = std::same_as<std::remove_const_t<T>, Kind>;

// ---- Metadata and tables ----

bool layout(auto& c, IsA<Magic> auto& /*magic*/) {
  using H = MagicHeader;
  c.is(H::Type{}, RecordType::Metadata);
  c.is(H::MetadataType{}, MetadataType::TraceInfo);
  c.is(H::TraceInfoType{}, TraceInfoType::MagicNumber);
  c.is(H::Magic{}, kMagicNumber);
  c.zero(H::Zero{});
  return true;
}

bool layout(auto& c, IsA<ProviderInfo> auto& info) {
  using H = ProviderInfoHeader;
  c.is(H::Type{}, RecordType::Metadata);
  c.is(H::MetadataType{}, MetadataType::ProviderInfo);
  c.zero(H::Reserved{});
  c.field(H::ProviderId{}, info.id);
  return c.text(H::NameLength{}, info.name);
}

bool layout(auto& c, IsA<ProviderSection> auto& section) {
  using H = ProviderSectionHeader;
  c.is(H::Type{}, RecordType::Metadata);
  c.is(H::MetadataType{}, MetadataType::ProviderSection);
  c.zero(H::Reserved{});
  c.field(H::ProviderId{}, section.id);
  return true;
}

bool layout(auto& c, IsA<ProviderEvent> auto& event) {
  using H = ProviderEventHeader;
  c.is(H::Type{}, RecordType::Metadata);
  c.is(H::MetadataType{}, MetadataType::ProviderEvent);
  c.zero(H::Reserved{});
  c.field(H::ProviderId{}, event.id);
  c.field(H::EventId{}, event.event);
  return true;
}

bool layout(auto& c, IsA<Initialization> auto& initialization) {
  using H = InitializationHeader;
  c.is(H::Type{}, RecordType::Initialization);
  c.zero(H::Reserved{});
  return c.word(initialization.ticks_per_second);
}

bool layout(auto& c, IsA<StringRecord> auto& string) {
  using H = StringHeader;
  c.is(H::Type{}, RecordType::String);
  c.zero(H::Zero1{}, H::Zero2{}, H::Reserved{});
  c.field(H::Index{}, string.index);
  return c.text(H::Length{}, string.text);
}

bool layout(auto& c, IsA<ThreadRecord> auto& thread) {
  using H = ThreadHeader;
  c.is(H::Type{}, RecordType::Thread);
  c.zero(H::Reserved{});
  c.field(H::Index{}, thread.index);
  return c.word(thread.process) && c.word(thread.thread);
}

// ---- Events and objects ----

bool layout(auto& c, IsA<Event> auto& event) {
  using H = EventHeader;
  c.is(H::Type{}, RecordType::Event);
  c.field(H::EventType{}, event.type);
  if (!c.word(event.time) || !c.thread(H::Thread{}, event.thread) ||
      !c.string(H::Category{}, event.category) || !c.string(H::Name{}, event.name) ||
      !c.arguments(H::ArgumentCount{}, event.arguments))
    return false;
  if (event.type == EventType::Instant) return c.optional_word(event.scope);
  if (event.type == EventType::DurationComplete) return c.word(event.end);
  return !has_id(event.type) || c.word(event.id);
}

bool layout(auto& c, IsA<KernelObject> auto& object) {
  using H = KernelObjectHeader;
  c.is(H::Type{}, RecordType::KernelObject);
  c.zero(H::Reserved{});
  c.field(H::ObjectType{}, object.type);
  // In the newest spec, the inline name of a kernel object may hold any bytes.
  return c.word(object.koid) && c.name(H::Name{}, object.name) &&
         c.arguments(H::ArgumentCount{}, object.arguments);
}

bool layout(auto& c, IsA<UserspaceObject> auto& object) {
  using H = UserspaceObjectHeader;
  c.is(H::Type{}, RecordType::UserspaceObject);
  c.zero(H::Reserved{});
  // An inline process is one word, because no thread koid follows.
  return c.word(object.pointer) && c.process(H::Process{}, object.process) &&
         c.string(H::Name{}, object.name) && c.arguments(H::ArgumentCount{}, object.arguments);
}

// ---- Scheduling ----

bool layout(auto& c, IsA<LegacyContextSwitch> auto& change) {
  using H = LegacyContextSwitchHeader;
  c.is(H::Type{}, RecordType::Scheduling);
  c.is(H::SchedulingType{}, SchedulingType::LegacyContextSwitch);
  c.field(H::Cpu{}, change.cpu);
  c.field(H::OutgoingState{}, change.outgoing_state);
  c.field(H::OutgoingPriority{}, change.outgoing_priority);
  c.field(H::IncomingPriority{}, change.incoming_priority);
  return c.word(change.time) && c.thread(H::Outgoing{}, change.outgoing) &&
         c.thread(H::Incoming{}, change.incoming);
}

bool layout(auto& c, IsA<ContextSwitch> auto& change) {
  using H = ContextSwitchHeader;
  c.is(H::Type{}, RecordType::Scheduling);
  c.is(H::SchedulingType{}, SchedulingType::ContextSwitch);
  c.zero(H::Reserved{});
  c.field(H::Cpu{}, change.cpu);
  c.field(H::OutgoingState{}, change.outgoing_state);
  return c.word(change.time) && c.word(change.outgoing_thread) && c.word(change.incoming_thread) &&
         c.arguments(H::ArgumentCount{}, change.arguments);
}

bool layout(auto& c, IsA<ThreadWakeup> auto& wakeup) {
  using H = ThreadWakeupHeader;
  c.is(H::Type{}, RecordType::Scheduling);
  c.is(H::SchedulingType{}, SchedulingType::ThreadWakeup);
  c.zero(H::Reserved{});
  c.field(H::Cpu{}, wakeup.cpu);
  return c.word(wakeup.time) && c.word(wakeup.thread) && c.arguments(H::ArgumentCount{}, wakeup.arguments);
}

// ---- Profiler ----

bool layout(auto& c, IsA<ProfilerModule> auto& module) {
  using H = ProfilerModuleHeader;
  c.is(H::Type{}, RecordType::Profiler);
  c.is(H::ProfilerType{}, ProfilerType::Module);
  c.zero(H::Reserved{});
  c.field(H::ModuleId{}, module.module_id);
  return c.word(module.time) && c.thread(H::Thread{}, module.thread) &&
         c.text(H::NameLength{}, module.name) && c.bytes(H::BuildIdLength{}, module.build_id);
}

bool layout(auto& c, IsA<ProfilerMmap> auto& mmap) {
  using H = ProfilerMmapHeader;
  c.is(H::Type{}, RecordType::Profiler);
  c.is(H::ProfilerType{}, ProfilerType::Mmap);
  c.zero(H::Reserved{});
  c.field(H::ModuleId{}, mmap.module_id);
  c.field(H::Flags{}, mmap.flags);
  return c.word(mmap.time) && c.thread(H::Thread{}, mmap.thread) && c.word(mmap.start) &&
         c.word(mmap.range) && c.word(mmap.vaddr);
}

bool layout(auto& c, IsA<ProfilerBacktrace> auto& backtrace) {
  using H = ProfilerBacktraceHeader;
  c.is(H::Type{}, RecordType::Profiler);
  c.is(H::ProfilerType{}, ProfilerType::Backtrace);
  c.field(H::Flags{}, backtrace.flags);
  return c.word(backtrace.time) && c.thread(H::Thread{}, backtrace.thread) &&
         c.words(H::FrameCount{}, backtrace.frames);
}

// ---- Messages and blobs ----

bool layout(auto& c, IsA<Log> auto& log) {
  using H = LogHeader;
  c.is(H::Type{}, RecordType::Log);
  c.zero(H::Zero{}, H::Reserved{});
  return c.word(log.time) && c.thread(H::Thread{}, log.thread) && c.text(H::Length{}, log.message);
}

bool layout(auto& c, IsA<Blob> auto& blob) {
  using H = BlobHeader;
  c.is(H::Type{}, RecordType::Blob);
  c.zero(H::Reserved1{}, H::Reserved2{});
  c.field(H::BlobType{}, blob.type);
  return c.string(H::Name{}, blob.name) && c.bytes(H::PayloadSize{}, blob.bytes);
}

bool layout(auto& c, IsA<LargeBlob> auto& blob) {
  using H = LargeBlobHeader;
  using Second = LargeBlobMetadataHeader;
  c.is(H::Type{}, RecordType::Large);
  c.is(H::LargeType{}, LargeRecordType::Blob);
  c.is(H::Format{}, LargeBlobFormat::WithMetadata);
  c.zero(H::Reserved{});
  if (!c.next_header()) return false;
  c.zero(Second::Reserved{});
  return c.string(Second::Category{}, blob.category) && c.string(Second::Name{}, blob.name) &&
         c.word(blob.time) && c.thread(Second::Thread{}, blob.thread) &&
         c.arguments(Second::ArgumentCount{}, blob.arguments) && c.sized_bytes(blob.bytes);
}

bool layout(auto& c, IsA<LargeBlobWithoutMetadata> auto& blob) {
  using H = LargeBlobHeader;
  using Second = LargeBlobPlainHeader;
  c.is(H::Type{}, RecordType::Large);
  c.is(H::LargeType{}, LargeRecordType::Blob);
  c.is(H::Format{}, LargeBlobFormat::WithoutMetadata);
  c.zero(H::Reserved{});
  if (!c.next_header()) return false;
  c.zero(Second::Reserved{});
  return c.string(Second::Category{}, blob.category) && c.string(Second::Name{}, blob.name) &&
         c.sized_bytes(blob.bytes);
}

}  // namespace fxt
