// The Checker: applies the rules to each record, and reports the problems that the Reader found.
#include "fxt/checker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/checking/link_check.h"
#include "fxt/checking/nesting_check.h"
#include "fxt/checking/object_check.h"
#include "fxt/checking/packet_stream.h"
#include "fxt/checking/start_check.h"
#include "fxt/checking/value_rules.h"
#include "fxt/contents.h"
#include "fxt/hash.h"
#include "fxt/records.h"

namespace fxt {
namespace {

// True if Perfetto or Tracy show the strings of the record. Both draw flows, but not the names of flows.
bool is_drawn(const Record& record) {
  const auto* const event = std::get_if<Event>(&record);
  const auto* const object = std::get_if<KernelObject>(&record);
  return (event != nullptr && !is_flow(event->type)) ||
         (object != nullptr &&
          (object->type == KernelObjectType::Process || object->type == KernelObjectType::Thread));
}

// Some readers have one string table or thread table for all providers. Tracks these tables. Finds each index
// with which such a reader would get a string or thread of another provider (rule W3).
class ReferenceCheck {
 public:
  explicit ReferenceCheck(Findings& findings) : findings_(&findings) {}

  void registered(const StringRecord& string) { strings_[string.index] = string.text; }
  void registered(const ThreadRecord& thread) { threads_[thread.index] = {thread.process, thread.thread}; }
  // Checks a string or thread to which a record of the current provider refers by index.
  void used(const String& string) {
    if (string.storage != Storage::Table || string.index == 0) return;
    const auto entry = strings_.find(string.index);
    if (entry != strings_.end() && entry->second != string.text)
      findings_->add(Fault::StringOfOtherProvider, "string " + std::to_string(string.index) +
                                                       " of this provider differs from string " +
                                                       std::to_string(string.index) + " of another provider");
  }
  void used(const Thread& thread) {
    if (thread.storage != Storage::Table || thread.index == 0) return;
    const auto entry = threads_.find(thread.index);
    if (entry != threads_.end() && entry->second != std::pair(thread.process, thread.thread))
      findings_->add(Fault::ThreadOfOtherProvider, "thread " + std::to_string(thread.index) +
                                                       " of this provider differs from thread " +
                                                       std::to_string(thread.index) + " of another provider");
  }

 private:
  Findings* findings_;
  std::map<std::uint16_t, std::string> strings_;  // Tracy has one table per file
  // The table of Tracy and of Fuchsia's Rust reader.
  std::map<std::uint8_t, std::pair<std::uint64_t, std::uint64_t>> threads_;
};

// Checks Tracy's limits for a whole file: its length in time, and its source locations (rules W5, W26).
class LimitCheck {
 public:
  explicit LimitCheck(Findings& findings) : findings_(&findings) {}

  // Adds the times of an event, in ticks. In Tracy, a tick is 1 ns, and the first event is at time 0.
  void add_times(std::uint64_t first, std::uint64_t last) {
    if (is_too_long_ || last >= kTimeLimit) return;
    first_ = std::min(first_, first);
    last_ = std::max(last_, last);
    is_too_long_ = last_ - first_ >= kSpanLimit;
    if (is_too_long_) findings_->add(Fault::LongSpan, "the times of the file span 2^47 ns or more");
  }
  void add_location(const Event& event) {
    if (locations_.size() > kMaxLocations) return;
    const std::size_t index = event.name.index;
    const bool only_a_name = event.arguments.empty() && event.name.storage == Storage::Table;
    if (only_a_name && located_.size() > index && located_[index]) return;
    locations_.insert(hash_of_location(event));
    if (only_a_name) {
      if (located_.size() <= index) located_.resize(index + 1);
      located_[index] = true;
    }
    if (locations_.size() > kMaxLocations)
      findings_->add(Fault::ManyLocations,
                     "more than 32,767 different pairs of a duration's name and its "
                     "source location");
  }
  // From this call on, an index of the string table may mean another name.
  void string_replaced() { located_.clear(); }

 private:
  static std::uint64_t hash_of_location(const Event& event) {
    const SeededHash hash;
    std::uint64_t location = hash(event.name.text);
    for (const Argument& argument : event.arguments)
      if (const auto* text = std::get_if<String>(&argument.value);
          text != nullptr && argument.name.text == "loc")
        location = location * 31 + hash(text->text);
    return location;
  }

