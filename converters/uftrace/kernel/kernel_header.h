// The file `kernel_header`: the layout of pages in the kernel's ring buffer, and the formats of the events in
// these pages. The recorder copies both from tracefs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/reading/bits.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// A page consists of a u64 timestamp, a long `commit`, and the events.
struct PageLayout {
  std::size_t page_bytes = 4096;
  std::size_t long_bytes = 8;
  std::endian order = std::endian::little;

  std::size_t data_offset() const { return sizeof(std::uint64_t) + long_bytes; }
};

// The place of an integer in the payload of an event.
struct IntegerField {
  std::uint32_t offset = 0;
  std::uint8_t size = 0;  // size in bytes: 1, 2, 4 or 8; 0 without such a field

  bool exists() const { return size != 0; }
  std::size_t end() const { return std::size_t{offset} + size; }
  bool fits(std::span<const std::byte> payload) const { return exists() && payload.size() >= end(); }
  // fits() must be true.
  std::uint64_t load_from(std::span<const std::byte> payload, std::endian order) const {
    return unsigned_bits(payload.subspan(offset, size), order);
  }
};

// A `field:` line in a format file of tracefs.
struct EventField {
  // Inline: the field contains the value. Otherwise, the field is a word with the offset and the size of a
  // string or array in the payload.
  enum class Storage : std::uint8_t { Inline, DataLocation, RelativeLocation };

  std::string name;
  std::string type;  // the declaration without the name: "unsigned long", "char[16]"
  std::size_t offset = 0;
  std::size_t size = 0;
  bool is_signed = false;
  bool is_array = false;
  Storage storage = Storage::Inline;
};

struct EventFormat {
  std::string system, name;
  std::uint16_t id = 0;
  std::vector<EventField> fields;  // starts with the common fields
  std::string print_format;        // the text after `print fmt:`

  const EventField* find(std::string_view field) const;  // null if no field has that name
  // exists() of the result is false if no integer field has this name.
  IntegerField integer(std::string_view field) const;
};

struct KernelHeader {
  PageLayout pages;
  std::vector<EventFormat> formats;  // in the order of the file
};

// An entry into a kernel function, or an exit from it.
struct GraphFormat {
  std::uint16_t id;
  bool is_entry;
  IntegerField function, depth;
  IntegerField value = {};  // return address of an entry, or return value of an exit

  bool fits(std::span<const std::byte> payload) const {
    return function.fits(payload) && payload.size() >= depth.end();
  }
};
std::vector<GraphFormat> graph_formats_of(const KernelHeader& header);

// The fields with which every event begins.
struct CommonFields {
  explicit CommonFields(const KernelHeader& header) {
    if (header.formats.empty()) return;
    const auto replace = [&](IntegerField& field, std::string_view name) {
      if (const IntegerField own = header.formats.front().integer(name); own.exists()) field = own;
    };
    replace(type, "common_type");
    replace(flags, "common_flags");
    replace(thread, "common_pid");
  }

  IntegerField type{.offset = 0, .size = 2};
  IntegerField flags{.offset = 2, .size = 1};
  IntegerField thread{.offset = 4, .size = 4};

  bool fit(std::span<const std::byte> payload) const {
    return payload.size() >= std::max(type.end(), thread.end());
  }
};

// Parses the `field:` lines of a text and ignores other lines.
std::vector<EventField> parse_fields(std::string_view text);
// Adds notes about damaged lines, and continues after these. Returns nothing if the file does not exist.
std::optional<KernelHeader> read_kernel_header(const Directory& directory, Notes& notes);

}  // namespace convert::uftrace
