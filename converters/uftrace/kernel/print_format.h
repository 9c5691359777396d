// Parses an event's `print fmt`, a printf format and its arguments in C, and finds the fields that it shows
// by names (__print_flags, __print_symbolic) or as addresses (%p, %ps).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/uftrace/kernel/kernel_header.h"

namespace convert::uftrace {

struct EventBytes {
  std::span<const std::byte> payload;
  std::endian order;
};

// A C expression. All integers have 64 bits; comparisons are signed. A result is missing where the payload
// has no such field, and for a division by zero. Evaluated by several threads.
struct PrintExpression {
  // Symbol is __print_symbolic, Flags is __print_flags.
  enum class Kind : std::uint8_t { Unknown, Number, Text, Field, Unary, Binary, Conditional, Symbol, Flags };
  struct Name {
    std::uint64_t value;
    std::string text;
  };

  Kind kind = Kind::Unknown;
  std::uint64_t number = 0;  // of Number
  IntegerField field = {};   // of Field
  bool is_signed = false;    // the same
  std::string text = {};     // of Text; of Flags the separator
  std::uint64_t (*unary)(std::uint64_t) = nullptr;
  std::optional<std::uint64_t> (*binary)(std::uint64_t, std::uint64_t) = nullptr;
  std::vector<Name> names = {};                // of Symbol and Flags
  std::vector<PrintExpression> operands = {};  // Unary, Symbol, Flags: one; Binary: two; Conditional: three

  // Whether %s of it shows texts or names.
  bool has_text() const;
  std::optional<std::uint64_t> value(const EventBytes& event) const;
  // Appends what %s shows. False if that can't be computed.
  bool append_text(const EventBytes& event, std::string& result) const;
};

// How one field is shown.
struct PrintedField {
  std::vector<PrintExpression> parts = {};  // their texts, joined; none: as a number
  bool is_symbol = false;                   // the address of a function or variable: %ps
  bool is_pointer = false;                  // %p
};

// By field. Empty if the text is not understood as a whole: then all fields are shown by their types.
std::map<std::string, PrintedField> printed_fields(const EventFormat& format);

}  // namespace convert::uftrace