  Findings* findings_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
  bool is_too_long_ = false;
  std::unordered_set<std::uint64_t> locations_;
  // By index of a string: true if locations_ contains this string as a name without a source location.
  std::vector<bool> located_;
};

// Counts the records that the selected readers ignore (rule W29). Reports the number at the end of the file.
class UseCheck {
 public:
  explicit UseCheck(Findings& findings) : findings_(&findings) {}

  // Does not count damaged records and scopes, because they have their own faults. Does not count categories,
  // because nearly all events have a category.
  void add(const Entry& entry) {
    if (!findings_->is_for_some_readers()) return;
    const auto content = content_of(entry.record);
    if (content && (content != Content::UnknownRecords || is_of_unknown_type(entry))) count(*content);
    if (content == Content::Instants && !std::get<Event>(entry.record).arguments.empty())
      count(Content::ArgumentsOfInstants);
  }
  void finish() const {
    for (const ContentUse& use : content_uses())
      if (const Seen& seen = seen_.at(static_cast<std::size_t>(use.content)); seen.count != 0)
        findings_->report_ignored(readers_that_ignore(use.content), seen.offset, seen.record,
                                  std::string(use.name) + " (" + std::to_string(seen.count) + ")");
  }

 private:
  struct Seen {
    std::uint64_t count = 0;
    std::uint64_t offset = 0;  // offset of the first ignored record
    std::string_view record = {};
  };

  static bool is_of_unknown_type(const Entry& entry) {
    return std::ranges::any_of(entry.problems, [](const Problem& problem) {
      return problem.kind == ProblemKind::UnknownRecordType;
    });
  }
  void count(Content content) {
    Seen& seen = seen_.at(static_cast<std::size_t>(content));
    if (seen.count++ == 0) seen = {.count = 1, .offset = findings_->offset(), .record = findings_->record()};
  }

  Findings* findings_;
  std::array<Seen, kContents> seen_;
};

// Checks Perfetto's packets, which are in blobs of type Perfetto (rule W23).
class PacketCheck {
 public:
  explicit PacketCheck(Findings& findings) : findings_(&findings) {}
  void add(const Blob& blob) {
    const bool was_sound = packets_.add({});
    last_blob_ = findings_->offset();
    if (was_sound && !packets_.add(blob.bytes))
      findings_->add(Fault::NoPackets, "blob of type 3 that does not continue Perfetto's packets");
  }
  void finish() {
    if (packets_.add({}) && !packets_.is_whole())
      findings_->report(Fault::PartOfPacket, last_blob_, "blob",
                        "the last blob of type 3 ends within one of Perfetto's packets");
  }

 private:
  Findings* findings_;
  PacketStream packets_;
  std::uint64_t last_blob_ = 0;
};

}  // namespace

class Checker::State {
 public:
  State(Report report, KnownReaders readers)
      : findings_(std::move(report), readers),
        start_(findings_),
        references_(findings_),
        nesting_(findings_, argument_names_),
        links_(findings_, argument_names_),
        objects_(findings_),
        packets_(findings_),
        limits_(findings_),
        uses_(findings_) {}

  void add(const Entry& entry, const Reader& reader);
  void add_sorted(const Entry& entry, const Reader& reader);
  void finish(const Reader& reader);

 private:
  void check_time(std::uint64_t ticks, const Reader& reader);
  void check_string(const String& string);
  void check_thread(const Thread& thread);
  void check_texts(const Arguments& arguments);
  void check_event(const Event& event, const Reader& reader);

  template <typename T>
  void check_parts(const T& record, const Reader& reader);

  Findings findings_;
  StartCheck start_;
  ReferenceCheck references_;
  ArgumentNames argument_names_;
  NestingCheck nesting_;
  LinkCheck links_;
  ObjectCheck objects_;
  CounterRules counters_;
  PacketCheck packets_;
  LimitCheck limits_;
  UseCheck uses_;

