#include "converters/model/sink/fxt_sink.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <utility>

#include "fxt/utf8.h"

namespace convert {
namespace {

constexpr std::size_t kMaxThreadIndexes = 255;

// Tracy counts names with 16 bits, sign included (fxt-notes W26), and times with 48 (W5).
constexpr std::size_t kMaxTracyNames = 32'767;

// What the strings of one record may take in all, and each of the names that stand in it because the table is
// full. A record has 32,760 bytes (spec, "Records"), some of which are padding, headers and numbers.
constexpr std::size_t kStringBytesPerRecord = 28'000;
constexpr std::size_t kInlineNameBytes = 240;

constexpr std::uint32_t kNoRef = ~std::uint32_t{0};

// A blob that is not split: its name inline, its bytes (fxt/records.h, Blob).
constexpr std::size_t kShortBlobBytes = 4096, kShortNameBytes = 256;

constexpr std::size_t kCompleteWords = fxt::Writer::kCompleteWords;

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

// Whether Slot::end_ns follows the arguments: the end of a call, the id of a counter or flow.
constexpr bool has_last_word(SlotKind kind) {
  return kind == SlotKind::Complete || kind == SlotKind::Counter || kind == SlotKind::FlowBegin ||
         kind == SlotKind::FlowStep || kind == SlotKind::FlowEnd;
}

// The idle thread has no place in the table of threads: readers know none with the id 0.
fxt::Thread side_of_switch(ProcessId process, ThreadId thread) {
  return {.process = static_cast<std::uint64_t>(process),
          .thread = static_cast<std::uint64_t>(thread),
          .storage = thread == ThreadId{} ? fxt::Storage::Inline : fxt::Storage::Table};
}

// An argument; `value` is that of a string.
[[gnu::always_inline]] inline std::uint64_t* put(std::uint64_t* at, const fxt::TextRef& name,
                                                 const Argument& argument, const fxt::TextRef& value) {
  switch (argument.type) {
    case ArgumentType::Null:
      break;
    case ArgumentType::Int32:
    case ArgumentType::Int64:
      return fxt::put_signed(at, name, static_cast<std::int64_t>(argument.bits));
    case ArgumentType::Uint32:
    case ArgumentType::Uint64:
    case ArgumentType::Bool:  // one reader's debug build aborts on bool arguments (fxt-notes W22)
      return fxt::put_unsigned(at, name, argument.bits);
    case ArgumentType::Double:
      return fxt::put_double(at, name, std::bit_cast<double>(argument.bits));
    case ArgumentType::Pointer:
      return fxt::put_pointer(at, name, argument.bits);
    case ArgumentType::Koid:
      return fxt::put_koid(at, name, argument.bits);
    case ArgumentType::Name:
    case ArgumentType::Text:
      return fxt::put_text(at, name, value);
  }
  return fxt::put_null(at, name);
}

}  // namespace

void FxtSink::add_lanes(std::span<const LaneInfo> lanes) {
  std::set<ProcessId> named;
  for (const LaneInfo& info : lanes) {
    const fxt::Thread koids{.process = static_cast<std::uint64_t>(info.process),
                            .thread = static_cast<std::uint64_t>(info.thread)};
    if (named.insert(info.process).second)
      writer_.name_process(koids.process, info.process_name.empty() ? fmt::format("process {}", koids.process)
                                                                    : info.process_name);
    writer_.name_thread(koids.process, koids.thread,
                        info.thread_name.empty() ? fmt::format("thread {}", koids.thread) : info.thread_name);
    threads_.push_back({koids});
  }
  std::vector<std::size_t> heaviest(lanes.size());
  std::iota(heaviest.begin(), heaviest.end(), std::size_t{0});
  std::ranges::stable_sort(heaviest, std::greater{}, [&](std::size_t lane) { return lanes[lane].weight; });
  heaviest.resize(std::min(heaviest.size(), kMaxThreadIndexes));
  std::ranges::sort(heaviest);
  for (const std::size_t lane : heaviest) {
    Thread& thread = threads_[lane];
    if (const auto index = writer_.thread_index(thread.koids.process, thread.koids.thread))
      thread.index = static_cast<std::uint8_t>(*index);
  }
}

void FxtSink::write(std::span<const MergedEvent> events) {
  headers_.resize(names_.label_count());
  table_refs_.resize(names_.size(), kNoRef);
  if (!first_ns_ && !events.empty()) first_ns_ = events.front().slot->time_ns;
  while (!events.empty()) {
    const std::size_t plain = write_plain_calls(events);
    events_written_ += plain;
    events = events.subspan(plain);
    if (events.empty()) break;
    write_one(threads_[events.front().lane], *events.front().slot);
    events = events.subspan(1);
  }
}

// Complete calls without arguments, whose strings and threads are in the tables: the hot path. Stops at the
// first other one.
std::size_t FxtSink::write_plain_calls(std::span<const MergedEvent> events) {
  constexpr std::uint64_t kComplete =
      fxt::EventHeader::EventType::put(fxt::code(fxt::EventType::DurationComplete)) |
      fxt::EventHeader::Size::put(kCompleteWords);
  events = events.first(std::min(events.size(), fxt::kMinBufferWords / kCompleteWords));
  std::uint64_t* word = writer_.reserve(events.size() * kCompleteWords).data();
  std::size_t count = 0;
  for (const auto& [slot, lane] : events) {
    if (slot->kind != SlotKind::Complete || slot->run != nullptr) break;
    const std::uint64_t header = headers_[Names::index(slot->label)];
    const std::uint8_t thread = threads_[lane].index;
    if (header == 0 || thread == 0) break;
    word[0] = header | kComplete | fxt::EventHeader::Thread::put(thread);
    word[1] = slot->time_ns;
    word[2] = slot->end_ns;
    word += kCompleteWords;
    ++count;
  }
  writer_.commit(count * kCompleteWords);
  return count;
}

void FxtSink::write_one(const Thread& thread, const Slot& slot) {
  if (!joins_flow(slot)) return;
  ++events_written_;
  switch (slot.kind) {
    case SlotKind::ContextSwitch: {
      const ContextSwitch s = slot.context_switch();
      writer_.write(fxt::LegacyContextSwitch{
          .time = slot.time_ns,
          .cpu = s.cpu,
          .outgoing_state = static_cast<fxt::ThreadState>(s.outgoing_state),
          .outgoing = side_of_switch(s.outgoing_process, s.outgoing_thread),
          .incoming = side_of_switch(s.incoming_process, s.incoming_thread),
      });
      break;
    }
    case SlotKind::Log:
      writer_.write(fxt::Log{slot.time_ns, thread.koids, slot.text()});
      break;
    case SlotKind::Blob:
      write_blob(slot);
      break;
    case SlotKind::BufferFull:
      writer_.buffer_full();
      break;
    default:
      write_event(thread, slot);
  }
}

// Events come by time, so an arrow that ends before it begins shows in its end coming first.
bool FxtSink::joins_flow(const Slot& slot) {
  const std::uint64_t id = slot.end_ns;
  switch (slot.kind) {
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

// ---- Events ----

void FxtSink::write_event(const Thread& thread, const Slot& slot) {
  // Mostly everything is in the table and fits. Where it is not, what is missing is worked out first.
  if (prepare(slot.label) && write_known(thread, slot)) return;
  const ArgumentRow arguments = slot.arguments();
  fxt::TextRef category, name;
  if (headers_[Names::index(slot.label)] == 0) {
    const Names::Label label = names_.parts(slot.label);
    category = ref_of(label.category);
    name = ref_of(label.name);
  }
  // Strings go into the table before the record that refers to them.
  register_names(arguments);
  Texts texts;
  collect_texts(arguments, texts);
  std::uint64_t* const words = writer_.reserve(fxt::kMaxRecordWords).data();
  std::uint64_t* word = fxt::put_inline(fxt::put_inline(begin_event(words, thread, slot), category), name);
  const std::string_view* text = texts.data();
  for (const Argument& argument : arguments) {
    fxt::TextRef value = fxt::TextRef::inlined(*text++);
    if (argument.type == ArgumentType::Name)
      if (const auto ref = table_ref(static_cast<NameId>(argument.bits))) value = fxt::TextRef::table(*ref);
    word = put(word, ref_of(argument.name), argument, value);
  }
  end_event(words, word, thread, slot,
            fxt::event_header(fxt::EventType::Instant, 0, category.ref, name.ref, 0, 0));
  repaired_.clear();
}

// False if that takes more than copying: then nothing was written.
bool FxtSink::write_known(const Thread& thread, const Slot& slot) {
  std::uint64_t* const words = writer_.reserve(fxt::kMaxRecordWords).data();
  std::uint64_t* word = begin_event(words, thread, slot);
  std::size_t text_bytes = 0;
  for (const Argument& argument : slot.arguments()) {
    const std::uint32_t ref = table_refs_[Names::index(argument.name)];
    if (ref == kNoRef) return false;
    fxt::TextRef value;
    if (argument.type == ArgumentType::Text) {
      text_bytes += argument.text.size();
      if (text_bytes > kStringBytesPerRecord || !fxt::is_sound(argument.text)) return false;
      value = fxt::TextRef::inlined(argument.text);
    } else if (argument.type == ArgumentType::Name) {
      const std::uint32_t text = table_refs_[static_cast<std::size_t>(argument.bits)];
      if (text == kNoRef) return false;
      value = fxt::TextRef::table(static_cast<std::uint16_t>(text));
    }
    word = put(word, fxt::TextRef::table(static_cast<std::uint16_t>(ref)), argument, value);
  }
  end_event(words, word, thread, slot, 0);
  return true;
}

// All before the strings of an event.
std::uint64_t* FxtSink::begin_event(std::uint64_t* words, const Thread& thread, const Slot& slot) {
  words[1] = slot.time_ns;
  if (thread.index != 0) return words + 2;
  words[2] = thread.koids.process;
  words[3] = thread.koids.thread;
  return words + 4;
}

// All behind the arguments, and the header. `own` is used where the label has none prepared.
void FxtSink::end_event(std::uint64_t* words, std::uint64_t* word, const Thread& thread, const Slot& slot,
                        std::uint64_t own) {
  if (has_last_word(slot.kind)) *word++ = slot.end_ns;
  const auto size = static_cast<std::size_t>(word - words);
  const std::uint64_t prepared = headers_[Names::index(slot.label)];
  words[0] = (prepared != 0 ? prepared : own) |
             fxt::event_header(event_type_of(slot.kind), thread.index, 0, 0, slot.argument_count(), size);
  writer_.commit(size);
}

// ---- Strings ----

// Makes the header of a label's events; false if its strings are not in the table and can't be.
bool FxtSink::prepare(LabelId id) {
  std::uint64_t& header = headers_[Names::index(id)];
  if (header != 0) return true;
  const Names::Label label = names_.parts(id);
  const auto category = table_ref(label.category);
  const auto name = table_ref(label.name);
  if (category && name) header = fxt::event_header(fxt::EventType::Instant, 0, *category, *name, 0, 0);
  return header != 0;
}

// A name's place in the table, where it is put if there is room.
std::optional<std::uint16_t> FxtSink::table_ref(NameId name) {
  std::uint32_t& known = table_refs_[Names::index(name)];
  if (known != kNoRef) return static_cast<std::uint16_t>(known);
  if (table_is_full_) return std::nullopt;
  const auto ref = writer_.string_ref(names_.text(name));
  table_is_full_ = !ref;
  if (ref) known = *ref;
  return ref;
}

fxt::TextRef FxtSink::ref_of(NameId name) {
  if (const auto ref = table_ref(name)) return fxt::TextRef::table(*ref);
  ++inline_names_;
  return fxt::TextRef::inlined(cut(valid(names_.text(name)), kInlineNameBytes));
}

void FxtSink::register_names(const ArgumentRow& arguments) {
  for (const Argument& argument : arguments) {
    table_ref(argument.name);
    if (argument.type == ArgumentType::Name) table_ref(static_cast<NameId>(argument.bits));
  }
}

// The strings that stand in the record itself, valid, and cut where they do not fit all together; one for
// each argument.
void FxtSink::collect_texts(const ArgumentRow& arguments, Texts& texts) {
  std::size_t count = 0, bytes = 0;
  std::string_view* text = texts.data();
  for (const Argument& argument : arguments) {
    *text = {};
    if (argument.type == ArgumentType::Text) {
      *text = valid(argument.text);
    } else if (argument.type == ArgumentType::Name && !table_ref(static_cast<NameId>(argument.bits))) {
      ++inline_names_;
      *text = valid(names_.text(static_cast<NameId>(argument.bits)));
    }
    if (!text->empty()) ++count;
    bytes += text->size();
    ++text;
  }
  if (bytes <= kStringBytesPerRecord) return;
  for (std::string_view* other = texts.data(); other != text; ++other)
    *other = cut(*other, kStringBytesPerRecord / count);
}

std::string_view FxtSink::valid(std::string_view text) {
  auto repaired = fxt::repaired(text);
  if (!repaired) return text;
  ++repaired_strings_;
  return repaired_.emplace_back(*std::move(repaired));
}

std::string_view FxtSink::cut(std::string_view text, std::size_t max_bytes) {
  const std::string_view shorter = fxt::cut_utf8(text, max_bytes);
  if (shorter.size() != text.size()) ++cut_strings_;
  return shorter;
}

// ---- The rest ----

void FxtSink::write_blob(const Slot& slot) {
  const std::string_view name = slot.text();
  const auto bytes = slot.bytes();
  if (bytes.size() > kShortBlobBytes || name.size() > kShortNameBytes || !fxt::is_sound(name)) {
    writer_.write(fxt::Blob{fxt::Inline{name}, fxt::BlobType::Data, bytes});
    return;
  }
  const auto ref = fxt::TextRef::inlined(name);
  const std::size_t size = 1 + ref.words() + fxt::words_of(bytes.size());
  std::uint64_t* const words = writer_.reserve(size).data();
  words[0] = fxt::blob_header(ref.ref, bytes.size(), size);
  fxt::put_bytes(fxt::put_inline(words + 1, ref), bytes.data(), bytes.size());
  writer_.commit(size);
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
  note(kStringsRepaired, repaired_strings_ + counters.repaired_strings);
  note(kNameTableFull, inline_names_ + counters.inline_strings);
  if (names_.label_count() > kMaxTracyNames) note(kManyNames, names_.label_count());
  if (first_ns_ && timeline.last_ns() - *first_ns_ >= fxt::kSpanLimit) note(kLongSpan, 1);
}

}  // namespace convert
