#include "converters/model/sink/fxt_sink.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "converters/model/sink/argument_words.h"

namespace convert {
namespace {

constexpr std::size_t kMaxThreadIndexes = 255;

// Tracy counts names with 16 bits, sign included (fxt-notes W26), and times with 48 (W5).
constexpr std::size_t kMaxTracyNames = 32'767;

// What the strings of one record may take in all; a record has 32,760 bytes (spec, "Records").
constexpr std::size_t kStringBytesPerRecord = 28'000;

constexpr fxt::EventType event_type_of(SlotKind kind) {
  switch (kind) {
    case SlotKind::Complete:
      return fxt::EventType::DurationComplete;
    case SlotKind::Begin:
      return fxt::EventType::DurationBegin;
    case SlotKind::End:
      return fxt::EventType::DurationEnd;
    case SlotKind::Counter:
      return fxt::EventType::Counter;
    case SlotKind::FlowBegin:
      return fxt::EventType::FlowBegin;
    case SlotKind::FlowStep:
      return fxt::EventType::FlowStep;
    case SlotKind::FlowEnd:
      return fxt::EventType::FlowEnd;
    default:
      return fxt::EventType::Instant;
  }
}

// Where a string of at most `max_bytes` ends without splitting a UTF-8 sequence.
std::size_t cut_at_character(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text.size();
  std::size_t size = max_bytes;
  constexpr unsigned kContinuationMask = 0xc0, kContinuation = 0x80;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & kContinuationMask) == kContinuation) --size;
  return size;
}

constexpr std::uint32_t kNoRef = ~std::uint32_t{0};

// A blob that is not split: its name inline, its bytes (fxt/records.h, Blob).
constexpr std::size_t kShortBlobBytes = 4096;

bool is_short_ascii(std::string_view text) {
  constexpr std::size_t kShort = 256;
  return !text.empty() && text.size() <= kShort &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

fxt::Thread koids_of(const LaneInfo& info) {
  return {.process = static_cast<std::uint64_t>(info.process),
          .thread = static_cast<std::uint64_t>(info.thread)};
}

}  // namespace

void FxtSink::add_lanes(std::span<const LaneInfo> lanes) {
  std::set<ProcessId> named;
  for (const LaneInfo& info : lanes) {
    const fxt::Thread koids = koids_of(info);
    if (named.insert(info.process).second)
      writer_.name_process(koids.process, info.process_name.empty() ? fmt::format("process {}", koids.process)
                                                                    : info.process_name);
    writer_.name_thread(koids.process, koids.thread,
                        info.thread_name.empty() ? fmt::format("thread {}", koids.thread) : info.thread_name);
    threads_.push_back({koids, std::nullopt});
  }
  std::vector<std::size_t> heaviest(lanes.size());
  std::iota(heaviest.begin(), heaviest.end(), std::size_t{0});
  std::ranges::stable_sort(heaviest, std::greater{}, [&](std::size_t lane) { return lanes[lane].weight; });
  heaviest.resize(std::min(heaviest.size(), kMaxThreadIndexes));
  std::ranges::sort(heaviest);
  for (const std::size_t lane : heaviest)
    threads_[lane].index = writer_.thread_index(threads_[lane].koids.process, threads_[lane].koids.thread);
}

void FxtSink::write(std::size_t lane, Lane& events, std::span<const Slot> slots) {
  if (prepared_.size() < names_.label_count()) prepared_.resize(names_.label_count());
  if (string_refs_.size() < names_.size()) string_refs_.resize(names_.size(), kNoRef);
  if (!first_ns_ && !slots.empty()) first_ns_ = slots.front().time_ns;
  events_written_ += slots.size();
  const Thread& thread = threads_[lane];
  while (!slots.empty()) {
    if (thread.index) slots = slots.subspan(write_plain_calls(*thread.index, slots));
    if (slots.empty()) break;
    const Slot& slot = slots.front();
    if (slot.kind() == SlotKind::Formed)
      write_formed(thread, events, slot);
    else
      write_one(thread, events, slot);
    slots = slots.subspan(1);
  }
}

