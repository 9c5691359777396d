// Finds the kind of each record, and enters definitions into tables. fxt/record_layouts.h has the layouts.
#include "fxt/reading/record_decoder.h"

#include <variant>

#include "fxt/header_words.h"
#include "fxt/record_layouts.h"
#include "fxt/utf8.h"

namespace fxt {

bool RecordDecoder::plain_event(std::span<const std::uint64_t> words, Record& record) {
  using Header = EventHeader;
  constexpr std::uint64_t kNeedsCare = Header::Type::kMask | Header::ArgumentCount::kMask |
                                       Header::Category::put(StringRef::IsInline::kMask) |
                                       Header::Name::put(StringRef::IsInline::kMask);
  const std::uint64_t header = words[0];
  if ((header & kNeedsCare) != Header::Type::put(code(RecordType::Event))) return false;
  const auto type = static_cast<EventType>(Header::EventType::get(header));
  const bool has_third_word = type == EventType::DurationComplete || has_id(type);
  if (type > EventType::FlowEnd || words.size() != (has_third_word ? 3 : 2)) return false;

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
  const std::uint64_t last = has_third_word ? words[2] : 0;
  event->end = type == EventType::DurationComplete ? last : 0;
  event->id = type == EventType::DurationComplete ? 0 : last;
  event->scope.reset();
  if (ends_before_it_begins(*event)) problem(ProblemKind::EndBeforeBegin, 2);
  return true;
}

// ---- What a record changes: the tables and the current provider ----

void RecordDecoder::apply(const ProviderInfo& info) {
  if (providers_.announce(info.id, info.name)) problem(ProblemKind::ProviderAgain, 0, info.id);
}

void RecordDecoder::apply(const ProviderSection& section) {
  if (!providers_.enter(section.id)) problem(ProblemKind::UnknownProvider, 0, section.id);
}

void RecordDecoder::apply(const ProviderEvent& event) {
  if (!providers_.knows(event.id)) problem(ProblemKind::UnknownProvider, 0, event.id);
}

void RecordDecoder::apply(const Initialization& initialization) {
  if (initialization.ticks_per_second == 0) problem(ProblemKind::TickRateZero, 1);
  providers_.current().ticks_per_second = initialization.ticks_per_second;
}

void RecordDecoder::apply(const StringRecord& string) {
  if (string.index == 0) return problem(ProblemKind::StringIndexZero, 0);
  bool is_new = true;
  TableString& entry = providers_.current().strings.entry(string.index, is_new);
  if (!is_new && entry.text != string.text) problem(ProblemKind::StringReplaced, 0, string.index);
  entry.text = string.text;
  entry.valid_utf8 = is_valid_utf8(string.text);
}

void RecordDecoder::apply(const ThreadRecord& thread) {
  if (thread.index == 0) return problem(ProblemKind::ThreadIndexZero, 0);
  bool is_new = true;
  TableThread& entry = providers_.current().threads.entry(thread.index, is_new);
  if (!is_new && (entry.process != thread.process || entry.thread != thread.thread))
    problem(ProblemKind::ThreadReplaced, 0, thread.index);
  entry = {.process = thread.process, .thread = thread.thread};
}

// ---- Kinds of records by their types ----

template <typename T>
bool RecordDecoder::read(RecordCursor& in, std::uint64_t header, Record& record) {
  Decoding codec{.decoder = *this, .in = in, .header = header};
  T& value = record.emplace<T>();
  if (!layout(codec, value)) return false;
  if constexpr (requires { this->apply(value); }) apply(value);
  return true;
}

bool RecordDecoder::metadata(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<MetadataType>(MetadataHeader::MetadataType::get(header))) {
    case MetadataType::ProviderInfo:
      return read<ProviderInfo>(in, header, record);
    case MetadataType::ProviderSection:
      return read<ProviderSection>(in, header, record);
    case MetadataType::ProviderEvent: {
      const std::uint64_t event = ProviderEventHeader::EventId::get(header);
      return event == code(ProviderEventId::BufferFull) ? read<ProviderEvent>(in, header, record)
                                                        : unknown(event);
    }
    case MetadataType::TraceInfo: {
      const std::uint64_t info = TraceInfoHeader::TraceInfoType::get(header);
      if (info != code(TraceInfoType::MagicNumber)) return unknown(info);
      const std::uint64_t magic = MagicHeader::Magic::get(header);
      if (magic != kMagicNumber) problem(ProblemKind::WrongMagic, 0, magic);
      return read<Magic>(in, header, record);
    }
  }
  return unknown(MetadataHeader::MetadataType::get(header));
}

