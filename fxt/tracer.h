// SPDX-License-Identifier: Apache-2.0
// Traces the program that is running, from all of its threads: scopes, instants and counters with times taken
// here. Each thread writes into a buffer of its own, without a lock. The file keeps all rules at any time: a
// program that is killed leaves what was flushed, and scopes that were open then end where they were seen
// last. (The scopes of a thread have to end in the reverse order of their begins, as those on the stack do.)
// Nothing here throws into the program but the constructors.
//
//   const fxt::TraceCategory kApp("app");         // both live as long as the program
//   const fxt::TraceEvent kWork(kApp, "work");
//   int main() {
//     fxt::Tracer tracer("out.fxt");
//     const fxt::TraceScope scope(kWork, "size", 42);
//   }
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fxt/records.h"
#include "fxt/words.h"

namespace FXT_API fxt {

class FXT_INTERNAL TracerState;

// The steady clock in ns; on Linux CLOCK_MONOTONIC, which other tracers stamp with.
inline std::uint64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// A category of events. One that is off costs a branch. Static ones are there before any TraceEvent is, also
// before those of other sources. Borrows the name, for as long as TraceEvents of it are made.
class TraceCategory {
 public:
  constexpr explicit TraceCategory(std::string_view name, bool is_on = true) noexcept
      : name_(name), is_on_(is_on) {}
  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  void set_on(bool on) noexcept { is_on_.store(on, std::memory_order_relaxed); }

 private:
  friend class TraceEvent;
  std::string_view name_;
  std::atomic<bool> is_on_;
};

// What may happen: a category and a name. A program has at most 32,767 names; later ones are "(other)".
class TraceEvent {
 public:
  TraceEvent(const TraceCategory& category, std::string_view name);
  bool is_on() const noexcept { return category_->is_on(); }
  TextRef name() const noexcept {
    return TextRef::table(static_cast<std::uint16_t>(EventHeader::Name::get(names_)));
  }

 private:
  friend class TraceBuffer;
  const TraceCategory* category_;
  std::uint64_t names_;  // of an event's header
  bool names_a_frame_;   // Tracy shows no such instant: a duration of no length stands for it
};

// How the arguments of an event are encoded. For TraceBuffer.
class TraceArguments {
 public:
  // Puts names and values there. Returns where they end.
  static std::uint64_t* put(std::uint64_t* at) noexcept { return at; }
  template <typename Name, typename Value, typename... More>
  static std::uint64_t* put(std::uint64_t* at, const Name& name, const Value& value,
                            const More&... more) noexcept {
    const TextRef ref = name_of(name);
    if constexpr (std::integral<Value> || std::floating_point<Value>)
      return put(put_number(at, ref, value), more...);
    else if constexpr (std::is_pointer_v<Value> && !std::convertible_to<Value, std::string_view>)
      return put(put_pointer(at, ref, reinterpret_cast<std::uintptr_t>(value)), more...);
    else
      return put(put_string(at, ref, text_of(value)), more...);
  }

 private:
  static constexpr std::size_t kNameBytes = 64;

  static TextRef name_of(const TextRef& name) noexcept { return name; }
  static TextRef name_of(std::string_view text) noexcept {
    const bool is_plain = std::ranges::all_of(text, [](char c) { return c > 0 && c < 127; });
    return TextRef::inlined(is_plain ? text.substr(0, kNameBytes) : name_prefix(text));
  }
  static std::string_view name_prefix(std::string_view text) noexcept;
  template <typename Text>
  static std::string_view text_of(const Text& text) noexcept {
    if constexpr (std::is_pointer_v<Text>)
      if (text == nullptr) return {};
    return text;
  }
  static std::uint64_t* put_string(std::uint64_t* at, const TextRef& name, std::string_view text) noexcept;
};

// The events of one thread that are not in the file yet. For TraceScope and its like.
class TraceBuffer {
 public:
  static constexpr std::size_t kMaxEventWords = 400, kMaxDepth = 500;

