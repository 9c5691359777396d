#include "converters/app/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include <boost/program_options.hpp>

namespace convert {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kHelp = R"(Usage: fxt-convert [OPTIONS] INPUT... OUTPUT
       fxt-convert --inspect [--report json] INPUT...

Converts uftrace recordings (directories) and GDB trace files into one FXT
trace, which Perfetto, Tracy, magic-trace and Fuchsia's tools open. The kind
of an input is found by its content. OUTPUT `-` is standard output; a name
ending in .gz or .zst is compressed.

What is converted:
  --tid TID[,TID...]        only these threads
  --demangle simple|full|no how C++ and Rust names are shown (default: simple,
                            without parameters and template arguments)
  --max-depth N             leave out calls nested N deep and deeper (default:
                            512, what Perfetto can draw)
  --blobs none|memory|all   which files and memory are kept as blobs (default:
                            memory: all that has no other form)
  --registers none|general|all
                            which registers of a GDB frame are shown (default:
                            general)
  --program ELF             the program that a GDB trace file is of: gives
                            functions and source lines
  --load-bias ADDRESS       where that program was loaded (default: found out)
  --symbols FILE            a kernel's kallsyms or System.map, for traces of a
                            kernel
  --offset [INPUT=]TIME     added to all times of that INPUT, a path as given or
                            its number, counted from 1; without one, of all GDB
                            trace files. TIME may be negative and end in ns
                            (default), us, ms or s. May be repeated
  --durations mixed|pairs   how calls are written (default: mixed: one record
                            a call wherever that is exact; pairs: a begin and
                            an end record for each)

What is said:
  --inspect                 what the inputs hold, instead of converting: where
                            and how they were recorded, threads, records or
                            frames, tracepoints, symbols, times, damage
  --report text|json|none   what was read, written, repaired and lost (default:
                            text, on standard output, or on standard error when
                            OUTPUT is `-`)
  --progress auto|always|never
                            progress on standard error (default: auto: on a
                            terminal, when it takes long)
  -q, --quiet               no report and no progress; errors are still said
  --strict                  exit with 3 when there is anything to note

  -h, --help                this text
  -V, --version             the version

Exit status: 0 done (there may be notes), 1 an input was not understood or the
output not written, 2 wrong usage, 3 done, but --strict and there were notes.
)";

std::vector<std::uint64_t> parse_tids(const std::vector<std::string>& lists) {
  std::vector<std::uint64_t> tids;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    while (true) {
      const std::string_view item = rest.substr(0, rest.find(','));
      std::uint64_t tid = 0;
      const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), tid);
      if (error != std::errc{} || end != item.data() + item.size())
        throw UsageError(fmt::format("--tid takes thread ids, not '{}'", item));
      tids.push_back(tid);
      if (item.size() == rest.size()) break;
      rest.remove_prefix(item.size() + 1);
    }
  }
  return tids;
}

std::size_t parse_count(std::string_view option, std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("--{} takes a number, not '{}'", option, text));
  return count;
}

// Decimal, or hexadecimal with 0x.
std::uint64_t parse_address(std::string_view option, std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  std::uint64_t address = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address, is_hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size())
    throw UsageError(fmt::format("--{} takes an address, not '{}'", option, text));
  return address;
}

// "-20", "3ms": a number of ns, us, ms or s, in ns.
std::int64_t parse_time(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t ns;
  };
  static constexpr std::array kUnits{Unit{"", 1}, Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                                     Unit{"s", 1'000'000'000}};
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view unit = digits.substr(static_cast<std::size_t>(end - digits.data()));
  const auto* const known = std::ranges::find(kUnits, unit, &Unit::name);
  const bool is_number = error != std::errc::invalid_argument && !text.starts_with("+-");
  if (!is_number || known == kUnits.end())
    throw UsageError(fmt::format("--offset takes a time such as 250, -20us, 3ms or 2s, not '{}'", text));
  std::int64_t time_ns = 0;
  if (error != std::errc{} || __builtin_mul_overflow(number, known->ns, &time_ns))
    throw UsageError(fmt::format("--offset takes times of up to 292 years, not '{}'", text));
  return time_ns;
}

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// "TIME" or "INPUT=TIME", where INPUT is a path as given or the number of an input, counted from 1. A path
// that looks like a number is a path.
void add_offset(const std::string& text, Options& options) {
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
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(input.data(), input.data() + input.size(), number);
  if (input.empty() || error != std::errc{} || end != input.data() + input.size())
    throw UsageError(fmt::format("--offset: '{}' is none of the INPUTs", input));
  if (number == 0 || number > options.inputs.size())
    throw UsageError(fmt::format("--offset: there is no INPUT number {}", number));
  options.offsets_ns[number - 1] = time_ns;
}

// One of a few words; throws UsageError with all of them.
template <typename Enum>
Enum parse_word(const po::variables_map& values, const char* option,
                std::initializer_list<std::pair<std::string_view, Enum>> words, Enum otherwise) {
  if (values.count(option) == 0) return otherwise;
  const auto& text = values[option].as<std::string>();
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  }
  throw UsageError(fmt::format("--{} takes one of {}, not '{}'", option, known, text));
}

