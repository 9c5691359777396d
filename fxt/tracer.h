// SPDX-License-Identifier: Apache-2.0
// Traces the running program, from all of its threads, into a file of the Fuchsia trace format. The times are
// taken here. Each thread writes into a buffer of its own, without a lock; a thread of the Tracer moves the
// buffers to the file.
//
//   int main() {
//     fxt::Tracer tracer("out.fxt");
//     FXT_SCOPE("app", "work", "size", 42);  // ends with the block
//   }
//
// Only the constructors throw. After the constructor nothing throws into the program: what can't be written
// is counted by Tracer::lost(), and Tracer::error() has the reason.
//
// Arguments. Each function takes up to 15 arguments after its fixed parameters, as pairs of a name and a
// value: `"size", 42, "kind", "small"`. The names of one event must differ. Names are cut at 64 bytes, and
// before bytes that are not UTF-8. A value is
//   - a number of up to 64 bits, or an enumerator, which is written as its number;
//   - a text (anything that converts to std::string_view), cut at 128 bytes; invalid UTF-8 is replaced. A
//   null
//     `char*` is an empty text;
//   - a pointer, of which the address is written;
//   - nullptr or std::nullopt, written as null;
//   - a std::optional of one of these.
// The values are copied before the function returns.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fxt/records.h"
#include "fxt/words.h"

namespace FXT_API fxt {

class FXT_INTERNAL TracerState;
class FXT_INTERNAL EventMerge;

// The time of the steady clock in nanoseconds. On Linux this is CLOCK_MONOTONIC, which other tracers use,
// too.
inline std::uint64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// A category of events, which can be switched on and off at any time by any thread. An event whose category
// is off costs one branch. The category must outlive all of its TraceEvents. Static categories are
// initialized before any TraceEvent, also before those in other source files.
class TraceCategory {
 public:
  // Borrows the name: its characters must live as long as TraceEvents are made from this category.
  constexpr explicit TraceCategory(std::string_view name, bool is_on = true) noexcept
      : name_(name), is_on_(is_on) {}
  // The category that FXT_SCOPE and TraceEvents use for this name. It lives as long as the program. Throws
  // std::bad_alloc.
  static TraceCategory& named(std::string_view name);

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  void set_on(bool on) noexcept { is_on_.store(on, std::memory_order_relaxed); }

 private:
  friend class TraceEvent;
  std::string_view name_;
  std::atomic<bool> is_on_;
};

// A kind of event: a category and a name. Usually a static object, for it looks its names up in a table. A
// program has at most 32,767 different names; later ones are shown as "(other)". Copies the name. Throws
// std::bad_alloc.
class TraceEvent {
 public:
  TraceEvent(const TraceCategory& category, std::string_view name);
  // With TraceCategory::named(category).
  TraceEvent(std::string_view category, std::string_view name)
      : TraceEvent(TraceCategory::named(category), name) {}

  bool is_on() const noexcept { return category_->is_on(); }
  TextRef name() const noexcept {
    return TextRef::table(static_cast<std::uint16_t>(EventHeader::Name::get(names_)));
  }

 private:
  friend class TraceBuffer;
  const TraceCategory* category_;
  std::uint64_t names_;  // category and name, as in the header of an event
  bool names_a_frame_;   // Tracy shows no such instant: a duration of no length stands for it
};

// Encodes the arguments of an event. For TraceBuffer.
class TraceArguments {
 public:
  // Puts pairs of a name and a value at `at`. Returns where they end.
  static std::uint64_t* put(std::uint64_t* at) noexcept { return at; }
  template <typename Name, typename Value, typename... More>
  static std::uint64_t* put(std::uint64_t* at, const Name& name, const Value& value,
                            const More&... more) noexcept {
    return put(put_value(at, name_of(name), value), more...);
  }
  // Whether these types are pairs of a name and a number.
  template <typename Name, typename Value, typename... More>
  static constexpr bool are_series() {
    if constexpr (sizeof...(More) < 2)
      return std::is_arithmetic_v<Value>;
    else
      return std::is_arithmetic_v<Value> && are_series<More...>();
  }

