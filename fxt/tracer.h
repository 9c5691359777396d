// SPDX-License-Identifier: Apache-2.0
// Traces the running program, from all of its threads, into a file of the Fuchsia trace format. The trace
// functions read the clock themselves. Each thread writes into its own buffer, without a lock; a thread of
// the Tracer moves the buffers to the file.
//
//   int main() {
//     fxt::Tracer tracer("out.fxt");
//     FXT_SCOPE("app", "work", "size", 42);  // ends with the block
//   }
//
// Only the constructors and TraceCategory::named() throw. Later errors are not thrown into the program:
// Tracer::lost() counts the events that can't be written, and Tracer::error() has the reason.
//
// Arguments. Each function takes up to 15 arguments after its fixed parameters, as pairs of a name and a
// value: `"size", 42, "kind", "small"`. In one event, all names must be different. A name is cut at 64 bytes,
// and before bytes that are not UTF-8. A value is
//   - a number of up to 64 bits, or an enumerator, which is written as its number;
//   - a text: anything that converts to std::string_view,
//     cut at 128 bytes, with invalid UTF-8 replaced;
//     a null `char*` is an empty text;
//   - a pointer, which is written as an address;
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

// The time of the steady clock in nanoseconds. On Linux this is CLOCK_MONOTONIC, which other tracers also
// use.
inline std::uint64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// A category of events. Any thread can switch it on and off at any time. An event in a disabled category
// costs one branch. The category must outlive its TraceEvents. Static categories are initialized before any
// TraceEvent, even before TraceEvents in other source files.
class TraceCategory {
 public:
  // The text of `name` is not copied. It must be valid as long as TraceEvents are made from this category.
  constexpr explicit TraceCategory(std::string_view name, bool is_on = true) noexcept
      : name_(name), is_on_(is_on) {}
  // The category that FXT_SCOPE and TraceEvents use for this name. It lives until the program ends. Throws
  // std::bad_alloc.
  static TraceCategory& named(std::string_view name);

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  void set_on(bool on) noexcept { is_on_.store(on, std::memory_order_relaxed); }

 private:
  friend class TraceEvent;
  std::string_view name_;
  std::atomic<bool> is_on_;
};

// A category and a name. It is usually a static object, because the constructor looks the names up in a
// table. A program has at most 32,766 different names; later names are shown as "(other)". Copies the name.
// Throws std::bad_alloc.
class TraceEvent {
 public:
  TraceEvent(const TraceCategory& category, std::string_view name);
  // Uses TraceCategory::named(category).
  TraceEvent(std::string_view category, std::string_view name)
      : TraceEvent(TraceCategory::named(category), name) {}

  bool is_on() const noexcept { return category_->is_on(); }
  TextRef name() const noexcept {
    return TextRef::table(static_cast<std::uint16_t>(EventHeader::Name::get(names_)));
  }

 private:
  friend class TraceBuffer;
  const TraceCategory* category_;
  std::uint64_t names_;  // category and name, encoded as in the header of an event
  bool names_a_frame_;  // Tracy would not show an instant of this name, so a duration of no length is written
};

// Encodes the arguments of an event. Only TraceBuffer uses this class.
class TraceArguments {
 public:
  // Writes pairs of a name and a value to `at`. Returns the end of the written words.
  static std::uint64_t* put(std::uint64_t* at) noexcept { return at; }
  template <typename Name, typename Value, typename... More>
  static std::uint64_t* put(std::uint64_t* at, const Name& name, const Value& value,
                            const More&... more) noexcept {
    return put(put_value(at, name_of(name), value), more...);
  }
  // True if these types are pairs of a name and a number.
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

// The events of one thread that are not in the file yet. Only TraceScope and the functions below use it.
class TraceBuffer {
 public:
  static constexpr std::size_t kMaxEventWords = 400, kMaxDepth = 500;

  // The buffer of the calling thread. If the thread has no buffer, this function gives it one. Null if this
  // is not possible, for example because there is no Tracer.
  static TraceBuffer* of_thread() noexcept { return current_ != nullptr ? current_ : find(); }
  // The buffer of the calling thread; null if the thread has no buffer yet.
  static TraceBuffer* current() noexcept { return current_; }

