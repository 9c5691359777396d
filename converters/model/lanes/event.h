// An event on its way through the model: its ids and values, its arguments as packed 64-bit words, and the
// PendingEvent that refers to them. All times are in nanoseconds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/field.h"
#include "fxt/words.h"

namespace convert {

// ---- Ids and values ----

// The ids of interned strings, and of interned pairs of category and name; see Names.
enum class NameId : std::uint32_t {};
enum class LabelId : std::uint32_t {};
constexpr std::size_t index_of(NameId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index_of(LabelId id) { return static_cast<std::size_t>(id); }

// The ids of threads and processes in the recorded system.
enum class ProcessId : std::uint64_t {};
enum class ThreadId : std::uint64_t {};
constexpr std::uint64_t number_of(ProcessId id) { return static_cast<std::uint64_t>(id); }
constexpr std::uint64_t number_of(ThreadId id) { return static_cast<std::uint64_t>(id); }

// All times of events are below this value. Therefore, differences of times fit into signed 64-bit numbers.
inline constexpr std::uint64_t kTimeLimitNs = std::uint64_t{1} << 63;

// The time of an event that never happens.
inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

// The value of an argument that is an address.
struct Pointer {
  std::uint64_t address;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

enum class FlowStep : std::uint8_t { Begin, End };

enum class ThreadState : std::uint8_t { New, Running, Suspended, Blocked, Dying, Dead };

// The priority of an ordinary thread, as Linux numbers priorities. Real-time threads have priorities below
// 100.
inline constexpr std::uint8_t kNormalPriority = 120;

// One thread leaves a CPU, and another comes to it. Thread 0 of process 0 is the idle thread.
struct ContextSwitch {
  std::uint16_t cpu;
  std::uint8_t priority = kNormalPriority;  // priority of each thread that is not idle
  ThreadState outgoing_state = ThreadState::New;
  ProcessId outgoing_process = {};
  ThreadId outgoing_thread = {};
  ProcessId incoming_process = {};
  ThreadId incoming_thread = {};
};

// A waiting thread becomes runnable.
struct Wakeup {
  std::uint16_t cpu;  // the CPU on which the wakeup happened
  ThreadId thread;
  ThreadId waker;  // the thread that ran on `cpu` at this time; 0 if no thread ran, or if it is unknown
};

// ---- Arguments ----
//
// Importers pack arguments, lanes store them, and sinks write them.

enum class ArgumentKind : std::uint8_t {
  Null,
  Int64,
  Uint64,
  Double,
  Text,  // any bytes; sinks escape bytes that are not UTF-8, and cut long texts
  Pointer,
  Name,  // a string that probably occurs often, such as a source line or an enumerator
};

// One argument. Its text belongs to the caller.
struct Argument {
  NameId name{};
  ArgumentKind kind = ArgumentKind::Null;
  std::uint64_t bits = 0;      // for all kinds except Text: the number (sign-extended to 64 bits) or NameId
  std::string_view text = {};  // for a Text

  Argument(NameId id, ArgumentKind of, std::uint64_t value) : name(id), kind(of), bits(value) {}
  Argument(NameId id, std::monostate) : name(id) {}
  Argument(NameId id, std::int32_t value) : Argument(id, std::int64_t{value}) {}
  Argument(NameId id, std::uint32_t value) : Argument(id, std::uint64_t{value}) {}
  Argument(NameId id, std::int64_t value)
      : name(id), kind(ArgumentKind::Int64), bits(static_cast<std::uint64_t>(value)) {}
  Argument(NameId id, std::uint64_t value) : name(id), kind(ArgumentKind::Uint64), bits(value) {}
  Argument(NameId id, double value)
      : name(id), kind(ArgumentKind::Double), bits(std::bit_cast<std::uint64_t>(value)) {}
  Argument(NameId id, std::string_view value) : name(id), kind(ArgumentKind::Text), text(value) {}
  Argument(NameId id, const char* value) : Argument(id, std::string_view(value)) {}
  Argument(NameId id, const std::string& value) : Argument(id, std::string_view(value)) {}
  Argument(NameId id, Pointer value) : name(id), kind(ArgumentKind::Pointer), bits(value.address) {}
  Argument(NameId id, NameId value)
      : name(id), kind(ArgumentKind::Name), bits(static_cast<std::uint32_t>(value)) {}

  friend bool operator==(const Argument&, const Argument&) = default;
};

// The first word of a packed argument. A Null has no other word. For a Text, the next words are its bytes,
// padded with zeros. For other kinds, the next word is Argument::bits.
struct PackedHeader {
  using Kind = fxt::Field<0, 3>;
  using Name = fxt::Field<4, 35>;
  using Size = fxt::Field<36, 63>;  // bytes of a Text

  static constexpr std::uint64_t of(NameId name, ArgumentKind kind, std::size_t size_bytes = 0) {
    return Kind::put(static_cast<std::uint64_t>(kind)) | Name::put(static_cast<std::uint32_t>(name)) |
           Size::put(size_bytes);
  }
  // Returns the number of words of the argument, including the header.
  static constexpr std::size_t words(std::uint64_t header) {
    constexpr auto kText = static_cast<std::uint64_t>(ArgumentKind::Text);
    const std::uint64_t kind = Kind::get(header);
    return 1 + (kind == kText ? fxt::words_of(Size::get(header)) : kind == 0 ? 0 : 1);
  }
};
static_assert(fxt::kTilesWord<PackedHeader::Kind, PackedHeader::Name, PackedHeader::Size>);

// The length of the longest Text that can be packed.
inline constexpr std::size_t kMaxTextBytes = PackedHeader::Size::kMax;

// Packed arguments, one after another. The words belong to the caller.
class ArgumentRow {
 public:
  class Iterator {
   public:
    using value_type = Argument;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const std::uint64_t* word) : word_(word) {}
    NameId name() const { return static_cast<NameId>(PackedHeader::Name::get(*word_)); }
    ArgumentKind kind() const { return static_cast<ArgumentKind>(PackedHeader::Kind::get(*word_)); }
    std::uint64_t bits() const { return word_[1]; }  // for all kinds except Null and Text
    std::string_view text() const {                  // for a Text
      return {reinterpret_cast<const char*>(word_ + 1), PackedHeader::Size::get(*word_)};
    }
    Argument operator*() const {
      if (kind() == ArgumentKind::Text) return {name(), text()};
      return {name(), kind(), kind() == ArgumentKind::Null ? 0 : bits()};
    }
    Iterator& operator++() { return skip(PackedHeader::words(*word_)); }
    // Like operator++(), but faster, because the caller passes the number of words.
    Iterator& skip(std::size_t words) {
      word_ += words;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    const std::uint64_t* word() const { return word_; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const std::uint64_t* word_ = nullptr;
  };

  ArgumentRow() = default;
  explicit ArgumentRow(std::span<const std::uint64_t> words)
      : begin_(words.data()), end_(words.data() + words.size()) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }
  std::span<const std::uint64_t> words() const { return {begin_.word(), end_.word()}; }

 private:
  Iterator begin_, end_;
};

// The result of code that packs arguments itself: the end of the packed words, and the number of arguments.
struct PackedArguments {
  std::uint64_t* end;
  std::size_t count;
};

// Packs arguments. One object can be reused for many events. clear() keeps its memory.
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::initializer_list<Argument> list) {
    for (const Argument& argument : list) add(argument);
  }

  void add(const Argument& argument) {
    ++size_;
    if (argument.kind == ArgumentKind::Text) {
      add_text(argument.name, argument.text);
      return;
    }
    std::uint64_t* const word = reserve(2);
    word[0] = PackedHeader::of(argument.name, argument.kind);
    word[1] = argument.bits;
    words_used_ += argument.kind == ArgumentKind::Null ? 1 : 2;
  }
  void add(ArgumentRow row) {
    for (const Argument& argument : row) add(argument);
  }
  // For code that packs arguments itself. reserve() returns memory for `words` words after the current
  // arguments. commit() adds the words before `end`, which are `count` arguments.
  std::uint64_t* reserve(std::size_t words) {
    if (words_used_ + words > words_.size()) [[unlikely]]
      grow(words);
    return words_.data() + words_used_;
  }
  void commit(const std::uint64_t* end, std::size_t count) {
    words_used_ = static_cast<std::size_t>(end - words_.data());
    size_ += count;
  }
  // Changes the value of an argument that is not a Text. `word` is the index of the word after the header.
  void set_bits(std::size_t word, std::uint64_t bits) { words_[word] = bits; }
  void clear() { words_used_ = size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Valid until the next add().
  std::span<const std::uint64_t> words() const { return {words_.data(), words_used_}; }
  ArgumentRow row() const { return ArgumentRow(words()); }
  ArgumentRow::Iterator begin() const { return row().begin(); }
  ArgumentRow::Iterator end() const { return row().end(); }

 private:
  void add_text(NameId name, std::string_view text) {
    text = text.substr(0, kMaxTextBytes);
    const std::size_t words = 1 + fxt::words_of(text.size());
    std::uint64_t* const word = reserve(words);
    *word = PackedHeader::of(name, ArgumentKind::Text, text.size());
    fxt::put_padded(word + 1, text.data(), text.size());
    words_used_ += words;
  }
  [[gnu::noinline]] void grow(std::size_t words) { words_.resize(2 * (words_used_ + words)); }

  // Must not be next to words_used_. Otherwise, compilers load both members with one instruction, which is
  // slow if two instructions have just stored them.
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;  // the first words_used_ words are in use
  std::size_t words_used_ = 0;
};

// ---- Events ----

enum class EventKind : std::uint8_t {
  Open,  // a call whose end is not known yet; later events can't be sealed, see SealedEvents
  Complete,
  Begin,  // the start of a call that is written as a pair
  End,    // the end of a call that is written as a pair
  Instant,
  Counter,
  FlowBegin,
  FlowEnd,
  ContextSwitch,
  Wakeup,
  Blob,
  BufferFull,  // the recorder's buffer was full, and records were lost
  Retracted,   // a call that was dropped, and that never leaves the lane
};

// The first word of an argument block: the number of arguments, and the number of the other words.
struct ArgumentBlockHeader {
  using Count = fxt::Field<0, 31>;
  using Words = fxt::Field<32, 63>;
};

// An event that a lane creates, the merge sorts, and the sink writes.
struct PendingEvent {
  std::uint64_t time_ns;
  std::uint64_t last_word;  // end_ns() or id()
  // An ArgumentBlockHeader, and then the arguments. For a switch or a wakeup, the bytes of a
  // ContextSwitch or Wakeup come instead of arguments. Null if the event has none of these.
  const std::uint64_t* block;
  LabelId label;
  EventKind kind;

  void complete(std::uint64_t ended_ns) {
    last_word = ended_ns;
    kind = EventKind::Complete;
  }
  std::uint64_t end_ns() const { return last_word; }  // for a Complete
  std::uint64_t id() const { return last_word; }      // for a counter or flow
  std::size_t argument_count() const {
    return block == nullptr ? 0 : ArgumentBlockHeader::Count::get(*block);
  }
  ArgumentRow arguments() const { return ArgumentRow(words()); }
  // The name of a Blob.
  std::string_view text() const { return (*arguments().begin()).text; }
  // The bytes of a Blob.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span((*++arguments().begin()).text)); }
  ContextSwitch context_switch() const { return value<ContextSwitch>(); }
  Wakeup wakeup() const { return value<Wakeup>(); }

 private:
  // The value of type T whose bytes are in the block.
  template <typename T>
  T value() const {
    T value;
    std::memcpy(static_cast<void*>(&value), block + 1, sizeof value);
    return value;
  }
  std::span<const std::uint64_t> words() const {
    if (block == nullptr) return {};
    return {block + 1, ArgumentBlockHeader::Words::get(*block)};
  }
};
static_assert(sizeof(PendingEvent) == 32);

}  // namespace convert
