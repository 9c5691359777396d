// SPDX-License-Identifier: Apache-2.0
// The parts of records as values: strings, threads and typed arguments. The Writer takes values of these
// types, and the Reader returns them. Texts and bytes belong to the caller or to the Reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/format.h"

namespace FXT_API fxt {

// The way in which a record refers to a string or thread.
enum class Storage : std::uint8_t {
  Table,    // by its index in the table, which is the default of the Writer
  Inline,   // in the record itself
  Missing,  // set by the Reader if the index was never registered
};

// A string that is used once: Inline{"..."} keeps it out of the string table.
struct Inline {
  std::string_view text = {};
};

// Spec: "String references". A text to write must be valid until the Writer returns. A text that was read is
// valid until the next record. A null char pointer is an empty text. Strings with equal texts are equal.
struct String {
  std::string_view text;
  Storage storage = Storage::Table;
  bool valid_utf8 = true;   // set by the Reader; the bytes are kept unchanged
  std::uint16_t index = 0;  // set by the Reader: the index in the string table; 0 if inline or empty

  String() = default;
  String(std::string_view string) : text(string) {}
  String(const char* string) : text(string != nullptr ? string : std::string_view()) {}
  // Deleted, so that nullptr does not become a text. Use std::monostate for an argument without a value, and
  // Pointer{} for a null pointer.
  String(std::nullptr_t) = delete;
  String(const std::string& string) : text(string) {}
  String(Inline string) : text(string.text), storage(Storage::Inline) {}

  friend bool operator==(const String& a, const String& b) { return a.text == b.text; }
};

// Spec: "Thread references". A thread and its process, by their koids (pid and tid outside of Fuchsia).
// Threads are equal if their koids are equal.
struct Thread {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  Storage storage = Storage::Table;
  std::uint8_t index = 0;  // set by the Reader: the index in the thread table; 0 if inline

  friend bool operator==(const Thread& a, const Thread& b) {
    return a.process == b.process && a.thread == b.thread;
  }
};

struct ThreadHash {
  std::size_t operator()(const Thread& thread) const {
    return std::hash<std::uint64_t>{}(thread.process * 0x9e37'79b9'7f4a'7c15 + thread.thread);
  }
};

// The idle thread of context switches. It has no events.
inline constexpr Thread kIdleThread{};

// Spec: "Pointer argument".
struct Pointer {
  std::uint64_t address = 0;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

// Spec: "Kernel object id argument".
struct Koid {
  std::uint64_t koid = 0;
  friend bool operator==(const Koid&, const Koid&) = default;
};

// Bytes that are compared by their contents.
struct Bytes {
  std::span<const std::byte> bytes = {};
  friend bool operator==(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.bytes, b.bytes); }
};

// Returned by the Reader: the words after the name of an argument of an unknown type.
struct UnknownValue {
  std::uint8_t type = 0;
  std::uint32_t header_data = 0;  // bits 32 to 63 of the argument header
  std::span<const std::uint64_t> words = {};
  friend bool operator==(const UnknownValue& a, const UnknownValue& b) {
    return a.type == b.type && a.header_data == b.header_data && std::ranges::equal(a.words, b.words);
  }
};

// Spec: "Argument types", in the order of their numbers. std::monostate is the null argument, and Bytes is
// the blob.
using Value = std::variant<std::monostate, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, double,
                           String, Pointer, Koid, bool, Bytes, UnknownValue>;

// Spec: "Arguments". A typed pair of key and value.
struct Argument {
  String name = {};
  Value value = {};
  friend bool operator==(const Argument&, const Argument&) = default;
};

// A list of arguments. A braced list such as {{"size", 42}, {"path", "/dev/null"}} is copied, and a temporary
// vector is moved. Other vectors, arrays or spans of arguments, and all texts, must outlive the list. Lists
// are equal if their arguments are equal, in the same order.
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::span<const Argument> list) : list_(list) {}
  Arguments(const std::vector<Argument>& list) : list_(list) {}
  Arguments(std::vector<Argument>&& list)
      : own_(std::make_shared<const std::vector<Argument>>(std::move(list))), list_(*own_) {}
  Arguments(std::initializer_list<Argument> list)
      : own_(std::make_shared<const std::vector<Argument>>(list)), list_(*own_) {}

  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  const Argument& operator[](std::size_t i) const { return list_[i]; }

  friend bool operator==(const Arguments& a, const Arguments& b) {
    return std::ranges::equal(a.list_, b.list_);
  }

 private:
  std::shared_ptr<const std::vector<Argument>> own_;  // null if no arguments are owned; copies share the list
  std::span<const Argument> list_;
};

}  // namespace fxt
