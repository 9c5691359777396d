// Writes traces that every known reader accepts. The Writer takes records as values and keeps the rules of
// the format by itself: tables, order of the first records, sizes, padding, string limits. What a caller
// gets wrong is a WriterError at the call, and nothing of that record is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/checking/duration_guard.h"
#include "fxt/format.h"
#include "fxt/header_words.h"
#include "fxt/output.h"
#include "fxt/records.h"
#include "fxt/words.h"

namespace fxt {

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
  explicit constexpr PreparedEvent(std::uint64_t header) : header_(header) {}
  std::uint64_t header_;  // type, category and name are set
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
  // Events that lie 2^47 ns (39 h) or more apart: Tracy's times wrap (W5).
  bool long_spans = false;
  // The caller promises that the durations of each thread come in time order, nest and are balanced, and that
  // flows lie inside them and have begun (W15 to W17, W21): nothing of that is checked, nothing is ended.
  bool trust_nesting = false;
};

// What a Writer had to change or could not do the short way.
struct WriterCounters {
  std::uint64_t cut_strings = 0;       // longer than the format takes
  std::uint64_t repaired_strings = 0;  // were not UTF-8
  std::uint64_t inline_strings = 0;    // written inline because the string table is full
  std::uint64_t inline_threads = 0;    // written inline because the thread table is full
};

// Not thread-safe: one Writer per thread and Output. Nothing is sent to the Output by the destructor: end
// with finish(). After an Output has thrown, a Writer must not be used any more.
class Writer {
 public:
  // Begins the file: magic, provider info, initialization (10^9 ticks per second: times are ns).
  explicit Writer(Output& output, const WriterOptions& options = {});
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // ---- Records as values. Strings and threads are registered in the tables at their first use. ----

  // Any event: its time and, if it has one, its end must be below 2^63, the end not before the time; pid and
  // tid 1..2^32-1; at most 15 arguments; a counter has numeric arguments only, and each names one series of
  // one counter (W5, W19, W20). The durations, instants and flows of one thread come in time order, outer
  // durations first; durations nest, at most 512 deep; flows lie inside one, and are begun before they are
  // continued (W15 to W17, W21).
  void write(const Event& event);
  // Splits payloads above 32,000 bytes into several records.
  void write(const Blob& blob);
  void write(const UserspaceObject& object);
  // A process takes no arguments, a thread the argument "process" of type Koid first; names must not be
  // empty (W18). name_process() and name_thread() are the short way.
  void write(const KernelObject& object);
  void write(const LegacyContextSwitch& context_switch);
  void write(const ContextSwitch& context_switch);
  void write(const ThreadWakeup& wakeup);
  void write(const Log& log);
  void write(const LargeBlob& blob);
  void write(const LargeBlobWithoutMetadata& blob);

  void name_process(std::uint64_t process, String name);
  void name_thread(std::uint64_t process, std::uint64_t thread, String name);
  // Provider event "a buffer filled up, records were likely dropped", of the current provider.
  void buffer_full();

  // Announces another provider and makes it the current one. Each id can be announced once (W2).
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. Ids that are in tables stay the same in all providers, and
  // prepared events and thread indices stay good (W3).
  void switch_provider(std::uint32_t id);

  // ---- The short way for millions of events without arguments: no look-up, no allocation. ----

  // Registers both strings. Nothing if the string table is full: write such events as values. Empty strings
  // need no table.
  std::optional<PreparedEvent> prepare(std::string_view category, std::string_view name);
  // The same for one string, which records that are filled into reserve() then refer to: TextRef::table().
  std::optional<std::uint16_t> string_ref(std::string_view text);
  // Registers the thread. Nothing if the thread table is full: write its events as values.
  std::optional<ThreadIndex> thread_index(std::uint64_t process, std::uint64_t thread);

  static constexpr std::size_t kCompleteWords = 3;
  static constexpr std::size_t kDurationWords = 2;  // of a begin or an end

