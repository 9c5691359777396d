// fxt-dump: prints, summarizes and checks traces in the Fuchsia trace format. Options, the loop over the
// records, and findings. A finding of --check is one line,
//
//   FILE:+0xOFFSET: error W15 complete: PROBLEM: EFFECT
//
// or, with --json, an object
//
//   {"offset":…,"rule":"W15","fault":"Overlaps","severity":"error","readers":["perfetto"],
//   "record":"complete","problem":"…","effect":"…"}
//
// For each rule, only the first 20 findings of each severity are printed, and then the number of other
// findings:
//
//   {"rule":"W15","severity":"error","more":…}

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fxt/checker.h"
#include "fxt/support/budget.h"
#include "fxt/support/json_text.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"
#include "fxt/tools/call_paths.h"
#include "fxt/tools/call_tree.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/record_text.h"
#include "fxt/tools/selection.h"
#include "fxt/tools/statistics.h"
#include "fxt/tools/trace_files.h"

namespace fxt::tools {
namespace {

enum class DumpMode : std::uint8_t { Lines, Stats, Tree, Folded, Callers, Callees, Check, Rules };

struct DumpOptions {
  DumpMode mode = DumpMode::Lines;
  std::string file;       // "-" is standard input
  std::string other;      // for `compares`
  std::string function;   // for Callers and Callees: a shell pattern
  bool compares = false;  // with Stats: compares the calls of `file` and of `other`
  bool json = false;
  bool csv = false;
  bool offsets = false;
  bool all_findings = false;
  bool fails_at_warnings = false;
  bool any_size = false;                     // no limit for the size of the text
  std::optional<KnownReaders> readers = {};  // for --check; nothing means all readers
  bool color = false;
  CallReport calls;  // for Stats; Tree, Callers and Callees use only calls.unit
  Selection selection;
};

ProgramText program_text() {
  return {
      .name = "fxt-dump",
      .version = FXT_VERSION,
      .summary = "prints, counts and checks traces in the Fuchsia trace format",
      .synopses = {"[OPTIONS] FILE", "--diff [OPTIONS] BEFORE AFTER"},
      .description =
          "Prints a trace in the Fuchsia trace format, one line for each record. FILE may be compressed with "
          "gzip, zstd, bzip2 or xz; `-` is standard input.",
      .exit_status =
          "0: success. 1: --check found an error (or a warning, with --werror), FILE can't be read to its "
          "end, has nothing that is selected, or lacks a requested thread. 2: wrong usage.",
      .examples = {{"fxt-dump run.fxt", "print one line for each record"},
                   {"fxt-dump --stats --top 10 run.fxt", "print the ten longest functions"},
                   {"fxt-dump --diff old.fxt new.fxt", "compare two traces"},
                   {"fxt-dump --callers malloc run.fxt", "print the callers of a function"},
                   {"fxt-dump --check run.fxt", "check that all readers can read the trace"}},
      .common_options = {"json", "stats", "diff", "top", "callers", "tree", "check", "time-range", "name",
                         "help"},
      .build = build_text()};
}

enum class Color : std::uint8_t { Auto, Always, Never };

OptionTable table_of(DumpOptions& options, std::vector<DumpMode>& modes, Color& color) {
  const auto mode = [&modes](const char* name, char letter, DumpMode chosen, const char* help) {
    return Option{.name = name, .letter = letter, .help = help, .value = each_time([&modes, chosen] {
                                                                  modes.push_back(chosen);
                                                                })};
  };
  const auto graph = [&modes, &options](const char* name, DumpMode chosen, const char* help) {
    return Option{.name = name,
                  .argument = "PATTERN",
                  .help = help,
                  .value = each<std::string>([&modes, &options, chosen](const std::string& pattern) {
                    if (pattern.empty()) throw InvalidValue("a name or a pattern", pattern);
                    modes.push_back(chosen);
                    options.function = pattern;
                  })};
  };
  const auto read_readers = [&options](const std::string& names) {
    options.readers = parse_readers(names);
    if (!options.readers) throw InvalidValue("perfetto, tracy, fuchsia-cpp, fuchsia-rust, spec", names);
  };
  Selection& selection = options.selection;
  OptionGroup printed{
      .title = "Output:",
      .options = {
          not_with({"stats", "diff", "tree", "folded", "callers", "callees", "check", "rules"},
                   flag("offsets", 0, options.offsets, "start each line with the record's byte offset")),
          flag("json", 0, options.json,
               "print JSON: one object for each record or finding, or one object for all statistics"),
          mode("stats", 's', DumpMode::Stats,
               "print the number of calls of each function and their times: total (recursion counted once), "
               "self, average, minimum and maximum. Also print such figures for async operations and CPUs, "
               "and the numbers of events, threads and records"),
          not_with({"json", "tree", "folded", "callers", "callees", "check", "rules"},
                   flag("diff", 0, options.compares,
                        "print the functions that take more or less time in the trace AFTER than in BEFORE")),
          only_with({"stats", "diff"},
                    choice("by", options.calls.by,
                           {{"function", CallUnit::Function},
                            {"thread", CallUnit::Thread},
                            {"process", CallUnit::Process},
                            {"category", CallUnit::Category}},
                           "with --stats: print one line for each function (default), thread, process or "
                           "category")),
          {.name = "sort",
           .argument = "COLUMN[,COLUMN...]",
           .help = "with --stats: sort calls by this column (default: total), and calls with equal values by "
                   "the next column. The columns are those of --columns, and `name`",
           .value = each<std::string>(
               [&options](const std::string& list) { options.calls.order = CallReport::parse_order(list); }),
           .works_with = {"stats"},
           .fails_with = {"diff"}},
          {.name = "columns",
           .argument = "COLUMN[,COLUMN...]",
           .help = "with --stats: print these columns in this order. p50, p90 and p99 are percentiles of the "
                   "lengths (default: calls,total,self,average,min,max)",
           .value = each<std::string>([&options](const std::string& list) {
             options.calls.columns = CallReport::parse_columns(list);
           }),
           .works_with = {"stats"},
           .fails_with = {"diff"}},
          {.name = "top",
           .argument = "N",
           .help = "with --stats: print only the first N lines of each table of calls or events",
           .value = store_count_in<1, std::numeric_limits<std::uint32_t>::max()>(options.calls.top),
           .works_with = {"stats", "diff"}},
          {.name = "csv",
           .help = "with --stats: print the calls as comma-separated values, with times in ns",
           .value = store_in(options.csv),
           .works_with = {"stats"},
           .fails_with = {"diff", "json", "unit"}},
          only_with({"stats", "diff", "tree", "callers", "callees"},
                    choice("unit", options.calls.unit,
                           {{"auto", TimeUnit::Auto},
                            {"ns", TimeUnit::Ns},
                            {"us", TimeUnit::Us},
                            {"ms", TimeUnit::Ms},
                            {"s", TimeUnit::S}},
                           "with --stats, --diff, --callers, --callees and --tree: print exact times in "
                           "this unit. With auto (default), times have three digits and a suitable unit; "
                           "with --tree, they are exact, in us")),
          mode("tree", 0, DumpMode::Tree,
               "print only calls, indented by depth: start in seconds, process/thread, length and name. A "
               "call of two records has two lines, which end in `{` and `}`. The second line has the length"),
          mode("folded", 0, DumpMode::Folded,
               "print folded stacks, which programs for flame graphs read. A line has the form "
               "`process;outer;inner NS`. NS is the self time of inner in ns"),
          graph("callers", DumpMode::Callers,
                "print the functions that match this shell pattern, each with a tree of its direct and "
                "indirect callers. The numbers in the line of a caller count only the calls that came "
                "through this caller"),
          graph("callees", DumpMode::Callees,
                "print the functions that match this shell pattern, and all functions that they call "
                "directly or indirectly, in the form of --callers"),
          flag("any-size", 0, options.any_size,
               "print all of the text. Without this option, fxt-dump stops if the text is longer than 256 "
               "MiB and longer than a hundred times the trace"),
          mode("check", 0, DumpMode::Check,
               "check the file, and print which rules it breaks and how readers react"),
          {.name = "for",
           .argument = "READERS",
           .help = "with --check: check only the rules of these readers: perfetto, tracy, fuchsia-cpp, "
                   "fuchsia-rust, spec, separated by commas (default: all). Notes count the records that "
                   "these readers ignore",
           .value = each<std::string>(read_readers),
           .works_with = {"check"}},
          only_with({"check"}, flag("werror", 0, options.fails_at_warnings,
                                    "with --check: exit with 1 also for warnings")),
          only_with({"check"}, flag("all", 0, options.all_findings,
                                    "with --check: print every finding, not only the first 20 errors and "
                                    "warnings of each rule")),
          mode("rules", 0, DumpMode::Rules, "print the rules of --check with their reasons"),
          choice("color", color, {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}},
                 "color the lines. With auto (default), lines are colored on a terminal, but not if "
                 "NO_COLOR is set")}};
  OptionGroup records{
      .title = "Selection:",
      .options = {
          thread_option("print only records of this thread; may be repeated", selection.threads),
          range_option("print only this range. Times are in seconds on the trace's clock. Times with a unit "
                       "(20ms) count from the start of the trace. Either end may be empty. If a part of a "
                       "call is outside of the range, only the part inside is counted",
                       selection.range),
          {.name = "type",
           .argument = "KIND",
           .help =
               "print only records of this kind, such as `instant` or `log`, or `event` for all events; may "
               "be repeated. With options that print calls, such as --stats or --tree, begin, end and "
               "complete all select calls",
           .value = store_in(selection.kinds),
           .may_repeat = true},
          name_option("print only events with a name that matches this shell pattern; may be repeated",
                      selection.names),
          category_option(selection.categories),
          exclude_option(selection.excluded)}};
  return {std::move(printed), std::move(records)};
}

void append_colored(TextBuffer& out, const Entry& entry) {
  constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[31m", kPlain = "\x1b[0m";
  TextBuffer line;
  append_line(line, entry);
  const std::string_view whole(line.data(), line.size());
  const std::size_t kind = std::min(whole.find(' '), whole.size());
  append_text(out, kBold);
  append_text(out, whole.substr(0, kind));
  append_text(out, kPlain);
  const std::size_t problem = entry.problems.empty() ? whole.size() : whole.find(" ! ", kind);
  append_text(out, whole.substr(kind, problem - kind));
  if (problem == whole.size()) return;
  append_text(out, kRed);
  append_text(out, whole.substr(problem));
  append_text(out, kPlain);
}

// Returns the selection for EntrySource. With options that print calls, each of the kinds begin, end and
// complete selects all calls.
Selection wanted_of(const DumpOptions& options) {
  Selection wanted = options.selection;
  constexpr std::array<std::string_view, 3> kCalls{"begin", "end", "complete"};
  const auto is_call = [&](const std::string& kind) { return std::ranges::count(kCalls, kind) != 0; };
  if (options.mode != DumpMode::Lines && std::erase_if(wanted.kinds, is_call) != 0)
    wanted.kinds.insert(wanted.kinds.end(), kCalls.begin(), kCalls.end());
  if (!options.function.empty()) wanted.names = {options.function};
  return wanted;
}

// Limits the printed text. A trace has each long name only once, but the text may have it for each event, and
// in the path of each inner call.
constexpr Limit kText{"MiB of text", 256 * kMiB, 100 * kKiB};

// Fails if the text becomes far longer than the part of the trace that was read.
class TextGuard {
 public:
  explicit TextGuard(const DumpOptions& options) : options_(options) {}

  // The offsets may come in any order.
  void read_to(std::uint64_t offset) { read_bytes_ = std::max(read_bytes_, offset); }
  void check(std::uint64_t text_bytes) const {
    if (options_.any_size || text_bytes <= kText.of(read_bytes_)) return;
    throw std::runtime_error(fmt::format(
        "{}: {}, which is more than a hundred times the size of the trace; use --any-size to print all of it",
        printable(options_.file), kText.exceeded(read_bytes_)));
  }

 private:
  const DumpOptions& options_;
  std::uint64_t read_bytes_ = 0;
};

ExitCode dump_records(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  TextGuard guard(options);
  RecordFilter filter(options.selection);
  const bool takes_all = options.selection.empty();
  while (const Entry* entry = source.next()) {
    if (!takes_all && !filter.contains(*entry, source.reader())) continue;
    if (options.json) {
      append_json(out.text(), *entry);
    } else {
      if (options.offsets) append(out.text(), "{:#010x} ", entry->offset);
      if (options.color) {
        append_colored(out.text(), *entry);
      } else {
        append_line(out.text(), *entry);
      }
    }
    out.line_done();
    guard.read_to(entry->offset);
    guard.check(out.bytes());
  }
  out.flush();
  return report_end(source, "fxt-dump");
}

void report_notes(const std::vector<std::string>& notes, const std::string& file) {
  for (const std::string& note : notes) fmt::print(stderr, "fxt-dump: {}: {}\n", printable(file), note);
}

ExitCode dump_statistics(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  Statistics statistics(options.selection, options.calls);
  while (const Entry* entry = source.next()) statistics.add(*entry, source.reader());
  statistics.finish();
  const auto after_line = [&out] { out.flush_if_large(); };
  if (source.has_wanted() && options.json) {
    statistics.append_json_to(out.text(), source.reader(), after_line);
    out.line_done();
  } else if (source.has_wanted() && options.csv) {
    statistics.append_csv_to(out.text(), after_line);
  } else if (source.has_wanted()) {
    statistics.append_to(out.text(), source.reader(), after_line);
  }
  out.flush();
  return report_end(source, "fxt-dump");
}

ExitCode dump_difference(const DumpOptions& options, StandardOutput& out) {
  ExitCode worst = ExitCode::Done;
  bool has_wanted = false;
  const auto read = [&](const std::string& file) {
    EntrySource source(file, wanted_of(options), EntrySource::Sequence::ByTime);
    Statistics statistics(options.selection, options.calls);
    while (const Entry* entry = source.next()) statistics.add(*entry, source.reader());
    statistics.finish();
    has_wanted = has_wanted || source.has_wanted();
    if (const ExitCode end = report_end(source, "fxt-dump"); worst == ExitCode::Done) worst = end;
    Compared compared{.file = file, .notes = statistics.notes()};
    for (const Statistics::Line* const line : statistics.lines())
      compared.calls.push_back({line->group, *line->name, line->calls, line->total_ns});
    return compared;
  };
  const Compared before = read(options.file), after = read(options.other);
  if (has_wanted)
    append_difference(out.text(), before, after, options.calls, [&out] { out.flush_if_large(); });
  out.flush();
  for (const Compared* const one : {&before, &after}) report_notes(one->notes, one->file);
  return worst;
}

ExitCode dump_tree(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  TextGuard guard(options);
  CallTree tree(options.selection, options.calls.unit, out);
  while (const Entry* entry = source.next()) {
    tree.add(*entry, source.reader());
    guard.read_to(entry->offset);
    guard.check(out.bytes());
  }
  tree.finish();
  out.flush();
  report_notes(tree.notes(), options.file);
  return report_end(source, "fxt-dump");
}

void read_paths(EntrySource& source, TextGuard& guard, CallPaths& paths) {
  while (const Entry* entry = source.next()) {
    guard.read_to(entry->offset);
    paths.add(*entry, source.reader());
  }
  paths.finish();
}

ExitCode dump_folded(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  TextGuard guard(options);
  CallPaths paths(options.selection, CallPaths::Root::Process);
  read_paths(source, guard, paths);
  if (!options.any_size) guard.check(paths.folded_bytes());
  paths.append_folded(out.text(), [&out] { out.line_done(); });
  out.flush();
  report_notes(paths.notes(), options.file);
  return report_end(source, "fxt-dump");
}

ExitCode dump_graph(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  TextGuard guard(options);
  CallPaths paths(options.selection, CallPaths::Root::All);
  read_paths(source, guard, paths);
  const CallGraph graph = options.mode == DumpMode::Callers ? paths.callers_of(options.function)
                                                            : paths.callees_of(options.function);
  if (!graph.lines.empty()) {
    append(out.text(), "{:>12} {:>14} {:>14}", "calls", "total", "self");
    out.line_done();
  }
  for (const auto& [depth, name, calls, total_ns, self_ns] : graph.lines) {
    append(out.text(), "{:>12} {:>14} {:>14}", calls, time_in(options.calls.unit, total_ns),
           time_in(options.calls.unit, self_ns));
    append_blanks(out.text(), 2 + 2 * std::min(depth, kMaxIndentedDepth));
    append_printable(out.text(), name);
    out.line_done();
    guard.check(out.bytes());
  }
  out.flush();
  std::vector<std::string> notes = paths.notes();
  if (paths.joined() != 0)
    notes.push_back(
        fmt::format("{} calls are counted as part of their callers, because there are too many paths, or "
                    "because the paths are too deep",
                    paths.joined()));
  if (graph.cut != 0) notes.push_back(fmt::format("{} calls have more callers than are shown", graph.cut));
  report_notes(notes, options.file);
  return report_end(source, "fxt-dump");
}

// ---- --check and --rules ----

constexpr std::uint64_t kShown = 20;  // number of findings to show for each rule and severity

class FindingPrinter {
 public:
  FindingPrinter(const DumpOptions& options, StandardOutput& out) : options_(&options), out_(&out) {}

  void print(const Finding& finding) {
    ++counts_.at(static_cast<std::size_t>(finding.severity));
    if (++found_[{finding.rule, finding.severity}] > kShown && !options_->all_findings) return;
    if (options_->json) {
      const Json json = {{"offset", finding.offset},
                         {"rule", finding.rule},
                         {"fault", name_of(finding.fault)},
                         {"severity", name(finding.severity)},
                         {"readers", names_of(finding.readers)},
                         {"record", finding.record},
                         {"problem", finding.problem},
                         {"effect", finding.effect}};
      append_text(out_->text(), json_text(json));
    } else {
      append(out_->text(), "{}:+{:#x}: {} {} {}: {}: {}", printable(options_->file), finding.offset,
             name(finding.severity), finding.rule, finding.record, printable(finding.problem),
             finding.effect);
    }
    out_->line_done();
  }

  ExitCode finish() {
    for (const auto& [kind, count] : found_)
      if (count > kShown && !options_->all_findings) print_more(kind, count - kShown);
    const auto& [notes, warnings, errors] = counts_;
    if (!options_->json && errors + warnings != 0) {
      append(out_->text(), "{}: {} errors, {} warnings", printable(options_->file), errors, warnings);
      out_->line_done();
    }
    out_->flush();
    const bool is_good = errors == 0 && (warnings == 0 || !options_->fails_at_warnings);
    return is_good ? ExitCode::Done : ExitCode::Failed;
  }

 private:
  static Json names_of(KnownReaders readers) {
    using enum KnownReader;
    Json names = Json::array();
    for (const KnownReader reader : {Perfetto, Tracy, FuchsiaCpp, FuchsiaRust, Spec})
      if (readers.contains(reader)) names.push_back(name_of(reader));
    return names;
  }
  using Kind = std::pair<std::string_view, Severity>;  // rule and severity

  static std::string_view name(Severity severity) {
    constexpr std::array<std::string_view, 3> kNames{"note", "warning", "error"};
    return kNames.at(static_cast<std::size_t>(severity));
  }
  void print_more(const Kind& kind, std::uint64_t count) {
    const auto& [rule, severity] = kind;
    if (options_->json) {
      const Json json = {{"rule", rule}, {"severity", name(severity)}, {"more", count}};
      append_text(out_->text(), json_text(json));
    } else {
      append(out_->text(), "{}: {} more {}s of {}", printable(options_->file), count, name(severity), rule);
    }
    out_->line_done();
  }

  const DumpOptions* options_;
  StandardOutput* out_;
  std::map<Kind, std::uint64_t> found_;
  std::array<std::uint64_t, 3> counts_ = {};  // by Severity
};

ExitCode print_rules(StandardOutput& out) {
  for (const Rule& rule : rules()) {
    append(out.text(), "{:<4}{}\n    {}", rule.id, rule.says, rule.because);
    out.line_done();
  }
  out.flush();
  return ExitCode::Done;
}

// The Checker needs the records in the order of the file, and in the order of time. If both orders are the
// same, the trace is read only once.
void check(EntrySource& source, Checker& checker) {
  if (source.is_in_order()) {
    while (const Entry* const entry = source.next()) {
      checker.add(*entry, source.reader());
      checker.add_sorted(*entry, source.reader());
    }
    return checker.finish(source.reader());
  }
  const auto input = source.open_again();
  Reader reader(*input);
  try {
    for (const Entry& entry : reader) checker.add(entry, reader);
  } catch (const FileError&) {  // the source reports the error as well
  }
  while (const Entry* const entry = source.next()) checker.add_sorted(*entry, source.reader());
  checker.finish(reader);
}

ExitCode dump_check(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  FindingPrinter printer(options, out);
  Checker checker([&printer](const Finding& finding) { printer.print(finding); },
                  options.readers.value_or(KnownReaders::all()));
  check(source, checker);
  const ExitCode found = printer.finish();
  const ExitCode readable = report_end(source, "fxt-dump");
  return readable == ExitCode::Done ? found : readable;
}

// With --color=auto, `colored` decides whether the output has colors. Returns nothing if only a text, such as
// the help, was printed.
std::optional<DumpOptions> parse_options(int argc, const char* const* argv, bool colored) {
  DumpOptions options;
  std::vector<DumpMode> modes;
  Color color = Color::Auto;
  OptionTable table = table_of(options, modes, color);
  const auto parsed = parse_program(argc, argv, program_text(), table);
  if (!parsed) return std::nullopt;
  const CommandLine& line = *parsed;
  if (modes.size() > 1)
    throw UsageError(
        "only one of --stats, --tree, --folded, --callers, --callees, --check and --rules can be given");
  if (!modes.empty()) options.mode = modes.front();
  if (options.compares) options.mode = DumpMode::Stats;
  constexpr std::array kTextOnly{DumpMode::Tree, DumpMode::Folded, DumpMode::Callers, DumpMode::Callees,
                                 DumpMode::Rules};
  if (options.json && std::ranges::count(kTextOnly, options.mode) != 0)
    throw UsageError("--json can't be combined with --tree, --folded, --callers, --callees or --rules");
  if (options.mode == DumpMode::Rules) return options;
  if (line.paths.empty()) throw UsageError("FILE is missing");
  if (options.compares && line.paths.size() != 2)
    throw UsageError("--diff takes two files: BEFORE and AFTER");
  if (options.compares && std::ranges::count(line.paths, "-") == 2)
    throw UsageError("--diff can read only one of the two files from standard input");
  if (!options.compares && line.paths.size() > 1) throw UsageError("takes one FILE");
  options.file = line.paths.front();
  options.other = line.paths.back();
  if (const auto width = terminal_width(STDOUT_FILENO)) options.calls.width = *width;
  options.color = color == Color::Always || (color == Color::Auto && colored);
  check_kinds(options.selection.kinds);
  if (options.mode == DumpMode::Check && !options.selection.empty())
    throw UsageError("--check always checks the whole file; omit options that select records");
  return options;
}

// Returns Failed if the check found errors, or if the file could not be read to its end.
ExitCode run(const DumpOptions& options) {
  StandardOutput out;
  if (options.mode == DumpMode::Rules) return print_rules(out);
  if (options.compares) return dump_difference(options, out);
  EntrySource source(
      options.file, wanted_of(options),
      options.mode == DumpMode::Lines ? EntrySource::Sequence::AsWritten : EntrySource::Sequence::ByTime);
  if (options.mode == DumpMode::Check) return dump_check(options, source, out);
  if (options.mode == DumpMode::Stats) return dump_statistics(options, source, out);
  if (options.mode == DumpMode::Tree) return dump_tree(options, source, out);
  if (options.mode == DumpMode::Folded) return dump_folded(options, source, out);
  if (options.mode == DumpMode::Callers || options.mode == DumpMode::Callees)
    return dump_graph(options, source, out);
  return dump_records(options, source, out);
}

}  // namespace
}  // namespace fxt::tools

int main(int argc, char** argv) {
  using namespace fxt;
  return run_program("fxt-dump", [&] {
    const auto options = tools::parse_options(argc, argv, is_terminal(STDOUT_FILENO) && wants_color());
    return options ? tools::run(*options) : ExitCode::Done;
  });
}
