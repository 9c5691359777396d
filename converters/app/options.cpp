#include "converters/app/options.h"

#include <array>
#include <charconv>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <unistd.h>

#include "converters/app/output_rules.h"
#include "converters/app/unpacked_inputs.h"
#include "converters/model/reading/text.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"
#include "fxt/time_range.h"
#include "fxt/tools/selection.h"
#include "fxt/tools/trace_files.h"

namespace convert {
namespace {

fxt::ProgramText program_text(const Importers& importers) {
  std::vector<std::string> kinds_and_forms, inputs, defaults;
  std::vector<std::pair<std::string, std::string>> examples;
  std::vector<std::string> common_options{"time-range", "tid", "output", "force", "explain", "quiet", "help"};
  for (const auto& importer : importers) {
    const ImporterHelp help = importer->help();
    kinds_and_forms.push_back(fmt::format("{}s", importer->name()));
    if (!help.form.empty()) kinds_and_forms.back() += fmt::format(" ({})", help.form);
    if (!help.input.empty()) inputs.push_back(help.input);
    for (const auto& [command, meaning] : help.examples)
      examples.emplace_back("fxt-convert " + command, meaning);
    common_options.insert(common_options.end(), help.common_options.begin(), help.common_options.end());
    if (const std::string path = importer->default_input(); !path.empty()) defaults.push_back("./" + path);
  }
  if (inputs.size() > 1)
    examples.emplace_back(fmt::format("fxt-convert {} all.fxt", fmt::join(inputs, " ")),
                          "put all inputs on one timeline");
  if (!inputs.empty())
    examples.emplace_back(fmt::format("fxt-convert --inspect {}", inputs.front()), "describe the recording");
  const std::string libraries = fmt::format("libdw {}, {}", dwfl_version(nullptr), library_of_archives());
  return {.name = "fxt-convert",
          .version = FXT_CONVERT_VERSION,
          .summary = fmt::format("converts {}s to FXT", fmt::join(names_of(importers), "s and ")),
          .synopses = {"[OPTIONS] INPUT... OUTPUT", "[OPTIONS] -o OUTPUT INPUT...", "[OPTIONS] [INPUT]",
                       "--inspect[=all] [--report json] INPUT..."},
          .description = fmt::format(
              "Converts {} into one FXT trace, which Perfetto, Tracy, magic-trace and Fuchsia's tools open. "
              "If the name of OUTPUT ends in .json, the trace is JSON in the format of Chrome's trace events "
              "instead. The type of an input is detected from its content, not from its name. An INPUT may "
              "also be a tar archive of recordings. If INPUT is `-`, standard input is read. If OUTPUT ends "
              "in .gz, .zst, .bz2 or .xz, the trace is compressed. If OUTPUT is `-`, the trace is written to "
              "standard output. Without OUTPUT, the trace of a single INPUT is written to INPUT.fxt. Without "
              "an INPUT, {} is converted.",
              fmt::join(kinds_and_forms, " and "), fmt::join(defaults, " or ")),
          .exit_status =
              "0: success, possibly with notes. 1: an input could not be read, the output could not be "
              "written, or there is nothing to show. 2: wrong usage. 3: the output was written, but --strict "
              "was given and there are notes that are not informational.",
          .examples = std::move(examples),
          .common_options = std::move(common_options),
          .build = fxt::build_text(libraries)};
}

using fxt::CommandLine;
using fxt::OptionTable;
using fxt::TextOptions;

// Parses a time with an optional sign, such as "-20" or "+3.5ms", into ns.
std::int64_t parse_time(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const bool is_signed = is_negative || text.starts_with('+');
  const auto time_ns = fxt::parse_time_ns(text.substr(is_signed ? 1 : 0));
  if (!time_ns)
    throw fxt::InvalidValue(
        fmt::format("{}, optionally with a sign, and less than 292 years", fxt::kTimeForm), text);
  return is_negative ? -static_cast<std::int64_t>(*time_ns) : static_cast<std::int64_t>(*time_ns);
}

void add_offset(std::string_view text, ConvertOptions& options) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string_view::npos) {
    options.offset_ns = parse_time(text);
    return;
  }
  options.offsets.push_back({std::string(text.substr(0, sign)), parse_time(text.substr(sign + 1))});
}