  // Adds an event. `tail` is the last word of the event: the end of a complete event (0 while it is open), or
  // an id. Events without an end or an id have no such word. Returns the position of the last word, or 0 if
  // the event was lost.
  template <typename... Arguments>
  std::uint64_t add(EventType type, const TraceEvent& event, std::uint64_t tail,
                    const Arguments&... arguments) noexcept {
    static_assert(sizeof...(arguments) % 2 == 0 && sizeof...(arguments) / 2 <= kMaxArguments,
                  "an event has at most 15 arguments, each of them a name and a value");
    // Reads the clock before other values, because the compiler loads all values again after this call.
    const std::uint64_t time = next_time();
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
  // Begins a duration. Returns its position, for end(position). With `by_name`, end(event) may also end it.
  template <typename... Arguments>
  std::uint64_t begin(const TraceEvent& event, bool by_name, const Arguments&... arguments) noexcept {
    const std::uint64_t position = add(EventType::DurationComplete, event, 0, arguments...);
    if (position != 0) begun_[depth_++] = {position, by_name ? event.names_ : 0};
    return position;
  }
  // Ends a duration, and the open durations inside it. Does nothing if the duration has already ended.
  void end(std::uint64_t position) noexcept {
    if (depth_ != 0 && begun_[depth_ - 1].position == position) [[likely]]
      end_innermost();
    else
      end_outer(position);
  }
  // Ends the innermost duration of this event that was begun by name.
  void end(const TraceEvent& event) noexcept;
  // Adds an event of a flow. Perfetto binds it to the slice that began last on the thread, even if this slice
  // is over. If this slice is not the innermost open duration, the flow gets a short duration of its own.
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
    std::uint64_t position, names;  // `names` is 0 unless the duration was begun by name
  };

  // The open durations whose begin is in the file, outermost first.
  class OpenScopes {
   public:
    struct Scope {
      std::uint64_t position = 0;  // position of the scope's last word, as TraceBuffer::add() returns it
      std::uint64_t offset = 0;    // offset of this word in a file that can be overwritten
      std::uint64_t header = 0;    // header of the begin event, with category and name
      std::uint64_t end = 0;       // 0 if the scope is open, or if its last word is in the buffer
    };
    void push(const Scope& scope) { scopes_.at(count_++) = scope; }
    void pop() { --count_; }
    bool empty() const { return count_ == 0; }
    const Scope& innermost() const { return scopes_.at(count_ - 1); }
    // Calls `is_open(scope)` for each scope, and removes the scopes that are not open.
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
    // std::atomic_ref would suffice, but libc++ has it only from version 19 on.
    if (position >= base_)
      __atomic_store_n(&words_[position - base_], time, __ATOMIC_RELAXED);
    else
      end_in_file(position, time);
  }
  void end_outer(std::uint64_t position) noexcept;
  void end_in_file(std::uint64_t position, std::uint64_t time) noexcept;
  // Returns a different time for each event of a thread, so that no two of them begin together.
  std::uint64_t next_time() noexcept {
    const std::uint64_t time = std::max(now_ns(), last_time_.load(std::memory_order_relaxed) + 1);
    last_time_.store(time, std::memory_order_relaxed);
    return time;
  }
  inline static thread_local constinit TraceBuffer* current_ = nullptr;

