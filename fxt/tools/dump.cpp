// Options, and the loop over the records.
#include "fxt/tools/dump.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <boost/program_options.hpp>

#include "fxt/tools/check.h"
#include "fxt/tools/input_file.h"
#include "fxt/tools/json_format.h"
#include "fxt/tools/standard_output.h"
#include "fxt/tools/statistics.h"
#include "fxt/tools/text_format.h"

namespace fxt::tools {
namespace {

namespace po = boost::program_options;

po::options_description visible_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "print this help");
  add("version,V", "print the version");
  add("offsets,o", "begin each line with the record's byte offset");
  add("json,j", "one JSON object per record or finding, or one of all statistics");
  add("stats,s", "counts of records, events, threads and bytes");
  add("check,C", "tell which rules the file breaks, and which readers mind; exit code 1 if any");
  add("all", "with --check: every finding, not only the first 20 of each rule");
  add("rules", "print the rules that --check knows, with their reasons");
  add("color", po::value<std::string>()->default_value("auto"), "auto, always or never");
  add("thread,t", po::value<std::vector<std::uint64_t>>(), "only records of this thread (koid); repeatable");
  add("time-range,r", po::value<std::string>(),
      "only records in A~B: seconds as the trace counts, or since its start with ns, us, ms, s");
  add("type", po::value<std::vector<std::string>>(), "only records of this kind (as printed, or event)");
  add("name,n", po::value<std::vector<std::string>>(), "only records whose name matches this shell pattern");
  add("category,c", po::value<std::vector<std::string>>(), "the same for categories");
  return options;
}

template <typename T>
T value_or_empty(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<T>() : T{};
}

void append_colored(Text& out, const Entry& entry) {
  constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[31m", kPlain = "\x1b[0m";
  Text line;
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

int dump_records(DumpOptions& options, EntrySource& source, StandardOutput& out) {
  while (const Entry* entry = source.next()) {
    if (!options.selection.contains(*entry, source.reader())) continue;
    if (options.json) {
      append_json(out.text(), *entry);
    } else {
      if (options.offsets) fmt::format_to(std::back_inserter(out.text()), "{:#010x} ", entry->offset);
      if (options.color) {
        append_colored(out.text(), *entry);
      } else {
        append_line(out.text(), *entry);
      }
    }
    out.line_done();
  }
  out.flush();
  return tell_end(source, "fxt-dump", options.file);
}

int dump_statistics(DumpOptions& options, EntrySource& source, StandardOutput& out) {
  Statistics statistics;
  while (const Entry* entry = source.next())
    if (options.selection.contains(*entry, source.reader())) statistics.add(*entry, source.reader());
  if (options.json) {
    statistics.append_json_to(out.text(), source.reader());
    out.line_done();
  } else {
    statistics.append_to(out.text(), source.reader());
  }
  out.flush();
  return tell_end(source, "fxt-dump", options.file);
}

int dump_check(const DumpOptions& options, EntrySource& source, StandardOutput& out) {
  const int found = check(options, source, out);
  const int readable = tell_end(source, "fxt-dump", options.file);
  return readable == 0 ? found : readable;
}

}  // namespace

DumpOptions parse_options(int argc, const char* const* argv, bool terminal) {
  po::options_description all = visible_options();
  all.add_options()("file", po::value<std::string>());
  po::positional_options_description positions;
  positions.add("file", 1);
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positions).run(), values);
  po::notify(values);

  DumpOptions options;
  if (values.count("help") != 0) options.mode = DumpMode::Help;
  if (values.count("version") != 0) options.mode = DumpMode::Version;
  if (options.mode == DumpMode::Help || options.mode == DumpMode::Version) return options;
  if (values.count("rules") + values.count("stats") + values.count("check") > 1)
    throw std::invalid_argument("--check, --stats and --rules are asked for one at a time");
  if (values.count("rules") != 0) options.mode = DumpMode::Rules;
  options.json = values.count("json") != 0;
  if (values.count("stats") != 0) options.mode = DumpMode::Stats;
  if (values.count("check") != 0) options.mode = DumpMode::Check;
  if (options.mode == DumpMode::Rules) return options;
  if (values.count("file") == 0) throw std::invalid_argument("no FILE given (see --help)");
  options.file = values["file"].as<std::string>();
  options.offsets = values.count("offsets") != 0;
  options.all_findings = values.count("all") != 0;
  const auto color = values["color"].as<std::string>();
  if (color != "auto" && color != "always" && color != "never")
    throw std::invalid_argument("--color is auto, always or never, not '" + color + "'");
  options.color = color == "always" || (color == "auto" && terminal);
  options.selection.threads = value_or_empty<std::vector<std::uint64_t>>(values, "thread");
  options.selection.kinds = value_or_empty<std::vector<std::string>>(values, "type");
  options.selection.names = value_or_empty<std::vector<std::string>>(values, "name");
  options.selection.categories = value_or_empty<std::vector<std::string>>(values, "category");
  if (values.count("time-range") != 0)
    options.selection.window.emplace(parse_time_range(values["time-range"].as<std::string>()));
  check_kinds(options.selection.kinds);
  if (options.mode == DumpMode::Check && !options.selection.empty())
    throw std::invalid_argument("--check is about the whole file: it goes with no selection");
  return options;
}

int run(DumpOptions options) {
  if (options.mode == DumpMode::Help) {
    std::ostringstream text;
    text << "Usage: fxt-dump [OPTIONS] FILE\nPrints a trace in the Fuchsia trace format; FILE may be gzip or "
            "zstd, or - for "
            "standard input.\n\n"
         << visible_options();
    std::fputs(text.str().c_str(), stdout);
    return 0;
  }
  if (options.mode == DumpMode::Version) {
    std::puts("fxt-dump " FXT_VERSION);
    return 0;
  }
  StandardOutput out;
  if (options.mode == DumpMode::Rules) return print_rules(out);
  const auto input = open_input(options.file);
  Reader reader(*input);
  EntrySource source(reader);
  if (options.mode == DumpMode::Check) return dump_check(options, source, out);
  return options.mode == DumpMode::Stats ? dump_statistics(options, source, out)
                                         : dump_records(options, source, out);
}

}  // namespace fxt::tools
