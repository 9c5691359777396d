// fxt-cut: writes parts of traces in the Fuchsia trace format. Options, and the loop over the records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/records.h"
#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"
#include "fxt/time_range.h"
#include "fxt/tools/call_fit.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/selection.h"
#include "fxt/tools/time_text.h"
#include "fxt/tools/trace_files.h"

namespace fxt::tools {
namespace {

// Limited, because each piece repeats all providers.
constexpr Limit kProviders{"providers of a trace", 10'000, 0};

struct CutterOptions {
  bool quiet = false, force = false;
  std::string input, output;            // "-" is standard input or output
  const TraceFormat* format = nullptr;  // never null after parsing
  CutOptions cut = {};
  std::optional<std::uint64_t> fit_bytes = {};  // the limit for the size of the output
  Selection events = {};
};

ProgramText program_text() {
  return {
      .name = "fxt-cut",
      .version = FXT_VERSION,
      .summary = "writes parts of traces in the Fuchsia trace format",
      .synopses = {"[OPTIONS] IN OUT"},
      .description =
          "Writes a part of a trace in the Fuchsia trace format, or divides it into pieces. IN may be "
          "compressed with gzip, zstd, bzip2 or xz; `-` is standard input. If OUT ends in .gz, .zst, .bz2 or "
          ".xz, the output is compressed. If OUT is `-`, it is written to standard output. Durations that "
          "are cut "
          "have the argument `cut`: `begin`, `end` or `both`.",
      .exit_status =
          "0: success. 1: IN can't be read, is damaged, has no selected event, or lacks a requested "
          "thread; or OUT can't be written. OUT has everything that could be read and was selected. 2: "
          "wrong usage.",
      .examples = {{"fxt-cut -r 10ms~20ms run.fxt part.fxt", "write only this range of time"},
                   {"fxt-cut --tid 101 run.fxt thread.json.gz", "write only this thread, as JSON"},
                   {"fxt-cut --name 'work*' run.fxt work.fxt", "write only these events"},
                   {"fxt-cut --fit 200M run.fxt small.fxt", "write the longest calls in 200 MB"},
                   {"fxt-cut --split-size 100M run.fxt piece.fxt", "write pieces of 100 MB"}},
      .common_options = {"time-range", "tid", "name", "category", "split-time", "split-size", "force",
                         "quiet", "help"},
      .build = build_text()};
}

OptionTable table_of(CutterOptions& options) {
  OptionGroup what{
      .title = "Selection:",
      .options = {
          range_option("write only this range. Times are in seconds on the trace's clock. Times with a unit "
                       "(20ms) count from the start of the trace. Either end may be empty",
                       options.events.range),
          thread_option("write only records of this thread; may be repeated", options.events.threads),
          name_option("write only events with a name that matches this shell pattern; may be repeated",
                      options.events.names),
          category_option(options.events.categories), exclude_option(options.events.excluded)}};
  OptionGroup how{
      .title = "Output:",
      .options = {
          {.name = "fit",
           .argument = "SIZE",
           .help = "limit the output to this size (200M) before compression: leave out short durations. If "
                   "inner durations are left out, the outer one has two arguments: `left_out` is the number "
                   "of inner durations, and `left_out_ns` is the sum of their times. If there are too many "
                   "counters, switches and instants, leave out some of them as well",
           .value = each<PositiveSize>([&](PositiveSize size) { options.fit_bytes = size.bytes; })},
          {.name = "split-time",
           .argument = "TIME",
           .help = "divide the trace into pieces OUT.000.fxt, OUT.001.fxt, ... of this length (1s). A number "
                   "without a unit is in ns",
           .value =
               each<PositiveDuration>([&](PositiveDuration length) { options.cut.split_ns = length.ns; })},
          {.name = "split-size",
           .argument = "SIZE",
           .help = "divide the trace into pieces of this size (100M), before compression",
           .value = each<PositiveSize>([&](PositiveSize size) { options.cut.split_bytes = size.bytes; })},
          format_option("OUT", options.format),
          flag("force", 'f', options.force,
               "overwrite OUT even if it is not a trace. Also allow more than 10,000 pieces, and pieces "
               "larger than --split-size. Also allow an output whose total size is more than 256 MiB and "
               "more than a hundred times the size of the trace"),
          flag("quiet", 'q', options.quiet, "print no report")}};
  return {std::move(what), std::move(how)};
}

void report(const CutCounters& counters, const PieceFiles& files) {
  const auto list = [](const std::vector<std::string>& names) {
    constexpr std::size_t kListed = 20;
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i)
      print_message(fmt::format("  {}\n", printable(names[i])));
    if (names.size() > kListed) print_message(fmt::format("  and {} more\n", names.size() - kListed));
  };
  const auto say = [](std::uint64_t count, std::string_view one, std::string_view what) {
    if (count != 0) print_message(fmt::format("{} {}\n", counted(count, one), what));
  };
  print_message(fmt::format("{} (events, switches, logs, blobs) in {}\n", counted(counters.events, "record"),
                            counted(counters.pieces, "file")));
  list(files.complete());
  say(counters.cut_calls, "duration", "cut at an edge of the range or of a piece");
  say(counters.outside, "record", "outside of the range");
  say(counters.cut_flows, "flow",
      "cut because the start and the end are in different pieces, or because only one of them is selected");
  say(counters.unwritable, "record",
      "left out because of an unknown type, an unknown reference, or an impossible time");
  say(counters.repaired_strings, "string",
      "repaired because of a NUL, or of bytes that are not UTF-8; a string is counted once for each piece");
  say(counters.cut_strings, "string", "truncated to 32,000 bytes; a string is counted once for each piece");
  say(files.left_out(), "record",
      fmt::format("left out because {} can't represent switches, logs and blobs", files.format().text));
  say(counters.oversized, "file",
      fmt::format("larger than --split-size, up to {} bytes", counters.largest_bytes));
  const auto older = files.left_over();
  say(older.size(), "file", "from an earlier trace, with a name like the pieces of this trace");
  list(older);
}

// Returns nothing if the program only had to print a text, such as its help.
std::optional<CutterOptions> parse_options(int argc, const char* const* argv) {
  CutterOptions options;
  OptionTable table = table_of(options);
  const auto line = parse_program(argc, argv, program_text(), table);
  if (!line) return std::nullopt;
  std::tie(options.input, options.output) = in_and_out(*line);
  if (options.format == nullptr) options.format = &format_of(options.output);
  check_target(options.output, *options.format, options.force);
  if (options.fit_bytes && (options.input == "-" || options.output == "-"))
    throw UsageError("--fit reads and writes the trace several times, so neither IN nor OUT can be -");
  if (options.cut.is_split() && options.output == "-")
    throw UsageError("--split-time and --split-size write several files, so OUT can't be -");
  return options;
}

// Thrown if the output is larger than --fit. The output was not completed.
struct TooLarge : std::exception {
  explicit TooLarge(std::uint64_t size) : bytes(size) {}
  const char* what() const noexcept override { return "the output is larger than --fit"; }

