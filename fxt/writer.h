// Writes traces that every known reader accepts. The Writer takes records as values and keeps the rules of
// the format by itself: tables, order of the first records, sizes, padding, string limits. What a caller
// gets wrong is a WriterError at the call, and nothing of that record is written.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/nesting.h"
#include "fxt/output.h"
#include "fxt/records.h"
#include "fxt/time_span.h"
#include "fxt/word_buffer.h"
#include "fxt/words.h"

namespace fxt {

class EventOrder;
class Reader;
class RecordBuilder;
class WriterTables;
struct Entry;
struct RecordScratch;
struct ValueRules;

// How a duration began, for its end: the category and name refs of the header, or below them, if one was
// inline, a hash of the names; and a number for the names of its arguments.
struct BeginTag {
  std::uint64_t names = 0;
  std::uint32_t arguments = 0;
};
using ThreadNesting = Nesting<BeginTag>;

// A record that must not be written; the text says why, in the words of the call.
class WriterError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A thread's place in the thread table, 1..255. From Writer::thread_index().
enum class ThreadIndex : std::uint8_t {};

// The category and the name of an event, both in the string table. From Writer::prepare(); belongs to that
// Writer.
class PreparedEvent {
 public:
  // The header word of an event of this category and name. `size_words` counts the header.
  constexpr std::uint64_t header(EventType type, ThreadIndex thread, std::size_t size_words) const {
    return header_ | EventHeader::EventType::put(code(type)) |
           EventHeader::Thread::put(static_cast<std::uint8_t>(thread)) | EventHeader::Size::put(size_words);
  }

 private:
  friend class Writer;
  constexpr PreparedEvent(std::uint64_t header, bool is_frame_mark)
      : header_(header), is_frame_mark_(is_frame_mark) {}
  std::uint64_t header_;  // type, category and name are set
  bool is_frame_mark_;    // as an instant, and that was not asked for
};

// A counter with one series. From Writer::prepare_counter(); belongs to that Writer.
struct PreparedCounter {
  PreparedEvent event;
  std::uint16_t series;
};

// How a Writer behaves. The switches allow records that some known reader can't take; using one without its
// switch is a WriterError.
struct WriterOptions {
  std::string_view provider_name = "fxt";  // cut at 255 bytes
  std::uint32_t provider_id = 1;           // not 0
  // Userspace object records: Fuchsia's C++ reader complains of each (fxt-notes W24).
  bool userspace_objects = false;
  // Blob arguments: Tracy misreads what follows them, others show them badly (W23).
  bool blob_arguments = false;
  // Large records of more than 4095 words: Perfetto and Tracy lose the rest of the file (W13), so write
  // them last.
  bool oversized_records = false;
  // Large blobs without metadata: Fuchsia's Rust reader aborts (W14).
  bool large_blobs_without_metadata = false;
  // Instants with "frame" in their names, in letters of either case: Tracy takes them for the starts of
  // frames and does not show them on their threads (W28).
  bool frame_marks = false;
  // Scheduling records of threads that have no name yet, or whose last name is in another process: Perfetto
  // files them under process 0 or that one, or takes them for the idle thread (W18).
  bool unnamed_threads = false;
  // Blobs of type Perfetto that are not whole packets each, as in a copy: the caller promises that together
  // they are, or Perfetto fails (W23).
  bool perfetto_pieces = false;
  // Events that lie 2^47 ns (39 h) or more apart: Tracy's times wrap (W5).
  bool long_spans = false;
  // The caller promises that the durations of each thread come in time order, nest and are balanced, that
  // flows lie inside them, and that flows and async operations begin before they go on (W15 to W17, W21):
  // nothing of that is checked or remembered, nothing is ended.
  bool trust_nesting = false;
};

// What a Writer had to change or could not do the short way.
struct WriterCounters {
  std::uint64_t cut_strings = 0;       // longer than the format takes
  std::uint64_t repaired_strings = 0;  // were not UTF-8, or had a NUL
  std::uint64_t inline_strings = 0;    // written inline because the string table is full
  std::uint64_t inline_threads = 0;    // written inline because the thread table is full
};

// Arguments for the short way, as words: filled once, or again and again without an allocation. Names and
// texts are references from Writer::string_ref(), or inline.
class PreparedArguments {
 public:
  template <typename T>
  PreparedArguments& add(const TextRef& name, const T& value);
  void clear() {
    words_.clear();
    count_ = in_table_ = 0;
  }
  std::size_t count() const { return count_; }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  friend class Writer;
  // Room for an argument with these texts. Refuses inline ones that some reader can't take.
  std::uint64_t* next(const TextRef& name, const TextRef& text = {});
  // Takes over what was put in place at `start`; refuses a sixteenth argument and a name that stood before.
  void take(std::size_t start, const std::uint64_t* end);

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
  std::size_t in_table_ = 0;  // of these: their names
};

// Not thread-safe: one Writer per thread and Output. Nothing is sent to the Output by the destructor: end
// with finish(). After an Output has thrown, a Writer must not be used any more.
class Writer {
 public:
  // Begins the file: magic, provider info, initialization (10^9 ticks per second: times are ns).
  explicit Writer(Output& output, const WriterOptions& options = {});
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // ---- Records as values. Strings and threads are registered in the tables at their first use. ----

