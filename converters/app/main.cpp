// fxt-convert: selects the importers, writes the timeline to the output, and prints the report.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/app/importers.h"
#include "converters/app/notes_page.h"
#include "converters/app/options.h"
#include "converters/app/output_rules.h"
#include "converters/app/progress.h"
#include "converters/app/range_sink.h"
#include "converters/app/report.h"
#include "converters/app/trace_output.h"
#include "converters/app/unpacked_inputs.h"
#include "converters/model/importer.h"
#include "converters/model/lanes/contract.h"
#include "converters/model/outline.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/support/program.h"
#include "fxt/support/similar_names.h"
#include "fxt/support/text.h"
#include "fxt/tools/entry_source.h"

namespace convert {
namespace {

using fxt::ExitCode;

constexpr NoteKind kOlderPieces{
    "older-pieces", "files with names like the pieces of this trace, left over from an earlier run", true};
constexpr NoteKind kRangeClock{"range-clock", "times of --time-range, with the clock that they refer to",
                               true};
constexpr NoteKind kOutsideRange{"outside-range", "events outside of the requested time, not shown", true};
constexpr NoteKind kNoSuchThread{"no-such-thread", "thread ids of --tid that are in no INPUT"};
constexpr NoteKind kLargePieces{"large-pieces", "pieces that are larger than --split-size", true};
constexpr NoteKind kNotInJson{"not-in-json",
                              "records that JSON can't represent: switches, wakeups, losses and blobs", true};
constexpr NoteKind kCutFlows{
    "cut-arrows", "arrows that end after the range or in a later piece: ended on the thread where they start",
    true};

// The paragraphs and list items of a page without emphasis and links, wrapped for a terminal.
std::string plain_text(std::string_view markdown) {
  constexpr std::size_t kColumns = 100;
  static const std::regex kRemark(R"(\*Informational\.\*)"), kLink(R"(\[([^\]]+)\]\([^)]*\))"),
      kLineEnd("([^\n])\n *(?!\n|- )");
  std::string text = std::regex_replace(std::string(markdown), kRemark, "Informational.");
  text = std::regex_replace(std::regex_replace(text, kLink, "$1"), kLineEnd, "$1 ");
  std::string lines;
  for (const std::string_view paragraph : fxt::parts_of(text, "\n\n")) {
    if (!lines.empty()) lines += '\n';
    for (const std::string_view item : fxt::parts_of(paragraph, "\n"))
      lines += fmt::format(
          "{}\n", fmt::join(fxt::wrapped_lines(item, kColumns), item.starts_with("- ") ? "\n  " : "\n"));
  }
  return lines;
}

// Prints the entry of docs/notes.md as plain text.
ExitCode explain(std::string_view kind) {
  constexpr std::string_view kHeading = "\n### ";
  fxt::SimilarNames similar(kind);
  for (std::size_t at = kNotesPage.find(kHeading); at != std::string_view::npos;
       at = kNotesPage.find(kHeading, at + 1)) {
    const std::string_view entry = kNotesPage.substr(at + kHeading.size());
    const std::string_view name = entry.substr(0, entry.find('\n'));
    if (name == kind) {
      fxt::print(plain_text(entry.substr(0, entry.find("\n\n#"))));
      return ExitCode::Done;
    }
    similar.consider(std::string(name));
  }
  const auto names = similar.nearest();
  throw UsageError(fmt::format("there is no note '{}'{}", kind,
                               names.empty() ? "; docs/notes.md lists all notes"
                                             : fmt::format("; did you mean {}?", fmt::join(names, ", "))));
}

void note_unused_options(const ConvertOptions& options, Notes& notes) {
  const auto add = [&](const std::string& text) {
    notes.add(kOptionUnused, Location::file(options.inputs.front()), text);
  };
  std::set<const Importer*> used;
  for (const std::string& input : options.inputs) used.insert(&importer_of(input, options.importers));
  for (const auto& [name, importer] : options.importer_options)
    if (!used.contains(options.importers[importer].get()))
      add(fmt::format("--{} is only for a {}", name, options.importers[importer]->name()));
  const auto joins = [](const Importer* importer) { return importer->joins_others(); };
  if (options.apart && (std::ranges::none_of(used, joins) || std::ranges::all_of(used, joins)))
    add(fmt::format("--apart is only for a {} next to another INPUT",
                    fmt::join(names_of_joining(options.importers), " or a ")));
  for (const std::string& text : options.without_effect) add(text);
}

// Describes the inputs. If there are several, the JSON is a list.
ExitCode inspect(const ConvertOptions& options, const UnpackedInputs& unpacked) {
  Outline all = Outline::array();
  bool has_notes = false;
  for (const std::string& input : options.inputs) {
    Notes notes;
    if (&input == &options.inputs.front()) note_unused_options(options, notes);
    const Importer& importer = importer_of(input, options.importers);
    Outline outline = importer.inspect(input, notes);
    has_notes |= !notes.has_only_remarks();
    if (options.report == ReportForm::Text)
      fxt::print(unpacked.with_input_names(
          text_of(options.inspects_all ? outline : summary_of(outline, importer.summary())) +
          text_of(notes)));
    outline["notes"] = outline_of(notes);
    all.push_back(std::move(outline));
  }
  if (options.report == ReportForm::Json)
    fxt::print(unpacked.with_input_names(fxt::json_text(all.size() == 1 ? all.front() : all, 2) + '\n'));
  return options.strict && has_notes ? ExitCode::DoneWithNotes : ExitCode::Done;
}

// Imports all inputs and adds the offset of each input to its times.
void import_inputs(const ConvertOptions& options, std::span<const std::optional<std::int64_t>> offsets_ns,
                   ImportContext& context) {
  bool is_offset_used = false;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Importer& importer = importer_of(options.inputs[i], options.importers);
    naming_input(options.inputs[i], [&] {
      importer.import(options.inputs[i], context);
      if (context.timeline.input_count() != i + 1)
        throw BrokenContract("import() must call begin_input() once, and did not");
    });
    std::optional<std::int64_t> offset_ns = offsets_ns[i];
    is_offset_used |= importer.joins_others();
    if (!offset_ns && importer.joins_others()) offset_ns = options.offset_ns;
    if (offset_ns) context.timeline.shift_input(i, *offset_ns);
  }
  if (options.offset_ns && !is_offset_used) {
    const auto joining = names_of_joining(options.importers);
    throw UsageError(
        fmt::format("--offset: {}use --offset INPUT=TIME",
                    joining.empty() ? "" : fmt::format("no INPUT is a {}; ", fmt::join(joining, " or a "))));
  }
}

// With --utc, times without a unit are on the wall clock, or on the recording's own clock. A time below the
// shift between the clocks can only be on the recording's clock; it is converted to the wall clock.
void choose_clock(fxt::TimeRange& range, const ConvertOptions& options, const Timeline& timeline,
                  Notes& notes) {
  const auto shift_ns = timeline.clock_shift_ns();
  if (!shift_ns || *shift_ns < 0) return;
  for (std::optional<fxt::TraceTime>* const time : {&range.from, &range.to}) {
    if (!*time || (*time)->since_start) continue;
    const std::string asked = format_seconds((*time)->ns);
    const bool is_own = std::cmp_less((*time)->ns, *shift_ns);
    if (is_own) (*time)->ns += static_cast<std::uint64_t>(*shift_ns);
    notes.add(kRangeClock, Location::file(options.inputs.front()),
              is_own ? fmt::format("{} on the recording's own clock is {} on the wall clock", asked,
                                   format_seconds((*time)->ns))
                     : fmt::format("{} is on the wall clock", asked));
  }
}

// Times since the start count from the first call of a program, as in uftrace, or else from the first event.
void count_from_first_call(fxt::TimeRange& range, const Timeline& timeline) {
  const auto first_call_ns = timeline.first_call_ns();
  if (!first_call_ns) return;
  for (std::optional<fxt::TraceTime>* const time : {&range.from, &range.to})
    if (*time && (*time)->since_start)
      *time = fxt::TraceTime{.ns = *first_call_ns + std::min((*time)->ns, kForever - *first_call_ns)};
  if (range.from && range.to && !range.from->since_start && !range.to->since_start &&
      range.from->ns > range.to->ns)
    throw UsageError("--time-range: the range ends before it starts");
}

// Replaces the figures of the whole trace by those of the written part. `dropped_before` events were dropped
// before they reached the cutter.
void apply_cut(const fxt::CutCounters& cut, const TraceOutput& output, std::uint64_t dropped_before,
               bool stopped_early, const ConvertOptions& options, Written& written, Notes& notes) {
  if (options.cut->is_split()) written.pieces = output.files().complete();
  written.events = cut.events;
  written.first_ns = cut.first_ns;
  written.last_ns = cut.last_ns;
  const Location target = Location::file(options.output);
  if (const std::uint64_t outside = cut.outside + dropped_before; outside != 0)
    notes.add(
        kOutsideRange, target,
        fmt::format("{} events left out{}", outside, stopped_early ? "; later events are not read" : ""),
        outside);
  if (const auto older = output.files().left_over(); !older.empty())
    notes.add(kOlderPieces, target, fmt::format("{}", fmt::join(older, ", ")), older.size());
  if (cut.oversized != 0)
    notes.add(
        kLargePieces, target,
        fmt::format("up to {} bytes, because each piece repeats names and open calls", cut.largest_bytes),
        cut.oversized);
  if (cut.cut_flows != 0)
    notes.add(kCutFlows, target, fmt::format("{} arrows", cut.cut_flows), cut.cut_flows);
}

// Reports an error if the options leave no calls, because they are probably wrong.
void check_chosen_calls(const ConvertOptions& options, const ImportStats::ChosenCalls& chosen) {
  if (chosen.is_any_shown || chosen.left_out == 0) return;
  const std::string misfits =
      chosen.misfits.empty() ? "" : fmt::format(" ({})", fmt::join(chosen.misfits, "; "));
  throw InputError(
      Location::file(fmt::format("{}", fmt::join(options.inputs, ", "))),
      fmt::format("no call is shown, because the options omit {}{}",
                  chosen.left_out == 1 ? "the only one" : fmt::format("all {}", chosen.left_out), misfits));
}

Written write_trace(const ConvertOptions& options, Timeline& timeline, Names& names, Notes& notes,
                    const ImportStats& stats, TraceOutput& output) {
  fxt::Writer writer(output.blocks(), {.provider_name = "fxt-convert"});
  FxtSink sink(writer, names, options.has_viewer_hints ? &timeline.info() : nullptr);
  Progress progress(stats, options.quiet ? ProgressMode::Never : options.progress, options.inputs.size());
  RangeSink range(sink, options.cut ? options.cut->range : fxt::TimeRange{});
  timeline.run(range, [&] { progress.tick(); });
  if (!range.has_enough()) check_chosen_calls(options, stats.chosen_calls);
  writer.flush();
  timeline.note_losses(names, options.output);
  sink.note_losses(timeline, options.output, notes);
  if (options.format == &fxt::tools::fxt_format())
    sink.note_limits_of_readers(timeline, options.output, notes);
  if (!range.has_enough()) timeline.note_inputs_apart();
  Written written{.events = range.events_written(),
                  .first_ns = timeline.totals().first_ns,
                  .last_ns = timeline.totals().last_ns};
  output.finish();
  if (!output.has_part()) {
    std::string problem = "has no event with a time";
    if (written.first_ns && range.has_enough())  // the end of the inputs was not read
      problem = fmt::format("no event is in that range of time; the trace starts at {}",
                            format_seconds(*written.first_ns));
    else if (written.first_ns)
      problem = fxt::tools::outside_text(*written.first_ns, written.last_ns);
    throw InputError(Location::file(options.inputs.front()), problem);
  }
  written.bytes = output.files().bytes_written();
  if (const std::uint64_t left_out = output.files().left_out(); left_out != 0) {
    notes.add(kNotInJson, Location::file(options.output), fmt::format("{} left out", left_out), left_out);
    written.events -= left_out;
  }
  if (const fxt::CutCounters* const cut = output.cut())
    apply_cut(*cut, output, range.dropped() + timeline.totals().skipped_calls, range.has_enough(), options,
              written, notes);
  return written;
}

void print_report(const ConvertOptions& options, const Report& report, const Notes& notes,
                  const UnpackedInputs& unpacked) {
  if (options.quiet || options.report == ReportForm::None) return;
  std::string text;
  if (options.report == ReportForm::Text) {
    text = text_of(report) + (notes.empty() ? "" : text_of(notes));
  } else {
    Outline outline = outline_of(report);
    outline["notes"] = outline_of(notes);
    text = fxt::json_text(outline) + '\n';
  }
  text = unpacked.with_input_names(std::move(text));
  if (options.output == "-") {
    fxt::print_message(text);
    return;
  }
  try {
    fxt::print(text);
    fxt::check_standard_output();
  } catch (const fxt::QuietEnd&) {
    // The exit code is valid, even if the reader of the report has ended.
  } catch (const std::exception& error) {
    const std::vector<std::string>& pieces = report.written.pieces;
    throw std::runtime_error(
        fmt::format("{}: the trace is written, but the report is not: {}",
                    pieces.empty() ? options.output : fmt::format("{} to {}", pieces.front(), pieces.back()),
                    error.what()));
  }
}

// Throws an error that lists the threads of the input.
[[noreturn]] void fail_without_threads(const ConvertOptions& options, const ImportStats& stats) {
  constexpr std::size_t kShown = 3;
  const std::set<std::uint64_t>& others = stats.tids_left_out;
  std::string known;
  if (!others.empty()) {
    const auto shown_end = std::next(others.begin(), std::min<std::ptrdiff_t>(std::ssize(others), kShown));
    known = fmt::format("; it has {}", fmt::join(others.begin(), shown_end, ", "));
    if (others.size() > kShown) known += fmt::format(" and {} more", others.size() - kShown);
  }
  throw InputError(
      Location::file(options.inputs.front()),
      fmt::format("has none of the requested threads: {}{}", fmt::join(options.import.tids, ", "), known));
}

// If the thread ids of no input are known, each thread may be the requested one.
void note_missing_threads(const ConvertOptions& options, const ImportStats& stats, Notes& notes) {
  if (stats.shows_unknown_threads && stats.tids_found.empty() && stats.tids_left_out.empty()) return;
  for (const std::uint64_t tid : std::set(options.import.tids.begin(), options.import.tids.end()))
    if (!stats.tids_found.contains(tid))
      notes.add(kNoSuchThread, Location::file(options.inputs.front()), fmt::format("thread {}", tid));
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Replaces the inputs by the recordings in them. Returns the offset of each recording. An offset names an
// input by its path, by the path of a recording in an archive, or by its number, from 1. A path that looks
// like a number counts as a path.
std::vector<std::optional<std::int64_t>> unpack_inputs(ConvertOptions& options, UnpackedInputs& unpacked) {
  std::vector<std::string> recordings;
  std::vector<std::array<std::string, 2>> paths;
  for (const std::string& input : options.inputs)
    for (std::string& recording : unpacked.recordings_in(input, options.importers)) {
      paths.push_back({input, unpacked.with_input_names(recording)});
      recordings.push_back(std::move(recording));
    }
  options.inputs = std::move(recordings);

  std::vector<std::optional<std::int64_t>> offsets_ns(options.inputs.size());
  for (const auto& [input, time_ns] : options.offsets) {
    bool is_path = false;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (std::ranges::find(paths[i], without_slashes(input), without_slashes) == paths[i].end()) continue;
      offsets_ns[i] = time_ns;
      is_path = true;
    }
    if (is_path) continue;
    const auto number = whole_number<std::size_t>(input);
    if (!number) throw UsageError(fmt::format("--offset: '{}' is not one of the INPUTs", input));
    if (*number == 0 || *number > offsets_ns.size())
      throw UsageError(fmt::format("--offset: there is no INPUT number {}", *number));
    offsets_ns[*number - 1] = time_ns;
  }
  return offsets_ns;
}

ExitCode convert(ConvertOptions& options, std::span<const std::optional<std::int64_t>> offsets_ns,
                 const UnpackedInputs& unpacked) {
  Names names;
  Notes notes;
  ImportStats stats;
  const bool is_split = options.cut && options.cut->is_split();
  Timeline timeline({.lanes = options.lanes, .jobs = options.jobs, .is_split = is_split}, notes);
  ImportContext context{names, notes, timeline, stats, options.import};
  import_inputs(options, offsets_ns, context);
  if (options.cut) {
    choose_clock(options.cut->range, options, timeline, notes);
    count_from_first_call(options.cut->range, timeline);
  }
  if (!options.apart) timeline.draw_matched_threads();
  if (timeline.lanes().empty() && !options.import.tids.empty()) fail_without_threads(options, stats);
  note_missing_threads(options, stats, notes);
  note_unused_options(options, notes);

  std::vector<std::string> read = options.inputs;
  for (const auto& importer : options.importers)
    std::ranges::move(importer->files_of_options(), std::back_inserter(read));
  TraceOutput output({.target = options.output,
                      .is_split = is_split,
                      .split_bytes = options.cut ? options.cut->split_bytes : 0,
                      .replaces_anything = options.force,
                      .syncs = options.sync,
                      .inputs = std::move(read),
                      .format = options.format},
                     options.cut);
  Written written;
  try {
    written = write_trace(options, timeline, names, notes, stats, output);
  } catch (...) {
    output.abandon();
    if (const std::string files = output.files().complete_text(); !files.empty())
      fxt::print_message(fmt::format("fxt-convert: these pieces are complete: {}\n", fxt::printable(files)));
    throw;
  }
  print_report(options, {options.inputs, options.output, stats, timeline, written}, notes, unpacked);
  return options.strict && !notes.has_only_remarks() ? ExitCode::DoneWithNotes : ExitCode::Done;
}

ExitCode run(ConvertOptions options) {
  if (options.explain) return explain(*options.explain);
  if (!options.inspect) check_output(options);
  UnpackedInputs unpacked;
  try {
    const auto offsets_ns = unpack_inputs(options, unpacked);
    return options.inspect ? inspect(options, unpacked) : convert(options, offsets_ns, unpacked);
  } catch (const InputError& error) {
    throw std::runtime_error(unpacked.with_input_names(error.what()));
  }
}

}  // namespace
}  // namespace convert

int main(int argc, char** argv) {
  return fxt::run_program("fxt-convert", [&] {
    auto options = convert::parse_options(argc, argv);
    return options ? convert::run(std::move(*options)) : fxt::ExitCode::Done;
  });
}
