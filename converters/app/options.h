// The command line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "converters/app/importers.h"
#include "converters/app/progress.h"
#include "converters/model/importer.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/cutter.h"
#include "fxt/tools/trace_format.h"

namespace convert {

enum class ReportForm : std::uint8_t { Text, Json, None };

struct ConvertOptions {
  Importers importers = make_importers();  // hold the values of their own options
  std::vector<std::string> inputs;
  std::string output;                // "-" is standard output
  bool is_output_last_path = false;  // not named by -o
  // By --format, or else by the name of the output.
  const fxt::tools::TraceFormat* format = nullptr;
  // Options that belong to an importer, with its number.
  std::vector<std::pair<std::string, std::size_t>> importer_options;
  std::vector<std::string> without_effect;  // see CommandLine::without_effect()

  // Added to all times of an input, in ns: the last one that names it. `offset_ns` is for GDB trace files
  // that have none of their own.
  struct Offset {
    std::string input;  // see --offset
    std::int64_t time_ns;
  };
  std::vector<Offset> offsets;
  std::optional<std::int64_t> offset_ns;

  std::optional<fxt::CutOptions> cut;  // a range of time, pieces
  bool has_viewer_hints = true;        // the trace tells viewers what to show first
  bool apart = false;                  // threads of a GDB trace file get tracks of their own

  ImportOptions import;
  LaneOptions lanes = {.limits = FxtSink::kLimits};
  ReportForm report = ReportForm::Text;
  ProgressMode progress = ProgressMode::Auto;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());  // threads that convert
  bool sync = false;                                                  // the output is on the disk at the end
  bool force = false;                                                 // the output may replace any file
  bool quiet = false;
  bool strict = false;
  bool inspect = false;  // describes the inputs instead of converting them
  bool inspects_all = false;
  std::optional<std::string> explain;  // a kind of note: prints its entry, and does nothing else
};

// Returns nothing after printing a text such as --help. Throws UsageError.
std::optional<ConvertOptions> parse_options(int argc, const char* const* argv);

}  // namespace convert
