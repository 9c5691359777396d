// The report of a conversion: what was read, written, repaired, skipped and lost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/notes.h"
#include "converters/model/outline.h"

namespace convert {

struct Fitted {
  std::uint64_t shortest_ns = 0;  // the shortest length that is shown
  std::uint64_t left_out = 0;
  std::uint64_t time_ns = 0;     // the time in the calls left out, without counting nested calls twice
  std::uint64_t outside_ns = 0;  // the part of this time outside of all shown calls
};

struct Written {
  std::vector<std::string> pieces = {};  // the files of an output that was split
  std::uint64_t bytes = 0;               // size after compression
  std::uint64_t events = 0;
  std::optional<std::uint64_t> first_ns = {};  // nothing without events
  std::uint64_t last_ns = 0;
  std::optional<Fitted> fitted = {};  // nothing if all calls are shown
};

// The data of a conversion for its report.
struct Report {
  const std::vector<std::string>& inputs;
  const std::string& output;
  const ImportStats& stats;
  const Timeline& timeline;
  const Written& written;
};

// The report for programs. Keys: inputs, output (null if it was split), pieces (only if it was split),
// bytes_read, bytes_written, records_read, events_written, threads, processes, first_ns, last_ns (null
// without events), view_ns: start and end of Timeline's first view (null without a view), fitted:
// {shortest_ns, left_out, left_out_ns, outside_ns} (only if calls were left out, see Fitted), details: a list
// of {input, text} (only if an input has details).
Outline outline_of(const Report& report);
std::string text_of(const Report& report);

// The part of an input's description that --inspect shows on one screen. `shown` maps the name of an object
// to the entries of this object that are shown. Of any other object, only the name is shown. See
// Importer::summary().
Outline summary_of(const Outline& all, const std::map<std::string, std::vector<std::string>>& shown);

// The notes, grouped by kind. The text lists the first locations of each kind, or is "notes: none". The JSON
// is a list of {kind, count, first}, where `first` is the first location with its problem.
std::string text_of(const Notes& notes);
Outline outline_of(const Notes& notes);

// Returns "812 B" or "1.2 GB", for example, with decimal units.
std::string format_bytes(std::uint64_t bytes);

}  // namespace convert