  // Any event: its time and, if it has one, its end must be below 2^63, the end not before the time; pid and
  // tid 1..2^32-1; at most 15 arguments, no two of one name; a counter has numeric arguments only, and each
  // names one series of one counter (W5, W19, W20, W25). The durations, instants and flows of one thread come
  // in time order, outer durations first; durations nest, at most 512 deep; flows lie inside one. The flows
  // of an id, and the async operations of an id, come in time order and begin before they go on, and the
  // async operations of an id nest (W15 to W17, W21): of each id its last time is remembered.
  void write(const Event& event);
  // Splits payloads above 32,000 bytes into several records.
  void write(const Blob& blob);
  void write(const UserspaceObject& object);
  // A process takes no arguments, a thread the argument "process" of type Koid first; names must not be
  // empty (W18). name_process() and name_thread() are the short way.
  void write(const KernelObject& object);
  // Here as below: threads must have their names before, the last one in this process, for Perfetto knows
  // theirs by names only (W18).
  void write(const LegacyContextSwitch& context_switch);
  void write(const ContextSwitch& context_switch);
  void write(const ThreadWakeup& wakeup);
  void write(const Log& log);
  void write(const LargeBlob& blob);
  void write(const LargeBlobWithoutMetadata& blob);

  // Any record, to copy or filter a trace whose times are ns. What the Writer cares for by itself (magic,
  // initialization, tables) is passed over; a provider is announced, or gone back to. False for what can't be
  // written: unknown records and those of the profiler.
  template <std::same_as<Record> AnyRecord>
  bool write(const AnyRecord& record) {
    return write_any(record);
  }
  // The same for the record that `reader` is at, its times made ns; false, too, if they are too late for
  // that.
  bool write(const Entry& entry, const Reader& reader);

  void name_process(std::uint64_t process, String name);
  void name_thread(std::uint64_t process, std::uint64_t thread, String name);
  // Provider event "a buffer filled up, records were likely dropped", of the current provider.
  void buffer_full();

  // Announces another provider and makes it the current one. Each id can be announced once (W2).
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. Ids that are in tables stay the same in all providers, and
  // prepared events and thread indices stay good (W3).
  void switch_provider(std::uint32_t id);

  // ---- The short way for millions of events: no look-up, no allocation. ----

  // Registers both strings. Nothing if the string table is full: write such events as values. Empty strings
  // need no table. Asking again gives the same.
  std::optional<PreparedEvent> prepare(std::string_view category, std::string_view name);
  // The same for one string, which arguments and records that are filled into reserve() then refer to:
  // TextRef::table().
  std::optional<std::uint16_t> string_ref(std::string_view text);
  // Registers the thread. Nothing if the thread table is full: write its events as values.
  std::optional<ThreadIndex> thread_index(std::uint64_t process, std::uint64_t thread);
  // A counter with this one series, for write_counter(). Nothing if the string table is full.
  std::optional<PreparedCounter> prepare_counter(std::string_view category, std::string_view name,
                                                 std::string_view series);

  static constexpr std::size_t kCompleteWords = 3;
  static constexpr std::size_t kDurationWords = 2;  // of an instant, a begin or an end