  // A duration complete event, begin <= end < 2^63 ns. Here as below: in time order, outer ones first.
  void write_complete(PreparedEvent event, ThreadIndex thread, std::uint64_t begin, std::uint64_t end) {
    DurationStack* const stack = stacks_[static_cast<std::uint8_t>(thread)];
    if (stack != nullptr && end < time_limit_ && stack->add_sibling(begin, end)) {
      last_time_ = std::max(last_time_, end);
    } else if (begin <= end && times_fit(begin, end) &&
               (stack == nullptr || stack->add_complete(begin, end))) {
      take_times(begin, end);
    } else {
      refuse(event.header(EventType::DurationComplete, thread, kCompleteWords), begin, end);
    }
    std::uint64_t* const words = claim(kCompleteWords);
    words[0] = event.header(EventType::DurationComplete, thread, kCompleteWords);
    words[1] = begin;
    words[2] = end;
  }
  // A duration begin event, time < 2^63 ns.
  void write_begin(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    DurationStack* const stack = stacks_[static_cast<std::uint8_t>(thread)];
    const std::uint64_t header = event.header(EventType::DurationBegin, thread, kDurationWords);
    if (!times_fit(time, time) || (stack != nullptr && !stack->add_begin(time, header & kNames)))
      refuse(header, time, time);
    take_times(time, time);
    write_duration(header, time);
  }
  // A duration end event, time < 2^63 ns.
  void write_end(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    DurationStack* const stack = stacks_[static_cast<std::uint8_t>(thread)];
    const std::uint64_t header = event.header(EventType::DurationEnd, thread, kDurationWords);
    if (!times_fit(time, time) || (stack != nullptr && !stack->add_end(time))) refuse(header, time, time);
    take_times(time, time);
    write_duration(header, time);
  }

  // Room for `words` (at most kMinBufferWords) words, to be filled with whole records by the caller, who
  // keeps all the rules: nothing is watched here, so a thread's other events need trust_nesting. Headers come
  // from PreparedEvent::header(). Valid until any other call. The words are numbers; the Writer cares for the
  // byte order.
  std::span<std::uint64_t> reserve(std::size_t words) {
    make_room(words);
    return {cursor_, words};
  }
  // Takes over the first `words` words of what was reserved.
  void commit(std::size_t words) { cursor_ += words; }

  // Sends everything written so far to the Output. The file is readable after each flush.
  void flush();
  // Ends the durations that are still open, at the time of the last event (W17), and flushes.
  void finish();

  const WriterCounters& counters() const { return counters_; }
  // All words of the file so far, those not yet flushed included.
  std::uint64_t words_written() const {
    return exchanged_words_ + static_cast<std::uint64_t>(cursor_ - buffer_.data());
  }

 private:
  class Builder;

