// The events of the kernel's function graph tracer: which ids they have, and where in them things stand. All
// of it is what the recorded kernel says (uftrace.md, section 14).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/kernel/integer_field.h"
#include "converters/uftrace/kernel/kernel_header.h"

namespace convert::uftrace {

// Where a number stands in events of that format; nowhere if it has none of that name.
IntegerField place_of(const EventFormat& format, std::string_view field);

// An entry into a kernel function, or an exit.
struct GraphFormat {
  std::uint16_t id;
  bool is_entry;
  IntegerField function, depth;
  IntegerField value = {};  // of an entry where it was called from; of an exit what it returns

  // Whether an event is long enough.
  bool fits(std::span<const std::byte> payload) const {
    return function.fits(payload) && (!depth.is_there() || depth.fits(payload));
  }
};

class GraphFormats {
 public:
  explicit GraphFormats(const KernelHeader& header);

  // Null for an event of another kind.
  const GraphFormat* find(std::uint64_t id) const {
    for (const GraphFormat& format : formats_)
      if (format.id == id) return &format;
    return nullptr;
  }

 private:
  std::vector<GraphFormat> formats_;  // two or three
};

// What all events begin with.
struct CommonFields {
  explicit CommonFields(const KernelHeader& header);

  IntegerField type{.offset = 0, .size = 2};
  IntegerField flags{.offset = 2, .size = 1};
  IntegerField thread{.offset = 4, .size = 4};

  bool fit(std::span<const std::byte> payload) const { return type.fits(payload) && thread.fits(payload); }
};

}  // namespace convert::uftrace
