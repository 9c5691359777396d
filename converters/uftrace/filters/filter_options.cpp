#include "converters/uftrace/filters/filter_options.h"

#include <iterator>

#include "converters/model/reading/text.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kMaxOptionDepth = 65534;

// A number of call levels. In options, the number is written as in C.
struct Depth {
  std::uint32_t levels;
};

void validate(boost::any& value, const fxt::Tokens& tokens, Depth* /*type*/, int) {
  const auto number = c_number(tokens.front());
  if (!number || *number == 0 || *number > kMaxOptionDepth)
    throw fxt::InvalidValue(fmt::format("a number from 1 to {}", kMaxOptionDepth), tokens.front());
  value = Depth{static_cast<std::uint32_t>(*number)};
}

struct CodeSize {
  std::uint64_t bytes;
};

void validate(boost::any& value, const fxt::Tokens& tokens, CodeSize* /*type*/, int) {
  const auto size = c_size(tokens.front());
  if (size.value_or(0) == 0) throw fxt::InvalidValue(kCSizeForm, tokens.front());
  value = CodeSize{*size};
}

Option item_option(FilterItem::Option option, char letter, std::string argument, std::string help,
                   FilterOptions& options) {
  return {.name = std::string(name_of(option).substr(2)),
          .letter = letter,
          .argument = std::move(argument),
          .help = std::move(help),
          .value = each<std::string>([&options, option](const std::string& list) {
            std::ranges::move(parse_filter_items(option, list), std::back_inserter(options.items));
          }),
          .may_repeat = true};
}

}  // namespace

bool FilterOptions::has(FilterItem::Option option) const {
  return std::ranges::any_of(items, [option](const FilterItem& item) { return item.option == option; });
}

std::vector<Option> options_of(FilterOptions& options) {
  using Of = FilterItem::Option;
  return {
      item_option(Of::Filter, 'F', "FUNC",
                  "show only these functions and the functions that they call. FUNC is "
                  "NAME[@MODULE][@ACTION,...], as in uftrace. Separate several FUNCs with `;`",
                  options),
      item_option(Of::Notrace, 'N', "FUNC", "omit these functions and the functions that they call", options),
      item_option(Of::Caller, 'C', "FUNC", "show only these functions and their callers", options),
      item_option(Of::Hide, 'H', "FUNC", "omit these functions, but not the functions that they call",
                  options),
      item_option(Of::Trigger, 'T', "FUNC@ACTION[,...]",
                  "apply actions when these functions are called: filter, notrace, hide, caller, depth=N, "
                  "time=TIME, size=N, trace, trace_on, trace_off, clear, if:argN==VALUE",
                  options),
      item_option(
          Of::Location, 'L', "FILE",
          "show only functions of these source files. The recording must have .dbg files, which name the "
          "source files. FILE is a pattern, a path, or a part of a path, such as src/pool.c or ool.c. "
          "!FILE or FILE@hide omits the functions of such files. Whether a function is shown does not "
          "depend on its callers. Context switches are omitted",
          options),
      only_with(
          {"filter", "notrace", "caller-filter", "hide", "trigger", "loc-filter"},
          choice("match", options.match,
                 {{"regex", PatternKind::Regex}, {"simple", PatternKind::Plain}, {"glob", PatternKind::Glob}},
                 "choose how to read NAME: with regex (default), as a regular expression if it has special "
                 "characters; with simple, as a plain name; with glob, as a shell pattern. A regular "
                 "expression can match any part of a name")),
      choice("trace", options.starts_tracing, {{"on", true}, {"off", false}},
             "choose whether calls are shown before the first trace_on or trace_off (default: on)"),
      {.name = "depth",
       .letter = 'D',
       .argument = "N",
       .help =
           "show only N levels of calls. Inside a function of -F, the levels are counted from this function",
       .value = each<Depth>([&options](Depth depth) { options.depth = depth.levels; })},
      {.name = "time-filter",
       .letter = 't',
       .argument = "TIME",
       .help = "show only calls that take at least this long (500, 1.5us, 20ms, 2s), and their callers",
       .value = each<fxt::Duration>([&options](fxt::Duration time) { options.time_ns = time.ns; })},
      {.name = "size-filter",
       .letter = 'Z',
       .argument = "SIZE",
       .help = "show only functions of at least this code size: 128, 0x80, 4k",
       .value = each<CodeSize>([&options](CodeSize size) { options.size = size.bytes; })},
      flag("no-libcall", 0, options.no_libcall,
           "omit calls from the program to library functions. Functions of the program that a library "
           "function calls are still shown"),
  };
}

}  // namespace convert::uftrace
