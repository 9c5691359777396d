// The C expressions in a format's `print fmt`: integers computed from fields, and the names of their values.
// Parsed once (print_format.h), evaluated by several threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/kernel/kernel_header.h"

namespace convert::uftrace {

struct EventBytes {
  std::span<const std::byte> payload;
  std::endian order;
};

// All integers have 64 bits; comparisons are signed, as in libtraceevent. A result is missing where the
// payload has no such field, and for a division by zero.
struct UnaryOperator {
  char sign;
  std::uint64_t (*apply)(std::uint64_t);
};
struct BinaryOperator {
  std::string_view sign;
  int precedence;  // a higher one binds more tightly
  std::optional<std::uint64_t> (*apply)(std::uint64_t, std::uint64_t);
};
// The operator that `text` begins with; null if there is none.
const UnaryOperator* find_unary(std::string_view text);
const BinaryOperator* find_binary(std::string_view text);

struct PrintExpression {
  // Symbol is __print_symbolic, Flags is __print_flags.
  enum class Kind : std::uint8_t { Unknown, Number, Text, Field, Unary, Binary, Conditional, Symbol, Flags };
  struct Name {
    std::uint64_t value;
    std::string text;
  };

  Kind kind = Kind::Unknown;
  std::uint64_t number = 0;                    // of Number
  IntegerField field = {};                     // of Field
  bool is_signed = false;                      // the same
  std::string text = {};                       // of Text; of Flags the separator
  const UnaryOperator* unary = nullptr;        // of Unary
  const BinaryOperator* binary = nullptr;      // of Binary
  std::vector<Name> names = {};                // of Symbol and Flags
  std::vector<PrintExpression> operands = {};  // Unary, Symbol, Flags: one; Binary: two; Conditional: three

  // Whether %s of it shows texts or names.
  bool has_text() const;
  std::optional<std::uint64_t> value(const EventBytes& event) const;
  // Appends what %s shows. False if that can't be computed.
  bool append_text(const EventBytes& event, std::string& result) const;
};

}  // namespace convert::uftrace