 private:
  static constexpr std::size_t kNameBytes = 64;
  template <typename>
  static constexpr bool kIsArgument = false;

  template <typename Value>
  static std::uint64_t* put_value(std::uint64_t* at, const TextRef& name,
                                  const std::optional<Value>& value) noexcept {
    return value.has_value() ? put_value(at, name, *value) : put_null(at, name);
  }
  template <typename Value>
  static std::uint64_t* put_value(std::uint64_t* at, const TextRef& name, const Value& value) noexcept {
    if constexpr (std::is_enum_v<Value>)
      return put_number(at, name, static_cast<std::underlying_type_t<Value>>(value));
    else if constexpr (std::is_arithmetic_v<Value>)
      return put_number(at, name, value);
    else if constexpr (std::is_null_pointer_v<Value> || std::is_same_v<Value, std::nullopt_t>)
      return put_null(at, name);
    else if constexpr (std::is_convertible_v<const Value&, std::string_view>)
      return put_string(at, name, text_of(value));
    else if constexpr (std::is_pointer_v<Value>)
      return put_pointer(at, name, reinterpret_cast<std::uintptr_t>(value));
    else
      static_assert(kIsArgument<Value>,
                    "the value of an argument is a number, an enumerator, a text, a pointer, nullptr, or a "
                    "std::optional of one of these");
  }

  static TextRef name_of(const TextRef& name) noexcept { return name; }
  static TextRef name_of(std::string_view text) noexcept {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0 && c < 127; });
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

// The events of one thread that are not in the file yet. For TraceScope and the functions below.
class TraceBuffer {
 public:
  static constexpr std::size_t kMaxEventWords = 400, kMaxDepth = 500;

  // The buffer of the calling thread; null if there is no Tracer.
  static TraceBuffer* of_thread() noexcept { return current_ != nullptr ? current_ : find(); }
  // The same; null also if the thread has no buffer yet.
  static TraceBuffer* current() noexcept { return current_; }

  // Adds an event. `tail` is its last word: the end of a complete event (0: still open), the id of others. It
  // is not written for types that have none. Returns the position of the last word, 0 if the event was lost.
  template <typename... Arguments>
  std::uint64_t add(EventType type, const TraceEvent& event, std::uint64_t tail,
                    const Arguments&... arguments) noexcept {
    static_assert(sizeof...(arguments) % 2 == 0 && sizeof...(arguments) / 2 <= kMaxArguments,
                  "an event has at most 15 arguments, each of them a name and a value");
    const std::uint64_t time = next_time();  // first: the compiler forgets what it loaded before it
    const std::size_t filled = filled_.load(std::memory_order_relaxed);
    const std::size_t most = sizeof...(arguments) == 0 ? 3 : kMaxEventWords;
    if (filled + most > limit_.load(std::memory_order_relaxed) || depth_ >= kMaxDepth) [[unlikely]]
      return make_room() ? add(type, event, tail, arguments...) : 0;
    if (type == EventType::Instant && event.names_a_frame_) {
      type = EventType::DurationComplete;
      tail = time;
    }
    std::uint64_t* const record = words_.data() + filled;
    std::uint64_t* end = TraceArguments::put(record + 2, arguments...);
    if (type == EventType::DurationComplete || has_id(type)) *end++ = tail;
    const auto size = static_cast<std::size_t>(end - record);
    record[0] = header_ | event.names_ | EventHeader::EventType::put(code(type)) |
                EventHeader::ArgumentCount::put(sizeof...(arguments) / 2) | EventHeader::Size::put(size);
    record[1] = time;
    filled_.store(filled + size, std::memory_order_release);
    const std::uint64_t position = base_ + filled + size - 1;
    if (type == EventType::DurationComplete || type == EventType::Instant) latest_slice_ = position;
    return position;
  }
  // Begins a duration. Returns its position, for end(). `by_name`: end(event) may end it, too.
  template <typename... Arguments>
  std::uint64_t begin(const TraceEvent& event, bool by_name, const Arguments&... arguments) noexcept {
    const std::uint64_t position = add(EventType::DurationComplete, event, 0, arguments...);
    if (position != 0) begun_[depth_++] = {position, by_name ? event.names_ : 0};
    return position;
  }
  // Ends a duration, and those inside it that are still open. Nothing happens if it is over.
  void end(std::uint64_t position) noexcept {
    if (depth_ != 0 && begun_[depth_ - 1].position == position) [[likely]]
      end_innermost();
    else
      end_outer(position);
  }
  // The same for the innermost duration of this event that was begun by name.
  void end(const TraceEvent& event) noexcept;
  // Adds an event of a flow. Perfetto binds it to the slice that began last on the thread, even if that is
  // over. If this is not the innermost duration, the flow gets a short duration of its own.
  template <typename... Arguments>
  void add_flow(EventType type, const TraceEvent& event, std::uint64_t id,
                const Arguments&... arguments) noexcept {
    const bool binds_to_innermost = depth_ != 0 && begun_[depth_ - 1].position == latest_slice_;
    const std::uint64_t around = binds_to_innermost ? 0 : begin(event, false);
    if (binds_to_innermost || around != 0) add(type, event, id, arguments...);
    if (around != 0) end(around);
  }