fxt::CutOptions& cut_of(ConvertOptions& options) {
  if (!options.cut) options.cut.emplace();
  options.cut->provider_name = "fxt-convert";
  return *options.cut;
}

OptionTable table_of(ConvertOptions& options, std::string& output, TextOptions& texts) {
  OptionTable table;
  const auto joining = names_of_joining(options.importers);
  table.push_back(
      {.title = "Selection and form:",
       .options = {
           fxt::tools::thread_option("convert only these threads", options.import.tids),
           {.name = "time-range",
            .letter = 'r',
            .argument = "A~B",
            .help = "convert only this range of time, including both ends. Either end may be empty. A time "
                    "with a unit (20ms) counts from the program's first call. A time without a unit "
                    "(1061.4004) is in seconds on the recording's clock. If a call crosses an end of the "
                    "range, it is cut there, and has the argument `cut`. Use this option to look at a part "
                    "in detail",
            .value = each<fxt::TimeRange>([&](fxt::TimeRange range) { cut_of(options).range = range; })},
           {.name = "fit",
            .argument = "SIZE",
            .help =
                "limit the trace to this size (200M), before compression. The trace has the longest calls "
                "of the whole time, and as many short calls as necessary are omitted. If calls inside a "
                "call are omitted, the outer call has two arguments: `left_out` is the number of omitted "
                "calls, and `left_out_ns` is their time. Use this option for an overview of a recording "
                "that is too large to open",
            .value =
                each<fxt::PositiveSize>([&](fxt::PositiveSize size) { options.fit_bytes = size.bytes; })},
           {.name = "split-size",
            .argument = "SIZE",
            .help = "divide the trace into pieces OUT.000.fxt, OUT.001.fxt, ... of about this size (100M), "
                    "before compression. A viewer can open each piece without the others. Use this option to "
                    "keep all calls of a large recording",
            .value = each<fxt::PositiveSize>(
                [&](fxt::PositiveSize size) { cut_of(options).split_bytes = size.bytes; })},
           {.name = "split-time",
            .argument = "TIME",
            .help = "divide the trace into pieces of this length (1s). A number without a unit is in ns",
            .value = each<fxt::PositiveDuration>(
                [&](fxt::PositiveDuration length) { cut_of(options).split_ns = length.ns; })},
           choice("demangle", options.import.demangle,
                  {{"simple", Demangle::Simple}, {"full", Demangle::Full}, {"no", Demangle::No}},
                  "choose the form of C++ and Rust names (default: simple, without parameters and template "
                  "arguments)"),
           {.name = "max-depth",
            .argument = "N",
            .help = "omit calls that are inside N or more other calls (default: 512, Perfetto's limit)",
            .value = each<fxt::Count>([&](fxt::Count depth) {
              if (depth.value == 0) throw fxt::InvalidValue("more than 0", "0");
              options.lanes.max_depth = depth.value;
            })},
           choice(
               "blobs", options.import.blobs,
               {{"none", Blobs::None}, {"memory", Blobs::Memory}, {"all", Blobs::All}},
               "choose the data to store as blobs (default: memory). With memory, store the text files of a "
               "uftrace recording, the description in a GDB trace file, and the memory that GDB "
               "collected. With all, also store the registers of GDB's frames"),
           {.name = "offset",
            .argument = "[INPUT=]TIME",
            .help = fmt::format("add TIME to all times of INPUT. INPUT is a path as on the command line, a "
                                "path as in the report (ARCHIVE/PATH for a recording in an archive), or a "
                                "number as in the report. TIME may be negative. The unit of TIME is ns "
                                "(default), us, ms, s, m or h. {}May be repeated",
                                joining.empty() ? ""
                                                : fmt::format("Without INPUT, TIME is added to all {}s. ",
                                                              fmt::join(joining, "s and "))),
            .value = each<std::string>([&](const std::string& text) { add_offset(text, options); }),
            .may_repeat = true},
           choice("durations", options.lanes.durations,
                  {{"mixed", DurationForm::Mixed}, {"pairs", DurationForm::Pairs}},
                  "choose how calls are stored. With mixed (default), a call is one record if viewers nest "
                  "this record correctly, and otherwise two records. With pairs (default for JSON), each "
                  "call is two records, for its start and its end"),
           choice("viewer-hints", options.has_viewer_hints, {{"auto", true}, {"none", false}},
                  "choose whether to store hints for Perfetto (default: auto, which stores them): the "
                  "range to show first, the order of processes and threads, command lines and, with --utc, "
                  "the date. Other viewers skip these hints"),
       }});
  if (!joining.empty())
    table.back().options.push_back(
        flag("apart", 0, options.apart,
             fmt::format("show the threads of a {} on separate tracks (default: if another INPUT has the "
                         "same thread, show the events of both INPUTs on one track)",
                         fmt::join(joining, " or a "))));
  for (const auto& importer : options.importers)
    table.push_back({.title = fmt::format("For a {}:", importer->name()), .options = importer->options()});
  table.push_back(
      {.title = "Output and messages:",
       .options = {
           {.name = "output",
            .letter = 'o',
            .argument = "OUTPUT",
            .help = "write the trace to this file; all other paths are INPUTs",
            .value = store_in(output)},
           fxt::tools::format_option("OUTPUT", options.format),
           {.name = "data",
            .letter = 'd',
            .argument = "DIR",
            .help = "convert this INPUT; uftrace has the same option",
            .value = store_in(options.inputs),
            .may_repeat = true,
            .goes_with_inspect = true},
           flag("force", 'f', options.force,
                "replace any existing OUTPUT. Without this option, only an empty file or a trace of the "
                "same format is replaced. Also allow more than 10,000 pieces, and pieces that are together "
                "larger than 256 MiB and larger than a hundred times the undivided trace"),
           flag("sync", 0, options.sync,
                "wait until OUTPUT is on the disk, before and after it replaces an older file. After a power "
                "failure, OUTPUT is then either the older file or the new one"),
           {.name = "jobs",
            .letter = 'j',
            .argument = "N",
            .help = "convert with N threads (default: one for each core); the output does not depend on N",
            .value = fxt::store_count_in<1, 1024>(options.jobs),
            .goes_with_inspect = true},
           {.name = "inspect",
            .argument = "[=all]",
            .help = "describe the inputs on one screen (type, origin, threads, size and damage), and convert "
                    "nothing. With =all, print all details",
            .value = fxt::each_or_none([&](const std::string& detail) {
              options.inspect = true;
              options.inspects_all = detail == "all";
              if (!detail.empty() && detail != "all")
                throw fxt::InvalidValue("no value or =all", "=" + detail);
            }),
            .goes_with_inspect = true},
           {.name = "unpack",
            .argument = "DIR",
            .help = "convert nothing; unpack the archives and compressed files among the INPUTs into this "
                    "empty directory. Print the path of each recording or trace file on a line",
            .value = store_in(options.unpack_folder),
            .goes_with_inspect = true},
           choice("report", options.report,
                  {{"text", ReportForm::Text}, {"json", ReportForm::Json}, {"none", ReportForm::None}},
                  "choose the form of the report about the conversion (default: text). The report goes to "
                  "standard output, or to standard error if OUTPUT is `-`",
                  true),
           choice(
               "progress", options.progress,
               {{"auto", ProgressMode::Auto},
                {"always", ProgressMode::Always},
                {"never", ProgressMode::Never}},
               "show progress on standard error (default: auto, on a terminal if the conversion takes long)",
               true),
           {.name = "quiet",
            .letter = 'q',
            .help = "print no report and no progress; errors are still printed",
            .value = store_in(options.quiet),
            .goes_with_inspect = true},
           {.name = "strict",
            .help = "exit with 3 if there are notes that are not informational",
            .value = store_in(options.strict),
            .goes_with_inspect = true},
           {.name = "explain",
            .argument = "KIND",
            .help = "explain a kind of note: the event, its cause and the remedy. Example: --explain "
                    "records-lost",
            .value = each<std::string>([&](const std::string& kind) { options.explain = kind; }),
            .goes_with_inspect = true},
       }});
  table.push_back(texts.group());
  return table;
}

