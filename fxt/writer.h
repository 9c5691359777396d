// SPDX-License-Identifier: Apache-2.0
// Encodes records that callers pass as values. The Writer takes care of tables, the first records, sizes,
// padding, and limits of strings, and writes everything that can be encoded. It does not check the rules of
// readers; a CheckedOutput does.
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

#include "fxt/output.h"
#include "fxt/records.h"
#include "fxt/word_buffer.h"
#include "fxt/words.h"

namespace fxt {  // internal
class WriterTables;
}  // namespace fxt

namespace FXT_API fxt {

class Reader;
struct Entry;

// Thrown for a record that can't be encoded, because it is too long, or because a number does not fit into
// its field. No part of the record is written. The text names the record, and gives the reason.
class WriterError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A thread's index in the thread table, 1..255. Writer::thread_index() returns it.
enum class ThreadIndex : std::uint8_t {};

// The category and the name of events, in the string table of a Writer. Writer::prepare() returns it. It is
// valid only for that Writer.
class PreparedEvent {
 public:
  // The header word of an event with this category and name. `size_words` includes the header.
  constexpr std::uint64_t header(EventType type, ThreadIndex thread, std::size_t size_words) const {
    return header_ | EventHeader::EventType::put(code(type)) |
           EventHeader::Thread::put(static_cast<std::uint8_t>(thread)) | EventHeader::Size::put(size_words);
  }

 private:
  friend class Writer;
  constexpr explicit PreparedEvent(std::uint64_t header) : header_(header) {}
  std::uint64_t header_;  // a header word with type, category and name
};

// The provider that the Writer announces first.
struct WriterOptions {
  std::string_view provider_name = "fxt";  // cut at 255 bytes
  std::uint32_t provider_id = 1;
};

// The number of strings that a Writer had to change, and of strings and threads that it had to write inline.
struct WriterCounters {
  std::uint64_t cut_strings = 0;       // longer than the format allows
  std::uint64_t repaired_strings = 0;  // were not UTF-8, or had a NUL
  std::uint64_t inline_strings = 0;    // written inline because the string table is full
  std::uint64_t inline_threads = 0;    // written inline because the thread table is full
};

// Not thread-safe: use one Writer per thread and Output. The destructor sends nothing to the Output: call
// finish() at the end. After an exception of the Output, the Writer must not be used any more.
class Writer {
 public:
  // Writes the start of the file: magic, provider info, and initialization (10^9 ticks per second, so times
  // are ns).
  explicit Writer(Output& output, const WriterOptions& options = {});
  ~Writer();
  // The moved-from Writer must not be used any more.
  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&& other) noexcept;

  // ---- Records as values. Strings and threads are registered in the tables at their first use. ----

  void write(const Event& event);
  // Splits payloads above 32,000 bytes into several records.
  void write(const Blob& blob);
  void write(const UserspaceObject& object);
  // If the object is a thread, its first argument must have the name "process" and the type Koid.
  // name_thread() adds this argument.
  void write(const KernelObject& object);
  // For a CPU above 255, writes a ContextSwitch, which has no priorities.
  void write(const LegacyContextSwitch& context_switch);
  void write(const ContextSwitch& context_switch);
  void write(const ThreadWakeup& wakeup);
  void write(const Log& log);
  void write(const ProfilerModule& module);
  void write(const ProfilerMmap& mmap);
  void write(const ProfilerBacktrace& backtrace);
  void write(const LargeBlob& blob);
  void write(const LargeBlobWithoutMetadata& blob);

  // Writes any record, to copy or filter a trace whose times are ns. Skips the records that the Writer writes
  // itself (magic, initialization, tables). If the record is about a provider, the provider is announced, or
  // becomes the current one again. Returns false for unknown records, which can't be written.
  template <std::same_as<Record> AnyRecord>
  bool write(const AnyRecord& record) {
    return write_any(record);
  }
  // Writes the current record of `reader`, with its times converted to ns. Also returns false if a time is
  // too late to be converted.
  bool write(const Entry& entry, const Reader& reader);

  void name_process(std::uint64_t process, String name);
  void name_thread(std::uint64_t process, std::uint64_t thread, String name);
  // Writes the provider event "a buffer filled up, records were likely dropped" for the current provider.
  void buffer_full();

  // Announces another provider and makes it the current one. An id can be announced only once.
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. All providers share the indices of the tables, so prepared
  // events and thread indices stay valid.
  void switch_provider(std::uint32_t id);

  // ---- Prepared events, for millions of them: no look-up, no allocation, no arguments. ----

  // Registers both strings. Returns nothing if the string table is full: then pass the events to write().
  // Empty strings need no entry. Repeated calls return the same result.
  std::optional<PreparedEvent> prepare(std::string_view category, std::string_view name);
  // Registers one string. Returns nothing if the string table is full. Otherwise, TextRef::table() makes a
  // reference from the result, for records that the caller writes into the space from reserve().
  std::optional<std::uint16_t> string_ref(std::string_view text);
  // Registers the thread. Returns nothing if the thread table is full: then pass its events to write().
  std::optional<ThreadIndex> thread_index(std::uint64_t process, std::uint64_t thread);
  static constexpr std::size_t kCompleteWords = 3;
  static constexpr std::size_t kDurationWords = 2;  // size of an instant, a begin or an end in words

  void write_complete(PreparedEvent event, ThreadIndex thread, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* const words = buffer_.claim(kCompleteWords);
    words[0] = event.header(EventType::DurationComplete, thread, kCompleteWords);
    words[1] = begin;
    words[2] = end;
    buffer_.end_record();
  }
  void write_begin(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    put_point(event.header(EventType::DurationBegin, thread, kDurationWords), time);
  }
  void write_end(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    put_point(event.header(EventType::DurationEnd, thread, kDurationWords), time);
  }
  void write_instant(PreparedEvent event, ThreadIndex thread, std::uint64_t time) {
    put_point(event.header(EventType::Instant, thread, kDurationWords), time);
  }
  // Returns space for `words` (at most kMinBufferWords) words. The space is valid until another member
  // function of the Writer is called. The caller fills it with whole records, encoded by fxt/words.h. The
  // words are numbers; the Writer converts them to the byte order of the file.
  std::span<std::uint64_t> reserve(std::size_t words) { return buffer_.reserve(words); }
  // Appends the first `words` words of the reserved space to the file.
  void commit(std::size_t words) {
    buffer_.commit(words);
    buffer_.end_record();
  }

  // Sends all written records to the Output. The file is readable after each flush.
  void flush() { buffer_.flush(); }
  // Flushes, and finishes the Output. Open durations are not ended, because only the caller knows their ends.
  // Throws only exceptions of the Output. Writing afterwards throws std::logic_error.
  void finish();

  const WriterCounters& counters() const { return counters_; }
  // The number of words in the file, including those that are not flushed yet.
  std::uint64_t words_written() const { return buffer_.words_written(); }

 private:
  void put_point(std::uint64_t header, std::uint64_t time) {
    std::uint64_t* const words = buffer_.claim(kDurationWords);
    words[0] = header;
    words[1] = time;
    buffer_.end_record();
  }
  bool write_any(const Record& record);
  // `kind` and `name` describe the record in messages.
  template <typename T>
  void put(const T& record, std::string_view kind, std::string_view name = "");
  template <typename T>
  void put_large(const T& blob);

  WriterCounters counters_;
  WordBuffer buffer_;
  std::unique_ptr<WriterTables> tables_;
  std::unique_ptr<std::array<std::uint64_t, kMaxRecordWords>> scratch_;  // the words of one record
};

}  // namespace fxt
