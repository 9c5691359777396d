// Options, the loop over the records, and findings.
#include "fxt/tools/dump.h"

#include <cstdio>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "fxt/checker.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/program.h"
#include "fxt/support/program_text.h"
#include "fxt/tools/call_tree.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/record_text.h"
#include "fxt/tools/statistics.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

ProgramText program_text() {
  return {.name = "fxt-dump",
          .version = FXT_VERSION,
          .summary = "prints, counts and checks traces in the Fuchsia trace format",
          .synopses = {"[OPTIONS] FILE"},
          .description =
              "Prints a trace in the Fuchsia trace format, one line a record; FILE may be compressed "
              "with gzip or zstd, or - for standard input.",
          .exit_status =
              "0 done, 1 --check found an error, or FILE can't be read to its end or has none of the threads "
              "that are asked for, 2 wrong usage."};
}

enum class Color : std::uint8_t { Auto, Always, Never };

OptionTable table_of(DumpOptions& options, std::vector<DumpMode>& modes, Color& color, TextOptions& texts) {
  const auto mode = [&modes](DumpMode chosen) {
    return [&modes, chosen](std::string_view) { modes.push_back(chosen); };
  };
  Selection& selection = options.selection;
  return {
      {.title = "What is printed:",
       .options = {{.name = "offsets",
                    .letter = 'o',
                    .help = "begin each line with the record's byte offset",
                    .handle = store_in(options.offsets)},
                   {.name = "json",
                    .letter = 'j',
                    .help = "one JSON object per record or finding, or one of all statistics",
                    .handle = store_in(options.json)},
                   {.name = "stats",
                    .letter = 's',
                    .help = "counts of records, events, threads and bytes; and of calls, how long they took: "
                            "total (recursion counted once), self, average, minimum and maximum, in us",
                    .handle = mode(DumpMode::Stats)},
                   choice("sort", options.order,
                          {{"total", CallOrder::Total},
                           {"self", CallOrder::Self},
                           {"average", CallOrder::Average},
                           {"min", CallOrder::Min},
                           {"max", CallOrder::Max},
                           {"calls", CallOrder::Calls},
                           {"name", CallOrder::Name}},
                          "with --stats: by what calls are sorted (default: total)"),
                   {.name = "tree",
                    .help =
                        "calls alone, indented: when each began in seconds, process/thread, how long it took "
                        "in us, and its name",
                    .handle = mode(DumpMode::Tree)},
                   {.name = "check",
                    .letter = 'C',
                    .help = "tell which rules the file breaks, and which readers mind",
                    .handle = mode(DumpMode::Check)},
                   {.name = "all",
                    .help = "with --check: every finding, not only the first 20 of each rule",
                    .handle = store_in(options.all_findings)},
                   {.name = "rules",
                    .help = "the rules that --check knows, with their reasons",
                    .handle = mode(DumpMode::Rules)},
                   choice("color", color,
                          {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}},
                          "colored lines (default: auto: on a terminal, unless NO_COLOR is set)")}},
      {.title = "Of which records:",
       .options = {thread_option("only of this thread; may be repeated", selection.threads),
                   range_option(
                       "only in this time: seconds as the trace counts, or since its start with a unit "
                       "(20ms); either side may be empty",
                       [&](const TimeRange& range) { selection.window.emplace(range); }),
                   {.name = "type",
                    .argument = "KIND",
                    .help = "only of this kind (as printed, or event); may be repeated",
                    .handle = store_in(selection.kinds),
                    .may_repeat = true},
                   name_option("only with a name that matches this shell pattern; may be repeated",
                               selection.names),
                   category_option(selection.categories)}},
      texts.group()};
}

