// Builds parts of files, as words. Returns the Checker's findings for combinations of these parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "fxt/header_words.h"
#include "tests/fxt/check_words.h"

namespace fxt::test {

inline Words all(std::initializer_list<Words> parts) {
  Words words;
  for (const Words& part : parts) words = joined(words, part);
  return words;
}

inline const Words kMagic = {kMagicRecord};
inline const Words kProvider = {0x0030'0000'0011'0020, 0x0074'7866};  // id 1, "fxt"
inline const Words kInit = {0x21, 1'000'000'000};

inline Words string_record(std::uint64_t index, std::string_view text) {
  Words words = {StringHeader::Type::put(2) | StringHeader::Size::put(1 + (text.size() + 7) / 8) |
                 StringHeader::Index::put(index) | StringHeader::Length::put(text.size())};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 8 == 0) words.push_back(0);
    words.back() |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << i % 8 * 8;
  }
  return words;
}
inline Words thread_record(std::uint64_t index, std::uint64_t process, std::uint64_t thread) {
  return {0x33 | index << 16, process, thread};
}

// Strings "app", "a", "b", "process", "value" are 1 to 5; threads 100/101, 100/102, 200/201 are 1 to 3.
inline const Words kTables =
    all({string_record(1, "app"), string_record(2, "a"), string_record(3, "b"), string_record(4, "process"),
         string_record(5, "value"), thread_record(1, 100, 101), thread_record(2, 100, 102),
         thread_record(3, 200, 201)});
inline const Words kPrelude = all({kStart, kTables});

inline constexpr std::uint64_t kA = 2, kB = 3;

// An event of category "app". `rest` has the words after the time.
inline Words event(EventType type, std::uint64_t time, std::uint64_t name, std::uint64_t thread = 1,
                   const Words& rest = {}, std::uint64_t arguments = 0) {
  return joined(
      {EventHeader::Type::put(4) | EventHeader::Size::put(2 + rest.size()) |
           EventHeader::EventType::put(code(type)) | EventHeader::ArgumentCount::put(arguments) |
           EventHeader::Thread::put(thread) | EventHeader::Category::put(1) | EventHeader::Name::put(name),
       time},
      rest);
}
inline Words begin(std::uint64_t time, std::uint64_t name = kA, std::uint64_t thread = 1) {
  return event(EventType::DurationBegin, time, name, thread);
}
inline Words end(std::uint64_t time, std::uint64_t name = kA, std::uint64_t thread = 1) {
  return event(EventType::DurationEnd, time, name, thread);
}
inline Words complete(std::uint64_t from, std::uint64_t to, std::uint64_t name = kA,
                      std::uint64_t thread = 1) {
  return event(EventType::DurationComplete, from, name, thread, {to});
}
inline Words instant(std::uint64_t time, std::uint64_t thread = 1) {
  return event(EventType::Instant, time, kA, thread);
}
inline Words flow(EventType type, std::uint64_t time, std::uint64_t id, std::uint64_t thread = 1) {
  return event(type, time, kB, thread, {id});
}
inline Words counter(std::uint64_t time, std::uint64_t name, const Words& argument, std::uint64_t id = 0) {
  return event(EventType::Counter, time, name, 1, joined(argument, {id}), 1);
}

inline Words async_begin(std::uint64_t time, std::uint64_t id) {
  return event(EventType::AsyncBegin, time, kA, 1, {id});
}

inline std::string broken(std::initializer_list<Words> parts) {
  return broken_rules(joined(kPrelude, all(parts)));
}

// A record that gives a thread the name with the index `name`. `argument` has the words of one argument, or
// is empty.
inline Words thread_object(const Words& argument, std::uint64_t koid = 101, std::uint64_t name = kA) {
  return joined({KernelObjectHeader::Type::put(7) | KernelObjectHeader::Size::put(2 + argument.size()) |
                     KernelObjectHeader::ObjectType::put(2) | KernelObjectHeader::Name::put(name) |
                     KernelObjectHeader::ArgumentCount::put(argument.empty() ? 0 : 1),
                 koid},
                argument);
}

// A record that gives a thread of a process the name "a".
inline Words named(std::uint64_t process, std::uint64_t thread) {
  return thread_object({0x4'0028, process}, thread);
}
// Strings 6 to 8 are the names of the arguments that mark the idle thread in newer scheduling records.
inline const Words kWeights = all(
    {string_record(6, "weight"), string_record(7, "incoming_weight"), string_record(8, "outgoing_weight")});
inline constexpr std::uint64_t kIdleArgument = 0x8000'0000'0000'0011;

inline constexpr const char* kClean = "";

}  // namespace fxt::test
