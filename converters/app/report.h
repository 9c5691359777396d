// The report of a conversion: what was read, written, repaired, skipped and lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/outline.h"

namespace convert {

struct Report {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> pieces = {};  // the files of an output that was split
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;  // after compression
  std::uint64_t records_read = 0;
  std::uint64_t events_written = 0;
  std::uint64_t threads = 0;
  std::uint64_t processes = 0;
  std::optional<std::uint64_t> first_ns = {};  // empty without events
  std::uint64_t last_ns = 0;
  std::vector<std::string> details = {};  // of the inputs, a line each
};

// A few lines for people, with the first locations of each kind of note.
std::string text_of(const Report& report, const Notes& notes);
// One line of JSON for programs. Keys: inputs, output (null if it was split), pieces (only if it was split),
// bytes_read, bytes_written, records_read, events_written, threads, processes, first_ns, last_ns (null
// without events), details (if there are any), notes: a list of {kind, count, first}.
std::string json_of(const Report& report, const Notes& notes);

// The notes alone: as text, every kind with its first locations (or "notes: none"); as JSON, the list of
// {kind, count, first}, where `first` is the first location with its problem.
std::string text_of(const Notes& notes);
Outline outline_of(const Notes& notes);

// "812 B", "1.2 GB": decimal units.
std::string format_bytes(std::uint64_t bytes);
// "1061.400468580 s"
std::string format_seconds(std::uint64_t time_ns);

}  // namespace convert
