// fxt-convert: selects the importers, writes the timeline to the output, and prints the report.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
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
#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/outline.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/support/call_lengths.h"
#include "fxt/support/program.h"
#include "fxt/support/short_calls.h"
#include "fxt/support/similar_names.h"
#include "fxt/support/text.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/thinning.h"
#include "fxt/words.h"

namespace convert {
namespace {

using fxt::ExitCode;

constexpr NoteKind kOlderPieces{
    "older-pieces", "files from an earlier run that have names like the pieces of this trace", true};
constexpr NoteKind kRangeClock{"range-clock",
                               "times of --time-range, each with the clock that was assumed for it", true};
constexpr NoteKind kOutsideRange{"outside-range", "events outside of the requested time, not shown", true};
constexpr NoteKind kNoSuchThread{"no-such-thread", "thread ids of --tid that no INPUT has"};
constexpr NoteKind kLargePieces{"large-pieces", "pieces that are larger than --split-size", true};
constexpr NoteKind kNotInJson{
    "not-in-json", "records that JSON can't represent: context switches, wakeups, losses and blobs", true};
constexpr NoteKind kFitted{"fitted", "calls omitted because of --fit", true};
constexpr NoteKind kThinned{
    "thinned", "values of counters, context switches, wakeups and instants omitted because of --fit", true};
constexpr NoteKind kCutFlows{"cut-arrows",
                             "arrows that end on the thread where they start, because their end is after the "
                             "range or in a later piece",
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
  throw UsageError(fmt::format("'{}' is not a kind of note{}", kind,
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
    add(fmt::format("--apart requires a {} and at least one other INPUT",
                    fmt::join(names_of_joining(options.importers), " or a ")));
  for (const std::string& text : options.without_effect) add(text);
}

// Describes the inputs. If there are several inputs, the JSON is a list.
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

// Imports all inputs and adds the offset of each input to the times of this input.
void import_inputs(const ConvertOptions& options, std::span<const std::optional<std::int64_t>> offsets_ns,
                   ImportContext& context) {
  bool is_offset_used = false;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Importer& importer = importer_of(options.inputs[i], options.importers);
    naming_input(options.inputs[i], [&] {
      importer.import(options.inputs[i], context);
      if (context.timeline.input_count() != i + 1)
        throw BrokenContract("import() did not call begin_input() exactly once");
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
              is_own ? fmt::format(
                           "{} is a time of the recording's own clock; the same time on the wall clock is {}",
                           asked, format_seconds((*time)->ns))
                     : fmt::format("{} is a time of the wall clock", asked));
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

// Replaces the figures of the whole trace by the figures of the written part. `dropped_before` events did not
// reach the cutter.
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
    notes.add(kLargePieces, target, fmt::format("the largest piece has {} bytes", cut.largest_bytes),
              cut.oversized);
  if (cut.cut_flows != 0)
    notes.add(kCutFlows, target, fmt::format("{} arrows", cut.cut_flows), cut.cut_flows);
}

// Throws an error if the options omit all calls, because such options are probably wrong.
void check_chosen_calls(const ConvertOptions& options, const ImportStats::ChosenCalls& chosen) {
  if (chosen.is_any_shown || chosen.left_out == 0) return;
  const std::string misfits =
      chosen.misfits.empty() ? "" : fmt::format(" ({})", fmt::join(chosen.misfits, "; "));
  throw InputError(
      Location::file(fmt::format("{}", fmt::join(options.inputs, ", "))),
      fmt::format("no call is shown, because the options omit {}{}",
                  chosen.left_out == 1 ? "the only call" : fmt::format("all {} calls", chosen.left_out),
                  misfits));
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
    // If the reader of the report has ended, the exit code of the conversion is still returned.
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
    known = fmt::format("; its threads: {}", fmt::join(others.begin(), shown_end, ", "));
    if (others.size() > kShown) known += fmt::format(" and {} more", others.size() - kShown);
  }
  throw InputError(
      Location::file(options.inputs.front()),
      fmt::format("has none of the requested threads: {}{}", fmt::join(options.import.tids, ", "), known));
}

// If the thread ids of all inputs are unknown, each thread may be a requested thread. Then no note is added.
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

// ---- One pass over the inputs, from the importers to the output. --fit needs several ----

class Conversion {
 public:
  using Offsets = std::span<const std::optional<std::int64_t>>;

  // Imports the inputs. Calls that are shorter than `shortest_ns` are left out, and added to `lengths` unless
  // that is null. `thinning` may be null. Otherwise, one of its passes must begin before write().
  Conversion(ConvertOptions options, Offsets offsets_ns, std::uint64_t shortest_ns = 0,
             fxt::CallLengths* lengths = nullptr, fxt::tools::Thinning* thinning = nullptr);

  // Writes the trace. Throws TraceTooLarge if the trace has more than `most_bytes`.
  void write(std::optional<std::uint64_t> most_bytes = {});

  const ConvertOptions& options() const { return options_; }

  // ---- After write() ----

  const Notes& notes() const { return notes_; }
  Report report() const { return {options_.inputs, options_.output, stats_, timeline_, written_}; }
  std::uint64_t trace_bytes() const { return output_->files().trace_bytes(); }
  // The sizes, in words, of names that the trace does not contain yet.
  fxt::CallLengths::NameWords name_words();
  std::int64_t words_of_left_out() {
    return words_of_name(rule_.left_out) + words_of_name(rule_.left_out_ns);
  }

 private:
  bool is_split() const { return options_.cut && options_.cut->is_split(); }
  LaneOptions lane_options() const;
  std::int64_t words_of_name(NameId name) {
    return static_cast<std::int64_t>(sink_->bytes_of_name(name) / sizeof(std::uint64_t));
  }
  void write_events();
  void finish_output();
  void note_fitted();

  ConvertOptions options_;
  Names names_;
  Notes notes_;
  ImportStats stats_;
  const ShortCallRule rule_;
  fxt::tools::Thinning* thinning_;
  Timeline timeline_;
  ImportContext context_{names_, notes_, timeline_, stats_, options_.import};
  std::optional<TraceOutput> output_;
  std::optional<fxt::Writer> writer_;
  std::optional<FxtSink> sink_;
  std::optional<RangeSink> range_;
  Written written_;
};

Conversion::Conversion(ConvertOptions options, Offsets offsets_ns, std::uint64_t shortest_ns,
                       fxt::CallLengths* lengths, fxt::tools::Thinning* thinning)
    : options_(std::move(options)),
      rule_{.shortest_ns = shortest_ns,
            .left_out = names_.intern(fxt::kLeftOut),
            .left_out_ns = names_.intern(fxt::kLeftOutNs),
            .lengths = lengths,
            .words_of = words_of_arguments},
      thinning_(thinning),
      timeline_({.lanes = lane_options(), .jobs = options_.jobs, .is_split = is_split()}, notes_) {
  import_inputs(options_, offsets_ns, context_);
  if (thinning != nullptr && !options_.cut) options_.cut.emplace();  // the Cutter writes what stays
  if (options_.cut) {
    choose_clock(options_.cut->range, options_, timeline_, notes_);
    count_from_first_call(options_.cut->range, timeline_);
  }
  if (!options_.apart) timeline_.draw_matched_threads();
  if (timeline_.lanes().empty() && !options_.import.tids.empty()) fail_without_threads(options_, stats_);
  note_missing_threads(options_, stats_, notes_);
  note_unused_options(options_, notes_);
}

LaneOptions Conversion::lane_options() const {
  LaneOptions lanes = options_.lanes;
  if (rule_.shortest_ns != 0) lanes.short_calls = &rule_;
  return lanes;
}

void Conversion::write(std::optional<std::uint64_t> most_bytes) {
  std::vector<std::string> read = options_.inputs;
  for (const auto& importer : options_.importers)
    std::ranges::move(importer->files_of_options(), std::back_inserter(read));
  output_.emplace(fxt::tools::PieceFiles::Options{.target = options_.output,
                                                  .is_split = is_split(),
                                                  .split_bytes = options_.cut ? options_.cut->split_bytes : 0,
                                                  .replaces_anything = options_.force,
                                                  .syncs = options_.sync,
                                                  .inputs = std::move(read),
                                                  .format = options_.format},
                  options_.cut, most_bytes, thinning_);
  try {
    write_events();
    finish_output();
  } catch (const TraceTooLarge&) {
    output_->abandon();
    throw;
  } catch (...) {
    output_->abandon();
    if (const std::string files = output_->files().complete_text(); !files.empty())
      fxt::print_message(fmt::format("fxt-convert: these pieces are complete: {}\n", fxt::printable(files)));
    throw;
  }
  note_fitted();
}

void Conversion::write_events() {
  writer_.emplace(output_->blocks(), fxt::WriterOptions{.provider_name = "fxt-convert"});
  sink_.emplace(*writer_, names_, options_.has_viewer_hints ? &timeline_.info() : nullptr);
  range_.emplace(*sink_, options_.cut ? options_.cut->range : fxt::TimeRange{});
  Progress progress(stats_, options_.quiet ? ProgressMode::Never : options_.progress, options_.inputs.size());
  timeline_.run(*range_, [&] { progress.tick(); });
  if (!range_->has_enough()) check_chosen_calls(options_, stats_.chosen_calls);
  writer_->flush();
}

void Conversion::finish_output() {
  timeline_.note_losses(names_, options_.output);
  sink_->note_losses(timeline_, options_.output, notes_);
  if (options_.format == &fxt::tools::fxt_format())
    sink_->note_limits_of_readers(timeline_, options_.output, notes_);
  if (!range_->has_enough()) timeline_.note_inputs_apart();
  written_ = {.events = range_->events_written(),
              .first_ns = timeline_.totals().first_ns,
              .last_ns = timeline_.totals().last_ns};
  output_->finish();
  if (!output_->has_part() && rule_.lengths == nullptr) {  // calls that are only counted are not written
    std::string problem = "has no event with a time";
    if (written_.first_ns && range_->has_enough())  // the end was not read
      problem = fmt::format("no event is in the requested range; the trace starts at {}",
                            format_seconds(*written_.first_ns));
    else if (written_.first_ns)
      problem = fxt::tools::outside_text(*written_.first_ns, written_.last_ns);
    throw InputError(Location::file(options_.inputs.front()), problem);
  }
  written_.bytes = output_->files().bytes_written();
  if (const std::uint64_t left_out = output_->files().left_out(); left_out != 0) {
    notes_.add(kNotInJson, Location::file(options_.output),
               fmt::format("{} left out", fxt::counted(left_out, "record")), left_out);
    written_.events -= left_out;
  }
  if (const fxt::CutCounters* const cut = output_->cut())
    apply_cut(*cut, *output_, range_->dropped() + timeline_.totals().skipped_calls, range_->has_enough(),
              options_, written_, notes_);
}

void Conversion::note_fitted() {
  if (thinning_ != nullptr && thinning_->left_out() != 0)
    notes_.add(kThinned, Location::file(options_.output), thinning_->text(), thinning_->left_out());
  const auto& [calls, time_ns] = timeline_.totals().left_out;
  if (calls == 0) return;
  const std::uint64_t outside_ns = timeline_.totals().outside_ns;
  written_.fitted = Fitted{
      .shortest_ns = rule_.shortest_ns, .left_out = calls, .time_ns = time_ns, .outside_ns = outside_ns};
  std::string text = fxt::counted(calls, "call");
  if (rule_.shortest_ns != kForever) text += fmt::format(" shorter than {} ns", rule_.shortest_ns);
  text += fmt::format(" omitted, with a total time of {}", format_seconds(time_ns));
  if (outside_ns != 0)
    text += fmt::format(", of which {} is outside of all shown calls", format_seconds(outside_ns));
  notes_.add(kFitted, Location::file(options_.output), text, calls);
}

fxt::CallLengths::NameWords Conversion::name_words() {
  return {.names_of = [this](std::uint32_t id) -> std::array<std::uint32_t, 2> {
            const auto [category, name] = names_.label(static_cast<LabelId>(id));
            return {static_cast<std::uint32_t>(category), static_cast<std::uint32_t>(name)};
          },
          .words_of = [this](std::uint32_t id) { return words_of_name(static_cast<NameId>(id)); }};
}

// ---- --fit ----

// The events that are left out so that the trace fits.
struct FitPlan {
  std::uint64_t shortest_ns = 0;                             // calls of at least this length stay; 0: all
  std::unique_ptr<fxt::tools::Thinning> thinning = nullptr;  // null: all other events stay
};

// Makes a plan by passes over the inputs. The traces of these passes are not kept.
class FitPlanner {
 public:
  FitPlanner(const ConvertOptions& options, Conversion::Offsets offsets_ns, std::uint64_t most_bytes);

  // Finds the shortest length whose calls fit. Each pass divides the interval that contains this length.
  FitPlan plan();

 private:
  static std::int64_t word_count(std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes / sizeof(std::uint64_t));
  }
  std::int64_t thin(std::int64_t others, std::int64_t calls, FitPlan& plan);

  ConvertOptions options_;
  Conversion::Offsets offsets_ns_;
  std::int64_t words_;  // the maximum size of the trace in words
};

FitPlanner::FitPlanner(const ConvertOptions& options, Conversion::Offsets offsets_ns,
                       std::uint64_t most_bytes)
    : options_(options), offsets_ns_(offsets_ns), words_(word_count(most_bytes)) {
  options_.output = "/dev/null";
  options_.format = &fxt::tools::fxt_format();
  options_.sync = false;
  if (options_.cut) options_.cut->split_bytes = options_.cut->split_ns = 0;
}

FitPlan FitPlanner::plan() {
  FitPlan plan;
  fxt::CallLengths::Interval part = fxt::CallLengths::kWhole;
  std::int64_t others = 0, words_above = 0;
  for (;;) {
    fxt::CallLengths lengths(part);
    Conversion conversion(options_, offsets_ns_, kForever, &lengths);
    conversion.write();
    // A trace that shows all calls does not need these names. This trace's size may already include them.
    constexpr std::int64_t kNames =
        2 + fxt::words_of(fxt::kLeftOut.size()) + fxt::words_of(fxt::kLeftOutNs.size());
    const std::int64_t more_names = conversion.words_of_left_out();
    const auto names = conversion.name_words();
    if (part.end_ns == kForever) {
      others = word_count(conversion.trace_bytes());
      const std::int64_t calls = lengths.fit(fxt::tools::kAnyWords, 0, names).words;
      if (others + calls <= words_ + kNames - more_names) return {};
      if (others > words_ / 2) others = thin(others, calls, plan);
    }
    const auto fitting = lengths.fit(words_ - others - more_names, words_above, names);
    plan.shortest_ns = fitting.shortest_ns;
    if (fitting.too_short.width_ns() <= 1) return plan;
    part = fitting.too_short;
    words_above = fitting.words;
  }
}

// Finds out which counters, switches and instants stay. Returns the words of all events except calls. Throws
// InputError if the events that can't be left out need more words than the trace may have.
std::int64_t FitPlanner::thin(std::int64_t others, std::int64_t calls, FitPlan& plan) {
  auto thinning = std::make_unique<fxt::tools::Thinning>(fxt::CutOptions{});
  const auto pass = [&](auto begin) {
    fxt::CallLengths not_used(fxt::CallLengths::Interval{0, 0});
    Conversion conversion(options_, offsets_ns_, kForever, &not_used, thinning.get());
    (thinning.get()->*begin)(conversion.options().cut->range);
    conversion.write();
    return word_count(conversion.trace_bytes());
  };
  others = thinning->share(words_, std::max(others, pass(&fxt::tools::Thinning::begin_count)), calls);
  if (others > words_)
    throw InputError(
        Location::file(options_.inputs.front()),
        fmt::format("events other than calls, counters, switches and instants take {} bytes, but --fit "
                    "allows {}; use a larger --fit, or omit data (-r, --tid, --no-event, --blobs none)",
                    others * std::int64_t{sizeof(std::uint64_t)},
                    words_ * std::int64_t{sizeof(std::uint64_t)}));
  if (!thinning->is_needed()) return others;
  pass(&fxt::tools::Thinning::begin_choice);
  plan.thinning = std::move(thinning);
  return others;
}

// Converts with exactly the shortest length whose calls fit. The sizes of all calls are known, except for a
// few: those whose start is written before their end is read, and those that a range of time cuts. If the
// trace becomes too large because of them, the inputs are converted again without some more calls.
std::unique_ptr<Conversion> fit(const ConvertOptions& options, Conversion::Offsets offsets_ns) {
  const std::uint64_t most_bytes = *options.fit_bytes;
  ConvertOptions trial = options;
  trial.output = "/dev/null";
  // A file gets its name when it is complete. Other outputs can't be written twice, so they need a trial.
  std::error_code ignored;
  const auto type = std::filesystem::status(options.output, ignored).type();
  const bool needs_trial = options.output == "-" || (type != std::filesystem::file_type::regular &&
                                                     type != std::filesystem::file_type::not_found);
  std::uint64_t target = most_bytes, margin = 64;
  for (;;) {
    const FitPlan plan = FitPlanner(options, offsets_ns, target).plan();
    std::unique_ptr<Conversion> conversion;
    const auto write = [&](const ConvertOptions& chosen) {
      fxt::tools::Thinning* const thinning = plan.thinning.get();
      conversion = std::make_unique<Conversion>(chosen, offsets_ns, plan.shortest_ns, nullptr, thinning);
      if (thinning != nullptr) thinning->begin_last(conversion->options().cut->range);
      conversion->write(most_bytes);
    };
    try {
      if (needs_trial) write(trial);
      write(options);
      return conversion;
    } catch (const TraceTooLarge& trace) {
      target -= std::min(target, trace.bytes - most_bytes + margin);
      margin *= 2;
    }
  }
}

ExitCode convert(const ConvertOptions& options, Conversion::Offsets offsets_ns,
                 const UnpackedInputs& unpacked) {
  std::unique_ptr<Conversion> conversion;
  if (options.fit_bytes) {
    conversion = fit(options, offsets_ns);
  } else {
    conversion = std::make_unique<Conversion>(options, offsets_ns);
    conversion->write();
  }
  print_report(options, conversion->report(), conversion->notes(), unpacked);
  return options.strict && !conversion->notes().has_only_remarks() ? ExitCode::DoneWithNotes : ExitCode::Done;
}

ExitCode run(ConvertOptions options) {
  if (options.explain) return explain(*options.explain);
  if (!options.inspect && options.unpack_folder.empty()) check_output(options);
  UnpackedInputs unpacked(options.unpack_folder);
  try {
    const auto offsets_ns = unpack_inputs(options, unpacked);
    if (!options.unpack_folder.empty()) {
      for (const std::string& input : options.inputs) fxt::print(input + '\n');
      return ExitCode::Done;
    }
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
