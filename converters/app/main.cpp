// fxt-convert: chooses the importers, runs the timeline into the output, and reports.
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <utility>

#include "converters/app/importers.h"
#include "converters/app/options.h"
#include "converters/app/output_rules.h"
#include "converters/app/progress.h"
#include "converters/app/range_sink.h"
#include "converters/app/report.h"
#include "converters/app/trace_output.h"
#include "converters/model/importer.h"
#include "converters/model/outline.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/support/program.h"
#include "fxt/support/text.h"

namespace convert {
namespace {

using fxt::ExitCode;

constexpr NoteKind kOlderPieces{
    "older-pieces", "files that are called like pieces of this trace, but are of an earlier one", true};
constexpr NoteKind kOutsideRange{"outside-range", "events outside of the time that was asked for", true};
constexpr NoteKind kCutFlows{
    "cut-arrows", "arrows that end in a later piece than they begin: they end where they left", true};

// Describes the inputs. JSON is a list when there are several.
ExitCode inspect(const ConvertOptions& options) {
  Outline all = Outline::array();
  bool has_notes = false;
  for (const std::string& input : options.inputs) {
    Notes notes;
    Outline outline = importer_of(input, options.importers).inspect(input, notes);
    has_notes |= !notes.has_only_remarks();
    if (options.report == ReportForm::Text) fxt::print(text_of(outline) + text_of(notes));
    outline["notes"] = outline_of(notes);
    all.push_back(std::move(outline));
  }
  if (options.report == ReportForm::Json) fxt::print(json_of(all.size() == 1 ? all.front() : all));
  return options.strict && has_notes ? ExitCode::DoneWithNotes : ExitCode::Done;
}

// Imports all inputs and adds each one's offset to its times.
void import_inputs(const ConvertOptions& options, ImportContext& context) {
  bool is_offset_used = false;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Importer& importer = importer_of(options.inputs[i], options.importers);
    importer.import(options.inputs[i], context);
    std::optional<std::int64_t> offset_ns = options.offsets_ns[i];
    is_offset_used |= importer.takes_common_offset();
    if (!offset_ns && importer.takes_common_offset()) offset_ns = options.offset_ns;
    if (offset_ns) context.timeline.shift_input(i, *offset_ns);
  }
  if (options.offset_ns && !is_offset_used)
    throw UsageError("--offset: no INPUT is a GDB trace file; name the INPUT: --offset INPUT=TIME");
}

void print_report(const ConvertOptions& options, const Report& report, const Notes& notes) {
  if (options.quiet || options.report == ReportForm::None) return;
  const std::string text =
      options.report == ReportForm::Json ? json_of(report, notes) : text_of(report, notes);
  std::FILE* const out = options.output == "-" ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

// Replaces the figures of the whole trace by those of the part that was written. `dropped_before` events were
// dropped before they reached the cutter.
void report_cut(const fxt::CutCounters& cut, const fxt::tools::PieceFiles& files,
                std::uint64_t dropped_before, bool stopped_early, const ConvertOptions& options,
                Report& report, Notes& notes) {
  if (options.cut->is_split()) report.pieces = files.complete();
  report.events_written = cut.events;
  report.first_ns = cut.first_ns;
  report.last_ns = cut.last_ns;
  const Location output = Location::file(options.output);
  if (const std::uint64_t outside = cut.outside + dropped_before; outside != 0)
    notes.add(kOutsideRange, output,
              fmt::format("{} events left out{}", outside, stopped_early ? "; what follows is not read" : ""),
              outside);
  if (const auto older = files.left_over(); !older.empty())
    notes.add(kOlderPieces, output, fmt::format("{}", fmt::join(older, ", ")), older.size());
  if (cut.cut_flows != 0)
    notes.add(kCutFlows, output, fmt::format("{} arrows", cut.cut_flows), cut.cut_flows);
}

void convert(const ConvertOptions& options, Timeline& timeline, Names& names, Notes& notes,
             const ImportStats& stats, TraceOutput& output, Report& report) {
  fxt::Writer writer(output.blocks(), {.provider_name = "fxt-convert",
                                       .allow = {fxt::Fault::UnnamedThread, fxt::Fault::NamedInOtherProcess,
                                                 fxt::Fault::LongSpan},
                                       .trust_nesting = true});  // the Timeline keeps it
  FxtSink sink(writer, names, notes, options.has_viewer_hints ? &timeline.info() : nullptr);
  Progress progress(stats, options.quiet ? ProgressMode::Never : options.progress, options.inputs.size());
  RangeSink range(sink, options.cut ? options.cut->range : fxt::TimeRange{});
  timeline.run(range, [&] { progress.tick(); });
  if (!range.has_enough()) sink.end_first_view(timeline);
  writer.flush();
  sink.finish(timeline, options.output);
  if (!range.has_enough()) timeline.note_inputs_apart();
  report.events_written = sink.events_written();
  report.first_ns = sink.first_ns();
  report.last_ns = timeline.last_ns();
  output.finish();
  if (const fxt::CutCounters* const cut = output.cut())
    report_cut(*cut, output.files(), range.dropped() + timeline.skipped_calls(), range.has_enough(), options,
               report, notes);
}

ExitCode run(const ConvertOptions& options) {
  if (options.inspect) return inspect(options);
  check_output(options.output, options.inputs, options.importers);
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({.lanes = options.lanes, .jobs = options.jobs}, notes);
  ImportContext context{names, notes, timeline, stats, options.import};
  import_inputs(options, context);
  if (!options.apart) timeline.draw_matched_threads();
  if (timeline.lanes().empty() && !options.import.tids.empty())
    throw InputError(
        Location::file(options.inputs.front()),
        fmt::format("has none of the threads asked for: {}", fmt::join(options.import.tids, ", ")));

  TraceOutput output({.target = options.output,
                      .is_split = options.cut && options.cut->is_split(),
                      .replaces_anything = options.force,
                      .inputs = options.inputs,
                      .jobs = options.jobs},
                     options.cut);
  Report report{.inputs = options.inputs, .output = options.output};
  try {
    convert(options, timeline, names, notes, stats, output, report);
  } catch (...) {
    output.abandon();
    if (const std::string files = output.files().complete_text(); !files.empty())
      fmt::print(stderr, "fxt-convert: these pieces are complete: {}\n", fxt::printable(files));
    throw;
  }
  report.bytes_read = stats.bytes_read;
  report.records_read = stats.records_read;
  report.details = stats.details;
  report.bytes_written = output.files().bytes_written();
  std::set<ProcessId> processes;
  std::set<std::pair<ProcessId, ThreadId>> threads;
  for (const LaneInfo& lane : timeline.lanes()) {
    processes.insert(lane.process);
    threads.insert({lane.process, lane.thread});
  }
  report.processes = processes.size();
  report.threads = threads.size();
  print_report(options, report, notes);
  return options.strict && !notes.has_only_remarks() ? ExitCode::DoneWithNotes : ExitCode::Done;
}

}  // namespace
}  // namespace convert

int main(int argc, char** argv) {
  return fxt::run_program("fxt-convert", [&] {
    const auto options = convert::parse_options(argc, argv);
    return options ? convert::run(*options) : fxt::ExitCode::Done;
  });
}
