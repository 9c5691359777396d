// The file `kernel_header`: how the kernel's ring buffer pages are laid out, and the formats of the events in
// them (uftrace.md, section 14.1).
#pragma once

#include <bit>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/kernel/event_format.h"

namespace convert::uftrace {

// Of a page: u64 timestamp, a long `commit`, then the events.
struct PageLayout {
  std::size_t page_bytes = 4096;
  std::size_t long_bytes = 8;
  std::endian order = std::endian::little;

  std::size_t data_offset() const { return sizeof(std::uint64_t) + long_bytes; }
};

struct KernelHeader {
  PageLayout pages;
  std::vector<EventFormat> formats;  // in the order of the file

  // Null if there is none.
  const EventFormat* find(std::string_view system, std::string_view name) const;
};

// What is damaged is noted and passed. Nothing if there is no such file.
std::optional<KernelHeader> read_kernel_header(const std::filesystem::path& directory, Notes& notes);

}  // namespace convert::uftrace
