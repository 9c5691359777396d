#include "converters/model/sink/fxt_sink.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "converters/model/reading/text.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace convert {
namespace {

fxt::Thread thread_of(ProcessId process, ThreadId thread) {
  return {.process = number_of(process), .thread = number_of(thread)};
}

// Thread states have the same numbers in the model and in FXT.
fxt::ThreadState state_of(ThreadState state) { return static_cast<fxt::ThreadState>(state); }
static_assert(static_cast<int>(ThreadState::Dead) == static_cast<int>(fxt::ThreadState::Dead));

}  // namespace

std::size_t words_of_arguments(const ArgumentRow& arguments) {
  if (arguments.words().size() > kMaxKnownWords) return fxt::kMaxRecordWords;
  const auto words_of = [](auto argument) -> std::size_t {
    switch (argument.kind()) {
      case ArgumentKind::Null:
      case ArgumentKind::Name:
        return 1;
      case ArgumentKind::Int64:
        return fits_header(static_cast<std::int64_t>(argument.bits())) ? 1 : 2;
      case ArgumentKind::Uint64:
        if (looks_negative(argument.bits())) return 1 + fxt::words_of(fmt::to_string(argument.bits()).size());
        return fits_header(argument.bits()) ? 1 : 2;
      case ArgumentKind::Double:
      case ArgumentKind::Pointer:
        return 2;
      case ArgumentKind::Text:
        break;
    }
    const std::string_view text = argument.text();
    return 1 + fxt::words_of(fxt::is_sound(text) ? text.size() : spelled(text).size());
  };
  std::size_t words = 0;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument)
    words += words_of(argument);
  return words;
}

std::string shown_process_name(const LaneInfo& info) {
  return info.process_name.empty() ? fmt::format("process {}", number_of(info.process)) : info.process_name;
}

