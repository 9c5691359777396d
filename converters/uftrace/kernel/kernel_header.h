// The file `kernel_header`: the layout of the kernel's ring buffer pages, and the formats of the events in
// them, as tracefs has them.
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
#include "converters/model/reading/load.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// A page: u64 timestamp, a long `commit`, then the events.
struct PageLayout {
  std::size_t page_bytes = 4096;
  std::size_t long_bytes = 8;
  std::endian order = std::endian::little;

  std::size_t data_offset() const { return sizeof(std::uint64_t) + long_bytes; }
};

// Where an integer lies in an event's payload.
struct IntegerField {
  std::uint32_t offset = 0;
  std::uint8_t size = 0;  // 1, 2, 4 or 8; 0: the event has no such field

  bool exists() const { return size != 0; }
  std::size_t end() const { return std::size_t{offset} + size; }
  bool fits(std::span<const std::byte> payload) const { return exists() && payload.size() >= end(); }
  // fits() must hold.
  std::uint64_t load_from(std::span<const std::byte> payload, std::endian order) const {
    return unsigned_bits(payload.subspan(offset, size), order);
  }
};

// A `field:` line of tracefs' format files.
struct EventField {
  // A string or array may lie elsewhere in the payload: the field is then a word with its offset and size.
  enum class Storage : std::uint8_t { Inline, DataLocation, RelativeLocation };

  std::string name;
  std::string type;  // as declared, without the name: "unsigned long", "char[16]"
  std::size_t offset = 0;
  std::size_t size = 0;
  bool is_signed = false;
  bool is_array = false;
  Storage storage = Storage::Inline;
};

struct EventFormat {
  std::string system, name;
  std::uint16_t id = 0;
  std::vector<EventField> fields;  // the common ones first
  std::string print_format;        // what follows `print fmt:`

  const EventField* find(std::string_view field) const;  // null if there is none
  // Does not exist if no integer has that name.
  IntegerField integer(std::string_view field) const;
};

struct KernelHeader {
  PageLayout pages;
  std::vector<EventFormat> formats;  // in the order of the file
};

// An entry into a kernel function, or an exit.
struct GraphFormat {
  std::uint16_t id;
  bool is_entry;
  IntegerField function, depth;
  IntegerField value = {};  // of an entry the return address; of an exit the return value

  bool fits(std::span<const std::byte> payload) const {
    return function.fits(payload) && payload.size() >= depth.end();
  }
};
// Of the function graph tracer's events, as the kernel's formats have them.
std::vector<GraphFormat> graph_formats_of(const KernelHeader& header);

// The fields that every event begins with.
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

// Parses the `field:` lines of a text and ignores all others.
std::vector<EventField> parse_fields(std::string_view text);
// Notes damaged lines and continues after them. Returns nothing if the file does not exist.
std::optional<KernelHeader> read_kernel_header(const Directory& directory, Notes& notes);

}  // namespace convert::uftrace