// The last of several paths is the OUTPUT, unless -o names the OUTPUT. A single path is an INPUT. Without a
// path, the INPUT is uftrace's default directory.
void choose_paths(ConvertOptions& options, bool has_output, const std::string& output) {
  std::string defaults;
  for (const auto& importer : options.importers) {
    const std::string path = importer->default_input();
    if (path.empty()) continue;
    if (options.inputs.empty() && std::filesystem::is_directory(path)) options.inputs.push_back(path);
    defaults += (defaults.empty() ? "./" : " or ./") + path;
  }
  if (options.inputs.empty()) throw UsageError("no INPUT is given, and there is no " + defaults);
  if (has_output) {
    options.output = output;
  } else if (options.inputs.size() == 1) {
    options.output = options.inputs.front() == "-"
                         ? "-"
                         : output_for(options.inputs.front(),
                                      options.format != nullptr ? *options.format : fxt::tools::fxt_format());
  } else {
    options.output = std::move(options.inputs.back());
    options.inputs.pop_back();
    options.is_output_last_path = true;
  }
  if (options.output.empty()) throw UsageError("the name of the OUTPUT is empty");
  if (std::ranges::count(options.inputs, std::string()) != 0)
    throw UsageError("the name of an INPUT is empty");
  if (options.format == nullptr) options.format = &fxt::tools::format_of(options.output);
  // If the output is `-`, the report goes to standard error instead of standard output. Therefore, other
  // names of standard output are replaced by `-`.
  constexpr std::array kStandardOutput{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  if (std::ranges::count(kStandardOutput, options.output) != 0) options.output = "-";
}

// The index of the importer with this option. The options of importer `i` are in group `i` + 1 of the table.
std::optional<std::size_t> importer_with(const Option& option, const OptionTable& table,
                                         std::size_t importers) {
  for (std::size_t i = 0; i < importers; ++i)
    if (&option >= table[i + 1].options.data() &&
        &option < table[i + 1].options.data() + table[i + 1].options.size())
      return i;
  return std::nullopt;
}

}  // namespace