  // A duration complete event, begin <= end < 2^63 ns. Here as below: in time order, outer ones first.
  void write_complete(PreparedEvent event, ThreadIndex thread, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t header = event.header(EventType::DurationComplete, thread, kCompleteWords);
    take_complete(header, begin, end);
    std::uint64_t* const words = buffer_.claim(kCompleteWords);
    words[0] = header;
    words[1] = begin;
    words[2] = end;
  }
  void write_complete(PreparedEvent event, ThreadIndex thread, std::uint64_t begin, std::uint64_t end,
                      const PreparedArguments& arguments) {
    const std::uint64_t header = event.header(EventType::DurationComplete, thread, 0);
    const std::size_t size = size_with(header, kCompleteWords, arguments);
    take_complete(header, begin, end);
    put_event(header, size, begin, arguments)[0] = end;
  }
  // A duration begin event, time < 2^63 ns. With arguments here and below: at most 4095 words.
  void write_begin(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::DurationBegin, thread, kDurationWords);
    take_begin(header, time);
    put_point(header, time);
  }
  void write_begin(PreparedEvent event, ThreadIndex thread, std::uint64_t time,
                   const PreparedArguments& arguments) {
    const std::uint64_t header = event.header(EventType::DurationBegin, thread, 0);
    const std::size_t size = size_with(header, kDurationWords, arguments);
    take_begin(header, time, number_of(arguments));
    put_event(header, size, time, arguments);
  }
  // A duration end event, time < 2^63 ns.
  void write_end(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::DurationEnd, thread, kDurationWords);
    take_end(header, time);
    put_point(header, time);
  }
  void write_end(PreparedEvent event, ThreadIndex thread, std::uint64_t time,
                 const PreparedArguments& arguments) {
    const std::uint64_t header = event.header(EventType::DurationEnd, thread, 0);
    const std::size_t size = size_with(header, kDurationWords, arguments);
    check_names_of_begin(header, time, arguments);
    take_end(header, time);
    put_event(header, size, time, arguments);
  }
  // An instant, time < 2^63 ns.
  void write_instant(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::Instant, thread, kDurationWords);
    if (event.is_frame_mark_) refuse(header, time, time);
    take_instant(header, time);
    put_point(header, time);
  }
  void write_instant(PreparedEvent event, ThreadIndex thread, std::uint64_t time,
                     const PreparedArguments& arguments) {
    const std::uint64_t header = event.header(EventType::Instant, thread, 0);
    const std::size_t size = size_with(header, kDurationWords, arguments);
    if (event.is_frame_mark_) refuse(header, time, time);
    take_instant(header, time);
    put_event(header, size, time, arguments);
  }
  // A value of a counter's series: any number.
  template <typename Number>
  void write_counter(PreparedCounter counter, ThreadIndex thread, std::uint64_t time, Number value,
                     std::uint64_t id = 0);

  // Room for `words` (at most kMinBufferWords) words, to be filled with whole records by the caller, who
  // keeps all the rules: nothing is watched here, so a thread's other events need trust_nesting. fxt/words.h
  // puts them together. Valid until any other call. The words are numbers; the Writer cares for the byte
  // order.
  std::span<std::uint64_t> reserve(std::size_t words) { return buffer_.reserve(words); }
  // Takes over the first `words` words of what was reserved.
  void commit(std::size_t words) { buffer_.commit(words); }

  // Sends everything written so far to the Output. The file is readable after each flush.
  void flush() { buffer_.flush(); }
  // Ends what is open, flushes, and tells the Output that nothing follows. Durations and async operations end
  // at the time of the last event, a duration inside a complete one no later than that (W17); flows where
  // they were seen last, inside a duration, or in one of no length that is written for it (W21). Throws only
  // what the Output throws.
  void finish();

  const WriterCounters& counters() const { return counters_; }
  // All words of the file so far, those not yet flushed included.
  std::uint64_t words_written() const { return buffer_.words_written(); }

 private:
  // The category and name refs of an event's header.
  static constexpr std::uint64_t kNames = EventHeader::Category::kMask | EventHeader::Name::kMask;

  // Each asks all rules and takes the event, or refuses it.
  ThreadNesting* nesting_of(std::uint64_t header) const {
    return nestings_[EventHeader::Thread::get(header)];
  }
  void take_complete(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
    ThreadNesting* const nesting = nesting_of(header);
    if (nesting != nullptr && span_.fits_end(end) && nesting->add_sibling(begin, end))
      return span_.take_end(end);
    if (begin > end || !span_.fits(begin, end) ||
        (nesting != nullptr && nesting->add_complete(begin, end, {}) != Misplaced::No))
      refuse(header, begin, end);
    span_.take(begin, end);
  }
  void take_begin(std::uint64_t header, std::uint64_t time, std::uint32_t arguments = 0) {
    ThreadNesting* const nesting = nesting_of(header);
    if (!span_.fits(time, time) ||
        (nesting != nullptr && nesting->add_begin(time, {header & kNames, arguments}) != Misplaced::No))
      refuse(header, time, time);
    span_.take(time, time);
  }
  void take_end(std::uint64_t header, std::uint64_t time) {
    ThreadNesting* const nesting = nesting_of(header);
    const std::uint64_t names = header & kNames;
    if (!span_.fits(time, time) || (nesting != nullptr && ((nesting->around(time).tag.names != names &&
                                                            !ends_innermost(*nesting, time, names)) ||
                                                           nesting->add_end(time) != Misplaced::No)))
      refuse(header, time, time);
    span_.take(time, time);
  }
  // Of an end whose names are not those of the innermost begin.
  bool ends_innermost(const ThreadNesting& nesting, std::uint64_t time, std::uint64_t names) const;
  // A number for their names; 0 if nothing is watched.
  std::uint32_t number_of(const PreparedArguments& arguments) const;
  // Refuses an end with one of the names of its begin.
  void check_names_of_begin(std::uint64_t header, std::uint64_t time,
                            const PreparedArguments& arguments) const;
  void take_instant(std::uint64_t header, std::uint64_t time) {
    ThreadNesting* const nesting = nesting_of(header);
    if (!span_.fits(time, time) || (nesting != nullptr && nesting->add_point(time, false) != Misplaced::No))
      refuse(header, time, time);
    span_.take(time, time);
  }
  // Says why the event with this header was not taken.
  [[noreturn]] void refuse(std::uint64_t header, std::uint64_t begin, std::uint64_t end);

  void put_point(std::uint64_t header, std::uint64_t time) {
    std::uint64_t* const words = buffer_.claim(kDurationWords);
    words[0] = header;
    words[1] = time;
  }
  // The size of an event of `words` words and these arguments; too many are refused, and a name that stands
  // in the table and inline, too.
  std::size_t size_with(std::uint64_t header, std::size_t words, const PreparedArguments& arguments) const;
  bool names_one_twice(const PreparedArguments& arguments) const;
  // Returns where the words after the arguments lie.
  std::uint64_t* put_event(std::uint64_t header, std::size_t size, std::uint64_t time,
                           const PreparedArguments& arguments);

  bool write_any(const Record& record);
  RecordBuilder build(std::string_view kind, std::string_view name);
  void put(RecordBuilder& record);
  std::uint64_t put_event(const Event& event);
  void write_large(RecordBuilder& head, std::span<const std::byte> bytes);
  void check_times(const Event& event) const;

  WriterOptions options_;
  WriterCounters counters_;
  WordBuffer buffer_;
  TimeSpan span_;  // of events that Tracy takes times from, and of flows, which lie in them
  std::array<ThreadNesting*, kMaxThreadIndex + 1> nestings_ = {};  // by ThreadIndex; null: not watched
  std::unique_ptr<WriterTables> tables_;
  std::unique_ptr<EventOrder> order_;
  std::unique_ptr<ValueRules> rules_;
  std::unique_ptr<RecordScratch> scratch_;
};

