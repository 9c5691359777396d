// One function per kind of record; each reads its words in the spec's order.
#include "fxt/reading/record_decoder.h"

#include "fxt/header_words.h"
#include "fxt/utf8.h"

namespace fxt {

// ---- Events ----

bool RecordDecoder::plain_event(std::span<const std::uint64_t> words, Record& record) {
  using Header = EventHeader;
  constexpr std::uint64_t kNeedsCare = Header::Type::kMask | Header::ArgumentCount::kMask |
                                       Header::Category::put(StringRef::IsInline::kMask) |
                                       Header::Name::put(StringRef::IsInline::kMask);
  const std::uint64_t header = words[0];
  if ((header & kNeedsCare) != Header::Type::put(code(RecordType::Event))) return false;
  const auto type = static_cast<EventType>(Header::EventType::get(header));
  const bool is_instant_or_pair =
      type == EventType::Instant || type == EventType::DurationBegin || type == EventType::DurationEnd;
  if (type > EventType::FlowEnd || words.size() != (is_instant_or_pair ? 2 : 3)) return false;

  const ProviderContext& provider = providers_.current();
  const auto thread = static_cast<std::uint8_t>(Header::Thread::get(header));
  const TableThread* const thread_koids = provider.threads.find(thread);
  const auto category = static_cast<std::uint16_t>(Header::Category::get(header));
  const auto name = static_cast<std::uint16_t>(Header::Name::get(header));
  static const TableString kEmpty;
  const TableString* const category_text = category == 0 ? &kEmpty : provider.strings.find(category);
  const TableString* const name_text = name == 0 ? &kEmpty : provider.strings.find(name);
  if (thread_koids == nullptr || category_text == nullptr || name_text == nullptr) return false;

  auto* event = std::get_if<Event>(&record);
  if (event == nullptr) event = &record.emplace<Event>();
  event->type = type;
  event->time = words[1];
  event->thread = {.process = thread_koids->process,
                   .thread = thread_koids->thread,
                   .storage = Storage::Table,
                   .index = thread};
  const auto refer = [](String& string, const TableString& entry, std::uint16_t index) {
    string.text = entry.text;
    string.storage = Storage::Table;
    string.valid_utf8 = entry.valid_utf8;
    string.index = index;
  };
  refer(event->category, *category_text, category);
  refer(event->name, *name_text, name);
  if (!event->arguments.empty()) event->arguments = {};
  const std::uint64_t last = is_instant_or_pair ? 0 : words[2];
  event->end = type == EventType::DurationComplete ? last : 0;
  event->id = type == EventType::DurationComplete ? 0 : last;
  if (type == EventType::DurationComplete && event->end < event->time)
    problem(ProblemKind::EndBeforeBegin, 2);
  return true;
}

bool RecordDecoder::event(RecordCursor& in, std::uint64_t header, Record& record) {
  using Header = EventHeader;
  if (Header::EventType::get(header) > code(EventType::FlowEnd))
    return unknown(Header::EventType::get(header));
  auto& event = record.emplace<Event>();
  event.type = static_cast<EventType>(Header::EventType::get(header));
  if (!in.word(event.time) || !thread_ref(in, Header::Thread::get(header), event.thread) ||
      !string_ref(in, Header::Category::get(header), event.category) ||
      !string_ref(in, Header::Name::get(header), event.name) ||
      !arguments(in, Header::ArgumentCount::get(header), event.arguments))
    return false;
  switch (event.type) {
    case EventType::Instant:
    case EventType::DurationBegin:
    case EventType::DurationEnd:
      return true;
    case EventType::DurationComplete:
      if (!in.word(event.end)) return false;
      if (event.end < event.time) problem(ProblemKind::EndBeforeBegin, in.position() - 1);
      return true;
    case EventType::Counter:
    case EventType::AsyncBegin:
    case EventType::AsyncInstant:
    case EventType::AsyncEnd:
    case EventType::FlowBegin:
    case EventType::FlowStep:
    case EventType::FlowEnd:
      return in.word(event.id);
  }
  return false;
}

// ---- Metadata and tables ----

bool RecordDecoder::metadata(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<MetadataType>(MetadataHeader::MetadataType::get(header))) {
    case MetadataType::ProviderInfo: {
      using Header = ProviderInfoHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& info = record.emplace<ProviderInfo>();
      info.id = static_cast<std::uint32_t>(Header::ProviderId::get(header));
      if (!text(in, Header::NameLength::get(header), info.name)) return false;
      if (providers_.announce(info.id, info.name)) problem(ProblemKind::ProviderAgain, 0, info.id);
      return true;
    }
    case MetadataType::ProviderSection: {
      using Header = ProviderSectionHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& section = record.emplace<ProviderSection>();
      section.id = static_cast<std::uint32_t>(Header::ProviderId::get(header));
      if (!providers_.enter(section.id)) problem(ProblemKind::UnknownProvider, 0, section.id);
      return true;
    }
    case MetadataType::ProviderEvent: {
      using Header = ProviderEventHeader;
      reserved(header & Header::Reserved::kMask, 0);
      if (Header::EventId::get(header) != code(ProviderEventId::BufferFull))
        return unknown(Header::EventId::get(header));
      auto& event = record.emplace<ProviderEvent>();
      event.id = static_cast<std::uint32_t>(Header::ProviderId::get(header));
      if (!providers_.knows(event.id)) problem(ProblemKind::UnknownProvider, 0, event.id);
      return true;
    }
    case MetadataType::TraceInfo:
      if (TraceInfoHeader::TraceInfoType::get(header) != code(TraceInfoType::MagicNumber))
        return unknown(TraceInfoHeader::TraceInfoType::get(header));
      if (MagicHeader::Magic::get(header) != kMagicNumber)
        problem(ProblemKind::WrongMagic, 0, MagicHeader::Magic::get(header));
      reserved(header & MagicHeader::Zero::kMask, 0);
      record.emplace<Magic>();
      return true;
  }
  return unknown(MetadataHeader::MetadataType::get(header));
}

