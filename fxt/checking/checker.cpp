// The Checker: problems that the Reader reports, times and limits. Other rules have classes of their own.
#include "fxt/checker.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fxt/checking/link_check.h"
#include "fxt/checking/nesting_check.h"
#include "fxt/checking/object_check.h"
#include "fxt/checking/packet_stream.h"
#include "fxt/checking/value_rules.h"
#include "fxt/header_words.h"
#include "fxt/nesting.h"
#include "fxt/records.h"

namespace fxt {
namespace {

// Whether Perfetto or Tracy show its strings. They draw flows without their names.
bool is_drawn(const Record& record) {
  const auto* const event = std::get_if<Event>(&record);
  const auto* const object = std::get_if<KernelObject>(&record);
  return (event != nullptr && !is_flow(event->type)) ||
         (object != nullptr &&
          (object->type == KernelObjectType::Process || object->type == KernelObjectType::Thread));
}

// The string and thread tables as the other readers keep them: one for all providers. Finds where their names
// differ from what the file means (rules W2, W3, W6).
class ReferenceCheck {
 public:
  explicit ReferenceCheck(Findings& findings) : findings_(&findings) {}

  void registered(const StringRecord& string) { strings_[string.index] = string.text; }
  void registered(const ThreadRecord& thread) { threads_[thread.index] = {thread.process, thread.thread}; }
  // A reference by index, which the file's own provider knows as this string or thread.
  void used(const String& string);
  void used(const Thread& thread);

 private:
  Findings* findings_;
  std::map<std::uint16_t, std::string> strings_;                             // Tracy: one for the file
  std::map<std::uint8_t, std::pair<std::uint64_t, std::uint64_t>> threads_;  // Tracy and Rust
};

void ReferenceCheck::used(const String& string) {
  if (string.storage != Storage::Table || string.index == 0) return;
  const auto entry = strings_.find(string.index);
  if (entry == strings_.end() || entry->second == string.text) return;
  findings_->fault(Fault::StringOfOtherProvider,
                   "string " + std::to_string(string.index) + " is another one in another provider");
}

void ReferenceCheck::used(const Thread& thread) {
  if (thread.storage != Storage::Table || thread.index == 0) return;
  const auto entry = threads_.find(thread.index);
  if (entry == threads_.end() || entry->second == std::pair(thread.process, thread.thread)) return;
  findings_->fault(Fault::ThreadOfOtherProvider,
                   "thread " + std::to_string(thread.index) + " is another one in another provider");
}

// How a file begins: magic word, provider, initialization, and what must not come before them (rules W1, W2,
// W4).
class StartCheck {
 public:
  explicit StartCheck(Findings& findings) : findings_(&findings) {}
  // To be called with every record before the other checks.
  void add(const Entry& entry, const Reader& reader);
  // A record that has a time.
  void timed();
  void finish(const ReadEnd& end);

  bool several_providers() const { return providers_ > 1; }

 private:
  void check_magic(const Entry& entry, const Reader& reader);
  void check_provider(const ProviderInfo& info);
  void check_initialization(const Initialization& initialization);
  void check_without_provider(const Record& record);