// Complete calls without arguments, whose strings are in the table: the hot path. Stops at the first other
// one.
std::size_t FxtSink::write_plain_calls(fxt::ThreadIndex thread, std::span<const Slot> slots) {
  constexpr std::size_t kWords = fxt::Writer::kCompleteWords;
  static_assert(SlotPool::kSlotsPerChunk * kWords <= fxt::kMinBufferWords, "a run fits into one buffer");
  const std::uint32_t plain_call = Slot::tag_of(SlotKind::Complete, DetailsId::None);
  std::uint64_t* word = writer_.reserve(slots.size() * kWords).data();
  std::size_t count = 0;
  for (; count < slots.size(); ++count) {
    const Slot& slot = slots[count];
    if (slot.tag != plain_call) break;
    const auto& prepared = prepared_[Names::index(slot.label)];
    if (!prepared) break;
    *word++ = prepared->header(fxt::EventType::DurationComplete, thread, kWords);
    *word++ = slot.time_ns;
    *word++ = slot.end_ns;
  }
  writer_.commit(count * kWords);
  return count;
}

// The header of the events of a label; false if its strings are not in the table and can't be.
bool FxtSink::prepare(LabelId label_id) {
  auto& prepared = prepared_[Names::index(label_id)];
  if (!prepared && !table_is_full_) {
    const Names::Label label = names_.parts(label_id);
    prepared = writer_.prepare(names_.text(label.category), names_.text(label.name));
    table_is_full_ = !prepared;
  }
  return prepared.has_value();
}

std::optional<std::uint64_t> FxtSink::string_ref(NameId name) {
  std::uint32_t& ref = string_refs_[Names::index(name)];
  if (ref != kNoRef) return ref;
  if (table_is_full_) return std::nullopt;
  // An event of this name holds the reference.
  const auto prepared = writer_.prepare({}, names_.text(name));
  table_is_full_ = !prepared;
  if (!prepared) return std::nullopt;
  const std::uint64_t header = prepared->header(fxt::EventType::Instant, fxt::ThreadIndex{}, 0);
  return ref = static_cast<std::uint32_t>(fxt::EventHeader::Name::get(header));
}

// A call without arguments by the short way, if both its strings and its thread are in the tables.
bool FxtSink::write_plain(const Thread& thread, const Slot& slot) {
  if (!thread.index || slot.details() != DetailsId::None) return false;
  const SlotKind kind = slot.kind();
  if (kind != SlotKind::Complete && kind != SlotKind::Begin && kind != SlotKind::End) return false;
  if (!prepare(slot.label)) return false;
  const fxt::PreparedEvent prepared = *prepared_[Names::index(slot.label)];
  if (kind == SlotKind::Complete)
    writer_.write_complete(prepared, *thread.index, slot.time_ns, slot.end_ns);
  else if (kind == SlotKind::Begin)
    writer_.write_begin(prepared, *thread.index, slot.time_ns);
  else
    writer_.write_end(prepared, *thread.index, slot.time_ns);
  return true;
}

// An event whose strings are all in the table, written without looking any up.
bool FxtSink::write_prepared(const Thread& thread, const Slot& slot, const Details& details) {
  const SlotKind kind = slot.kind();
  const bool has_form = kind == SlotKind::Instant || kind == SlotKind::Complete || kind == SlotKind::Begin ||
                        kind == SlotKind::End;
  const Arguments& arguments = details.arguments;
  if (!has_form || !thread.index || arguments.size() > kArgumentsPerRecord || slot.time_ns >= kTimeLimitNs)
    return false;
  if (!prepare(slot.label)) return false;
  // Strings go into the table before the record that refers to them.
  for (const Argument& argument : arguments) {
    if (std::holds_alternative<std::string>(argument.value) || !string_ref(argument.name)) return false;
    if (const auto* text = std::get_if<NameId>(&argument.value); text != nullptr && !string_ref(*text))
      return false;
  }
  constexpr std::size_t kMostWords = 3 + 2 * kArgumentsPerRecord;
  std::uint64_t* const words = writer_.reserve(kMostWords).data();
  std::uint64_t* word = words + 2;
  words[1] = slot.time_ns;
  for (const Argument& argument : arguments)
    word = put_argument(word, string_refs_[Names::index(argument.name)], argument.value,
                        [this](NameId text) { return string_refs_[Names::index(text)]; });
  if (kind == SlotKind::Complete) *word++ = slot.end_ns;
  const auto size = static_cast<std::size_t>(word - words);
  words[0] = prepared_[Names::index(slot.label)]->header(event_type_of(kind), *thread.index, size) |
             fxt::EventHeader::ArgumentCount::put(arguments.size());
  writer_.commit(size);
  return true;
}