std::optional<ConvertOptions> parse_options(int argc, const char* const* argv) {
  ConvertOptions options;
  std::string output;
  TextOptions texts;
  const OptionTable table = table_of(options, output, texts);
  CommandLine line = parse(argc, argv, table);
  if (const auto text = texts.text_of(program_text(options.importers), table, line)) {
    fxt::print(*text);
    return std::nullopt;
  }

  for (const CommandLine::Given& given : line.options) {
    take(given);
    if (const auto importer = importer_with(*given.option, table, options.importers.size()))
      options.importer_options.push_back({given.option->name, *importer});
  }
  options.without_effect = line.without_effect();
  if (options.explain) return options;
  options.inputs.insert(options.inputs.end(), line.paths.begin(), line.paths.end());
  if (line.has("inspect")) {
    if (options.inputs.empty()) throw UsageError("--inspect needs at least one INPUT");
    for (const CommandLine::Given& given : line.options)
      if (!given.option->goes_with_inspect)
        throw UsageError(fmt::format("--{} has no effect with --inspect, which describes the whole INPUT",
                                     given.option->name));
  } else {
    if (!line.has("unpack")) choose_paths(options, line.has("output"), output);
    if (options.format != nullptr && options.format->is_exact_in_pairs && !line.has("durations"))
      options.lanes.durations = DurationForm::Pairs;
  }
  if (options.cut && options.cut->is_split() && options.output == "-")
    throw UsageError("--split-size and --split-time write several files, so OUTPUT can't be -");
  if (std::ranges::count(options.inputs, "-") != 0 && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; redirect a file, or a tar archive of a directory, to it");
  return options;
}

}  // namespace convert
