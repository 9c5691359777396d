// SPDX-License-Identifier: Apache-2.0
// Encodes records that callers give as values: tables, the first records, sizes, padding, string limits. It
// writes everything that can be encoded. What readers make of it is judged by the Checker, which a
// CheckedOutput asks about each record.
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

// A record that has no encoding: it is too long, or a number does not fit into its field. Nothing of it is
// written. The text gives the reason in the terms of the call.
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
  constexpr explicit PreparedEvent(std::uint64_t header) : header_(header) {}
  std::uint64_t header_;  // type, category and name are set
};

// What a Writer calls itself.
struct WriterOptions {
  std::string_view provider_name = "fxt";  // cut at 255 bytes
  std::uint32_t provider_id = 1;
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

  void write(const Event& event);
  // Splits payloads above 32,000 bytes into several records.
  void write(const Blob& blob);
  void write(const UserspaceObject& object);
  // A thread's first argument is "process" of type Koid. name_process() and name_thread() are shorter.
  void write(const KernelObject& object);
  // On a cpu above 255 it becomes a ContextSwitch, which has no priorities.
  void write(const LegacyContextSwitch& context_switch);
  void write(const ContextSwitch& context_switch);
  void write(const ThreadWakeup& wakeup);
  void write(const Log& log);
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

  // Announces another provider and makes it the current one. Each id can be announced once.
  void begin_provider(std::uint32_t id, std::string_view name);
  // Makes an announced provider the current one. Indices of the tables are the same in all providers, so
  // prepared events and thread indices stay valid.
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
  // Room for `words` (at most kMinBufferWords) words, which the caller fills with whole records, encoded by
  // fxt/words.h. Valid until any other call. The words are numbers; the Writer converts them to the file's
  // byte order.
  std::span<std::uint64_t> reserve(std::size_t words) { return buffer_.reserve(words); }
  // Appends the first `words` words of the reserved room to the file.
  void commit(std::size_t words) {
    buffer_.commit(words);
    buffer_.end_record();
  }

  // Sends everything written so far to the Output. The file is readable after each flush.
  void flush() { buffer_.flush(); }
  // Flushes, and finishes the Output. Ends nothing that is open: the caller knows what that is, and when it
  // ended. Throws only what the Output throws. What is written afterwards is a std::logic_error.
  void finish();

  const WriterCounters& counters() const { return counters_; }
  // All words of the file so far, those not yet flushed included.
  std::uint64_t words_written() const { return buffer_.words_written(); }

 private:
  void put_point(std::uint64_t header, std::uint64_t time) {
    std::uint64_t* const words = buffer_.claim(kDurationWords);
    words[0] = header;
    words[1] = time;
    buffer_.end_record();
  }
  bool write_any(const Record& record);
  // `name`: of the record, for messages.
  template <typename T>
  void put(const T& record, std::string_view kind, std::string_view name = "");
  template <typename T>
  void put_large(const T& blob);

  WriterCounters counters_;
  WordBuffer buffer_;
  std::unique_ptr<WriterTables> tables_;
  std::unique_ptr<std::array<std::uint64_t, kMaxRecordWords>> scratch_;  // of one record
};

}  // namespace fxt