  struct ThreadUse {
    std::uint8_t ref = 0;  // 0: both koids follow inline
    Thread thread;
  };
  struct ArgumentUse {
    TextRef name;
    TextRef text;  // of a string argument
  };
  using ArgumentUses = std::array<ArgumentUse, kMaxArguments>;
  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct ThreadHash {
    std::size_t operator()(const Thread& thread) const {
      return std::hash<std::uint64_t>{}(thread.process * 0x9e37'79b9'7f4a'7c15 + thread.thread);
    }
  };
  // Which table entries a provider has seen. An index means the same in all of them.
  struct Provider {
    std::uint32_t id = 0;
    std::vector<bool> strings;
    std::vector<bool> threads;
  };

  std::uint64_t* claim(std::size_t words) {
    make_room(words);
    std::uint64_t* const start = cursor_;
    cursor_ += words;
    return start;
  }
  void make_room(std::size_t words) {
    if (static_cast<std::size_t>(limit_ - cursor_) < words) next_buffer(words);
  }
  // Whether the trace may reach from `begin` to `end` at least; then makes it so.
  bool times_fit(std::uint64_t begin, std::uint64_t end) const {
    return end < time_limit_ && (begin >= first_time_ || fits_as_first(begin, end));
  }
  bool fits_as_first(std::uint64_t begin, std::uint64_t end) const;
  void take_times(std::uint64_t begin, std::uint64_t end) {
    if (begin < first_time_) take_first_time(begin);
    if (end > last_time_) last_time_ = end;
  }
  void take_first_time(std::uint64_t time);
  void write_duration(std::uint64_t header, std::uint64_t time) {
    std::uint64_t* const words = claim(kDurationWords);
    words[0] = header;
    words[1] = time;
  }
  void next_buffer(std::size_t words);
  // Says why the event with this header was not taken on the short way.
  [[noreturn]] void refuse(std::uint64_t header, std::uint64_t begin, std::uint64_t end);
  void check_times(const Event& event) const;
  static void check_time(std::string_view what, std::uint64_t time);

  TextRef refer_to(const String& string);
  ThreadUse refer_to(const Thread& thread);
  const ArgumentUses& refer_to(Arguments arguments);  // good until the next call
  std::string_view clean(std::string_view text, std::size_t max_bytes);
  std::optional<std::uint16_t> string_index(std::string_view text);
  std::optional<std::uint8_t> index_of(const Thread& thread);
  void register_string(std::uint16_t index);
  void register_thread(std::uint8_t index);
  void enter(std::size_t provider);
  void finish(Builder& record);
  void append(std::span<const std::uint64_t> words);
  void write_large(Builder& head, std::span<const std::byte> bytes);
  void check_thread(std::string_view what, const Thread& thread) const;
  void check_arguments(std::string_view what, Arguments arguments) const;
  void check_scheduling_arguments(std::string_view what, Arguments arguments) const;
  void check_series(const Event& event);

  // The category and name refs of an event's header.
  static constexpr std::uint64_t kNames = EventHeader::Category::kMask | EventHeader::Name::kMask;

  WriterOptions options_;
  WriterCounters counters_;

  Output* output_;
  std::span<std::uint64_t> buffer_;
  std::uint64_t* cursor_ = nullptr;
  std::uint64_t* limit_ = nullptr;
  std::uint64_t exchanged_words_ = 0;

  std::unordered_map<std::string, std::uint16_t, StringHash, std::equal_to<>> string_table_;
  std::vector<const std::string*> strings_;  // by index - 1; keys of string_table_
  std::unordered_map<Thread, std::uint8_t, ThreadHash> thread_table_;
  ThreadUse last_thread_;                                        // of an event; ref 0 if none
  std::vector<Thread> threads_;                                  // by index - 1
  std::unordered_map<std::uint64_t, std::uint64_t> process_of_;  // thread koid -> process koid
  std::unordered_map<std::string, std::string, StringHash, std::equal_to<>>
      series_;  // counter argument -> name
  DurationGuard durations_;
  std::array<DurationStack*, kMaxThreadIndex + 1> stacks_ = {};   // by ThreadIndex; null: not watched
  std::uint64_t first_time_ = ~std::uint64_t{0}, last_time_ = 0;  // of events, as Tracy takes them
  std::uint64_t span_limit_;                                      // of these two
  std::uint64_t time_limit_ = kTimeLimit;                         // of last_time_
  std::vector<Provider> providers_;
  std::size_t provider_ = 0;                       // the current one
  std::vector<std::uint16_t> handed_out_strings_;  // by prepare()
  std::vector<std::uint8_t> handed_out_threads_;   // by thread_index()

  std::unique_ptr<std::array<std::uint64_t, kMaxRecordWords>> record_;  // the one being built
  ArgumentUses argument_uses_;                                          // of that record
  std::deque<std::string> cleaned_;  // texts of that record that had to be changed
};

}  // namespace fxt