bool RecordDecoder::event(RecordCursor& in, std::uint64_t header, Record& record) {
  if (EventHeader::EventType::get(header) > code(EventType::FlowEnd))
    return unknown(EventHeader::EventType::get(header));
  if (!read<Event>(in, header, record)) return false;
  if (ends_before_it_begins(std::get<Event>(record))) problem(ProblemKind::EndBeforeBegin, in.position() - 1);
  return true;
}

bool RecordDecoder::scheduling(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<SchedulingType>(SchedulingHeader::SchedulingType::get(header))) {
    case SchedulingType::LegacyContextSwitch:
      return read<LegacyContextSwitch>(in, header, record);
    case SchedulingType::ContextSwitch:
      return read<ContextSwitch>(in, header, record);
    case SchedulingType::ThreadWakeup:
      return read<ThreadWakeup>(in, header, record);
  }
  return unknown(SchedulingHeader::SchedulingType::get(header));
}

bool RecordDecoder::profiler(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<ProfilerType>(ProfilerHeader::ProfilerType::get(header))) {
    case ProfilerType::Module:
      return read<ProfilerModule>(in, header, record);
    case ProfilerType::Mmap:
      return read<ProfilerMmap>(in, header, record);
    case ProfilerType::Backtrace:
      return read<ProfilerBacktrace>(in, header, record);
  }
  return unknown(ProfilerHeader::ProfilerType::get(header));
}

bool RecordDecoder::large(RecordCursor& in, std::uint64_t header, Record& record) {
  if (LargeRecordHeader::LargeType::get(header) != code(LargeRecordType::Blob))
    return unknown(LargeRecordHeader::LargeType::get(header));
  switch (static_cast<LargeBlobFormat>(LargeBlobHeader::Format::get(header))) {
    case LargeBlobFormat::WithMetadata:
      return read<LargeBlob>(in, header, record);
    case LargeBlobFormat::WithoutMetadata:
      return read<LargeBlobWithoutMetadata>(in, header, record);
  }
  reserved(header & LargeBlobHeader::Reserved::kMask, 0);
  return unknown(LargeBlobHeader::Format::get(header));
}

bool RecordDecoder::any(RecordCursor& in, std::uint64_t header, Record& record) {
  switch (static_cast<RecordType>(RecordHeader::Type::get(header))) {
    case RecordType::Metadata:
      return metadata(in, header, record);
    case RecordType::Initialization:
      return read<Initialization>(in, header, record);
    case RecordType::String:
      return read<StringRecord>(in, header, record);
    case RecordType::Thread:
      return read<ThreadRecord>(in, header, record);
    case RecordType::Event:
      return event(in, header, record);
    case RecordType::Blob:
      return read<Blob>(in, header, record);
    case RecordType::UserspaceObject:
      return read<UserspaceObject>(in, header, record);
    case RecordType::KernelObject:
      return read<KernelObject>(in, header, record);
    case RecordType::Scheduling:
      return scheduling(in, header, record);
    case RecordType::Log:
      return read<Log>(in, header, record);
    case RecordType::Profiler:
      return profiler(in, header, record);
    case RecordType::Large:
      return large(in, header, record);
  }
  return unknown(RecordHeader::Type::get(header));
}

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
  } else if (!any(in, header, record)) {
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
