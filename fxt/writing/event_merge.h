// Moves events from the buffers of threads to a file, merged by their times. Allocates no memory while events
// are written, because the Tracer may flush in a signal handler. Internal to the Tracer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fxt/header_words.h"
#include "fxt/tracer.h"
#include "fxt/words.h"
#include "fxt/writing/staged_file.h"

namespace fxt {

class EventMerge {
 public:
  void reserve(std::size_t parts) { parts_.reserve(parts); }
  void clear() { parts_.clear(); }

  // Adds events that are in memory only. If a scope is still open, the time of the flush becomes its end.
  void add(std::span<std::uint64_t> words, const Thread& thread) {
    if (!words.empty()) parts_.push_back({words.data(), words.data() + words.size(), &thread});
  }
  // Adds those events of a thread that are not in the file yet. If the file can't be overwritten, these
  // include end events for scopes that were written as begin events. In other files, update_ends() writes the
  // ends.
  void add(const StagedFile& file, TraceBuffer& buffer) {
    const std::size_t filled = buffer.filled_.load(std::memory_order_acquire);
    parts_.push_back({buffer.words_.data() + buffer.flushed_, buffer.words_.data() + filled, &buffer.thread_,
                      &buffer, file.can_overwrite() ? kNever : next_end(buffer)});
  }

  // Writes the events until `now`. A scope that is still open at `now` ends at `now` in a file that can be
  // overwritten. In other files, the scope is written as a begin event, and the thread's buffer remembers it.
  void write(StagedFile& file, std::uint64_t now) {
    const auto is_later = [](const Part& a, const Part& b) { return a.time() > b.time(); };
    std::ranges::make_heap(parts_, is_later);
    while (!parts_.empty() && parts_.front().time() <= now) {
      std::ranges::pop_heap(parts_, is_later);
      Part& first = parts_.back();
      const std::uint64_t until = parts_.size() == 1 ? now : std::min(now, parts_.front().time());
      for (; first.event_time() <= until && first.event_time() <= first.next_end;
           put_event(file, first, now)) {
      }
      for (; first.next_end <= until && first.next_end < first.event_time(); put_end(file, first)) {
      }
      if (first.buffer != nullptr)
        first.buffer->flushed_ = static_cast<std::size_t>(first.at - first.buffer->words_.data());
      std::ranges::push_heap(parts_, is_later);
    }
    parts_.clear();
  }

  // Writes end events at `now` for the scopes whose begin events are in the file. Clears the list of open
  // scopes.
  static void end_open(StagedFile& file, TraceBuffer& buffer, std::uint64_t now) {
    for (; !file.can_overwrite() && !buffer.open_.empty(); buffer.open_.pop())
      put_end(file, buffer.open_.innermost().header, buffer.thread_, now);
    buffer.open_.clear();
  }

  // Overwrites the ends of scopes that were open at the last flush.
  static void update_ends(StagedFile& file, TraceBuffer& buffer, std::uint64_t now) {
    buffer.open_.keep_if([&](const Scope& scope) {
      const std::uint64_t end = end_of(buffer, scope);
      const bool is_open = end == 0 || end > now;
      file.overwrite(scope.offset, is_open ? now : end);
      return is_open;
    });
  }

 private:
  using Scope = TraceBuffer::OpenScopes::Scope;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Part {
    std::uint64_t* at;
    std::uint64_t* end;
    const Thread* thread;
    TraceBuffer* buffer = nullptr;    // null if the part is in memory only
    std::uint64_t next_end = kNever;  // end of the innermost scope whose begin event is in the file
    std::uint64_t event_time() const { return at == end ? kNever : at[1]; }
    std::uint64_t time() const { return std::min(event_time(), next_end); }
  };

  static std::uint64_t load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

  // The end of the scope; 0 if it is still open.
  static std::uint64_t end_of(const TraceBuffer& buffer, const Scope& scope) {
    return scope.position < buffer.base_ ? scope.end : load(buffer.words_.at(scope.position - buffer.base_));
  }
  static std::uint64_t next_end(const TraceBuffer& buffer) {
    const std::uint64_t end = buffer.open_.empty() ? 0 : end_of(buffer, buffer.open_.innermost());
    return end == 0 ? kNever : end;
  }

  static std::size_t thread_words(std::uint64_t header) {
    return EventHeader::Thread::get(header) == 0 ? 2 : 0;
  }
  static std::uint64_t* put_thread(std::uint64_t* to, std::uint64_t header, const Thread& thread) {
    if (thread_words(header) != 0) *to++ = thread.process, *to++ = thread.thread;
    return to;
  }

  static void put_end(StagedFile& file, std::uint64_t header, const Thread& thread, std::uint64_t time) {
    constexpr std::uint64_t kNames =
        EventHeader::Thread::kMask | EventHeader::Category::kMask | EventHeader::Name::kMask;
    const std::size_t size = 2 + thread_words(header);
    std::uint64_t* const to = file.claim(size);
    to[0] = event_header(EventType::DurationEnd, 0, 0, 0, 0, size) | (header & kNames);
    to[1] = time;
    put_thread(to + 2, header, thread);
  }
  static void put_end(StagedFile& file, Part& part) {
    TraceBuffer& buffer = *part.buffer;
    put_end(file, buffer.open_.innermost().header, *part.thread, part.next_end);
    buffer.open_.pop();
    part.next_end = next_end(buffer);
  }

  static void put_event(StagedFile& file, Part& part, std::uint64_t now) {
    const std::uint64_t header = part.at[0];
    const std::size_t size = EventHeader::Size::get(header);
    const bool is_scope = EventHeader::EventType::get(header) == code(EventType::DurationComplete);
    const std::uint64_t end = is_scope ? load(part.at[size - 1]) : 0;
    const bool is_open = is_scope && (end == 0 || end > now), is_begin = is_open && !file.can_overwrite();

    const std::size_t written = size + thread_words(header) - (is_begin ? 1 : 0);
    std::uint64_t* to = file.claim(written);
    to[0] = is_begin ? as_begin(header, written) : header + EventHeader::Size::put(written - size);
    to[1] = part.at[1];
    to =
        std::copy(part.at + 2, part.at + size - (is_scope ? 1 : 0), put_thread(to + 2, header, *part.thread));
    if (is_scope && !is_begin) *to = is_open ? now : end;
    part.at += size;
    if (is_open && part.buffer != nullptr) remember(file, part, header);
  }
  static std::uint64_t as_begin(std::uint64_t header, std::size_t size) {
    constexpr std::uint64_t kChanged = EventHeader::EventType::kMask | EventHeader::Size::kMask;
    return event_header(EventType::DurationBegin, 0, 0, 0, 0, size) | (header & ~kChanged);
  }
  // The scope that was just written is still open. Adds it to the open scopes of its buffer.
  static void remember(const StagedFile& file, Part& part, std::uint64_t header) {
    TraceBuffer& buffer = *part.buffer;
    buffer.open_.push(
        {.position = buffer.base_ + static_cast<std::uint64_t>(part.at - buffer.words_.data()) - 1,
         .offset = file.offset() - sizeof(std::uint64_t),
         .header = header});
    part.next_end = kNever;
  }

  std::vector<Part> parts_;
};

}  // namespace fxt