  Findings* findings_;
  bool any_record_ = false;
  std::uint64_t providers_ = 0;  // announced so far
  bool initialized_ = false;
  // Each is reported once.
  bool initialization_missing_ = false, initialization_early_ = false, provider_missing_ = false,
       string_early_ = false, thread_early_ = false;
};

bool is_metadata(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<ProviderInfo>(record) ||
         std::holds_alternative<ProviderSection>(record) || std::holds_alternative<ProviderEvent>(record);
}

void StartCheck::add(const Entry& entry, const Reader& reader) {
  if (!any_record_) check_magic(entry, reader);
  any_record_ = true;
  if (const auto* info = std::get_if<ProviderInfo>(&entry.record)) {
    check_provider(*info);
  } else if (const auto* initialization = std::get_if<Initialization>(&entry.record)) {
    check_initialization(*initialization);
  } else if (providers_ == 0 && !is_metadata(entry.record)) {
    check_without_provider(entry.record);
  }
}

void StartCheck::check_magic(const Entry& entry, const Reader& reader) {
  if (entry.words[0] != kMagicRecord) {
    findings_->fault(Fault::NoMagic, "the file does not begin with the magic word");
  } else if (reader.other_byte_order()) {
    findings_->fault(Fault::BigEndian, "the file is big-endian");
  }
}

void StartCheck::check_provider(const ProviderInfo& info) {
  ++providers_;
  if (info.id == 0) findings_->fault(Fault::ProviderZero, "provider id 0");
}

void StartCheck::check_initialization(const Initialization& initialization) {
  initialized_ = true;
  if (initialization.ticks_per_second != 0 && initialization.ticks_per_second != kTicksPerSecond)
    findings_->fault(Fault::OtherTickRate,
                     std::to_string(initialization.ticks_per_second) + " ticks per second");
  if (providers_ != 0 || initialization_early_) return;
  initialization_early_ = true;
  findings_->fault(
      initialization.ticks_per_second == kTicksPerSecond ? Fault::InitializationEarly : Fault::OtherRateEarly,
      "initialization before provider info");
}

void StartCheck::check_without_provider(const Record& record) {
  if (std::holds_alternative<StringRecord>(record)) {
    if (!string_early_)
      findings_->fault(Fault::StringEarly, "string registered before any provider is announced");
    string_early_ = true;
  } else if (std::holds_alternative<ThreadRecord>(record)) {
    if (!thread_early_)
      findings_->fault(Fault::ThreadEarly, "thread registered before any provider is announced");
    thread_early_ = true;
  } else {
    if (!provider_missing_) findings_->fault(Fault::NoProvider, "no provider was announced before");
    provider_missing_ = true;
  }
}

void StartCheck::timed() {
  if (initialized_ || initialization_missing_) return;
  findings_->fault(Fault::NoInitialization, "no initialization before the first time");
  initialization_missing_ = true;
}

void StartCheck::finish(const ReadEnd& end) {
  if (any_record_) return;
  if (end.reason == ReadEnd::Reason::EndOfFile) {
    findings_->fault(Fault::EmptyFile, "the file is empty");
  } else {
    findings_->fault(Fault::NoMagic, "the file does not begin with the magic word");
  }
}

}  // namespace

class Checker::State {
 public:
  State(Report report, KnownReaders readers)
      : findings_(std::move(report), readers),
        start_(findings_),
        references_(findings_),
        nesting_(findings_, argument_names_),
        links_(findings_, argument_names_),
        objects_(findings_) {}

  void add(const Entry& entry, const Reader& reader);
  void finish(const Reader& reader);

 private:
  void check_time(std::uint64_t ticks, const Reader& reader);
  void check_string(const String& string);
  void check_thread(const Thread& thread);
  void check_texts(const Arguments& arguments);
  void check_event(const Event& event, const Reader& reader);
  void check_location(const Event& event);
  void check_packets(const Blob& blob);
  void check_span(std::uint64_t first, std::uint64_t last);

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
  PacketStream packets_;
  std::uint64_t last_packets_ = 0;  // the offset of the blob that came last

  bool is_drawn_ = false;  // the current record
  bool has_nuls_ = false;  // a string of the tables so far

  TimeSpan span_;  // in ticks: Tracy takes them for ns
  bool span_said_ = false;
  std::unordered_set<std::uint64_t> locations_;  // hashes of (name, source location)
  std::vector<bool> located_;                    // by string index: the name alone is among them
};

Checker::Checker(Report report, KnownReaders readers)
    : state_(std::make_unique<State>(std::move(report), readers)) {}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;
void Checker::add(const Entry& entry, const Reader& reader) { state_->add(entry, reader); }
void Checker::finish(const Reader& reader) { state_->finish(reader); }

void Checker::State::add(const Entry& entry, const Reader& reader) {
  findings_.set_record(entry.offset, kind_of(entry.record));
  is_drawn_ = is_drawn(entry.record);
  start_.add(entry, reader);
  for (const Problem& problem : entry.problems) {
    report(problem, entry, findings_);
    // From here on, its index means another name.
    if (problem.kind == ProblemKind::StringReplaced) located_.clear();
  }
  if (entry.words.size() > kMaxRecordWords)
    findings_.fault(Fault::OversizedRecord,
                    "large record of " + std::to_string(entry.words.size()) + " words");
  std::visit([&](const auto& record) { check_parts(record, reader); }, entry.record);
}

// Common members of records are checked here; kinds with rules of their own follow.
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
      findings_.fault(Fault::LongString, "string of " + std::to_string(record.text.size()) + " bytes");
    has_nuls_ = has_nuls_ || record.text.find('\0') != std::string_view::npos;
    references_.registered(record);
  }
  if constexpr (std::is_same_v<T, ThreadRecord>) references_.registered(record);
  if constexpr (std::is_same_v<T, Event>) check_event(record, reader);
  if constexpr (std::is_same_v<T, KernelObject>) {
    check_object(record, findings_);
    objects_.object(record);
  }
  if constexpr (std::is_same_v<T, Blob>) {
    if (record.type == BlobType::Perfetto) check_packets(record);
  }
  if constexpr (std::is_same_v<T, UserspaceObject>) {
    check_thread(record.process);
    findings_.fault(Fault::UserspaceObject, "userspace object");
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
  if constexpr (std::is_same_v<T, ProfilerModule> || std::is_same_v<T, ProfilerMmap>) {
    if (record.thread.storage == Storage::Inline)
      findings_.fault(Fault::InlineProfilerThread, "profiler record with an inline thread");
  }
  if constexpr (std::is_same_v<T, LargeBlobWithoutMetadata>)
    findings_.fault(Fault::LargeBlobWithoutMetadata, "large blob without metadata");
}