 private:
  friend class TracerState;
  friend class EventMerge;
  static constexpr std::size_t kWords = 8192;

  struct Begun {
    std::uint64_t position, names;  // names: 0 unless it was begun by name
  };

  // The durations that the file has without their ends, outermost first.
  class OpenScopes {
   public:
    struct Scope {
      std::uint64_t position = 0;  // of its end, among the thread's words
      std::uint64_t offset = 0;    // of its end, in a file that can be overwritten
      std::uint64_t header = 0;    // with its names
      std::uint64_t end = 0;       // 0: open, or the thread's buffer has it
    };
    void push(const Scope& scope) { scopes_.at(count_++) = scope; }
    void pop() { --count_; }
    bool empty() const { return count_ == 0; }
    const Scope& innermost() const { return scopes_.at(count_ - 1); }
    // Calls `is_open(scope)` for each, and forgets those that are not.
    template <typename IsOpen>
    void keep_if(IsOpen is_open) {
      const std::size_t count = std::exchange(count_, 0);
      for (std::size_t i = 0; i < count; ++i)
        if (is_open(scopes_.at(i))) push(scopes_.at(i));
    }
    void end(std::uint64_t position, std::uint64_t time) {
      for (std::size_t i = 0; i < count_; ++i)
        if (scopes_.at(i).position == position) scopes_.at(i).end = time;
    }
    void clear() { count_ = 0; }

   private:
    std::array<Scope, kMaxDepth> scopes_ = {};
    std::size_t count_ = 0;
  };

  bool is_closed() const noexcept { return limit_.load(std::memory_order_relaxed) == 0; }
  static TraceBuffer* find() noexcept;
  bool make_room() noexcept;
  void end_innermost() noexcept {
    const std::uint64_t position = begun_[--depth_].position, time = next_time();
    // std::atomic_ref would say it, but libc++ has it from version 19 on only.
    if (position >= base_)
      __atomic_store_n(&words_[position - base_], time, __ATOMIC_RELAXED);
    else
      end_in_file(position, time);
  }
  void end_outer(std::uint64_t position) noexcept;
  void end_in_file(std::uint64_t position, std::uint64_t time) noexcept;
  // The times of a thread differ, so that no two events begin at once.
  std::uint64_t next_time() noexcept {
    const std::uint64_t time = std::max(now_ns(), last_time_.load(std::memory_order_relaxed) + 1);
    last_time_.store(time, std::memory_order_relaxed);
    return time;
  }
  inline static thread_local constinit TraceBuffer* current_ = nullptr;

