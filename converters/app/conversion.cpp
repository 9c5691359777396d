#include "converters/app/conversion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converters/app/importers.h"
#include "converters/app/progress.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"
#include "fxt/support/program.h"
#include "fxt/support/short_calls.h"
#include "fxt/support/text.h"
#include "fxt/tools/entry_source.h"

namespace convert {
namespace {

constexpr NoteKind kOlderPieces{
    "older-pieces", "files from an earlier run that have names like the pieces of this trace", true};
constexpr NoteKind kRangeClock{"range-clock",
                               "times of --time-range, each with the clock that was used for it", true};
constexpr NoteKind kOutsideRange{"outside-range",
                                 "events not shown because they are outside of the requested time", true};
constexpr NoteKind kNoSuchThread{"no-such-thread", "thread ids of --tid that no INPUT has"};
constexpr NoteKind kLargePieces{"large-pieces", "pieces that are larger than --split-size", true};
constexpr NoteKind kNotInJson{
    "not-in-json", "records that JSON can't represent: context switches, wakeups, losses and blobs", true};
constexpr NoteKind kFitted{"fitted", "calls omitted because of --fit", true};
constexpr NoteKind kThinned{
    "thinned", "instants, context switches, wakeups and values of counters omitted because of --fit", true};
constexpr NoteKind kCutFlows{"cut-arrows",
                             "arrows shortened because they end after the range or in a later piece", true};

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

// With --utc, a time in -r that has no unit may be a time of the wall clock or of the recording's clock. If
// the time is too early for the wall clock, it is converted from the recording's clock.
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

// A time in -r that has a unit, such as `20ms`, counts from the start. As in uftrace, the start is the first
// call of a program. Replaces such times by times of the trace's clock. Without calls, the start is the first
// event, and no time is replaced.
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

// Replaces the figures of the whole trace by the figures of the written part. `dropped_before` is the number
// of events that were dropped before they reached the cutter.
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

void check_chosen_calls(const ConvertOptions& options, const ImportStats::ChosenCalls& chosen) {
  if (chosen.is_any_shown || chosen.left_out == 0) return;
  std::vector<std::string> reasons = chosen.misfits;
  if (reasons.empty())
    for (const auto& [name, importer] : options.importer_options) reasons.push_back("--" + name);
  const std::string shown = reasons.empty() ? "" : fmt::format(" ({})", fmt::join(reasons, "; "));
  throw InputError(
      Location::file(fmt::format("{}", fmt::join(options.inputs, ", "))),
      fmt::format("no call is shown, because the options omit {}{}",
                  chosen.left_out == 1 ? "the only call" : fmt::format("all {} calls", chosen.left_out),
                  shown));
}

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

// Adds notes about requested threads that no input has. If the thread ids of all inputs are unknown, any
// thread may be the requested one, so no note is added.
void note_missing_threads(const ConvertOptions& options, const ImportStats& stats, Notes& notes) {
  if (stats.shows_unknown_threads && stats.tids_found.empty() && stats.tids_left_out.empty()) return;
  for (const std::uint64_t tid : std::set(options.import.tids.begin(), options.import.tids.end()))
    if (!stats.tids_found.contains(tid))
      notes.add(kNoSuchThread, Location::file(options.inputs.front()), fmt::format("thread {}", tid));
}

}  // namespace

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

Conversion::Conversion(ConvertOptions options, Offsets offsets_ns, std::uint64_t shortest_ns,
                       fxt::CallLengths* lengths, fxt::tools::Thinning* thinning)
    : options_(std::move(options)),
      is_cut_(options_.cut),
      rule_{.shortest_ns = shortest_ns,
            .left_out = names_.intern(fxt::kLeftOut),
            .left_out_ns = names_.intern(fxt::kLeftOutNs),
            .lengths = lengths,
            .words_of = words_of_arguments},
      thinning_(thinning),
      timeline_({.lanes = lane_options(), .jobs = options_.jobs, .is_split = is_split()}, notes_) {
  import_inputs(options_, offsets_ns, context_);
  if (thinning != nullptr && !options_.cut) options_.cut.emplace();  // thinning needs a Cutter
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
  // With `lengths`, all calls are left out, so the trace may be empty.
  if (!output_->has_part() && rule_.lengths == nullptr) {
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
  std::vector<std::array<std::uint32_t, 2>> labels(names_.label_count());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [category, name] = names_.label(static_cast<LabelId>(i));
    labels[i] = {static_cast<std::uint32_t>(category), static_cast<std::uint32_t>(name)};
  }
  std::vector<std::int32_t> words(names_.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::int32_t>(words_of_name(static_cast<NameId>(i)));
  return {.names_of = [labels = std::move(labels)](std::uint32_t label) { return labels[label]; },
          .words_of = [words = std::move(words)](std::uint32_t name) { return words[name]; }};
}

}  // namespace convert