bool RecordDecoder::initialization(RecordCursor& in, std::uint64_t header, Record& record) {
  reserved(header & InitializationHeader::Reserved::kMask, 0);
  auto& initialization = record.emplace<Initialization>();
  if (!in.word(initialization.ticks_per_second)) return false;
  if (initialization.ticks_per_second == 0) problem(ProblemKind::TickRateZero, 1);
  providers_.current().ticks_per_second = initialization.ticks_per_second;
  return true;
}

bool RecordDecoder::string(RecordCursor& in, std::uint64_t header, Record& record) {
  using Header = StringHeader;
  reserved(header & (Header::Zero1::kMask | Header::Zero2::kMask | Header::Reserved::kMask), 0);
  auto& string = record.emplace<StringRecord>();
  string.index = static_cast<std::uint16_t>(Header::Index::get(header));
  if (!text(in, Header::Length::get(header), string.text)) return false;
  if (string.index == 0) {
    problem(ProblemKind::StringIndexZero, 0);
    return true;
  }
  bool is_new = true;
  TableString& entry = providers_.current().strings.entry(string.index, is_new);
  if (!is_new && entry.text != string.text) problem(ProblemKind::StringReplaced, 0, string.index);
  entry.text = string.text;
  entry.valid_utf8 = is_valid_utf8(string.text);
  return true;
}

bool RecordDecoder::thread(RecordCursor& in, std::uint64_t header, Record& record) {
  reserved(header & ThreadHeader::Reserved::kMask, 0);
  auto& thread = record.emplace<ThreadRecord>();
  thread.index = static_cast<std::uint8_t>(ThreadHeader::Index::get(header));
  if (!in.word(thread.process) || !in.word(thread.thread)) return false;
  if (thread.index == 0) {
    problem(ProblemKind::ThreadIndexZero, 0);
    return true;
  }
  bool is_new = true;
  TableThread& entry = providers_.current().threads.entry(thread.index, is_new);
  if (!is_new && (entry.process != thread.process || entry.thread != thread.thread))
    problem(ProblemKind::ThreadReplaced, 0, thread.index);
  entry = {.process = thread.process, .thread = thread.thread};
  return true;
}

// ---- Objects ----

bool RecordDecoder::userspace_object(RecordCursor& in, std::uint64_t header, Record& record) {
  using Header = UserspaceObjectHeader;
  reserved(header & Header::Reserved::kMask, 0);
  auto& object = record.emplace<UserspaceObject>();
  if (!in.word(object.pointer)) return false;
  if (Header::Process::get(header) == 0) {
    object.process.storage = Storage::Inline;
    if (!in.word(object.process.process)) return false;  // one word: no thread koid follows
  } else if (!thread_ref(in, Header::Process::get(header), object.process)) {
    return false;
  }
  return string_ref(in, Header::Name::get(header), object.name) &&
         arguments(in, Header::ArgumentCount::get(header), object.arguments);
}

