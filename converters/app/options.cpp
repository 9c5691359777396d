#include "converters/app/options.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "converters/app/output_rules.h"
#include "converters/model/reading/text.h"
#include "fxt/quantity_text.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"

namespace convert {
namespace {

fxt::ProgramText program_text() {
  return {
      .name = "fxt-convert",
      .version = FXT_CONVERT_VERSION,
      .summary = "converts uftrace recordings and GDB trace files to FXT",
      .synopses = {"[OPTIONS] INPUT... OUTPUT", "[OPTIONS] -o OUTPUT INPUT...", "[OPTIONS] [INPUT]",
                   "--inspect [--report json] INPUT..."},
      .description =
          "Converts uftrace recordings (directories) and GDB trace files into one FXT trace, which Perfetto, "
          "Tracy, magic-trace and Fuchsia's tools open. The kind of an input is found by its content. OUTPUT "
          "`-` is standard output; a name ending in .gz or .zst is compressed. One INPUT alone is written to "
          "INPUT.fxt; without any, ./uftrace.data is.",
      .exit_status =
          "0 done (there may be notes), 1 an input was not understood or the output not written, 2 "
          "wrong usage, 3 done, but --strict and there were notes."};
}

using fxt::CommandLine;
using fxt::OptionTable;
using fxt::TextOptions;

constexpr std::uint64_t kMaxJobs = 1024;

void add_tids(std::string_view list, std::vector<std::uint64_t>& tids) {
  while (true) {
    const std::string_view item = list.substr(0, list.find(','));
    const auto tid = whole_number(item);
    if (!tid) throw UsageError(fmt::format("--tid takes thread ids, not '{}'", item));
    tids.push_back(*tid);
    if (item.size() == list.size()) break;
    list.remove_prefix(item.size() + 1);
  }
}

unsigned parse_jobs(std::string_view text) {
  const std::uint64_t jobs = parse_count("jobs", text);
  if (jobs == 0 || jobs > kMaxJobs)
    throw UsageError(fmt::format("--jobs takes a number from 1 to {}, not '{}'", kMaxJobs, text));
  return static_cast<unsigned>(jobs);
}

// Parses a time with an optional sign, such as "-20" or "+3.5ms", into ns.
std::int64_t parse_time(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const bool is_signed = is_negative || text.starts_with('+');
  const auto time_ns = fxt::parse_time_ns(text.substr(is_signed ? 1 : 0));
  if (!time_ns)
    throw UsageError(fmt::format("--offset takes, perhaps with a sign, {}, below 292 years, not '{}'",
                                 fxt::kTimeForm, text));
  return is_negative ? -static_cast<std::int64_t>(*time_ns) : static_cast<std::int64_t>(*time_ns);
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Parses "TIME" or "INPUT=TIME". INPUT is a path as given, or the number of an input, counted from 1. A path
// that looks like a number is a path.
void add_offset(const std::string& text, ConvertOptions& options) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos) {
    options.offset_ns = parse_time(text);
    return;
  }
  const std::string_view input = std::string_view(text).substr(0, sign);
  const std::int64_t time_ns = parse_time(std::string_view(text).substr(sign + 1));
  bool is_known = false;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    if (without_slashes(options.inputs[i]) != without_slashes(input)) continue;
    options.offsets_ns[i] = time_ns;
    is_known = true;
  }
  if (is_known) return;
  const auto number = whole_number<std::size_t>(input);
  if (!number) throw UsageError(fmt::format("--offset: '{}' is none of the INPUTs", input));
  if (*number == 0 || *number > options.inputs.size())
    throw UsageError(fmt::format("--offset: there is no INPUT number {}", *number));
  options.offsets_ns[*number - 1] = time_ns;
}

fxt::CutOptions& cut_of(ConvertOptions& options) {
  if (!options.cut) options.cut.emplace();
  options.cut->provider_name = "fxt-convert";
  return *options.cut;
}

