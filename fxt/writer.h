// SPDX-License-Identifier: Apache-2.0
// Writes traces that every known reader accepts. Callers give records as values; the Writer keeps the rules
// of the format: tables, order of the first records, sizes, padding, string limits. A record that breaks a
// rule throws a WriterError, and nothing of it is written.
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
#include <unordered_map>
#include <vector>

#include "fxt/nesting.h"
#include "fxt/output.h"
#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/word_buffer.h"
#include "fxt/words.h"

namespace fxt {  // internal
class CounterRules;
class EventOrder;
class ThreadNames;
class WriterTables;
}  // namespace fxt

namespace FXT_API fxt {

class Reader;
struct Entry;

// What the end of a duration is compared with: the category and name refs of the begin's header, and a number
// for the names of its arguments. If a name was inline, the bits below the refs hold a hash of the names.
struct BeginTag {
  std::uint64_t names = 0;
  std::uint32_t arguments = 0;
};
using ThreadNesting = Nesting<BeginTag>;

// A record that must not be written. The text gives the reason in the terms of the call.
class WriterError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A thread's index in the thread table, 1..255. From Writer::thread_index().
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
  bool is_frame_mark_;    // an instant of it would be one, and is not allowed
};

// How a Writer behaves.
struct WriterOptions {
  std::string_view provider_name = "fxt";  // cut at 255 bytes
  std::uint32_t provider_id = 1;
  // Whose rules are kept: what one of these readers minds is a WriterError. The order of events is kept in
  // any case. A copy of a foreign trace, with no readers here, loses nothing else that can be written at all.
  KnownReaders readers = KnownReaders::all();
  // What is written all the same, also of the order of events: where it is misplaced, readers ignore it.
  Faults allow = {};
  // The caller promises that the durations of each thread come in time order, nest and are balanced, that
  // flows lie inside them, and that flows and async operations begin before they go on (W15 to W17, W21):
  // none of it is checked, and finish() ends nothing.
  bool trust_nesting = false;
};

// How often a Writer had to change a string, or to write one inline.
struct WriterCounters {
  std::uint64_t cut_strings = 0;       // longer than the format allows
  std::uint64_t repaired_strings = 0;  // were not UTF-8, or had a NUL
  std::uint64_t inline_strings = 0;    // written inline because the string table is full
  std::uint64_t inline_threads = 0;    // written inline because the thread table is full
};