bool RecordDecoder::kernel_object(RecordCursor& in, std::uint64_t header, Record& record) {
  using Header = KernelObjectHeader;
  reserved(header & Header::Reserved::kMask, 0);
  auto& object = record.emplace<KernelObject>();
  object.type = static_cast<KernelObjectType>(Header::ObjectType::get(header));
  // The newest spec lets the inline names of kernel objects hold any bytes.
  return in.word(object.koid) && string_ref(in, Header::Name::get(header), object.name, Utf8::AnyBytes) &&
         arguments(in, Header::ArgumentCount::get(header), object.arguments);
}

// ---- Scheduling ----

bool RecordDecoder::scheduling(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<SchedulingType>(SchedulingHeader::SchedulingType::get(header))) {
    case SchedulingType::LegacyContextSwitch: {
      using Header = LegacyContextSwitchHeader;
      auto& change = record.emplace<LegacyContextSwitch>();
      change.cpu = static_cast<std::uint16_t>(Header::Cpu::get(header));
      change.outgoing_state = static_cast<ThreadState>(Header::OutgoingState::get(header));
      change.outgoing_priority = static_cast<std::uint8_t>(Header::OutgoingPriority::get(header));
      change.incoming_priority = static_cast<std::uint8_t>(Header::IncomingPriority::get(header));
      return in.word(change.time) && thread_ref(in, Header::Outgoing::get(header), change.outgoing) &&
             thread_ref(in, Header::Incoming::get(header), change.incoming);
    }
    case SchedulingType::ContextSwitch: {
      using Header = ContextSwitchHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& change = record.emplace<ContextSwitch>();
      change.cpu = static_cast<std::uint16_t>(Header::Cpu::get(header));
      change.outgoing_state = static_cast<ThreadState>(Header::OutgoingState::get(header));
      return in.word(change.time) && in.word(change.outgoing_thread) && in.word(change.incoming_thread) &&
             arguments(in, Header::ArgumentCount::get(header), change.arguments);
    }
    case SchedulingType::ThreadWakeup: {
      using Header = ThreadWakeupHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& wakeup = record.emplace<ThreadWakeup>();
      wakeup.cpu = static_cast<std::uint16_t>(Header::Cpu::get(header));
      return in.word(wakeup.time) && in.word(wakeup.thread) &&
             arguments(in, Header::ArgumentCount::get(header), wakeup.arguments);
    }
  }
  return unknown(SchedulingHeader::SchedulingType::get(header));
}

bool RecordDecoder::profiler(RecordCursor& in, std::uint64_t header, Record& record) {
  const std::uint64_t ref = ProfilerHeader::Thread::get(header);
  switch (static_cast<ProfilerType>(ProfilerHeader::ProfilerType::get(header))) {
    case ProfilerType::Module: {
      using Header = ProfilerModuleHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& module = record.emplace<ProfilerModule>();
      module.module_id = static_cast<std::uint16_t>(Header::ModuleId::get(header));
      return in.word(module.time) && thread_ref(in, ref, module.thread) &&
             text(in, Header::NameLength::get(header), module.name) &&
             bytes(in, Header::BuildIdLength::get(header), module.build_id);
    }
    case ProfilerType::Mmap: {
      using Header = ProfilerMmapHeader;
      reserved(header & Header::Reserved::kMask, 0);
      auto& mmap = record.emplace<ProfilerMmap>();
      mmap.module_id = static_cast<std::uint16_t>(Header::ModuleId::get(header));
      mmap.flags = static_cast<std::uint8_t>(Header::Flags::get(header));
      return in.word(mmap.time) && thread_ref(in, ref, mmap.thread) && in.word(mmap.start) &&
             in.word(mmap.range) && in.word(mmap.vaddr);
    }
    case ProfilerType::Backtrace: {
      using Header = ProfilerBacktraceHeader;
      auto& backtrace = record.emplace<ProfilerBacktrace>();
      backtrace.flags = static_cast<std::uint32_t>(Header::Flags::get(header));
      return in.word(backtrace.time) && thread_ref(in, ref, backtrace.thread) &&
             in.words(Header::FrameCount::get(header), backtrace.frames);
    }
  }
  return unknown(ProfilerHeader::ProfilerType::get(header));
}

// ---- Messages and blobs ----

bool RecordDecoder::log(RecordCursor& in, std::uint64_t header, Record& record) {
  reserved(header & (LogHeader::Zero::kMask | LogHeader::Reserved::kMask), 0);
  auto& log = record.emplace<Log>();
  return in.word(log.time) && thread_ref(in, LogHeader::Thread::get(header), log.thread) &&
         text(in, LogHeader::Length::get(header), log.message);
}

