// A tree of names and values, written as JSON. Going away takes no memory, as it does for the values of
// nlohmann-json 3.11: a program that has none left still ends with a message.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/support/text.h"

namespace fxt {

class Json {
 public:
  Json() = default;  // null
  Json(std::nullptr_t) {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : kind_(Kind::Boolean), number_(value) {}
  template <std::signed_integral Number>
  Json(Number number) : kind_(Kind::Signed), number_(static_cast<std::uint64_t>(std::int64_t{number})) {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) Json(Number number) : kind_(Kind::Unsigned), number_(number) {}
  Json(std::string text) : kind_(Kind::Text), text_(std::move(text)) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  Json(const std::vector<std::string>& texts);
  Json(std::initializer_list<std::pair<std::string_view, Json>> members);
  static Json array() { return Json(Kind::Array); }
  static Json object() { return Json(Kind::Object); }

  // The value of a member, which is added where there is none. Null becomes an object first. Members keep the
  // order in which they were added.
  Json& operator[](std::string_view name);
  // Adds an entry. Null becomes an array first.
  void push_back(Json entry);

  bool is_null() const { return kind_ == Kind::Null; }
  bool is_array() const { return kind_ == Kind::Array; }
  bool is_object() const { return kind_ == Kind::Object; }
  // Of a value of another kind there is none.
  const std::string* text() const { return kind_ == Kind::Text ? &text_ : nullptr; }
  std::optional<bool> boolean() const {
    return kind_ == Kind::Boolean ? std::optional(number_ != 0) : std::nullopt;
  }
  const std::vector<std::string>& names() const { return names_; }  // of an object's members
  const std::vector<Json>& values() const { return values_; }       // of them, or an array's entries
  const Json* find(std::string_view name) const;                    // null if there is no such member

  // Ill-formed text gets U+FFFD, control characters are spelled out.
  std::string in_one_line() const { return written({}); }
  // With a line for each entry and member, two columns further in than what holds it.
  std::string in_lines() const { return written(0); }

 private:
  enum class Kind : std::uint8_t { Null, Boolean, Signed, Unsigned, Text, Array, Object };
  using Indent = std::optional<std::size_t>;

  explicit Json(Kind kind) : kind_(kind) {}
  std::string written(Indent indent) const;
  void append_to(TextBuffer& out, Indent indent) const;
  void append_values_to(TextBuffer& out, Indent indent) const;

  // No std::variant: copying one that holds texts and lists crashes libstdc++ 12 if memory runs out.
  Kind kind_ = Kind::Null;
  std::uint64_t number_ = 0;  // Boolean, Signed (as two's complement), Unsigned
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Json> values_;
};

}  // namespace fxt
