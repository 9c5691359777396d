// Parses the `print fmt` of an event: a printf format with arguments in C. Finds the fields whose values are
// shown as names (__print_flags, __print_symbolic) or as addresses (%p, %ps).
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

// A C expression. All integers have 64 bits, and comparisons are signed. There is no result if the payload
// lacks a field, or for a division by zero. Several threads may evaluate an expression at the same time.
struct PrintExpression {
  // Symbol is __print_symbolic, Flags is __print_flags.
  enum class Kind : std::uint8_t { Unknown, Number, Text, Field, Unary, Binary, Conditional, Symbol, Flags };
  struct Name {
    std::uint64_t value;
    std::string text;
  };

  Kind kind = Kind::Unknown;
  std::uint64_t number = 0;
  IntegerField field = {};
  bool is_signed = false;  // for Field
  std::string text = {};   // text of Text; separator of Flags
  std::uint64_t (*unary)(std::uint64_t) = nullptr;
  std::optional<std::uint64_t> (*binary)(std::uint64_t, std::uint64_t) = nullptr;
  std::vector<Name> names = {};  // for Symbol and Flags
  // One operand for Unary, Symbol and Flags; two for Binary; three for Conditional.
  std::vector<PrintExpression> operands = {};

  // True if %s shows a text or a name for the expression.
  bool has_text() const;
  std::optional<std::uint64_t> value(const EventBytes& event) const;
  // Appends the text that %s shows. Returns false if this text can't be computed.
  bool append_text(const EventBytes& event, std::string& result) const;
};

// The way in which a field is shown.
struct PrintedField {
  // The texts of these parts are joined. Without parts, the field is shown as a number.
  std::vector<PrintExpression> parts = {};
  bool is_symbol = false;   // the address of a function or variable: %ps
  bool is_pointer = false;  // %p
};

// Returns how each field is shown. If a part of the print format can't be parsed, the result is empty. Then
// all fields are shown according to their types.
std::map<std::string, PrintedField> printed_fields(const EventFormat& format);

}  // namespace convert::uftrace
