// fxt-draw: draws pictures of traces in the Fuchsia trace format. Options, and the loop over the records.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fxt/support/compressed_files.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"
#include "fxt/support/text.h"
#include "fxt/tools/call_paths.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/timeline.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/time_text.h"
#include "fxt/tools/trace_files.h"

namespace fxt::tools {
namespace {

enum class PictureKind : std::uint8_t { Auto, Svg, Html };

struct DrawOptions {
  bool quiet = false, force = false;
  std::string input, output;  // "-" is standard input or output
  PictureKind kind = PictureKind::Auto;
  std::uint64_t width = 1000;                 // in pixels
  std::optional<CallPaths::Root> flame = {};  // if set, a flame graph; otherwise a timeline
  TimelineOptions timeline = {};
};

// The first line of each picture. A file that begins with it may be replaced.
constexpr std::string_view kMark = "<!-- drawn by fxt-draw -->\n";

ProgramText program_text() {
  return {
      .name = "fxt-draw",
      .version = FXT_VERSION,
      .summary = "draws traces in the Fuchsia trace format",
      .synopses = {"[OPTIONS] IN OUT"},
      .description =
          "Draws the calls of a trace in the Fuchsia trace format, or of a part of it. Each thread has a "
          "track, with nested calls below each other. Frames of GDB are red marks, flows are arrows, and "
          "counters are areas. Async operations and CPUs have separate tracks. With --flame, draws a flame "
          "graph, in which all calls of a function with the same callers are one box. The width of a box is "
          "the time of its calls. IN may be compressed with gzip, zstd, bzip2 or xz; `-` is standard input. "
          "OUT ends in .svg for a picture, or in .html for a page that can be zoomed and searched. If .gz, "
          ".zst, .bz2 or .xz is added to OUT, the output is compressed. If OUT is `-`, it is written to "
          "standard output. The size of the output is limited. A picture merges calls that are narrower than "
          "a pixel. A page "
          "merges the narrowest calls if there are too many. The report counts the calls that were merged or "
          "not drawn.",
      .exit_status =
          "0: success. 1: IN can't be read, is damaged, has nothing to draw, or lacks a requested thread; "
          "or OUT can't be written. Everything that could be read is drawn. 2: wrong usage.",
      .examples = {{"fxt-draw run.fxt run.svg", "draw a track for each thread"},
                   {"fxt-draw run.fxt run.html", "draw a page to zoom and search"},
                   {"fxt-draw -r 10ms~20ms run.fxt run.svg", "draw only this range of time"},
                   {"fxt-draw --tid 101 -n 'work*' run.fxt run.svg", "draw some calls of one thread"},
                   {"fxt-draw --flame all run.fxt run.html", "draw a flame graph"}},
      .common_options = {"flame", "time-range", "tid", "name", "category", "width", "force", "quiet", "help"},
      .build = build_text()};
}

OptionTable table_of(DrawOptions& options) {
  TimelineOptions& timeline = options.timeline;
  OptionGroup what{
      .title = "Selection:",
      .options = {
          choice("flame", options.flame,
                 {{"all", CallPaths::Root::All},
                  {"process", CallPaths::Root::Process},
                  {"thread", CallPaths::Root::Thread}},
                 "draw one flame graph of all calls, or one for each process or thread"),
          range_option("draw only this range. Times are in seconds on the trace's clock. Times with a unit "
                       "(20ms) count from the start of the trace, as on the axis. Either end may be empty",
                       timeline.events.range),
          thread_option("draw only this thread; may be repeated", timeline.events.threads),
          name_option("draw only events with a name that matches this shell pattern; may be repeated",
                      timeline.events.names),
          category_option(timeline.events.categories),
          exclude_option(timeline.events.excluded),
          flag("no-sched", 0, timeline.events.no_sched, "omit the times off the CPU (linux:schedule)"),
          {.name = "max-depth",
           .argument = "N",
           .help = "draw at most N rows for each thread (default: 32); deeper calls are only counted",
           .value = store_count_in<1, 512>(timeline.max_rows),
           .fails_with = {"flame"}},
          {.name = "max-threads",
           .argument = "N",
           .help = "draw the first N threads (default: 64); the others are only counted",
           .value = store_count_in<1, 1024>(timeline.max_threads),
           .fails_with = {"flame"}}}};
  OptionGroup how{
      .title = "Output:",
      .options = {
          {.name = "width",
           .letter = 'w',
           .argument = "PIXELS",
           .help = "set the width of the picture (default: 1000)",
           .value = store_count_in<200, 10'000>(options.width)},
          choice("format", options.kind,
                 {{"auto", PictureKind::Auto}, {"svg", PictureKind::Svg}, {"html", PictureKind::Html}},
                 "choose the format. With auto (default), the end of OUT's name decides, and standard output "
                 "is SVG"),
          flag("force", 'f', options.force, "overwrite OUT even if fxt-draw did not create it"),
          flag("quiet", 'q', options.quiet, "print no report")}};
  return {std::move(what), std::move(how)};
}

// Returns the kind of picture for the suffix of the name. Ignores the suffix of a compressed file, such as
// .gz.
PictureKind kind_of_name(const std::string& output) {
  if (output == "-") return PictureKind::Svg;
  std::filesystem::path name(output);
  if (!packed_suffix(output).empty()) name = name.stem();
  const std::string end = name.extension().string();
  if (end == ".svg") return PictureKind::Svg;
  if (end == ".html" || end == ".htm") return PictureKind::Html;
  throw UsageError(
      fmt::format("'{}' does not end in .svg or .html (possibly followed by {}); use --format to choose",
                  output, kPackedSuffixesText));
}

bool is_picture(const std::string& path) {
  constexpr std::size_t kHeadBytes = 64;
  try {
    const InputWithHead input(open_input(path), kHeadBytes);
    return input.failure() == nullptr && input.head().find(kMark) != std::string_view::npos;
  } catch (const FileError&) {
    return false;
  }
}

std::string picture_of(const DrawOptions& options, const Drawing& drawing, const Drawing& all) {
  const std::string svg = svg_of(drawing, options.width, options.kind == PictureKind::Svg);
  if (options.kind == PictureKind::Svg) return std::string(kMark) + svg;
  const std::string title =
      options.input == "-" ? "fxt-draw" : std::filesystem::path(options.input).filename().string();
  return std::string(kMark) + page_of(title, svg, all);
}

void write(const std::string& path, std::string_view picture) {
  TraceFileOutput file(path);
  file.write(std::as_bytes(std::span(picture)));
  file.finish();
}

// Passes each record of the trace to `drawn`. Returns false if the file is not a trace. Throws FileError if
// the system failed to read the file.
template <typename Drawn>
bool read_all(EntrySource& source, Drawn& drawn) {
  bool is_trace = false;
  while (const Entry* entry = source.next()) {
    drawn.add(*entry, source.reader());
    is_trace = true;
  }
  source.check_system();
  return is_trace;
}

void report(const DrawOptions& options, const std::vector<std::string>& lines) {
  if (options.quiet) return;
  for (const std::string& line : lines) print_message(line + '\n');
}

ExitCode draw_flame(const DrawOptions& options, EntrySource& source) {
  CallPaths paths(options.timeline.events, *options.flame);
  if (!read_all(source, paths)) return report_end(source, "fxt-draw");
  paths.finish();
  const ExitCode code = report_end(source, "fxt-draw");
  if (!source.has_wanted()) return code;
  const Drawing flame = flame_of(paths, options.timeline.columns);
  if (flame.lanes.empty())
    throw std::runtime_error(
        fmt::format("{}: nothing to draw, because the trace has no calls", options.input));
  write(options.output, picture_of(options, flame, flame));
  report(options, flame.foot);
  return code;
}

ExitCode draw_timeline(const DrawOptions& options, EntrySource& source) {
  DrawnTimeline timeline(options.timeline);
  if (!read_all(source, timeline)) return report_end(source, "fxt-draw");
  timeline.finish(source.reader().counters());
  const ExitCode code = report_end(source, "fxt-draw");
  if (!source.has_wanted()) return code;
  if (timeline.is_empty()) {
    const std::vector<std::string> lines = timeline.report().lines();
    throw std::runtime_error(fmt::format("{}: nothing to draw; {}", options.input, fmt::join(lines, "; ")));
  }
  const auto with_origin = [](Drawing drawing) {
    drawing.foot.push_back(
        fmt::format("the time 0 is {} on the trace's clock", exact_time(drawing.origin_ns)));
    return drawing;
  };
  using Detail = DrawnTimeline::Detail;
  const bool is_page = options.kind == PictureKind::Html;
  const Drawing drawing = with_origin(timeline.drawing(is_page ? Detail::Few : Detail::Pixels));
  const Drawing all = is_page ? with_origin(timeline.drawing(Detail::All)) : Drawing{};
  write(options.output, picture_of(options, drawing, all));
  report(options, timeline.report().lines());
  return code;
}

// Returns nothing if the program only had to print a text, such as its help.
std::optional<DrawOptions> parse_options(int argc, const char* const* argv) {
  DrawOptions options;
  OptionTable table = table_of(options);
  const auto line = parse_program(argc, argv, program_text(), table);
  if (!line) return std::nullopt;
  std::tie(options.input, options.output) = in_and_out(*line);
  if (options.kind == PictureKind::Auto) options.kind = kind_of_name(options.output);
  options.timeline.columns = options.width - kMargins;
  return options;
}

// Draws the picture. If the input is damaged, draws the records before the damage, and returns Failed. Throws
// std::exception with a text for the user. After an exception, nothing has been written.
ExitCode run(const DrawOptions& options) {
  EntrySource source(options.input, options.timeline.events, EntrySource::Sequence::ByTime);
  check_replaceable(options.output, {options.input}, options.force,
                    {.is_one = is_picture, .name = "a picture of fxt-draw"});
  return options.flame ? draw_flame(options, source) : draw_timeline(options, source);
}

}  // namespace
}  // namespace fxt::tools

int main(int argc, char** argv) {
  return fxt::run_program("fxt-draw", [&] {
    const auto options = fxt::tools::parse_options(argc, argv);
    return options ? fxt::tools::run(*options) : fxt::ExitCode::Done;
  });
}
