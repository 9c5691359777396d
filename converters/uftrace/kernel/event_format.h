// What the kernel says of its events: the text of tracefs' `format` files, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

// One `field:` line.
struct EventField {
  // Where the value is: here, or where a word that stands here says (__data_loc, __rel_loc).
  enum class Where : std::uint8_t { Here, Dynamic, Relative };

  std::string name;
  std::string type;  // as declared, without the name: "unsigned long", "char[16]"
  std::size_t offset = 0;
  std::size_t size = 0;
  bool is_signed = false;
  bool is_array = false;
  Where where = Where::Here;
};

struct EventFormat {
  std::string system, name;
  std::uint16_t id = 0;
  std::vector<EventField> fields;  // the common ones first
  std::string text;                // all of it

  const EventField* find(std::string_view field) const;  // null if it has none
};

// The `field:` lines of a text.
std::vector<EventField> parse_fields(std::string_view text);
// A format without a usable id is nothing.
std::optional<EventFormat> parse_format(std::string_view system, std::string_view name,
                                        std::string_view text);

}  // namespace convert::uftrace
