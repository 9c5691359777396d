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
  Importers importers = make_importers();  // importers hold the values of their own options
  std::vector<std::string> inputs;
  std::string output;                // "-" is standard output
  bool is_output_last_path = false;  // the last path is the output, because -o is not given
  // The format from --format, or else from the name of the output.
  const fxt::tools::TraceFormat* format = nullptr;
  std::vector<std::pair<std::string, std::size_t>> importer_options;
  std::vector<std::string> without_effect;

  // An offset in ns, which is added to all times of an input. If several offsets name the input, the last one
  // counts. `offset_ns` is for the GDB trace files that no offset names.
  struct Offset {
    std::string input;  // see --offset
    std::int64_t time_ns;
  };
  std::vector<Offset> offsets;
  std::optional<std::int64_t> offset_ns;

  std::optional<fxt::CutOptions> cut;      // a range of time, or the division into pieces
  std::optional<std::uint64_t> fit_bytes;  // the limit for the size of the trace
  bool has_viewer_hints = true;            // the trace contains hints for the first view
  bool apart = false;                      // threads of a GDB trace file get their own tracks

  ImportOptions import;
  LaneOptions lanes = {.limits = FxtSink::kLimits};
  ReportForm report = ReportForm::Text;
  ProgressMode progress = ProgressMode::Auto;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool sync = false;   // make sure that the output is on the disk at the end
  bool force = false;  // the output may replace any file
  bool quiet = false;
  bool strict = false;
  bool inspect = false;  // describe the inputs instead of converting them
  bool inspects_all = false;
  std::string unpack_folder;           // if not empty: unpack archives into this folder, and convert nothing
  std::optional<std::string> explain;  // if set: print the entry about this kind of note, and convert nothing
};

// Returns nothing if a text was printed, such as the text for --help. Throws UsageError.
std::optional<ConvertOptions> parse_options(int argc, const char* const* argv);

}  // namespace convert
