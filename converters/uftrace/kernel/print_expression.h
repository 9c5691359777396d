// What a format's `print fmt` makes of fields: flags and enumerators by their names, and what is computed
// from them. Taken over from libtraceevent's tree once, and evaluated by several threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/uftrace/kernel/integer_field.h"

namespace convert::uftrace {

// An event's payload, and how its numbers lie.
struct EventBytes {
  std::span<const std::byte> payload;
  std::endian order;
};

struct PrintExpression {
  enum class What : std::uint8_t { Nothing, Number, Text, Field, Operation, Choice, Flags };
  struct Name {
    std::uint64_t value;
    std::string text;
  };

  What what = What::Nothing;
  std::uint64_t number = 0;
  IntegerField place = {};  // of Field
  bool is_signed = false;
  std::string text = {};                       // of Text; of Operation its sign; of Flags what stands between
  std::vector<Name> names = {};                // of Choice and Flags
  std::vector<PrintExpression> operands = {};  // of Operation one to three, of Choice and Flags one

  // Whether it has as many operands as it needs; theirs are not looked at.
  bool is_whole() const;
  // Whether names or texts come out of it.
  bool gives_text() const;
  // False if that can't be told: a field is missing in the event, or we don't know the operation.
  bool number_of(const EventBytes& event, std::uint64_t& number) const;
  // Appends what is printed with %s.
  bool append_text(const EventBytes& event, std::string& text) const;

 private:
  bool operate(const EventBytes& event, std::uint64_t& number) const;
};

}  // namespace convert::uftrace