  // The buffer of this thread; null if no Tracer is there.
  static TraceBuffer* of_thread() noexcept { return current_ != nullptr ? current_ : find(); }

  // Adds an event; `arguments` are names and values. Returns where a scope has its end, for end(); 0 if the
  // event was lost.
  template <typename... Arguments>
  std::uint64_t add(EventType type, const TraceEvent& event, const Arguments&... arguments) noexcept {
    static_assert(sizeof...(arguments) % 2 == 0 && sizeof...(arguments) / 2 <= kMaxArguments,
                  "at most 15 arguments, each a name and a value");
    const std::size_t filled = filled_.load(std::memory_order_relaxed);
    std::uint64_t* const record = words_.data() + filled;
    const std::size_t most = sizeof...(arguments) == 0 ? 3 : kMaxEventWords;
    if (filled + most > limit_.load(std::memory_order_relaxed) || depth_ >= kMaxDepth)
      return make_room() ? add(type, event, arguments...) : 0;
    const bool is_mark = type == EventType::Instant && event.names_a_frame_;
    if (is_mark) type = EventType::DurationComplete;
    record[1] = next_time();
    std::uint64_t* end = TraceArguments::put(record + 2, arguments...);
    if (type == EventType::DurationComplete) *end++ = is_mark ? record[1] : 0;
    if (type == EventType::Counter) *end++ = 0;
    publish(type, event, end, sizeof...(arguments) / 2);
    return base_ + static_cast<std::uint64_t>(end - words_.data()) - 1;
  }
  template <typename... Arguments>
  std::uint64_t begin(const TraceEvent& event, const Arguments&... arguments) noexcept {
    const std::uint64_t end = add(EventType::DurationComplete, event, arguments...);
    if (end != 0) ++depth_;
    return end;
  }
  void end(std::uint64_t at) noexcept {
    --depth_;
    const std::uint64_t time = next_time();
    at >= base_ ? set_end(at, time) : end_in_file(at, time);
  }

 private:
  friend class TracerState;
  static constexpr std::size_t kWords = 8192;

  // The scopes whose end the file does not have, outermost first.
  class OpenScopes {
   public:
    struct Scope {
      std::uint64_t at = 0, offset = 0;  // where its end belongs: among the thread's words, and in the file
      std::uint64_t end = 0;             // of one that is no more in words_
    };
    void push(const Scope& scope) { scopes_.at(count_++) = scope; }
    // Calls `is_open(scope)` for each, and forgets those that are not.
    template <typename IsOpen>
    void keep_if(IsOpen is_open) {
      const std::size_t count = std::exchange(count_, 0);
      for (std::size_t i = 0; i < count; ++i)
        if (is_open(scopes_.at(i))) push(scopes_.at(i));
    }
    void end(std::uint64_t at, std::uint64_t time) {
      for (Scope& scope : std::span(scopes_).first(count_))
        if (scope.at == at) scope.end = time;
    }
    void clear() { count_ = 0; }

   private:
    std::array<Scope, kMaxDepth> scopes_ = {};
    std::size_t count_ = 0;
  };

  bool is_closed() const noexcept { return limit_.load(std::memory_order_relaxed) == 0; }
  static TraceBuffer* find() noexcept;
  bool make_room() noexcept;
  void end_in_file(std::uint64_t at, std::uint64_t time) noexcept;
  // Times of a thread differ, so that no two events begin at once.
  std::uint64_t next_time() noexcept {
    const std::uint64_t time = std::max(now_ns(), last_time_.load(std::memory_order_relaxed) + 1);
    last_time_.store(time, std::memory_order_relaxed);
    return time;
  }
  void set_end(std::uint64_t at, std::uint64_t time) noexcept {
    std::atomic_ref(words_[at - base_]).store(time, std::memory_order_relaxed);
  }
  void publish(EventType type, const TraceEvent& event, const std::uint64_t* end,
               std::size_t arguments) noexcept {
    const std::size_t filled = filled_.load(std::memory_order_relaxed);
    const auto size = static_cast<std::size_t>(end - words_.data()) - filled;
    words_[filled] = header_ | event.names_ | EventHeader::EventType::put(code(type)) |
                     EventHeader::ArgumentCount::put(arguments) | EventHeader::Size::put(size);
    filled_.store(filled + size, std::memory_order_release);
  }

