// Parses an event's `print fmt`, a printf format and its arguments in C, for what it tells about fields:
// which ones are shown by names (__print_flags, __print_symbolic), and which are addresses (%p, %ps).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_expression.h"

namespace convert::uftrace {

// How one field is shown.
struct PrintedField {
  std::vector<PrintExpression> parts = {};  // their texts, joined; none: as a number
  bool is_symbol = false;                   // the address of a function or variable: %ps
  bool is_pointer = false;                  // %p
};

// By field. Empty if the text is not understood as a whole: all fields are then shown as their types say.
std::map<std::string, PrintedField> printed_fields(const EventFormat& format);

}  // namespace convert::uftrace