void append_colored(TextBuffer& out, const Entry& entry) {
  constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[31m", kPlain = "\x1b[0m";
  TextBuffer line;
  append_line(line, entry);
  const std::string_view whole(line.data(), line.size());
  const std::size_t kind = std::min(whole.find(' '), whole.size());
  out.append(kBold);
  out.append(whole.substr(0, kind));
  out.append(kPlain);
  const std::size_t problem = entry.problems.empty() ? whole.size() : whole.find(" ! ", kind);
  out.append(whole.substr(kind, problem - kind));
  if (problem == whole.size()) return;
  out.append(kRed);
  out.append(whole.substr(problem));
  out.append(kPlain);
}

ExitCode dump_records(DumpOptions& options, EntrySource& source, StandardOutput& out) {
  while (const Entry* entry = source.next()) {
    if (!options.selection.contains(*entry, source.reader())) continue;
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
  }
  out.flush();
  return report_end(source, "fxt-dump", options.file);
}

ExitCode dump_statistics(DumpOptions& options, EntrySource& source, StandardOutput& out) {
  Statistics statistics(options.order);
  while (const Entry* entry = source.next())
    if (options.selection.contains(*entry, source.reader())) statistics.add(*entry, source.reader());
  statistics.finish();
  if (options.json) {
    statistics.append_json_to(out.text(), source.reader());
    out.line_done();
  } else {
    statistics.append_to(out.text(), source.reader());
  }
  out.flush();
  return report_end(source, "fxt-dump", options.file);
}

ExitCode dump_tree(DumpOptions& options, EntrySource& source, StandardOutput& out) {
  CallTree tree;
  while (const Entry* entry = source.next()) {
    const auto* const event = std::get_if<Event>(&entry->record);
    if (event == nullptr || !options.selection.contains(*entry, source.reader())) continue;
    if (tree.add(*event, source.reader(), out.text())) out.line_done();
  }
  out.flush();
  return report_end(source, "fxt-dump", options.file);
}

// ---- --check and --rules ----

constexpr std::uint64_t kShownOfEachRule = 20;

class FindingPrinter {
 public:
  FindingPrinter(const DumpOptions& options, StandardOutput& out) : options_(&options), out_(&out) {}

  void print(const Finding& finding) {
    ++(finding.severity == Severity::Error ? errors_ : warnings_);
    if (++of_rule_[finding.rule] > kShownOfEachRule && !options_->all_findings) return;
    if (options_->json) {
      const nlohmann::ordered_json json = {{"offset", finding.offset},
                                           {"rule", finding.rule},
                                           {"severity", name(finding)},
                                           {"record", finding.record},
                                           {"problem", make_valid_utf8(finding.problem)},
                                           {"effect", finding.effect}};
      out_->text().append(json.dump());
    } else {
      append(out_->text(), "{}:+{:#x}: {} {} {}: {}: {}", options_->file, finding.offset, name(finding),
             finding.rule, finding.record, make_valid_utf8(finding.problem), finding.effect);
    }
    out_->line_done();
  }

  ExitCode finish() {
    if (!options_->json) {
      for (const auto& [rule, count] : of_rule_) {
        if (count <= kShownOfEachRule || options_->all_findings) continue;
        append(out_->text(), "{}: {} more of {}", options_->file, count - kShownOfEachRule, rule);
        out_->line_done();
      }
      if (errors_ + warnings_ != 0) {
        append(out_->text(), "{}: {} errors, {} warnings", options_->file, errors_, warnings_);
        out_->line_done();
      }
    }
    out_->flush();
    return errors_ + warnings_ == 0 ? ExitCode::Done : ExitCode::Failed;
  }

 private:
  static std::string_view name(const Finding& finding) {
    return finding.severity == Severity::Error ? "error" : "warning";
  }

  const DumpOptions* options_;
  StandardOutput* out_;
  std::map<std::string_view, std::uint64_t> of_rule_;
  std::uint64_t errors_ = 0, warnings_ = 0;
};

ExitCode check(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  FindingPrinter printer(options, out);
  Checker checker([&printer](const Finding& finding) { printer.print(finding); });
  while (const Entry* entry = source.next()) checker.add(*entry, source.reader());
  checker.finish(source.reader());
  return printer.finish();
}

ExitCode print_rules(StandardOutput& out) {
  for (const Rule& rule : rules()) {
    append(out.text(), "{:<4}{}\n    {}", rule.id, rule.says, rule.because);
    out.line_done();
  }
  out.flush();
  return ExitCode::Done;
}

ExitCode dump_check(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  const ExitCode found = check(options, source, out);
  const ExitCode readable = report_end(source, "fxt-dump", options.file);
  return readable == ExitCode::Done ? found : readable;
}

}  // namespace

DumpOptions parse_options(int argc, const char* const* argv, bool colored) {
  DumpOptions options;
  std::vector<DumpMode> modes;
  Color color = Color::Auto;
  TextOptions texts;
  const OptionTable table = table_of(options, modes, color, texts);
  const CommandLine line = parse(argc, argv, table);
  options.text = texts.text_of(program_text(), table, line);
  if (options.text) return options;

  for (const CommandLine::Given& given : line.options) given.option->handle(given.value);
  if (modes.size() > 1) throw UsageError("--stats, --tree, --check and --rules are asked for one at a time");
  if (!modes.empty()) options.mode = modes.front();
  if (options.mode != DumpMode::Stats && line.has("sort")) throw UsageError("--sort goes with --stats");
  if (options.mode != DumpMode::Check && options.all_findings) throw UsageError("--all goes with --check");
  if (options.offsets && options.mode != DumpMode::Lines)
    throw UsageError("--offsets goes with lines of records");
  if (options.mode == DumpMode::Rules) return options;
  if (options.mode == DumpMode::Tree && options.json) throw UsageError("--tree has no form in JSON");
  if (line.paths.empty()) throw UsageError("no FILE given");
  if (line.paths.size() > 1) throw UsageError("takes one FILE");
  options.file = line.paths.front();
  options.color = color == Color::Always || (color == Color::Auto && colored);
  check_kinds(options.selection.kinds);
  if (options.mode == DumpMode::Check && !options.selection.empty())
    throw UsageError("--check is about the whole file: it goes with no selection");
  return options;
}

ExitCode run(DumpOptions options) {
  if (options.text) {
    print(*options.text);
    return ExitCode::Done;
  }
  StandardOutput out;
  if (options.mode == DumpMode::Rules) return print_rules(out);
  const auto input = open_input(options.file);
  Reader reader(*input);
  EntrySource source(reader, options.selection.threads);
  if (options.mode == DumpMode::Check) return dump_check(options, source, out);
  if (options.mode == DumpMode::Stats) return dump_statistics(options, source, out);
  if (options.mode == DumpMode::Tree) return dump_tree(options, source, out);
  return dump_records(options, source, out);
}

}  // namespace fxt::tools