void Checker::State::check_time(std::uint64_t ticks, const Reader& reader) {
  start_.timed();
  if (reader.ticks_per_second() != 0) fxt::check_time(reader.to_ns(ticks), findings_);
}

void Checker::State::check_string(const String& string) {
  if (string.storage == Storage::Inline && string.text.size() > kMaxStringBytes)
    findings_.fault(Fault::LongInlineString,
                    "inline string of " + std::to_string(string.text.size()) + " bytes");
  if (is_drawn_ && (string.storage == Storage::Inline || (has_nuls_ && string.storage == Storage::Table)) &&
      string.text.find('\0') != std::string_view::npos)
    findings_.fault(Fault::Nul, "string with a NUL in it");
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
  }
  if (event.type == EventType::Instant) check_instant(event.name.text, findings_);
  if (event.type == EventType::DurationBegin || event.type == EventType::DurationComplete)
    check_location(event);

  const bool complete = event.type == EventType::DurationComplete;
  const auto begin_ns = reader.to_ns(event.time);
  const auto end_ns = complete ? reader.to_ns(event.end) : begin_ns;
  if (complete && begin_ns && *begin_ns < kTimeLimit) check_time(event.end, reader);
  if (event.type <= EventType::DurationComplete)
    check_span(event.time, complete ? std::max(event.time, event.end) : event.time);
  // Events that readers drop are not part of the nesting.
  if (event.thread.storage == Storage::Missing || event.name.storage == Storage::Missing ||
      event.category.storage == Storage::Missing || !begin_ns || !end_ns || *end_ns < *begin_ns ||
      *end_ns >= kTimeLimit)
    return;
  nesting_.add(event, *begin_ns, *end_ns, findings_.offset());
  links_.add(event, *begin_ns, findings_.offset());
}

void Checker::State::check_location(const Event& event) {
  if (locations_.size() > kMaxLocations) return;
  const bool only_a_name = event.arguments.empty() && event.name.storage == Storage::Table;
  if (only_a_name && located_.size() > event.name.index && located_[event.name.index]) return;
  const std::hash<std::string_view> hash;
  std::uint64_t location = hash(event.name.text);
  for (const Argument& argument : event.arguments)
    if (const auto* text = std::get_if<String>(&argument.value);
        text != nullptr && argument.name.text == "loc")
      location = location * 31 + hash(text->text);
  locations_.insert(location);
  if (only_a_name) {
    if (located_.size() <= event.name.index) located_.resize(event.name.index + std::size_t{1});
    located_[event.name.index] = true;
  }
  if (locations_.size() > kMaxLocations)
    findings_.fault(Fault::ManyLocations, "more than 32,767 pairs of duration name and source location");
}

void Checker::State::check_packets(const Blob& blob) {
  const bool was_sound = packets_.add({});
  last_packets_ = findings_.offset();
  if (was_sound && !packets_.add(blob.bytes))
    findings_.fault(Fault::NoPackets, "blob of type 3 that does not go on with Perfetto's packets");
}

// Tracy counts from the first event.
void Checker::State::check_span(std::uint64_t first, std::uint64_t last) {
  if (span_said_ || last >= kTimeLimit) return;
  if (!span_.fits(first, last)) {
    findings_.fault(Fault::LongSpan, "the times of the file span 2^47 ns or more");
    span_said_ = true;
  }
  span_.extend(first, last);
}

void Checker::State::finish(const Reader& reader) {
  nesting_.finish();
  links_.finish();
  objects_.finish();
  if (packets_.add({}) && !packets_.is_whole())
    findings_.report(Fault::PartOfPacket, last_packets_, "blob",
                     "the last blob of type 3 ends within one of Perfetto's packets");
  const ReadEnd& end = reader.end();
  findings_.set_record(end.offset, "file");
  start_.finish(end);
  if (end.reason == ReadEnd::Reason::Truncated) findings_.fault(Fault::Truncated, describe(end));
  if (end.reason == ReadEnd::Reason::SizeZero) findings_.fault(Fault::SizeZero, describe(end));
}

}  // namespace fxt
