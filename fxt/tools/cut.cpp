// Options, and the loop over the records.
#include "fxt/tools/cut.h"

#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <stdexcept>

#include <boost/program_options.hpp>

#include "fxt/quantity_text.h"
#include "fxt/tools/input_file.h"
#include "fxt/tools/piece_files.h"

namespace fxt::tools {
namespace {

namespace po = boost::program_options;

po::options_description visible_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "print this help");
  add("version,V", "print the version");
  add("quiet,q", "no report");
  add("time-range,r", po::value<std::string>(),
      "A~B: seconds as the trace counts, or since its start with ns, us, ms, s; either side may be empty");
  add("thread,t", po::value<std::vector<std::uint64_t>>(), "only this thread (koid); repeatable");
  add("name,n", po::value<std::vector<std::string>>(), "only events whose name matches this shell pattern");
  add("category,c", po::value<std::vector<std::string>>(), "the same for categories");
  add("force,f", "let OUT take the place of a file that is no trace");
  add("split-time", po::value<std::string>(), "pieces of this length: OUT.000.fxt, OUT.001.fxt, ...");
  add("split-size", po::value<std::string>(), "pieces of about this size, such as 100M, before compression");
  return options;
}

template <typename T>
T value_or_empty(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<T>() : T{};
}

std::uint64_t more_than_0(const char* option, const std::string& text, std::optional<std::uint64_t> value,
                          std::string_view form) {
  if (value.value_or(0) == 0)
    throw std::invalid_argument(fmt::format("{} takes {}, not '{}'", option, form, text));
  return *value;
}

void report(const CutCounters& counters, const PieceFiles& files) {
  fmt::print(stderr, "{} events in {} {}\n", counters.events, counters.pieces,
             counters.pieces == 1 ? "file" : "files");
  for (const std::string& name : files.complete()) fmt::print(stderr, "  {}\n", name);
  const auto say = [](std::uint64_t count, const char* what) {
    if (count != 0) fmt::print(stderr, "{} {}\n", count, what);
  };
  say(counters.cut_calls, "durations cut where a piece ends");
  say(counters.outside, "records outside of the range");
  say(counters.cut_flows, "flows that end in a later piece than they begin");
  say(counters.unwritable, "records left out: of no known type, or refer to what is not there");
  const auto older = files.left_over();
  say(older.size(), "files that are called like pieces of this trace, but are of an earlier one");
  for (const std::string& name : older) fmt::print(stderr, "  {}\n", name);
}

}  // namespace

CutterOptions parse_cut_options(int argc, const char* const* argv) {
  po::options_description all = visible_options();
  all.add_options()("input", po::value<std::string>())("output", po::value<std::string>());
  po::positional_options_description positions;
  positions.add("input", 1).add("output", 1);
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positions).run(), values);
  po::notify(values);

  CutterOptions options;
  options.help = values.count("help") != 0;
  options.version = values.count("version") != 0;
  if (options.help || options.version) return options;
  options.quiet = values.count("quiet") != 0;
  options.input = value_or_empty<std::string>(values, "input");
  options.output = value_or_empty<std::string>(values, "output");
  if (options.output.empty()) throw std::invalid_argument("IN and OUT are missing; see fxt-cut --help");
  options.force = values.count("force") != 0;
  if (values.count("time-range") != 0)
    options.cut.range = parse_time_range(values["time-range"].as<std::string>());
  if (values.count("split-time") != 0) {
    const auto text = values["split-time"].as<std::string>();
    options.cut.split_ns = more_than_0("--split-time", text, parse_time_ns(text), kTimeForm);
  }
  if (values.count("split-size") != 0) {
    const auto text = values["split-size"].as<std::string>();
    options.cut.split_bytes = more_than_0("--split-size", text, parse_size(text), kSizeForm);
  }
  if (options.cut.is_split() && options.output == "-")
    throw std::invalid_argument("pieces need names: OUT can't be - with --split-time and --split-size");
  options.threads = value_or_empty<std::vector<std::uint64_t>>(values, "thread");
  options.events.names = value_or_empty<std::vector<std::string>>(values, "name");
  options.events.categories = value_or_empty<std::vector<std::string>>(values, "category");
  return options;
}

int run(const CutterOptions& options) {
  if (options.help) {
    std::ostringstream text;
    text
        << "Usage: fxt-cut [OPTIONS] IN OUT\nWrites a part of a trace in the Fuchsia trace format, or pieces "
           "of it. IN may be gzip or zstd,\nor - for standard input. OUT is compressed if it ends in .gz "
           "or .zst; - is standard\noutput. Durations that are cut say so: `cut` = `begin`, `end` or "
           "`both`.\n\n"
        << visible_options();
    std::fputs(text.str().c_str(), stdout);
    return 0;
  }
  if (options.version) {
    std::puts("fxt-cut " FXT_VERSION);
    return 0;
  }
  const auto input = open_input(options.input);
  Reader reader(*input);
  EntrySource source(reader);
  PieceFiles files({.target = options.output,
                    .is_split = options.cut.is_split(),
                    .replaces_anything = options.force,
                    .inputs = {options.input}});
  CutOptions cut = options.cut;
  cut.threads = options.threads;
  if (const Selection& events = options.events; !events.names.empty() || !events.categories.empty())
    cut.keeps = [&events](const Event& event) { return events.contains(event); };
  Cutter cutter(cut, files);
  try {
    bool is_trace = false;
    while (const Entry* entry = source.next()) {
      cutter.add(*entry, reader);
      is_trace = true;
    }
    // What is no trace at all leaves no file.
    if (!is_trace) return tell_end(source, "fxt-cut", options.input);
    cutter.finish();
  } catch (const std::exception&) {
    if (const auto names = files.complete(); !names.empty())
      fmt::print(stderr, "fxt-cut: these pieces are complete: {}\n", fmt::join(names, ", "));
    throw;
  }
  if (!options.quiet) report(cutter.counters(), files);
  return tell_end(source, "fxt-cut", options.input);
}

}  // namespace fxt::tools
