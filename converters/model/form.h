// What events have in common that come in great numbers and differ in a few numbers only: a form. It is said
// once what they are called and which arguments they have; then each of them is kept as its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/slot.h"

namespace convert {

// A filled-in form is a row of 64-bit fields; an index into it.
enum class FieldIndex : std::uint32_t {};

// Without a field, `value` is the same in all events; no std::string above kMaxFormText bytes, and those
// printable ASCII. With a field, `value` only tells the type, a number or a Pointer: the field holds its
// bits, those of a signed number extended to 64.
struct FormArgument {
  NameId name;
  Value value;
  std::optional<FieldIndex> field = {};
};
inline constexpr std::size_t kMaxFormText = 200;

// An instant, or a counter with the id 0: then all values are numbers.
struct FormEvent {
  SlotKind kind;
  LabelId label;
  std::vector<FormArgument> arguments;  // at most kArgumentsPerRecord
};

// Its name is `before`, the number in decimal, and `after`: printable ASCII, at most kMaxFormText bytes each.
struct FormBlob {
  std::string before;
  FieldIndex number{};
  std::string after;
  FieldIndex first{};          // the bytes fill whole fields from here on, the last one up with zeros
  std::size_t size_bytes = 0;  // at most kMaxFormBlobBytes
};
inline constexpr std::size_t kMaxFormBlobBytes = 512;

using FormRecord = std::variant<FormEvent, FormBlob>;

struct Form {
  static constexpr std::size_t kMaxRecords = 20;

  std::vector<FormRecord> records;  // said one after the other, all at one time; one instant at most
  std::size_t fields = 0;
};

// One record of a filled-in form as what it stands for: an event of its own, beside its details. For those
// who do not care how fast it goes.
struct PlainEvent {
  Slot slot;  // without details
  Details details;
};
PlainEvent plain_event(const FormRecord& record, std::uint64_t time_ns,
                       std::span<const std::uint64_t> fields);

}  // namespace convert