po::variables_map parse(int argc, const char* const* argv) {
  po::options_description options;
  options.add_options()                                                            //
      ("tid", po::value<std::vector<std::string>>()->composing())                  //
      ("demangle", po::value<std::string>())                                       //
      ("max-depth", po::value<std::string>())                                      //
      ("blobs", po::value<std::string>())                                          //
      ("registers", po::value<std::string>())                                      //
      ("program", po::value<std::string>())                                        //
      ("load-bias", po::value<std::string>())                                      //
      ("symbols", po::value<std::string>())                                        //
      ("offset", po::value<std::vector<std::string>>()->composing())               //
      ("durations", po::value<std::string>())                                      //
      ("report", po::value<std::string>())                                         //
      ("progress", po::value<std::string>())                                       //
      ("quiet,q", "")("strict", "")("inspect", "")("help,h", "")("version,V", "")  //
      ("path", po::value<std::vector<std::string>>());
  po::positional_options_description paths;
  paths.add("path", -1);
  po::variables_map values;
  using Style = po::command_line_style::style_t;
  constexpr int kStyle = Style::unix_style & ~Style::allow_guessing;
  try {
    po::store(po::command_line_parser(argc, argv).options(options).positional(paths).style(kStyle).run(),
              values);
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return values;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  const po::variables_map values = parse(argc, argv);
  if (values.count("help") != 0) {
    fmt::print("{}", kHelp);
    return std::nullopt;
  }
  if (values.count("version") != 0) {
    fmt::print("fxt-convert {}\n", FXT_CONVERT_VERSION);
    return std::nullopt;
  }

  Options options;
  if (values.count("path") != 0) options.inputs = values["path"].as<std::vector<std::string>>();
  options.inspect = values.count("inspect") != 0;
  if (options.inspect && options.inputs.empty()) throw UsageError("--inspect needs at least one INPUT");
  if (!options.inspect && options.inputs.size() < 2)
    throw UsageError("needs at least one INPUT, and an OUTPUT");
  if (!options.inspect) {
    options.output = std::move(options.inputs.back());
    options.inputs.pop_back();
    if (options.output.empty()) throw UsageError("the name of the OUTPUT is empty");
  }

  if (values.count("tid") != 0)
    options.import.tids = parse_tids(values["tid"].as<std::vector<std::string>>());
  options.import.demangle = parse_word(
      values, "demangle", {{"simple", Demangle::Simple}, {"full", Demangle::Full}, {"no", Demangle::No}},
      Demangle::Simple);
  options.import.blobs =
      parse_word(values, "blobs", {{"none", Blobs::None}, {"memory", Blobs::Memory}, {"all", Blobs::All}},
                 Blobs::Memory);
  options.import.registers =
      parse_word(values, "registers",
                 {{"none", Registers::None}, {"general", Registers::General}, {"all", Registers::All}},
                 Registers::General);
  if (values.count("program") != 0) options.import.program = values["program"].as<std::string>();
  if (values.count("symbols") != 0) options.import.symbols = values["symbols"].as<std::string>();
  if (values.count("load-bias") != 0)
    options.import.load_bias = parse_address("load-bias", values["load-bias"].as<std::string>());
  options.offsets_ns.resize(options.inputs.size());
  if (values.count("offset") != 0)
    for (const std::string& text : values["offset"].as<std::vector<std::string>>()) add_offset(text, options);
  options.lanes.durations =
      parse_word(values, "durations", {{"mixed", DurationForm::Mixed}, {"pairs", DurationForm::Pairs}},
                 DurationForm::Mixed);
  if (values.count("max-depth") != 0)
    options.lanes.max_depth = parse_count("max-depth", values["max-depth"].as<std::string>());
  options.report = parse_word(
      values, "report", {{"text", ReportForm::Text}, {"json", ReportForm::Json}, {"none", ReportForm::None}},
      ReportForm::Text);
  options.progress = parse_word(
      values, "progress",
      {{"auto", ProgressMode::Auto}, {"always", ProgressMode::Always}, {"never", ProgressMode::Never}},
      ProgressMode::Auto);
  options.quiet = values.count("quiet") != 0;
  options.strict = values.count("strict") != 0;
  return options;
}

}  // namespace convert