std::uint64_t parse_split_size(std::string_view text) {
  const auto size = fxt::parse_size(text);
  if (size.value_or(0) == 0)
    throw UsageError(fmt::format("--split-size takes {}, not '{}'", fxt::kSizeForm, text));
  return *size;
}

// The options of the program, followed by those of each importer.
OptionTable table_of(ConvertOptions& options, std::vector<std::string>& offsets, std::string& output,
                     TextOptions& texts) {
  OptionTable table;
  table.push_back(
      {.title = "What is converted:",
       .options = {
           {.name = "tid",
            .argument = "TID[,TID...]",
            .help = "only these threads",
            .handle = [&](std::string_view list) { add_tids(list, options.import.tids); },
            .may_repeat = true},
           {.name = "time-range",
            .letter = 'r',
            .argument = "A~B",
            .help = "only what happens then, both ends included; either may be empty. With a unit (20ms) a "
                    "time counts from the start, without one (1061.4004) it is the recording's own, in "
                    "seconds. Calls that are open at an edge are begun again there, and say so: cut",
            .handle =
                [&](std::string_view text) { cut_of(options).range = fxt::parse_range("time-range", text); }},
           {.name = "split-size",
            .argument = "SIZE",
            .help =
                "pieces OUT.000.fxt, OUT.001.fxt, ... of about this size (100M), before compression; each "
                "opens alone",
            .handle = [&](std::string_view text) { cut_of(options).split_bytes = parse_split_size(text); }},
           {.name = "split-time",
            .argument = "TIME",
            .help = "the same, of this length (1s; a number alone is ns)",
            .handle =
                [&](std::string_view text) {
                  cut_of(options).split_ns = parse_time_ns("split-time", text);
                  if (options.cut->split_ns == 0) throw UsageError("--split-time takes more than 0");
                }},
           choice("demangle", options.import.demangle,
                  {{"simple", Demangle::Simple}, {"full", Demangle::Full}, {"no", Demangle::No}},
                  "how C++ and Rust names are shown (default: simple, without parameters and template "
                  "arguments)"),
           {.name = "max-depth",
            .argument = "N",
            .help = "leave out calls nested N deep and deeper (default: 512, what Perfetto can draw)",
            .handle =
                [&](std::string_view text) { options.lanes.max_depth = parse_count("max-depth", text); }},
           choice("blobs", options.import.blobs,
                  {{"none", Blobs::None}, {"memory", Blobs::Memory}, {"all", Blobs::All}},
                  "which files and memory are kept as blobs (default: memory: all that has no other form)"),
           {.name = "offset",
            .argument = "[INPUT=]TIME",
            .help =
                "added to all times of that INPUT, a path as given or its number, counted from 1; without "
                "one, of all GDB trace files. TIME may be negative and end in ns (default), us, ms or s. "
                "May be repeated",
            .handle = store_in(offsets),
            .may_repeat = true},
           {.name = "apart",
            .help = "threads of a GDB trace file stay apart (default: where they can be found in a uftrace "
                    "recording of the same process, frames are drawn among that thread's calls)",
            .handle = store_in(options.apart)},
           choice("durations", options.lanes.durations,
                  {{"mixed", DurationForm::Mixed}, {"pairs", DurationForm::Pairs}},
                  "how calls are written (default: mixed: one record a call wherever that is exact; pairs: a "
                  "begin and an end record for each)"),
           choice("viewer-hints", options.has_viewer_hints, {{"auto", true}, {"none", false}},
                  "what Perfetto shows first, the order of processes and threads, the date, command lines: "
                  "a blob that other viewers skip (default: auto)"),
       }});
  for (const auto& importer : options.importers)
    table.push_back({.title = fmt::format("Of a {}:", importer->name()), .options = importer->options()});
  table.push_back(
      {.title = "How it is done, and what is said:",
       .options = {
           {.name = "output",
            .letter = 'o',
            .argument = "OUTPUT",
            .help = "then all other names are INPUTs",
            .handle = [&](std::string_view path) { output = path; }},
           {.name = "force",
            .letter = 'f',
            .help = "OUTPUT may replace any file, not only an empty one or an FXT trace; and have more than "
                    "10,000 pieces",
            .handle = store_in(options.force)},
           {.name = "jobs",
            .letter = 'j',
            .argument = "N",
            .help = "threads that convert, and that compress .gz (default: as many as there are cores); the "
                    "output is "
                    "the same",
            .handle = [&](std::string_view text) { options.jobs = parse_jobs(text); },
            .goes_with_inspect = true},
           {.name = "inspect",
            .help = "what the inputs hold, instead of converting: where and how they were recorded, threads, "
                    "records or frames, tracepoints, symbols, times, damage",
            .handle = store_in(options.inspect),
            .goes_with_inspect = true},
           choice("report", options.report,
                  {{"text", ReportForm::Text}, {"json", ReportForm::Json}, {"none", ReportForm::None}},
                  "what was read, written, repaired and lost (default: text, on standard output, or on "
                  "standard error when OUTPUT is `-`)",
                  true),
           choice("progress", options.progress,
                  {{"auto", ProgressMode::Auto},
                   {"always", ProgressMode::Always},
                   {"never", ProgressMode::Never}},
                  "progress on standard error (default: auto: on a terminal, when it takes long)", true),
           {.name = "quiet",
            .letter = 'q',
            .help = "no report and no progress; errors are still said",
            .handle = store_in(options.quiet),
            .goes_with_inspect = true},
           {.name = "strict",
            .help = "exit with 3 when there are notes that are more than remarks",
            .handle = store_in(options.strict),
            .goes_with_inspect = true},
       }});
  table.push_back(texts.group());
  return table;
}