bool FxtSink::write_short_blob(const Details& details) {
  if (details.bytes.size() > kShortBlobBytes || !is_short_ascii(details.text)) return false;
  using Header = fxt::BlobHeader;
  const std::size_t size = 1 + words_of(details.text.size()) + words_of(details.bytes.size());
  std::uint64_t* const words = writer_.reserve(size).data();
  constexpr std::uint64_t kInlineString = 0x8000;  // spec, "String references"
  words[0] = Header::Type::put(static_cast<std::uint64_t>(fxt::RecordType::Blob)) | Header::Size::put(size) |
             Header::Name::put(kInlineString + details.text.size()) |
             Header::PayloadSize::put(details.bytes.size()) |
             Header::BlobType::put(static_cast<std::uint64_t>(fxt::BlobType::Data));
  put_bytes(put_bytes(words + 1, details.text.data(), details.text.size()), details.bytes.data(),
            details.bytes.size());
  writer_.commit(size);
  return true;
}

// All records of a filled-in form; one by one where a table is full.
void FxtSink::write_formed(const Thread& thread, Lane& events, const Slot& slot) {
  const std::size_t index = Names::index(slot.form());
  if (forms_.size() <= index) forms_.resize(names_.form_count());
  auto& writer = forms_[index];
  if (!writer && thread.index && !table_is_full_)
    writer = FormWriter::prepare(
        names_.form(slot.form()),
        {.event =
             [this](LabelId label) { return prepare(label) ? prepared_[Names::index(label)] : std::nullopt; },
         .ref = [this](NameId name) { return string_ref(name); }});
  if (writer && thread.index) {
    std::uint64_t* const words = writer_.reserve(writer->max_words()).data();
    const std::uint64_t* const end = writer->put(words, *thread.index, slot.time_ns, events.fields(slot));
    writer_.commit(static_cast<std::size_t>(end - words));
    events_written_ += writer->records() - 1;
    events.drop_fields(slot, writer->fields());
    return;
  }
  const Form& form = names_.form(slot.form());
  for (const FormRecord& record : form.records) {
    const PlainEvent plain = plain_event(record, slot.time_ns, {events.fields(slot), form.fields});
    write_details(thread, plain.slot, plain.details);
  }
  events_written_ += form.records.size() - 1;
  events.drop_fields(slot, form.fields);
}

// Events come by time, so an arrow that ends before it begins shows in its end coming first.
bool FxtSink::joins_flow(const Slot& slot) {
  const std::uint64_t id = slot.end_ns;
  switch (slot.kind()) {
    case SlotKind::FlowBegin:
      return !backward_flows_.contains(id) && open_flows_.insert(id).second;
    case SlotKind::FlowStep:
      if (open_flows_.contains(id)) return true;
      backward_flows_.insert(id);
      return false;
    case SlotKind::FlowEnd:
      if (open_flows_.erase(id) != 0) return true;
      backward_flows_.insert(id);
      return false;
    default:
      return true;
  }
}

void FxtSink::write_one(const Thread& thread, Lane& events, const Slot& slot) {
  if (!joins_flow(slot)) {
    --events_written_;
    if (slot.details() != DetailsId::None) events.drop_details(slot.details());
    return;
  }
  if (write_plain(thread, slot)) return;
  static const Details kNoDetails;
  const bool has_details = slot.details() != DetailsId::None;
  write_details(thread, slot, has_details ? events.details(slot.details()) : kNoDetails);
  if (has_details) events.drop_details(slot.details());
}

void FxtSink::write_details(const Thread& thread, const Slot& slot, const Details& details) {
  switch (slot.kind()) {
    case SlotKind::ContextSwitch: {
      const ContextSwitch& s = details.context_switch;
      writer_.write(fxt::LegacyContextSwitch{
          .time = slot.time_ns,
          .cpu = s.cpu,
          .outgoing_state = static_cast<fxt::ThreadState>(s.outgoing_state),
          .outgoing = {static_cast<std::uint64_t>(s.outgoing_process),
                       static_cast<std::uint64_t>(s.outgoing_thread)},
          .incoming = {static_cast<std::uint64_t>(s.incoming_process),
                       static_cast<std::uint64_t>(s.incoming_thread)},
      });
      break;
    }
    case SlotKind::Log:
      writer_.write(fxt::Log{slot.time_ns, thread.koids, details.text});
      break;
    case SlotKind::Blob:
      if (!write_short_blob(details))
        writer_.write(fxt::Blob{fxt::Inline{details.text}, fxt::BlobType::Data, details.bytes});
      break;
    case SlotKind::BufferFull:
      writer_.buffer_full();
      break;
    default:
      if (!write_prepared(thread, slot, details))
        write_event(thread, slot, event_type_of(slot.kind()), details.arguments);
  }
}

