// Copies of records. A copy stays valid after the Reader has gone on to the next Entry. Internal to the
// Cutter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/cutting/held_texts.h"
#include "fxt/records.h"
#include "fxt/words.h"

namespace fxt {

// Replaces each text, byte span and word span of a record and its arguments by the result of `visit(span)`.
template <typename T, typename Visit>
void for_each_borrowed(T& record, std::vector<Argument>& arguments, Visit visit) {
  const auto replace = [&visit](auto& borrowed) {
    const auto other = visit(std::span(borrowed));
    borrowed = {other.data(), other.size()};
  };
  if constexpr (requires { record.category; }) replace(record.category.text);
  if constexpr (requires { record.name.text; })
    replace(record.name.text);
  else if constexpr (requires { record.name; })
    replace(record.name);
  if constexpr (requires { record.message; }) replace(record.message);
  if constexpr (requires { record.text; }) replace(record.text);
  if constexpr (requires { record.bytes; }) replace(record.bytes);
  if constexpr (requires { record.build_id; }) replace(record.build_id);
  if constexpr (requires { record.frames; }) replace(record.frames);
  if constexpr (requires { record.words; }) replace(record.words);
  if constexpr (requires { record.arguments; }) {
    for (Argument& argument : arguments) {
      replace(argument.name.text);
      if (auto* const text = std::get_if<String>(&argument.value)) replace(text->text);
      if (auto* const bytes = std::get_if<Bytes>(&argument.value)) replace(bytes->bytes);
      if (auto* const unknown = std::get_if<UnknownValue>(&argument.value)) replace(unknown->words);
    }
  }
}

// Holds a record of type T. If T is Record, the record can be of any type.
template <typename T>
class Held {
 public:
  Held() = default;
  Held(Held&&) noexcept = default;
  Held& operator=(Held&&) noexcept = default;

  // Reuses the memory of the record that was held before. `texts` must outlive this object.
  void assign(const T& record, HeldTexts& texts) {
    record_ = record;
    visit([&](auto& value) { this->copy_parts(value, texts); });
  }
  // The record is valid while this object and the HeldTexts exist.
  const T& record() const { return record_; }

 private:
  template <typename Visitor>
  void visit(Visitor visitor) {
    if constexpr (std::is_same_v<T, Record>)
      std::visit(visitor, record_);
    else
      visitor(record_);
  }
  template <typename Part>
  void copy_parts(Part& part, HeldTexts& texts) {
    if constexpr (requires { part.arguments; }) {
      arguments_.assign(part.arguments.begin(), part.arguments.end());
      part.arguments = Arguments(arguments_);
    }
    std::size_t size = 0, texts_count = 0;
    for_each_borrowed(part, arguments_, [&](auto borrowed) {
      if (is_text(borrowed))
        ++texts_count;
      else
        size += words_of(borrowed.size_bytes());
      return borrowed;
    });
    words_.resize(size);
    if (texts_.size() != texts_count) texts_.resize(texts_count);
    std::uint64_t* at = words_.data();
    auto text = texts_.begin();
    for_each_borrowed(part, arguments_, [&]<typename Unit>(std::span<Unit> borrowed) {
      if constexpr (std::is_same_v<Unit, const char>) {
        *text = texts.use(std::string_view(borrowed.data(), borrowed.size()));
        return std::span<Unit>((text++)->text());
      }
      if (!borrowed.empty()) std::memcpy(at, borrowed.data(), borrowed.size_bytes());
      const std::span<Unit> copy(reinterpret_cast<Unit*>(at), borrowed.size());
      at += words_of(borrowed.size_bytes());
      return copy;
    });
  }

  template <typename Unit>
  static constexpr bool is_text(std::span<Unit>) {
    return std::is_same_v<Unit, const char>;
  }

  T record_ = {};
  std::vector<Argument> arguments_;
  std::vector<HeldTexts::Use> texts_;
  std::vector<std::uint64_t> words_;  // copies of the record's byte spans and word spans
};

}  // namespace fxt