  // Used only by the thread.
  std::uint64_t header_ = 0;
  std::uint64_t base_ = 1;  // position of words_[0]; positions continue when words_ is emptied
  std::size_t depth_ = 0;
  std::uint64_t latest_slice_ = 0;  // position of the duration or instant that began last
  // Written by the thread, and read by the threads that flush.
  std::atomic<std::uint64_t> last_time_ = 0;
  std::atomic<std::size_t> filled_ = 0;
  alignas(64) std::array<std::uint64_t, kWords> words_ = {};
  std::array<Begun, kMaxDepth> begun_ = {};  // used by the thread only: depth_ entries, outermost first
  // The number of words that may be filled. Written by the threads that flush. If it is 0, the next event
  // calls make_room(), where a new Tracer can take over the buffer.
  alignas(64) std::atomic<std::size_t> limit_ = 0;
  // Guarded by the Tracer's lock.
  OpenScopes open_;
  std::size_t flushed_ = 0;  // number of words in words_ that were flushed
  Thread thread_ = {};
  bool is_taken_ = false;  // a living thread uses the buffer
};

// A duration that lasts as long as this object. A thread can have TraceBuffer::kMaxDepth open scopes, because
// viewers support only a few more. Deeper scopes are lost. A scope belongs to the thread that made it.
//
// If the scopes of a thread are not destroyed in the reverse order of their creation, an inner scope ends
// with the outer scope. A scope may be destroyed by another thread, or after the buffer of its thread is
// gone, for example if it is static. Then it ends with the scope around it, or with its thread.
class [[nodiscard("a scope that is not a named variable ends at once")]] TraceScope {
 public:
  template <typename... Arguments>
  [[nodiscard("a scope that is not a named variable ends at once")]] explicit TraceScope(
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
  std::uint64_t position_ = 0;  // 0 if the scope is not traced
};

#define FXT_TRACE_JOIN_(a, b) a##b
#define FXT_TRACE_JOIN(a, b) FXT_TRACE_JOIN_(a, b)

// Traces from here to the end of the block: FXT_SCOPE("category", "name") or FXT_SCOPE("category", "name",
// "size", 42, …). A category is a text or a TraceCategory. The first thread that gets here evaluates category
// and name, once. There can be only one FXT_SCOPE per line. TraceCategory::named("category").set_on(false)
// disables the category.
#define FXT_SCOPE(category, name, ...)                                                 \
  static const ::fxt::TraceEvent FXT_TRACE_JOIN(fxt_event_, __LINE__)(category, name); \
  const ::fxt::TraceScope FXT_TRACE_JOIN(                                              \
      fxt_scope_, __LINE__)(FXT_TRACE_JOIN(fxt_event_, __LINE__) __VA_OPT__(, ) __VA_ARGS__)

// ---- Events. All of these may be called from any thread, and do nothing if there is no Tracer ----

// Adds an event that is not a duration. Only the functions below use it.
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

// Adds an instant on the calling thread.
template <typename... Arguments>
void trace_instant(const TraceEvent& event, const Arguments&... arguments) noexcept {
  trace_event<EventType::Instant>(event, 0, arguments...);
}

// Begins a duration on the calling thread. Another function may end it. The duration ends with trace_end(),
// with the scope or duration around it, or with the thread.
template <typename... Arguments>
void trace_begin(const TraceEvent& event, const Arguments&... arguments) noexcept {
  if (!event.is_on()) return;
  if (TraceBuffer* const buffer = TraceBuffer::of_thread()) buffer->begin(event, true, arguments...);
}
// Ends the latest duration that trace_begin() has begun for this event on the calling thread, and its inner
// open durations. Does nothing if there is no such duration.
inline void trace_end(const TraceEvent& event) noexcept {
  if (TraceBuffer* const buffer = TraceBuffer::current()) buffer->end(event);
}

// Sets a counter to a number.
template <typename Number>
requires std::is_arithmetic_v<Number>
void trace_counter(const TraceEvent& counter, Number value) noexcept {
  trace_event<EventType::Counter>(counter, 0, counter.name(), value);
}
// Sets the series of a counter: pairs of a series' name and a number. Tracy merges series with the same name,
// even if they belong to different counters.
template <typename... Series>
requires(sizeof...(Series) >= 2) void trace_counter(const TraceEvent& counter,
                                                    const Series&... series) noexcept {
  static_assert(TraceArguments::are_series<Series...>(), "a series of a counter is a name and a number");
  trace_event<EventType::Counter>(counter, 0, series...);
}

// An operation that is not bound to one thread. Its start, its end, and the instants in between may be on
// different threads, but must have the same event and id. Operations that are open at the same time need
// different ids. An operation without an end is shown as unfinished.
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

// A flow connects durations on any threads: the durations around trace_flow_begin(), around each
// trace_flow_step(), and around trace_flow_end(). All parts have the same event and id. Flows that are open
// at the same time need different ids. A part that is outside of all durations, or after an instant or the
// end of an inner duration, gets a short duration of its own.
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
  std::string_view process_name = {};  // empty: uses the name of the program
  // The size of the ring for events in memory. With 0, there is no ring, and the file grows with the trace.
  // Otherwise, the ring keeps about this many bytes of the latest events. These events replace the content of
  // the file when flush() is called, when the Tracer or the program ends, and at signals if
  // `flushes_on_signals` is true.
  std::size_t ring_bytes = 0;
  // If true, events are flushed before SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT or SIGTERM ends the
  // program, as far as a signal handler can do this. Signals that the program handles itself are not changed.
  bool flushes_on_signals = false;
  // The period with which a thread of the Tracer flushes. If the program is killed, or ends by abort() or
  // _exit(), the file lacks only events of the last period. If the thread was delayed, a little more is
  // missing. With 0, there is no such thread: events are written when the 64 KiB buffer of a thread is full,
  // by flush(), and at the end. Not used with a ring.
  std::chrono::milliseconds flush_period = std::chrono::milliseconds(25);
};

// Writes the events of all threads directly into a file. There can be one Tracer at a time. A forked child is
// not traced, unless it creates its own Tracer.
//
// The file is a valid trace after each flush, even if the program is killed: open scopes end at the time of
// the flush. A FIFO, a device or "-" (standard output) can't be overwritten. In such outputs, a scope that is
// open at a flush is written as a begin, and later as an end. Opening a FIFO waits for its reader. When the
// reader is gone, tracing ends with an error.
class [[nodiscard("a Tracer that is not a named variable ends at once")]] Tracer {
 public:
  // Throws std::system_error if the file can't be written or no thread can be started. Throws
  // std::logic_error if there is already a Tracer.
  [[nodiscard("a Tracer that is not a named variable ends at once")]] explicit Tracer(
      const std::string& path, const TracerOptions& options = {});
  // Flushes, and ends the scopes that are still open.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Writes all events that threads have added until now.
  void flush() noexcept;
  // Names the calling thread. Otherwise the thread has the name that the system shows for it.
  void name_thread(std::string_view name) noexcept;
  // The reason why the file could not be completed; empty if there was no error.
  std::string error() const;
  // The number of lost events. Events are lost if too many scopes are open, after an error, and in threads
  // without memory for a buffer. Events of thread_local objects are lost if the objects are destroyed after
  // the thread's buffer.
  std::uint64_t lost() const noexcept;
};

}  // namespace fxt