  std::uint64_t bytes;  // size of the output, or of the written part
};

class LimitedFiles final : public PieceOutputs, public Output {
 public:
  // Throws TooLarge if the limit is exceeded. With `stops_early`, throws at once. Otherwise, throws when a
  // file ends.
  LimitedFiles(PieceFiles& files, std::uint64_t most_bytes, bool stops_early)
      : files_(files), most_bytes_(most_bytes), stops_early_(stops_early) {}

  Output& next(std::size_t number) override {
    file_ = &files_.next(number);
    return *this;
  }
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    const auto room = file_->exchange(filled_words);
    if (stops_early_) check();
    return room;
  }
  void finish() override {
    check();
    file_->finish();
  }

 private:
  void check() const {
    if (files_.trace_bytes() > most_bytes_) throw TooLarge(files_.trace_bytes());
  }

  PieceFiles& files_;
  std::uint64_t most_bytes_;
  bool stops_early_;
  TraceFileOutput* file_ = nullptr;
};

// Writes the output. If the input is damaged, writes the records before the damage, and returns Failed.
// Throws TooLarge if the output does not fit, and other exceptions with a text for the user. After an
// exception, complete pieces remain. `fit` is null if all durations are written.
ExitCode write(const CutterOptions& options, const CutOptions& cut, CallFit* fit) {
  EntrySource source(options.input, options.events, EntrySource::Sequence::ByTime);
  PieceFiles files({.target = options.output,
                    .is_split = options.cut.is_split(),
                    .split_bytes = options.cut.split_bytes,
                    .replaces_anything = options.force,
                    .inputs = {options.input},
                    .format = options.format});
  LimitedFiles limited(files, options.fit_bytes.value_or(CallLengths::kForever), fit == nullptr);
  Cutter cutter(fit != nullptr ? fit->options() : cut, limited);
  try {
    bool is_trace = false;
    // The greatest offset until now. Offsets may decrease, because the records come in the order of time.
    std::uint64_t read_bytes = 0;
    Budget providers(kProviders);
    while (const Entry* entry = source.next()) {
      if (std::holds_alternative<ProviderInfo>(entry->record) && !providers.take())
        throw FileError(fmt::format("{}: {}", printable(options.input), providers.exceeded()));
      is_trace = true;
      const Entry* const written = fit != nullptr ? fit->changed(*entry, source.reader()) : entry;
      if (written == nullptr) continue;
      cutter.add(*written, source.reader());
      read_bytes = std::max(read_bytes, entry->offset);
      files.check_size(cutter.counters(), read_bytes);
    }
    source.check_system();
    // There is no output if the file is not a trace, or if it has no selected records.
    const bool is_damage = source.reader().end().reason != ReadEnd::Reason::EndOfFile;
    if (!is_trace || !source.has_wanted() || (is_damage && cutter.counters().events == 0))
      return report_end(source, "fxt-cut");
    cutter.finish();
  } catch (const TooLarge&) {
    throw;
  } catch (const std::exception&) {
    if (const std::string names = files.complete_text(); !names.empty())
      print_message(fmt::format("fxt-cut: these pieces are complete: {}\n", printable(names)));
    throw;
  }
  if (!options.quiet) {
    report(cutter.counters(), files);
    if (fit != nullptr && fit->left_out().calls != 0)
      print_message(fmt::format("{} shorter than {} ns omitted, with a total time of {}\n",
                                counted(fit->left_out().calls, "duration"), fit->shortest_ns(),
                                exact_time(fit->left_out().time_ns)));
    if (fit != nullptr && !fit->thinned().empty()) print_message(fit->thinned() + '\n');
  }
  return report_end(source, "fxt-cut");
}

// Writes all records if they fit. Otherwise leaves out short durations. If the output still does not fit,
// leaves out more durations.
ExitCode run(const CutterOptions& options) {
  CutOptions cut = options.cut;
  cut.threads = options.events.threads;
  cut.range = options.events.range.value_or(TimeRange{});
  if (const Selection& events = options.events; events.selects_names())
    cut.keeps = [&events](const Event& event) {
      return events.has_names(event.category.text, event.name.text);
    };
  try {
    return write(options, cut, nullptr);
  } catch (const TooLarge&) {
  }
  const auto open = [&] {
    return std::make_unique<EntrySource>(options.input, options.events, EntrySource::Sequence::ByTime);
  };
  const std::uint64_t most_bytes = *options.fit_bytes;
  std::uint64_t target = most_bytes;
  for (;;) {
    CallFit fit(open, cut, target);
    try {
      return write(options, cut, &fit);
    } catch (const TooLarge& trace) {
      target = next_target(target, fit.words(), trace.bytes - most_bytes);
    }
  }
}

}  // namespace
}  // namespace fxt::tools

int main(int argc, char** argv) {
  return fxt::run_program("fxt-cut", [&] {
    const auto options = fxt::tools::parse_options(argc, argv);
    return options ? fxt::tools::run(*options) : fxt::ExitCode::Done;
  });
}