// The last of several paths is the OUTPUT, unless -o names it. A single path is an INPUT; without any, the
// INPUT is the directory that uftrace records into by default.
void choose_paths(ConvertOptions& options, bool has_output, const std::string& output) {
  constexpr const char* kDefaultRecording = "uftrace.data";
  if (options.inputs.empty() && std::filesystem::is_directory(kDefaultRecording))
    options.inputs.emplace_back(kDefaultRecording);
  if (options.inputs.empty()) throw UsageError("needs at least one INPUT, and there is no ./uftrace.data");
  if (has_output) {
    options.output = output;
  } else if (options.inputs.size() == 1) {
    options.output = output_for(options.inputs.front());
  } else {
    options.output = std::move(options.inputs.back());
    options.inputs.pop_back();
  }
  if (options.output.empty()) throw UsageError("the name of the OUTPUT is empty");
}

}  // namespace

std::optional<ConvertOptions> parse_options(int argc, const char* const* argv) {
  ConvertOptions options;
  std::vector<std::string> offsets;
  std::string output;
  TextOptions texts;
  const OptionTable table = table_of(options, offsets, output, texts);
  CommandLine line = parse(argc, argv, table);
  if (const auto text = texts.text_of(program_text(), table, line)) {
    fxt::print(*text);
    return std::nullopt;
  }

  for (const CommandLine::Given& given : line.options) given.option->handle(given.value);
  options.inputs = std::move(line.paths);
  if (line.has("inspect")) {
    if (options.inputs.empty()) throw UsageError("--inspect needs at least one INPUT");
    for (const CommandLine::Given& given : line.options)
      if (!given.option->goes_with_inspect)
        throw UsageError(fmt::format("--{} is about converting: --inspect describes all that the INPUTs hold",
                                     given.option->name));
  } else {
    choose_paths(options, line.has("output"), output);
  }
  if (options.cut && options.cut->is_split() && options.output == "-")
    throw UsageError("pieces need names: OUTPUT can't be - with --split-size and --split-time");
  options.offsets_ns.resize(options.inputs.size());
  for (const std::string& text : offsets) add_offset(text, options);
  return options;
}

}  // namespace convert