  bool is_drawn_ = false;  // true if Perfetto or Tracy show the strings of the current record
  bool has_nuls_ = false;  // true if a string in the tables has a NUL
};

Checker::Checker(Report report, KnownReaders readers)
    : state_(std::make_unique<State>(std::move(report), readers)) {}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;
void Checker::add(const Entry& entry, const Reader& reader) { state_->add(entry, reader); }
void Checker::add_sorted(const Entry& entry, const Reader& reader) { state_->add_sorted(entry, reader); }
void Checker::finish(const Reader& reader) { state_->finish(reader); }

void Checker::check(OrderedReader& trace) {
  const auto input = trace.open();
  Reader reader(*input);
  for (const Entry& entry : reader) add(entry, reader);
  while (const Entry* const entry = trace.next()) add_sorted(*entry, trace.reader());
  finish(reader);
}

void Checker::State::add(const Entry& entry, const Reader& reader) {
  findings_.set_record(entry.offset, kind_of(entry.record));
  is_drawn_ = is_drawn(entry.record);
  start_.add(entry, reader);
  for (const Problem& problem : entry.problems) {
    report(problem, entry, findings_);
    // From this record on, the index means another name.
    if (problem.kind == ProblemKind::StringReplaced) limits_.string_replaced();
  }
  if (entry.words.size() > kMaxRecordWords)
    findings_.add(Fault::OversizedRecord, "large record of " + std::to_string(entry.words.size()) + " words");
  uses_.add(entry);
  std::visit([&](const auto& record) { check_parts(record, reader); }, entry.record);
}

// Checks the members that several kinds of records have. Then applies the rules of the record's kind.
template <typename T>
void Checker::State::check_parts(const T& record, const Reader& reader) {
  if constexpr (requires { record.time; }) check_time(record.time, reader);
  if constexpr (requires { record.thread.storage; }) check_thread(record.thread);
  if constexpr (requires { record.category; }) check_string(record.category);
  if constexpr (requires { record.name.storage; }) check_string(record.name);
  if constexpr (requires { record.arguments; }) {
    check_texts(record.arguments);
    check_arguments(record.arguments, findings_);
  }

  if constexpr (std::is_same_v<T, StringRecord>) {
    if (record.text.size() > kMaxStringBytes)
      findings_.add(Fault::LongString, "string of " + std::to_string(record.text.size()) + " bytes");
    has_nuls_ = has_nuls_ || record.text.find('\0') != std::string_view::npos;
    references_.registered(record);
  }
  if constexpr (std::is_same_v<T, ThreadRecord>) references_.registered(record);
  // From this record on, indices may mean other names.
  if constexpr (std::is_same_v<T, ProviderInfo> || std::is_same_v<T, ProviderSection>)
    limits_.string_replaced();
  if constexpr (std::is_same_v<T, Event>) check_event(record, reader);
  if constexpr (std::is_same_v<T, KernelObject>) {
    check_object(record, findings_);
    objects_.object(record);
  }
  if constexpr (std::is_same_v<T, Blob>) {
    if (record.type == BlobType::Perfetto) packets_.add(record);
    if (code(record.type) < code(BlobType::Data) || record.type > BlobType::Perfetto)
      findings_.add(Fault::UnknownBlobType, "blob of unknown type " + std::to_string(code(record.type)));
  }
  if constexpr (std::is_same_v<T, UserspaceObject>) {
    check_thread(record.process);
    findings_.add(Fault::UserspaceObject, "userspace object");
  }
  if constexpr (std::is_same_v<T, ContextSwitch> || std::is_same_v<T, ThreadWakeup>) {
    if (uses_cpu(record)) check_cpu(record.cpu, findings_);
  }
  if constexpr (requires { record.outgoing_state; }) check_state(record.outgoing_state, findings_);
  if constexpr (std::is_same_v<T, LegacyContextSwitch>) {
    check_thread(record.outgoing);
    check_thread(record.incoming);
    objects_.switched(record.outgoing, record.outgoing_priority);
    objects_.switched(record.incoming, record.incoming_priority);
  }
  if constexpr (std::is_same_v<T, ContextSwitch>) {
    objects_.scheduled(record.outgoing_thread, is_idle(record.arguments, kOutgoingWeight));
    objects_.scheduled(record.incoming_thread, is_idle(record.arguments, kIncomingWeight));
    check_scheduling_arguments(SchedulingType::ContextSwitch, record.arguments, findings_);
  }
  if constexpr (std::is_same_v<T, ThreadWakeup>) {
    objects_.scheduled(record.thread, is_idle(record.arguments, kWakeupWeight));
    check_scheduling_arguments(SchedulingType::ThreadWakeup, record.arguments, findings_);
  }
  if constexpr (std::is_same_v<T, ProfilerModule> || std::is_same_v<T, ProfilerMmap>)
    check_profiler_thread(record.thread.storage == Storage::Inline, findings_);
  if constexpr (std::is_same_v<T, LargeBlobWithoutMetadata>)
    findings_.add(Fault::LargeBlobWithoutMetadata, "large blob without metadata");
}

void Checker::State::check_time(std::uint64_t ticks, const Reader& reader) {
  start_.timed();
  if (reader.ticks_per_second() != 0) fxt::check_time(reader.to_ns(ticks), findings_);
}

void Checker::State::check_string(const String& string) {
  if (string.storage == Storage::Inline && string.text.size() > kMaxStringBytes)
    findings_.add(Fault::LongInlineString,
                  "inline string of " + std::to_string(string.text.size()) + " bytes");
  if (is_drawn_ && (string.storage == Storage::Inline || (has_nuls_ && string.storage == Storage::Table)) &&
      string.text.find('\0') != std::string_view::npos)
    findings_.add(Fault::Nul, "string with a NUL in it");
  if (start_.several_providers()) references_.used(string);
}

void Checker::State::check_thread(const Thread& thread) {
  if (start_.several_providers()) references_.used(thread);
}

void Checker::State::check_texts(const Arguments& arguments) {
  for (const Argument& argument : arguments) {
    check_string(argument.name);
    if (const auto* text = std::get_if<String>(&argument.value)) check_string(*text);
  }
}

void Checker::State::check_event(const Event& event, const Reader& reader) {
  objects_.used(event.thread);
  if (event.type == EventType::Counter) {
    counters_.check(event, findings_);
    counters_.add(event);
  } else {
    check_argument_tree(event.arguments, findings_);
  }
  if (event.type == EventType::Instant) check_instant(event.name.text, findings_);
  if (event.scope && *event.scope != InstantScope::Thread)
    findings_.add(Fault::ScopeOfInstant, "instant of scope " +
                                             std::to_string(static_cast<std::uint64_t>(*event.scope)) +
                                             " (1 means the process, 2 the whole trace)");
  if (event.type == EventType::DurationBegin || event.type == EventType::DurationComplete)
    limits_.add_location(event);

  const bool complete = event.type == EventType::DurationComplete;
  const auto begin_ns = reader.to_ns(event.time);
  if (complete && begin_ns && *begin_ns < kTimeLimit) check_time(event.end, reader);
  if (spans_the_trace(event))
    limits_.add_times(event.time, complete ? std::max(event.time, event.end) : event.time);
}

void Checker::State::add_sorted(const Entry& entry, const Reader& reader) {
  const auto* const found = std::get_if<Event>(&entry.record);
  if (found == nullptr) return;
  const Event& event = *found;
  const auto begin_ns = reader.to_ns(event.time);
  const auto end_ns = event.type == EventType::DurationComplete ? reader.to_ns(event.end) : begin_ns;
  // Events that readers drop have no effect on nesting.
  if (event.thread.storage == Storage::Missing || event.name.storage == Storage::Missing ||
      event.category.storage == Storage::Missing || !begin_ns || !end_ns || *end_ns < *begin_ns ||
      *end_ns >= kTimeLimit)
    return;
  nesting_.add(event, *begin_ns, *end_ns, entry.offset);
  links_.add(event, *begin_ns, entry.offset);
}

void Checker::State::finish(const Reader& reader) {
  nesting_.finish();
  links_.finish();
  objects_.finish();
  packets_.finish();
  uses_.finish();
  const ReadEnd& end = reader.end();
  findings_.set_record(end.offset, "file");
  start_.finish(end);
  if (end.reason == ReadEnd::Reason::Truncated) findings_.add(Fault::Truncated, describe(end));
  if (end.reason == ReadEnd::Reason::SizeZero) findings_.add(Fault::SizeZero, describe(end));
}

}  // namespace fxt