template <typename T>
PreparedArguments& PreparedArguments::add(const TextRef& name, const T& value) {
  const std::size_t start = words_.size();
  if constexpr (std::same_as<T, TextRef>) {
    take(start, put_text(next(name, value), name, value));
  } else {
    std::uint64_t* const at = next(name);
    if constexpr (std::same_as<T, bool>)
      take(start, put_bool(at, name, value));
    else if constexpr (std::same_as<T, Pointer>)
      take(start, put_pointer(at, name, value.address));
    else if constexpr (std::same_as<T, Koid>)
      take(start, put_koid(at, name, value.koid));
    else
      take(start, put_number(at, name, value));
  }
  return *this;
}

template <typename Number>
void Writer::write_counter(PreparedCounter counter, ThreadIndex thread, std::uint64_t time, Number value,
                           std::uint64_t id) {
  static_assert(!std::same_as<Number, bool>, "Perfetto takes no bool for a counter's value");
  const std::uint64_t header = counter.event.header(EventType::Counter, thread, 0);
  if (!span_.fits(time, time)) refuse(header, time, time);
  span_.take(time, time);
  constexpr std::size_t kMost = 5;  // header, time, argument of two, id
  std::uint64_t* const words = reserve(kMost).data();
  const TextRef series = TextRef::table(counter.series);
  words[1] = time;
  std::uint64_t* end = put_number(words + 2, series, value);
  *end++ = id;
  const auto size = static_cast<std::size_t>(end - words);
  words[0] = header | EventHeader::ArgumentCount::put(1) | EventHeader::Size::put(size);
  commit(size);
}

}  // namespace fxt