void FxtSink::write_event(const Thread& thread, const Slot& slot, fxt::EventType type,
                          const Arguments& arguments) {
  translate(arguments);
  const Names::Label label = names_.parts(slot.label);
  const bool has_id = slot.kind() != SlotKind::Complete;
  writer_.write(fxt::Event{.type = type,
                           .time = slot.time_ns,
                           .thread = thread.koids,
                           .category = names_.text(label.category),
                           .name = names_.text(label.name),
                           .arguments = arguments_,
                           .id = has_id ? slot.end_ns : 0,
                           .end = has_id ? 0 : slot.end_ns});
}

void FxtSink::translate(const Arguments& arguments) {
  std::size_t strings = 0, bytes = 0;
  for (const Argument& argument : arguments)
    if (const auto* text = std::get_if<std::string>(&argument.value)) {
      ++strings;
      bytes += text->size();
    }
  const std::size_t max_string_bytes =
      bytes <= kStringBytesPerRecord ? bytes : kStringBytesPerRecord / strings;
  arguments_.clear();
  for (const Argument& argument : arguments)
    arguments_.push_back({names_.text(argument.name), translate(argument.value, max_string_bytes)});
}

fxt::Value FxtSink::translate(const Value& value, std::size_t max_string_bytes) {
  struct Translation {
    FxtSink& sink;
    std::size_t max_string_bytes;
    fxt::Value operator()(std::monostate) const { return std::monostate{}; }
    fxt::Value operator()(std::int32_t number) const { return number; }
    fxt::Value operator()(std::uint32_t number) const { return number; }
    // Spec, "64-bit signed integer argument": one that fits 32 bits is written so.
    fxt::Value operator()(std::int64_t number) const {
      if (std::in_range<std::int32_t>(number)) return static_cast<std::int32_t>(number);
      return number;
    }
    fxt::Value operator()(std::uint64_t number) const {
      if (std::in_range<std::uint32_t>(number)) return static_cast<std::uint32_t>(number);
      return number;
    }
    fxt::Value operator()(double number) const { return number; }
    fxt::Value operator()(const std::string& text) const {
      const std::size_t size = cut_at_character(text, max_string_bytes);
      if (size != text.size()) ++sink.cut_strings_;
      return fxt::String(fxt::Inline{std::string_view(text).substr(0, size)});
    }
    fxt::Value operator()(Pointer pointer) const { return fxt::Pointer{pointer.address}; }
    fxt::Value operator()(Koid koid) const { return fxt::Koid{koid.koid}; }
    // One reader's debug build aborts on bool arguments (fxt-notes W22).
    fxt::Value operator()(bool flag) const { return std::uint32_t{flag}; }
    fxt::Value operator()(NameId name) const { return fxt::String(sink.names_.text(name)); }
  };
  return std::visit(Translation{*this, max_string_bytes}, value);
}

void FxtSink::finish(const Timeline& timeline, std::string_view output) {
  const auto note = [&](const NoteKind& kind, std::uint64_t count) {
    if (count != 0) notes_.add(kind, Place::file(output), fmt::format("{} {}", count, kind.meaning), count);
  };
  const fxt::WriterCounters& counters = writer_.counters();
  note(kTooDeep, timeline.hidden());
  note(kArrowBackwards, backward_flows_.size());
  note(kArgumentsCut, timeline.cut_arguments());
  note(kStringsCut, cut_strings_ + counters.cut_strings);
  note(kStringsRepaired, counters.repaired_strings);
  note(kNameTableFull, counters.inline_strings);
  if (names_.label_count() > kMaxTracyNames) note(kManyNames, names_.label_count());
  if (first_ns_ && timeline.last_ns() - *first_ns_ >= fxt::kSpanLimit) note(kLongSpan, 1);
}

}  // namespace convert
