// Which fields of an event its `print fmt` shows in words: what libtraceevent understands of the format, in
// our own words.
#pragma once

#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converters/uftrace/kernel/event_format.h"
#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_expression.h"

struct tep_handle;

namespace convert::uftrace {

// How one field is printed.
struct PrintedField {
  std::vector<PrintExpression> parts = {};  // texts, one after the other; none: as a number
  bool is_symbol = false;                   // the address of a function or variable: %ps
  bool is_pointer = false;                  // %p
};

// The library may crash at texts that no kernel has written: see print_child.h.
class PrintFormats {
 public:
  explicit PrintFormats(const PageLayout& pages);
  ~PrintFormats();
  PrintFormats(const PrintFormats&) = delete;
  PrintFormats& operator=(const PrintFormats&) = delete;

  // By field; empty if libtraceevent can't tell.
  std::map<std::string, PrintedField> fields_of(const EventFormat& format);

 private:
  tep_handle* tep_;
};

}  // namespace convert::uftrace