bool RecordDecoder::blob(RecordCursor& in, std::uint64_t header, Record& record) {
  using Header = BlobHeader;
  reserved(header & (Header::Reserved1::kMask | Header::Reserved2::kMask), 0);
  auto& blob = record.emplace<Blob>();
  blob.type = static_cast<BlobType>(Header::BlobType::get(header));
  return string_ref(in, Header::Name::get(header), blob.name) &&
         bytes(in, Header::PayloadSize::get(header), blob.bytes);
}

bool RecordDecoder::large(RecordCursor& in, std::uint64_t header, Record& record) {
  if (LargeRecordHeader::LargeType::get(header) != code(LargeRecordType::Blob))
    return unknown(LargeRecordHeader::LargeType::get(header));
  reserved(header & LargeBlobHeader::Reserved::kMask, 0);
  std::uint64_t format_header = 0;
  std::uint64_t size = 0;
  switch (static_cast<LargeBlobFormat>(LargeBlobHeader::Format::get(header))) {
    case LargeBlobFormat::WithMetadata: {
      using Header = LargeBlobMetadataHeader;
      auto& blob = record.emplace<LargeBlob>();
      if (!in.word(format_header)) return false;
      reserved(format_header & Header::Reserved::kMask, 1);
      return string_ref(in, Header::Category::get(format_header), blob.category) &&
             string_ref(in, Header::Name::get(format_header), blob.name) && in.word(blob.time) &&
             thread_ref(in, Header::Thread::get(format_header), blob.thread) &&
             arguments(in, Header::ArgumentCount::get(format_header), blob.arguments) && in.word(size) &&
             bytes(in, size, blob.bytes);
    }
    case LargeBlobFormat::WithoutMetadata: {
      using Header = LargeBlobPlainHeader;
      auto& blob = record.emplace<LargeBlobWithoutMetadata>();
      if (!in.word(format_header)) return false;
      reserved(format_header & Header::Reserved::kMask, 1);
      return string_ref(in, Header::Category::get(format_header), blob.category) &&
             string_ref(in, Header::Name::get(format_header), blob.name) && in.word(size) &&
             bytes(in, size, blob.bytes);
    }
  }
  return unknown(LargeBlobHeader::Format::get(header));
}

// ---- All records ----

void RecordDecoder::decode(const RecordWords& words, Record& record) {
  problems_.clear();
  if (words.words.size() > 1 && plain_event(words.words, record)) return;
  unknown_ = false;
  RecordCursor in(words);
  std::uint64_t header = 0;
  in.word(header);
  if (words.too_large_words != 0) {
    problem(ProblemKind::TooLarge, 0, words.too_large_words);
    record.emplace<UnknownRecord>().words = words.words;
    return;
  }
  bool whole = false;
  const auto type = static_cast<RecordType>(RecordHeader::Type::get(header));
  switch (type) {
    case RecordType::Event:
      whole = event(in, header, record);
      break;
    case RecordType::Metadata:
      whole = metadata(in, header, record);
      break;
    case RecordType::Initialization:
      whole = initialization(in, header, record);
      break;
    case RecordType::String:
      whole = string(in, header, record);
      break;
    case RecordType::Thread:
      whole = thread(in, header, record);
      break;
    case RecordType::Blob:
      whole = blob(in, header, record);
      break;
    case RecordType::UserspaceObject:
      whole = userspace_object(in, header, record);
      break;
    case RecordType::KernelObject:
      whole = kernel_object(in, header, record);
      break;
    case RecordType::Scheduling:
      whole = scheduling(in, header, record);
      break;
    case RecordType::Log:
      whole = log(in, header, record);
      break;
    case RecordType::Profiler:
      whole = profiler(in, header, record);
      break;
    case RecordType::Large:
      whole = large(in, header, record);
      break;
    default:
      whole = unknown(code(type));
  }
  if (!whole) {
    if (!unknown_) problem(ProblemKind::TooShort, in.position());
    record.emplace<UnknownRecord>().words = words.words;
  } else if (in.left() != 0) {
    problem(ProblemKind::SpareWords, in.position(), in.left());
  }
}

bool RecordDecoder::unknown(std::uint64_t type) {
  problem(ProblemKind::UnknownRecordType, 0, type);
  unknown_ = true;
  return false;
}

}  // namespace fxt
