// The sink's fast path. It encodes an event if it fits into a record unchanged, and all its strings are in
// the string table.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/bits.h"
#include "fxt/utf8.h"
#include "fxt/words.h"
#include "fxt/writer.h"

namespace convert {

// The value for a name that is not in the string table yet. All refs of names are smaller.
inline constexpr std::uint32_t kNoRef = ~std::uint32_t{0};

// The limit for the bytes of all strings in one record. A record has at most 32,760 bytes (spec, "Records"),
// including its headers and numbers.
inline constexpr std::size_t kStringBytesPerRecord = 28'000;

// Events with larger argument blocks take the slow path: strings may have to be cut, and blobs split.
inline constexpr std::size_t kMaxKnownWords = kStringBytesPerRecord / sizeof(std::uint64_t);

// How event records refer to the thread of a lane.
struct EventThread {
  fxt::Thread koids;
  std::uint8_t index = 0;  // 0 if each record contains both koids
};

// Returns the part of an event header that depends only on the label.
constexpr std::uint64_t header_of(std::uint16_t category, std::uint16_t name) {
  return fxt::event_header(fxt::EventType::Instant, 0, category, name, 0, 0);
}

// True if the name is not in the string table. The text is then in the record (put_inline()).
constexpr bool has_inline_name(std::uint64_t header) {
  return fxt::StringRef::IsInline::get(fxt::EventHeader::Name::get(header)) != 0;
}
constexpr std::size_t inline_name_size(std::uint64_t header) {
  return fxt::StringRef::Value::get(fxt::EventHeader::Name::get(header));
}
// If the table is full, names in records are cut to this size.
inline constexpr std::size_t kInlineNameBytes = 240;

constexpr fxt::EventType event_type_of(EventKind kind) {
  switch (kind) {
    case EventKind::Complete:
      return fxt::EventType::DurationComplete;
    case EventKind::Begin:
      return fxt::EventType::DurationBegin;
    case EventKind::End:
      return fxt::EventType::DurationEnd;
    case EventKind::Counter:
      return fxt::EventType::Counter;
    case EventKind::FlowBegin:
      return fxt::EventType::FlowBegin;
    case EventKind::FlowEnd:
      return fxt::EventType::FlowEnd;
    default:
      return fxt::EventType::Instant;
  }
}

// True if a record ends with PendingEvent::last_word: the end of a call, or the id of a counter or flow.
constexpr bool has_last_word(EventKind kind) {
  return kind == EventKind::Complete || (kind >= EventKind::Counter && kind <= EventKind::FlowEnd);
}

// Writes the words of an event record that are after the header and before the strings.
inline std::uint64_t* begin_event(std::uint64_t* words, const EventThread& thread,
                                  const PendingEvent& event) {
  words[1] = event.time_ns;
  if (thread.index != 0) return words + 2;
  words[2] = thread.koids.process;
  words[3] = thread.koids.thread;
  return words + 4;
}

// A ref to a name in the string table. With a TableRef, compilers know that the record contains no text of
// the name. With a TextRef, they do not know this.
struct TableRef {
  std::uint16_t index;
  explicit operator fxt::TextRef() const { return fxt::TextRef::table(index); }
};

// True if a number fits into the header of its argument. Other numbers need a word after the header.
constexpr bool fits_header(std::int64_t number) { return std::in_range<std::int32_t>(number); }
constexpr bool fits_header(std::uint64_t number) { return std::in_range<std::uint32_t>(number); }

// True for a number from 2^63 on, because viewers would show it as a negative number.
constexpr bool looks_negative(std::uint64_t number) { return static_cast<std::int64_t>(number) < 0; }

// Writes the arguments of a record. `ref_of` returns the ref of a name. `put_string` writes the argument for
// a Text or a Name. `put_large` is called for each unsigned number for which looks_negative() is true.
template <typename RefOf, typename PutString, typename PutLarge>
[[gnu::always_inline]] inline std::uint64_t* put_arguments(std::uint64_t* at, const ArgumentRow& arguments,
                                                           RefOf ref_of, PutString put_string,
                                                           PutLarge put_large) {
  for (auto argument = arguments.begin(); argument != arguments.end();) {
    const auto name = ref_of(argument.name());
    // The functions of fxt/words.h do the same, but compilers do not always inline them.
    const auto put = [&at, name ](fxt::ArgumentType type, std::uint32_t data) __attribute__((always_inline)) {
      at = fxt::put_argument(at, type, fxt::TextRef(name), 0, data);
    };
    const auto put_word =
        [&at, name ](fxt::ArgumentType type, std::uint64_t word) __attribute__((always_inline)) {
      at = fxt::put_argument(at, type, fxt::TextRef(name), 1);
      *at++ = word;
    };
    switch (argument.kind()) {
      case ArgumentKind::Null:
        put(fxt::ArgumentType::Null, 0);
        argument.skip(1);
        continue;
      case ArgumentKind::Int64:
        if (fits_header(static_cast<std::int64_t>(argument.bits())))
          put(fxt::ArgumentType::Int32, static_cast<std::uint32_t>(argument.bits()));
        else
          put_word(fxt::ArgumentType::Int64, argument.bits());
        break;
      case ArgumentKind::Uint64:
        if (fits_header(argument.bits()))
          put(fxt::ArgumentType::Uint32, static_cast<std::uint32_t>(argument.bits()));
        else if (!looks_negative(argument.bits()))
          put_word(fxt::ArgumentType::Uint64, argument.bits());
        else
          at = put_large(at, fxt::TextRef(name), argument.bits());
        break;
      case ArgumentKind::Double:
        put_word(fxt::ArgumentType::Double, argument.bits());
        break;
      case ArgumentKind::Pointer:
        put_word(fxt::ArgumentType::Pointer, argument.bits());
        break;
      case ArgumentKind::Name:
        at = put_string(at, name, static_cast<NameId>(argument.bits()));
        break;
      case ArgumentKind::Text: {
        const std::string_view text = argument.text();
        at = put_string(at, name, text);
        argument.skip(1 + fxt::words_of(text.size()));
        continue;
      }
    }
    argument.skip(2);
  }
  return at;
}

// Returns the number of words that put_arguments() writes if all names are in the string table.
std::size_t words_of_arguments(const ArgumentRow& arguments);

// Writes the words after the arguments, and the header word.
inline std::uint64_t* end_event(std::uint64_t* words, std::uint64_t* word, const EventThread& thread,
                                const PendingEvent& event, std::uint64_t header) {
  if (has_last_word(event.kind)) *word++ = event.last_word;
  words[0] = header | fxt::event_header(event_type_of(event.kind), thread.index, 0, 0, event.argument_count(),
                                        static_cast<std::size_t>(word - words));
  return word;
}

// ---- Events whose strings are known ----

// put_known() writes at most most_words() words, and at most kInlineNameWords more for an inline name.
inline constexpr std::size_t kInlineNameWords = fxt::words_of(kInlineNameBytes);
inline std::size_t most_words(const PendingEvent& event) {
  constexpr std::size_t kBesidesBlock = 5;  // header, time, process, thread, last_word
  return kBesidesBlock + (event.block == nullptr ? 0 : ArgumentBlockHeader::Words::get(*event.block));
}

// Copies a text from an argument block, in which zeros pad the text to whole words. Sets `is_plain` to true
// if all bytes of the text are ASCII and not NUL.
[[gnu::always_inline]] inline std::uint64_t* put_packed_text(std::uint64_t* at, std::string_view text,
                                                             bool& is_plain) {
  is_plain = true;
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  const std::size_t rest = text.size() % sizeof(std::uint64_t);
  std::uint64_t* const rest_at = at + text.size() / sizeof(std::uint64_t);
  for (; at != rest_at; from += sizeof(std::uint64_t)) {
    *at = load<std::uint64_t>(from, std::endian::little);
    is_plain &= fxt::is_plain(*at++);
  }
  if (rest == 0) return at;
  *at = load<std::uint64_t>(from, std::endian::little);
  // Only for this check, blanks replace the padding, because is_plain() is false for zeros.
  constexpr std::uint64_t kAnyPlain = 0x2020'2020'2020'2020;
  const std::size_t text_bits = 8 * rest;
  is_plain &= fxt::is_plain(*at | kAnyPlain << text_bits);
  return at + 1;
}

// Writes the argument for a Text that comes from an argument block. Returns null if the text must be
// repaired.
[[gnu::always_inline]] inline std::uint64_t* put_sound_text(std::uint64_t* at, const fxt::TextRef& name,
                                                            std::string_view text) {
  at = fxt::put_argument(at, fxt::ArgumentType::String, name, fxt::words_of(text.size()),
                         fxt::TextRef::inlined(text).ref);
  bool is_plain = true;
  at = put_packed_text(at, text, is_plain);
  return is_plain || fxt::is_sound(text) ? at : nullptr;
}

// Writes a Complete event that has no arguments and whose thread has an index.
inline std::uint64_t* put_plain_call(std::uint64_t* at, const PendingEvent& event, const EventThread& thread,
                                     std::uint64_t header) {
  constexpr std::size_t kWords = fxt::Writer::kCompleteWords;
  at[0] = header | fxt::event_header(fxt::EventType::DurationComplete, thread.index, 0, 0, 0, kWords);
  at[1] = event.time_ns;
  at[2] = event.end_ns();
  return at + kWords;
}

[[gnu::always_inline]] inline std::uint64_t* put_known_event(std::uint64_t* words, const PendingEvent& event,
                                                             const EventThread& thread, std::uint64_t header,
                                                             std::span<const std::uint32_t> refs,
                                                             std::string_view inline_name) {
  if (header == 0 || event.arguments().words().size() > kMaxKnownWords) return nullptr;
  std::uint32_t unknown = 0;
  const auto ref_of = [&](NameId name) {
    const std::uint32_t ref = refs[index_of(name)];
    unknown |= ref;
    return TableRef{static_cast<std::uint16_t>(ref)};
  };
  const auto put_string = [&](std::uint64_t* at, TableRef name, auto string) {
    if constexpr (std::is_same_v<decltype(string), NameId>) {
      return fxt::put_argument(at, fxt::ArgumentType::String, fxt::TextRef(name), 0, ref_of(string).index);
    } else {
      std::uint64_t* const end = put_sound_text(at, fxt::TextRef(name), string);
      if (end == nullptr) unknown = kNoRef;
      return end == nullptr ? at : end;
    }
  };
  const auto put_large = [&](std::uint64_t* at, const fxt::TextRef&, std::uint64_t) {
    unknown = kNoRef;
    return at;
  };
  std::uint64_t* const word =
      put_arguments(fxt::put_inline(begin_event(words, thread, event), fxt::TextRef::inlined(inline_name)),
                    event.arguments(), ref_of, put_string, put_large);
  return unknown == kNoRef ? nullptr : end_event(words, word, thread, event, header);
}

inline std::uint64_t* put_known_blob(std::uint64_t* at, const PendingEvent& event) {
  const std::string_view name = event.text();
  const auto bytes = event.bytes();
  if (event.arguments().words().size() > kMaxKnownWords || !fxt::is_sound(name)) return nullptr;
  const auto ref = fxt::TextRef::inlined(name);
  const std::size_t size = 1 + ref.words() + fxt::words_of(bytes.size());
  *at = fxt::blob_header(ref.ref, bytes.size(), size);
  return fxt::put_bytes(fxt::put_inline(at + 1, ref), bytes.data(), bytes.size());
}

// Writes the record of an event. `header` is the header of the event's label, or 0. `inline_name` is the
// label's name if this name is not in the string table, and otherwise empty. Returns null if the event needs
// the slow path, for example if `header` is 0, or for a flow, a large number, or an invalid or long string.
inline std::uint64_t* put_known(std::uint64_t* at, const PendingEvent& event, const EventThread& thread,
                                std::uint64_t header, std::span<const std::uint32_t> refs,
                                std::string_view inline_name = {}) {
  switch (event.kind) {
    case EventKind::Complete:
    case EventKind::Begin:
    case EventKind::End:
    case EventKind::Instant:
    case EventKind::Counter:
      return put_known_event(at, event, thread, header, refs, inline_name);
    case EventKind::Blob:
      return put_known_blob(at, event);
    default:
      return nullptr;
  }
}

}  // namespace convert