// Not thread-safe: one Writer per thread and Output. Nothing is sent to the Output by the destructor: end
// with finish(). After an Output has thrown, a Writer must not be used any more.
class Writer {
 public:
  // Begins the file: magic, provider info, initialization (10^9 ticks per second: times are ns).
  explicit Writer(Output& output, const WriterOptions& options = {});
  ~Writer();
  // The Writer that was moved from must not be used any more.
  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&& other) noexcept;

  // ---- Records as values. Strings and threads are registered in the tables at their first use. ----

  // Any event. The durations, instants and flows of one thread come in time order, outer durations first;
  // durations nest, at most 512 deep; flows lie inside one. The flows of an id, and the async operations of
  // an id, come in time order and begin before they go on, and the async operations of an id nest (W15 to
  // W17, W21). The last times of ids are remembered while they are open, and of the latest 65,536 after that.
  void write(const Event& event);
  // Splits payloads above 32,000 bytes into several records.
  void write(const Blob& blob);
  void write(const UserspaceObject& object);
  // A thread's first argument is "process" of type Koid (W18). name_process() and name_thread() are shorter.
  void write(const KernelObject& object);
  // For all scheduling records: the thread must have been named before, the last time in this process, as
  // Perfetto knows a thread's process only from its name (W18).
  void write(const LegacyContextSwitch& context_switch);
  void write(const ContextSwitch& context_switch);
  void write(const ThreadWakeup& wakeup);
  void write(const Log& log);
  // Modules and mmaps of threads beyond the 255 of the table are refused, as Fuchsia's readers differ (W23).
  void write(const ProfilerModule& module);
  void write(const ProfilerMmap& mmap);
  void write(const ProfilerBacktrace& backtrace);
  void write(const LargeBlob& blob);
  void write(const LargeBlobWithoutMetadata& blob);

  // Any record, to copy or filter a trace whose times are ns. Skips what the Writer writes by itself (magic,
  // initialization, tables). A provider is announced, or becomes the current one again. False for unknown
  // records, which can't be written.
  template <std::same_as<Record> AnyRecord>
  bool write(const AnyRecord& record) {
    return write_any(record);
  }
  // The same for the current record of `reader`, with its times converted to ns. Also false if a time is too
  // late to be converted.
  bool write(const Entry& entry, const Reader& reader);

  void name_process(std::uint64_t process, String name);
  void name_thread(std::uint64_t process, std::uint64_t thread, String name);
  // Provider event "a buffer filled up, records were likely dropped", of the current provider.
  void buffer_full();

  // Announces another provider and makes it the current one. Each id can be announced once (W2).
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. Indices of the tables are the same in all providers, so
  // prepared events and thread indices stay valid (W3).
  void switch_provider(std::uint32_t id);

  // ---- Prepared events, for millions of them: no look-up, no allocation, no arguments. ----

  // Registers both strings. Nothing if the string table is full: write such events as values. Empty strings
  // need no table. Asking again gives the same.
  std::optional<PreparedEvent> prepare(std::string_view category, std::string_view name);
  // The same for one string. Arguments and records that are written into reserve() refer to it by
  // TextRef::table().
  std::optional<std::uint16_t> string_ref(std::string_view text);
  // Registers the thread. Nothing if the thread table is full: write its events as values.
  std::optional<ThreadIndex> thread_index(std::uint64_t process, std::uint64_t thread);
  static constexpr std::size_t kCompleteWords = 3;
  static constexpr std::size_t kDurationWords = 2;  // of an instant, a begin or an end

  // A duration complete event, begin <= end < 2^63 ns. All events of a thread: in time order, outer durations
  // first.
  void write_complete(PreparedEvent event, ThreadIndex thread, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t header = event.header(EventType::DurationComplete, thread, kCompleteWords);
    admit_complete(header, begin, end);
    std::uint64_t* const words = buffer_.claim(kCompleteWords);
    words[0] = header;
    words[1] = begin;
    words[2] = end;
  }
  // A duration begin event, time < 2^63 ns.
  void write_begin(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::DurationBegin, thread, kDurationWords);
    admit_begin(header, time);
    put_point(header, time);
  }
  // A duration end event, time < 2^63 ns.
  void write_end(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::DurationEnd, thread, kDurationWords);
    admit_end(header, time);
    put_point(header, time);
  }
  // An instant, time < 2^63 ns.
  void write_instant(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    const std::uint64_t header = event.header(EventType::Instant, thread, kDurationWords);
    if (event.is_frame_mark_) judge(header, time, time);
    admit_instant(header, time);
    put_point(header, time);
  }
  // Room for `words` (at most kMinBufferWords) words, which the caller fills with whole records, encoded by
  // fxt/words.h. The caller keeps all the rules: nothing is checked or remembered here, so other events of
  // the same thread need trust_nesting. Valid until any other call. The words are numbers; the Writer
  // converts them to the file's byte order.
  std::span<std::uint64_t> reserve(std::size_t words) { return buffer_.reserve(words); }
  // Appends the first `words` words of the reserved room to the file.
  void commit(std::size_t words) { buffer_.commit(words); }

  // Sends everything written so far to the Output. The file is readable after each flush.
  void flush() { buffer_.flush(); }
  // Ends what is open, flushes, and finishes the Output. Durations and async operations end at the time of
  // the last event, but a duration inside a complete one no later than that one (W17). A flow ends at its
  // last event, if a duration encloses that; otherwise in a duration of no length that is written for it
  // (W21). Throws only what the Output throws. What is written afterwards is a std::logic_error.
  void finish();

  const WriterCounters& counters() const { return counters_; }
  // All words of the file so far, those not yet flushed included.
  std::uint64_t words_written() const { return buffer_.words_written(); }

 private:
  // The category and name refs of an event's header.
  static constexpr std::uint64_t kNames = EventHeader::Category::kMask | EventHeader::Name::kMask;

  // Each checks the event against all rules and remembers it, or throws a WriterError.
  ThreadNesting* nesting_of(std::uint64_t header) const {
    return nestings_[EventHeader::Thread::get(header)];
  }
  void admit_complete(std::uint64_t header, std::uint64_t begin, std::uint64_t end) {
    ThreadNesting* const nesting = nesting_of(header);
    if (nesting != nullptr && span_.fits_end(end) && nesting->add_sibling(begin, end))
      return span_.extend_end(end);
    if (begin > end || !span_.fits(begin, end) ||
        (nesting != nullptr && nesting->add_complete(begin, end, {})))
      judge(header, begin, end);
    span_.extend(begin, end);
  }
  template <typename Add>
  void admit_point(std::uint64_t header, std::uint64_t time, Add add) {
    ThreadNesting* const nesting = nesting_of(header);
    if (!span_.fits(time, time) || (nesting != nullptr && add(*nesting))) judge(header, time, time);
    span_.extend(time, time);
  }
  void admit_begin(std::uint64_t header, std::uint64_t time) {
    admit_point(header, time,
                [&](ThreadNesting& nesting) { return nesting.add_begin(time, {header & kNames}); });
  }
  void admit_end(std::uint64_t header, std::uint64_t time) {
    const std::uint64_t names = header & kNames;
    admit_point(header, time, [&](ThreadNesting& nesting) {
      const bool is_of_other =
          nesting.around(time).tag.names != names && !ends_innermost(nesting, time, names);
      return is_of_other || nesting.add_end(time);
    });
  }
  // Whether an end whose names differ from those of the innermost begin may still end it.
  bool ends_innermost(const ThreadNesting& nesting, std::uint64_t time, std::uint64_t names) const;
  void admit_instant(std::uint64_t header, std::uint64_t time) {
    admit_point(header, time, [&](ThreadNesting& nesting) { return nesting.add_point(time, false); });
  }
  // An event that breaks a rule, and is not remembered yet: throws its WriterError, unless all its faults are
  // allowed.
  void judge(std::uint64_t header, std::uint64_t begin, std::uint64_t end);

  void put_point(std::uint64_t header, std::uint64_t time) {
    std::uint64_t* const words = buffer_.claim(kDurationWords);
    words[0] = header;
    words[1] = time;
  }
  bool write_any(const Record& record);
  template <typename T>
  std::uint64_t put(const T& record, std::string_view kind, std::string_view name);
  std::uint64_t put_event(const Event& event);
  template <typename T>
  void put_profiler(const T& record, std::string_view kind);
  template <typename T>
  void put_large(const T& blob);
  void check_values(const Event& event) const;
  void check_times(const Event& event) const;

  WriterOptions options_;
  WriterCounters counters_;
  WordBuffer buffer_;
  TimeSpan span_;  // of the events that Tracy shows, and of flows, which lie in them
  std::array<ThreadNesting*, kMaxThreadIndex + 1> nestings_ = {};  // by ThreadIndex; null: not checked
  std::unique_ptr<WriterTables> tables_;
  std::unique_ptr<EventOrder> order_;
  std::unique_ptr<CounterRules> counter_rules_;
  std::unique_ptr<ThreadNames> names_;
  std::unordered_map<std::uint64_t, std::uint64_t> switched_;  // by thread: the process of its last switch
  std::unique_ptr<std::array<std::uint64_t, kMaxRecordWords>> scratch_;  // of one record
};

}  // namespace fxt