void FxtSink::add_lanes(std::span<const LaneInfo> lanes) {
  std::set<ProcessId> named;
  std::map<std::pair<ProcessId, ThreadId>, std::size_t> first;
  std::vector<std::uint64_t> weights(lanes.size());  // weight of each thread, at the index of its first lane
  for (const LaneInfo& info : lanes) {
    const std::uint64_t repaired = strings_.repaired_strings();
    const fxt::Thread koids = thread_of(info.process, info.thread);
    if (named.insert(info.process).second)
      writer_.name_process(koids.process, strings_.valid(shown_process_name(info)));
    const auto [known, is_new] = first.try_emplace({info.process, info.thread}, threads_.size());
    if (is_new)
      writer_.name_thread(koids.process, koids.thread,
                          info.thread_name.empty() ? fmt::format("thread {}", koids.thread)
                                                   : strings_.valid(info.thread_name));
    track_names_.insert({"process", info.process_name, info.thread_name});
    weights[known->second] += info.weight;
    if (strings_.repaired_strings() != repaired)
      count_repaired(threads_.size(), repaired, "the name of the thread or process");
    threads_.push_back({koids});
  }
  std::vector<std::size_t> heaviest;
  for (const auto& [thread, lane] : first) heaviest.push_back(lane);
  std::ranges::sort(heaviest);
  std::ranges::stable_sort(heaviest, std::greater{}, [&](std::size_t lane) { return weights[lane]; });
  heaviest.resize(std::min(heaviest.size(), fxt::kMaxThreadIndex));
  std::ranges::sort(heaviest);
  for (const std::size_t lane : heaviest) {
    EventThread& thread = threads_[lane];
    if (const auto index = writer_.thread_index(thread.koids.process, thread.koids.thread))
      thread.index = static_cast<std::uint8_t>(*index);
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    threads_[lane].index = threads_[first.at({lanes[lane].process, lanes[lane].thread})].index;
  if (info_ != nullptr) write_hints(hints_of(lanes, *info_));
}

std::uint64_t FxtSink::bytes_of_name(NameId name) {
  const auto refs = strings_.refs();
  if (index_of(name) < refs.size() && refs[index_of(name)] != kNoRef) return 0;
  const std::string_view text = names_.text(name);
  if (track_names_.contains(text)) return 0;
  const std::size_t size = fxt::is_sound(text) ? text.size() : spelled(text).size();
  return sizeof(std::uint64_t) * (1 + fxt::words_of(std::min(size, fxt::kMaxStringBytes)));
}

void FxtSink::write_hints(const fxt::PerfettoPackets& packets) {
  if (packets.bytes().empty()) return;
  writer_.write(fxt::Blob{fxt::Inline{"perfetto"}, fxt::BlobType::Perfetto, packets.bytes()});
}

// Loads the names of all events into the cache before the first event is encoded. The names are spread over
// the memory. If they are loaded together, the cache misses overlap.
void FxtSink::fetch_names(std::span<const MergedRun> runs) const {
  const auto for_each_label = [runs](auto fetch) {
    for (const MergedRun& run : runs)
      for (const PendingEvent& event : run.events) fetch(event.label);
  };
  const auto fetch = [](const void* value) {
    __builtin_prefetch(value);
    asm volatile("");  // otherwise GCC assumes that this function has no effect, and drops its calls
  };
  const auto headers = labels_.headers();
  for_each_label([&](LabelId label) { fetch(&headers[index_of(label)]); });
  for_each_label([&](LabelId label) { fetch(headers[index_of(label)].inline_name); });
}

void FxtSink::write(std::span<const MergedRun> runs) {
  labels_.grow();
  strings_.grow();
  if (strings_.table_is_full()) fetch_names(runs);
  const LabelHeaders::Header* const headers = labels_.headers().data();
  std::uint64_t *begin = nullptr, *word = nullptr, *end = nullptr;
  const auto commit = [&] { writer_.commit(static_cast<std::size_t>(word - begin)); };
  const auto reserve = [&] {
    const auto room = writer_.reserve(fxt::kMinBufferWords);  // enough for any record of put_known()
    begin = word = room.data();
    end = begin + room.size();
  };
  reserve();
  for (const auto& [events, lane] : runs) {
    const EventThread& thread = threads_[lane];
    events_written_ += events.size();
    for (const PendingEvent& event : events) {
      __builtin_prefetch(&event + kPrefetchedEvents);
      if (most_words(event) + kInlineNameWords > static_cast<std::size_t>(end - word)) {
        commit();
        reserve();
      }
      const auto [header, inline_name] = headers[index_of(event.label)];
      const bool is_inline = has_inline_name(header) && event.kind != EventKind::Blob;
      if (event.kind == EventKind::Complete && event.block == nullptr && header != 0 && !is_inline &&
          thread.index != 0) {
        word = put_plain_call(word, event, thread, header);
      } else if (std::uint64_t* const behind =
                     put_known(word, event, thread, is_frame_mark(event) ? 0 : header, strings_.refs(),
                               {inline_name, is_inline ? inline_name_size(header) : 0})) {
        word = behind;
        if (is_inline) strings_.count_inline_name();
      } else {
        commit();
        write_one(thread, event);
        reserve();
      }
    }
  }
  commit();
}

void FxtSink::write_one(const EventThread& thread, const PendingEvent& event) {
  if (!flows_.keeps(event)) {
    --events_written_;
    return;
  }
  const std::uint64_t repaired = strings_.repaired_strings();
  switch (event.kind) {
    case EventKind::ContextSwitch: {
      const ContextSwitch s = event.context_switch();
      const auto priority_of = [&](ThreadId id) { return id == ThreadId{} ? std::uint8_t{0} : s.priority; };
      writer_.write(fxt::LegacyContextSwitch{
          .time = event.time_ns,
          .cpu = cut_cpu(s.cpu),
          .outgoing_state = state_of(s.outgoing_state),
          .outgoing = thread_of(s.outgoing_process, s.outgoing_thread),
          .incoming = thread_of(s.incoming_process, s.incoming_thread),
          .outgoing_priority = priority_of(s.outgoing_thread),
          .incoming_priority = priority_of(s.incoming_thread),
      });
      break;
    }
    case EventKind::Wakeup: {
      const Wakeup w = event.wakeup();
      const std::array waker{fxt::Argument{"waker", fxt::Koid{number_of(w.waker)}}};
      writer_.write(fxt::ThreadWakeup{.time = event.time_ns,
                                      .cpu = cut_cpu(w.cpu),
                                      .thread = number_of(w.thread),
                                      .arguments = std::span(waker).first(w.waker == ThreadId{} ? 0 : 1)});
      break;
    }
    case EventKind::Blob:
      writer_.write(fxt::Blob{fxt::Inline{event.text()}, fxt::BlobType::Data, event.bytes()});
      break;
    case EventKind::BufferFull:
      writer_.buffer_full();
      break;
    default:
      write_event(thread, event);
  }
  if (strings_.repaired_strings() == repaired) return;
  count_repaired(static_cast<std::size_t>(&thread - threads_.data()), repaired,
                 event.kind == EventKind::Blob ? event.text() : names_.text(names_.label(event.label).name));
}

// Counts the strings that strings_ has repaired since its counter was `before`.
void FxtSink::count_repaired(std::size_t lane, std::uint64_t before, std::string_view where) {
  Repaired& repaired = repaired_of_[lane];
  if (repaired.count == 0) repaired.first = where;
  repaired.count += strings_.repaired_strings() - before;
}

std::uint16_t FxtSink::cut_cpu(std::uint16_t cpu) {
  if (cpu <= fxt::kMaxCpu) return cpu;
  ++cut_cpus_;
  return std::uint16_t{fxt::kMaxCpu};
}

bool FlowOrder::keeps(const PendingEvent& event) {
  const std::uint64_t id = event.id();
  if (event.kind == EventKind::FlowBegin) {
    if (!backward_.contains(id)) return open_.insert(id).second;
    ++backward_arrows_;
    return false;
  }
  if (event.kind != EventKind::FlowEnd || open_.erase(id) != 0) return true;
  backward_.insert(id);
  return false;
}

// ---- Events ----

void FxtSink::write_event(const EventThread& thread, const PendingEvent& event) {
  std::uint64_t header = labels_.make(event.label);
  fxt::TextRef category, name;
  if (header == 0 || has_inline_name(header)) {
    const Names::Label label = names_.label(event.label);
    category = strings_.ref_of(label.category);
    name = strings_.ref_of(label.name);
    header = header_of(category.ref, name.ref);
  }
  // Adds strings to the table before the record refers to them.
  const ArgumentRow arguments = event.arguments();
  strings_.register_names(arguments);
  StringRefs::Texts texts;
  strings_.collect_texts(arguments, texts);
  std::uint64_t* const words = writer_.reserve(fxt::kMaxRecordWords).data();
  std::uint64_t* word = fxt::put_inline(fxt::put_inline(begin_event(words, thread, event), category), name);
  const auto name_ref = [this](NameId id) { return strings_.ref_of(id); };
  const auto put_string = [this, text = texts.data()](std::uint64_t* at, const fxt::TextRef& argument,
                                                      auto string) mutable {
    const std::string_view own = *text++;
    if constexpr (std::is_same_v<decltype(string), NameId>)
      if (const auto ref = strings_.table_ref(string))
        return fxt::put_text(at, argument, fxt::TextRef::table(*ref));
    return fxt::put_text(at, argument, fxt::TextRef::inlined(own));
  };
  // Viewers read all values of counters as doubles.
  const auto put_large = [&](std::uint64_t* at, const fxt::TextRef& argument, std::uint64_t number) {
    if (event.kind == EventKind::Counter) return fxt::put_double(at, argument, static_cast<double>(number));
    return fxt::put_text(at, argument, fxt::TextRef::inlined(fmt::to_string(number)));
  };
  word = put_arguments(word, arguments, name_ref, put_string, put_large);
  word = end_event(words, word, thread, event, header);
  const bool is_pair = is_frame_mark(event);
  if (is_pair) words[0] |= fxt::EventHeader::EventType::put(code(fxt::EventType::DurationBegin));
  writer_.commit(static_cast<std::size_t>(word - words));
  if (is_pair) end_frame_mark(thread, event);
  strings_.end_record();
}

// Writes the end, without names that are not in the table. Readers need no names to match ends with starts.
void FxtSink::end_frame_mark(const EventThread& thread, const PendingEvent& event) {
  std::uint64_t* const words = writer_.reserve(4).data();
  const auto size = static_cast<std::size_t>(begin_event(words, thread, event) - words);
  words[0] =
      labels_.word(event.label) | fxt::event_header(fxt::EventType::DurationEnd, thread.index, 0, 0, 0, size);
  writer_.commit(size);
}

// ---- Notes ----

void FxtSink::note_repaired(const Timeline& timeline, Notes& notes) const {
  for (const auto& [number, repaired] : repaired_of_) {
    const LaneInfo& lane = timeline.lanes()[number];
    notes.add(kStringsRepaired, Location::file(timeline.input_of(number)),
              fmt::format("{} in thread {} ({}), the first in {}", fxt::counted(repaired.count, "string"),
                          number_of(lane.thread), lane.thread_name, repaired.first),
              repaired.count);
  }
}

void FxtSink::finish(const TimelineTotals& totals) {
  const auto& view = totals.first_view;
  if (info_ == nullptr || !view) return;
  fxt::PerfettoPackets packets;
  // if there are calls, add_lanes() has already written the hint for the start of the first view
  if (!view->has_calls) packets.first_view_begins(view->span.begin_ns);
  if (!view->has_calls || view->span.end_ns < totals.last_ns) packets.first_view_ends(view->span.end_ns);
  write_hints(packets);
}

void FxtSink::note(const NoteKind& kind, std::uint64_t count, std::string_view output, Notes& notes) {
  if (count != 0) notes.add(kind, Location::file(output), fmt::format("{} {}", count, kind.meaning), count);
}

void FxtSink::note_losses(const Timeline& timeline, std::string_view output, Notes& notes) const {
  note(kCpuCut, cut_cpus_, output, notes);
  note(kArrowBackwards, flows_.backward_arrows(), output, notes);
  note(kStringsCut, strings_.cut_strings(), output, notes);
  note_repaired(timeline, notes);
}

void FxtSink::note_limits_of_readers(const Timeline& timeline, std::string_view output, Notes& notes) const {
  note(kNameTableFull, strings_.inline_names(), output, notes);
  if (names_.label_count() > fxt::kMaxLocations) note(kManyNames, names_.label_count(), output, notes);
  const TimelineTotals& totals = timeline.totals();
  if (totals.first_ns && totals.last_ns - *totals.first_ns >= fxt::kSpanLimit)
    note(kLongSpan, 1, output, notes);
}

}  // namespace convert