  // The thread's own.
  std::uint64_t header_ = 0;
  std::uint64_t base_ = 1;  // words of the thread that have left words_
  std::size_t depth_ = 0;
  std::uint64_t latest_slice_ = 0;  // position of the duration or instant that began last
  // Written by the thread, read by those who flush.
  std::atomic<std::uint64_t> last_time_ = 0;
  std::atomic<std::size_t> filled_ = 0;
  alignas(64) std::array<std::uint64_t, kWords> words_ = {};
  std::array<Begun, kMaxDepth> begun_ = {};  // the thread's own: depth_ of them, outermost first
  // Written by those who flush. 0 sends the thread to make_room(), where a Tracer takes it on.
  alignas(64) std::atomic<std::size_t> limit_ = 0;
  // Guarded by the lock.
  OpenScopes open_;
  std::size_t flushed_ = 0;  // of words_
  Thread thread_ = {};
  bool is_taken_ = false;  // by a living thread
};

// A duration that lasts as long as this object. More than TraceBuffer::kMaxDepth open scopes of a thread are
// more than viewers take: what happens deeper is lost. A scope belongs to the thread that made it. If the
// scopes of a thread are not destroyed in the reverse order of their creation, a scope ends with the one
// around it. If a scope is destroyed by another thread, or after its thread's buffer is gone (a static
// one, for example), it has ended with the scope around it or with its thread.
class [[nodiscard("a scope without a name ends at once")]] TraceScope {
 public:
  template <typename... Arguments>
  [[nodiscard("a scope without a name ends at once")]] explicit TraceScope(
      const TraceEvent& event, const Arguments&... arguments) noexcept {
    if (!event.is_on()) return;
    buffer_ = TraceBuffer::of_thread();
    if (buffer_ != nullptr) position_ = buffer_->begin(event, false, arguments...);
  }
  ~TraceScope() {
    if (position_ != 0 && TraceBuffer::current() == buffer_) buffer_->end(position_);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TraceBuffer* buffer_ = nullptr;
  std::uint64_t position_ = 0;  // 0: not traced
};

#define FXT_TRACE_JOIN_(a, b) a##b
#define FXT_TRACE_JOIN(a, b) FXT_TRACE_JOIN_(a, b)

// Traces from here to the end of the block: FXT_SCOPE("category", "name") or FXT_SCOPE("category", "name",
// "size", 42, …). A category is a text, or a TraceCategory. Category and name are evaluated once, by the
// thread that comes here first. At most one on a line. TraceCategory::named("category").set_on(false)
// switches all of a category off.
#define FXT_SCOPE(category, name, ...)                                                 \
  static const ::fxt::TraceEvent FXT_TRACE_JOIN(fxt_event_, __LINE__)(category, name); \
  const ::fxt::TraceScope FXT_TRACE_JOIN(                                              \
      fxt_scope_, __LINE__)(FXT_TRACE_JOIN(fxt_event_, __LINE__) __VA_OPT__(, ) __VA_ARGS__)

// ---- Events. All of these may be called from any thread, and do nothing if there is no Tracer ----

// Adds an event that is not a duration. For the functions below.
template <EventType kType, typename... Arguments>
void trace_event(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  if (!event.is_on()) return;
  TraceBuffer* const buffer = TraceBuffer::of_thread();
  if (buffer == nullptr) return;
  if constexpr (is_flow(kType))
    buffer->add_flow(kType, event, id, arguments...);
  else
    buffer->add(kType, event, id, arguments...);
}

// An event without duration, on the calling thread.
template <typename... Arguments>
void trace_instant(const TraceEvent& event, const Arguments&... arguments) noexcept {
  trace_event<EventType::Instant>(event, 0, arguments...);
}

// Begins a duration on the calling thread, for a start and an end that are in different functions. It ends
// with trace_end(), with the scope or duration around it, or with the thread.
template <typename... Arguments>
void trace_begin(const TraceEvent& event, const Arguments&... arguments) noexcept {
  if (!event.is_on()) return;
  if (TraceBuffer* const buffer = TraceBuffer::of_thread()) buffer->begin(event, true, arguments...);
}
// Ends the duration of this event that trace_begin() has begun last on the calling thread, and all that is
// open inside it. Does nothing if there is none.
inline void trace_end(const TraceEvent& event) noexcept {
  if (TraceBuffer* const buffer = TraceBuffer::current()) buffer->end(event);
}

// The value of a counter from now on: a number.
template <typename Number>
requires std::is_arithmetic_v<Number>
void trace_counter(const TraceEvent& counter, Number value) noexcept {
  trace_event<EventType::Counter>(counter, 0, counter.name(), value);
}
// The values of a counter that has several series: pairs of a series' name and a number. Tracy merges series
// of one name, also those of different counters.
template <typename... Series>
requires(sizeof...(Series) >= 2) void trace_counter(const TraceEvent& counter,
                                                    const Series&... series) noexcept {
  static_assert(TraceArguments::are_series<Series...>(), "a series of a counter is a name and a number");
  trace_event<EventType::Counter>(counter, 0, series...);
}

// An operation that is not bound to one thread. Its start, end, and the instants in between may be on
// different threads; they have one event and one id. Operations that are open at the same time need different
// ids. An operation without an end is shown as unfinished.
template <typename... Arguments>
void trace_async_begin(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::AsyncBegin>(event, id, arguments...);
}
template <typename... Arguments>
void trace_async_instant(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::AsyncInstant>(event, id, arguments...);
}
template <typename... Arguments>
void trace_async_end(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::AsyncEnd>(event, id, arguments...);
}

// Arrows between durations: from the one around trace_flow_begin() over those around trace_flow_step() to the
// one around trace_flow_end(), on any threads. All parts have one event and one id. Flows that are open at
// the same time need different ids. A flow outside of durations, or after an inner duration that is over,
// gets a short duration of its own.
template <typename... Arguments>
void trace_flow_begin(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::FlowBegin>(event, id, arguments...);
}
template <typename... Arguments>
void trace_flow_step(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::FlowStep>(event, id, arguments...);
}
template <typename... Arguments>
void trace_flow_end(const TraceEvent& event, std::uint64_t id, const Arguments&... arguments) noexcept {
  trace_event<EventType::FlowEnd>(event, id, arguments...);
}

// ---- The Tracer ----

struct TracerOptions {
  std::string_view process_name = {};  // empty: the name of the program
  // 0: the file grows with the trace. Otherwise this many bytes of the latest events are kept in memory, and
  // only flush() and the destructor write them, over what was written before.
  std::size_t ring_bytes = 0;
  // SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT and SIGTERM flush before they end the program, as far as
  // that is possible in a signal handler. A signal that the program handles is left to it.
  bool flushes_on_signals = false;
  // How often a thread of the Tracer flushes. If the program is killed, ends by abort() or by _exit(), the
  // file lacks this time and what the system takes to run that thread. 0: no thread is started, and events
  // are written when a thread's buffer of 64 KiB is full, by flush(), and at the end. Not used for a ring.
  std::chrono::milliseconds flush_period = std::chrono::milliseconds(25);
};

// Writes the events of all threads to a file, in place. There is one Tracer at a time. A child that the
// program forks is not traced, unless it makes a Tracer of its own.
//
// The file is a valid trace after each flush, also if the program is killed: scopes that are still open end
// at the time of the flush. A FIFO, a device or "-", which is standard output, can't be overwritten: a scope
// that is open at a flush is written as a begin, and later as an end. Opening a FIFO waits for its reader;
// when the reader is gone, tracing ends with an error.
class [[nodiscard("a Tracer without a name ends at once")]] Tracer {
 public:
  // Throws std::system_error if the file can't be written or no thread can be started, std::logic_error if
  // there is a Tracer already.
  [[nodiscard("a Tracer without a name ends at once")]] explicit Tracer(const std::string& path,
                                                                        const TracerOptions& options = {});
  // Flushes. Scopes that are still open end now.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Writes the events that all threads have added so far.
  void flush() noexcept;
  // Names the calling thread. Without it the thread has the name that the system knows.
  void name_thread(std::string_view name) noexcept;
  // Why the file could not be written to its end; empty if it could.
  std::string error() const;
  // The number of events that were lost: inside too many open scopes, after an error, and of threads that
  // have no memory for a buffer or are ending (from thread_local objects that are destroyed after the
  // thread's buffer).
  std::uint64_t lost() const noexcept;
};

}  // namespace fxt