  inline static thread_local constinit TraceBuffer* current_ = nullptr;

  // The thread's own.
  std::uint64_t header_ = 0;
  std::uint64_t base_ = 1;  // words of the thread that have left words_
  std::size_t depth_ = 0;
  // Written by the thread, read by those who flush.
  std::atomic<std::uint64_t> last_time_ = 0;
  std::atomic<std::size_t> filled_ = 0;
  alignas(64) std::array<std::uint64_t, kWords> words_ = {};
  // Written by those who flush. 0 sends the thread to make_room(), where a Tracer takes it on.
  alignas(64) std::atomic<std::size_t> limit_ = 0;
  // Guarded by the lock.
  OpenScopes open_;
  std::size_t flushed_ = 0;  // of words_
  Thread thread_ = {};
};

// A duration that lasts as long as a scope. After the event, names and values of at most 15 arguments follow:
// numbers, pointers, and texts, which are cut at 128 bytes; a null pointer to char is an empty text. The
// names of one event must differ; they are cut at 64 bytes, and where they are not UTF-8. In more than
// TraceBuffer::kMaxDepth scopes of a thread, which readers do not take, events are lost.
class TraceScope {
 public:
  template <typename... Arguments>
  explicit TraceScope(const TraceEvent& event, const Arguments&... arguments) noexcept {
    if (!event.is_on()) return;
    buffer_ = TraceBuffer::of_thread();
    if (buffer_ != nullptr) end_ = buffer_->begin(event, arguments...);
  }
  ~TraceScope() {
    if (end_ != 0) buffer_->end(end_);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TraceBuffer* buffer_ = nullptr;
  std::uint64_t end_ = 0;  // where its time belongs
};

// Something that happens at one time, with arguments as a scope has them.
template <typename... Arguments>
void trace_instant(const TraceEvent& event, const Arguments&... arguments) noexcept {
  if (!event.is_on()) return;
  if (TraceBuffer* const buffer = TraceBuffer::of_thread())
    buffer->add(EventType::Instant, event, arguments...);
}

// The value of a counter from now on, a number.
template <typename Number>
void trace_counter(const TraceEvent& counter, Number value) noexcept {
  if (!counter.is_on()) return;
  if (TraceBuffer* const buffer = TraceBuffer::of_thread())
    buffer->add(EventType::Counter, counter, counter.name(), value);
}

struct TracerOptions {
  std::string_view process_name = {};  // empty: that of the program
  // 0: the file grows with the trace. Otherwise this many bytes of the latest events are kept in memory;
  // flush() and the destructor write them.
  std::size_t ring_bytes = 0;
  // SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT and SIGTERM flush before they end the program, as far as
  // that is possible there. A signal that the program handles is left to it.
  bool flushes_on_signals = false;
};

// Writes what the program's threads do to a file, in place. One at a time; a child that the program forks is
// not traced.
class Tracer {
 public:
  // Throws std::system_error if the file can't be written, std::logic_error if there is a Tracer already.
  explicit Tracer(const std::string& path, const TracerOptions& options = {});
  // Flushes. Scopes that are still open end now.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Writes the events of all threads so far. A thread whose buffer is full does it by itself.
  void flush() noexcept;
  // Names the calling thread; without, it has the name that the system knows.
  void name_thread(std::string_view name) noexcept;
  // Why the file could not be written to its end; empty if it could.
  std::string error() const;
  // How many events are lost: those in too many scopes, those after an error, and those of threads that have
  // no memory for a buffer, or are ending (thread_local objects that are destroyed after the thread's
  // buffer).
  std::uint64_t lost() const noexcept;
};

}  // namespace fxt
