#include "converters/uftrace/filters/filter_item.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "converters/model/option.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/filters/c_size.h"
#include "fxt/quantity_text.h"

namespace convert::uftrace {
namespace {

constexpr std::uint32_t kMaxDepth = 1024;
constexpr std::string_view kActions =
    "filter, notrace, hide, caller, depth=N, time=TIME, size=N, trace, trace_on, trace_off, clear, if:";

// Accepted: they say how a recorder or a terminal does something, or which values were recorded.
constexpr std::array<std::string_view, 11> kWithoutEffect{"arg",    "fparg",     "retval",   "auto-args",
                                                          "color=", "backtrace", "callsite", "finish",
                                                          "read=",  "recover",   "script"};
// What can be cleared besides: this program has no option that gives it.
constexpr std::string_view kLocation = "loc";

struct Plain {
  std::string_view word;
  Setting setting;
};
constexpr std::array<Plain, 4> kPlain{{{"notrace", Setting::Filter},
                                       {"filter", Setting::Filter},
                                       {"hide", Setting::Hide},
                                       {"caller", Setting::Caller}}};

class WordParser {
 public:
  WordParser(FilterItem& item) : item_(item) {}

  void take(std::string_view word) {
    if (take_action(word))
      has_action_ = true;
    else
      take_module(word);
  }
  bool has_action() const { return has_action_; }

 private:
  using Option = FilterItem::Option;

  [[noreturn]] void refuse(std::string_view form, std::string_view word) const {
    throw UsageError(fmt::format("{}: in '{}', {}, not '{}'", name_of(item_.option), item_.text, form, word));
  }

  // What -F and -N take besides themselves; -C and -H take nothing, -T everything.
  void give(Setting setting) {
    constexpr std::array kOfFilters{Setting::Depth,  Setting::Time, Setting::Size,
                                    Setting::Caller, Setting::Hide, Setting::Condition};
    const bool is_filter = item_.option == Option::Filter || item_.option == Option::Notrace;
    if (item_.option == Option::Trigger || (is_filter && std::ranges::count(kOfFilters, setting) != 0))
      item_.actions.given.add(setting);
  }

  // False if it is none.
  bool take_action(std::string_view word) {
    // A word with a dot is the name of a file, whatever it begins with.
    const bool is_file =
        word.find('.') != std::string_view::npos && word.find_first_of("=:") == std::string_view::npos;
    if (is_file) return false;
    std::string_view rest = word;
    if (take_prefix(rest, "depth=")) return take_depth(rest, word);
    if (take_prefix(rest, "time=")) return take_time(rest, word);
    if (take_prefix(rest, "size=")) return take_size(rest, word);
    if (take_prefix(rest, "if:")) return take_condition(rest);
    if (take_prefix(rest, "clear")) return take_clear(rest, word);
    if (take_prefix(rest, "trace")) return take_trace(rest, word);
    for (const Plain& plain : kPlain) {
      if (!take_prefix(rest, plain.word)) continue;
      if (plain.setting == Setting::Filter && item_.option == Option::Trigger)
        item_.actions.is_in = plain.word == "filter";
      give(plain.setting);
      return true;
    }
    return std::ranges::any_of(kWithoutEffect,
                               [&](std::string_view known) { return take_prefix(rest, known); });
  }

  bool take_depth(std::string_view text, std::string_view word) {
    const auto depth = c_number(text);
    if (!depth || *depth > kMaxDepth)
      refuse(fmt::format("depth= takes a number from 0 to {}", kMaxDepth), word);
    item_.actions.depth = static_cast<std::uint32_t>(*depth);
    give(Setting::Depth);
    return true;
  }

  bool take_time(std::string_view text, std::string_view word) {
    const auto time_ns = fxt::parse_time_ns(text);
    if (!time_ns) refuse(fmt::format("time= takes {}", fxt::kTimeForm), word);
    item_.actions.time_ns = *time_ns;
    give(Setting::Time);
    return true;
  }

  bool take_size(std::string_view text, std::string_view word) {
    const auto size = c_size(text);
    if (!size) refuse(fmt::format("size= takes {}", kCSizeForm), word);
    item_.actions.size = *size;
    give(Setting::Size);
    return true;
  }

  bool take_condition(std::string_view text) {
    try {
      item_.actions.condition = parse_condition(text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: in '{}', {}", name_of(item_.option), item_.text, error.what()));
    }
    give(Setting::Condition);
    return true;
  }

  // trace, trace_on, trace-off, traceon …
  bool take_trace(std::string_view text, std::string_view word) {
    if (text.empty()) {
      give(Setting::Trace);
      return true;
    }
    if (text.front() == '_' || text.front() == '-') text.remove_prefix(1);
    if (take_prefix(text, "on") && text.empty()) {
      give(Setting::TraceOn);
    } else if (take_prefix(text, "off") && text.empty()) {
      give(Setting::TraceOff);
    } else {
      refuse("what begins with trace is trace, trace_on or trace_off", word);
    }
    return true;
  }

  bool take_clear(std::string_view text, std::string_view word) {
    if (item_.option != Option::Filter && item_.option != Option::Notrace && item_.option != Option::Trigger)
      return true;
    if (text.empty()) {
      item_.clears = Settings::all();
      return true;
    }
    if (!take_prefix(text, "=")) refuse("clear takes nothing or =NAME[+NAME...]", word);
    split(text, '+', [&](std::string_view name) { clear(name, word); });
    return true;
  }

  void clear(std::string_view name, std::string_view word) {
    struct Known {
      std::string_view name;
      Setting setting;
    };
    static constexpr std::array<Known, 11> kKnown{{{"trace_on", Setting::TraceOn},
                                                   {"trace_off", Setting::TraceOff},
                                                   {"trace", Setting::Trace},
                                                   {"notrace", Setting::Filter},
                                                   {"filter", Setting::Filter},
                                                   {"hide", Setting::Hide},
                                                   {"caller", Setting::Caller},
                                                   {"depth", Setting::Depth},
                                                   {"time", Setting::Time},
                                                   {"size", Setting::Size},
                                                   {"if", Setting::Condition}}};
    std::string_view rest = name;
    for (const Known& known : kKnown) {
      if (!take_prefix(rest, known.name)) continue;
      item_.clears.add(known.setting);
      return;
    }
    const bool has_no_effect = std::ranges::any_of(kWithoutEffect, [&](std::string_view known) {
      std::string_view text = name;
      return take_prefix(text, known.substr(0, known.find('=')));
    });
    if (!has_no_effect && !take_prefix(rest, kLocation)) refuse("clear= takes names of actions", word);
  }

  void take_module(std::string_view word) {
    if (!item_.module.empty())
      refuse(fmt::format("there is one module ('{}') and what else is no action", item_.module), word);
    item_.module = word;
  }

  FilterItem& item_;
  bool has_action_ = false;
};

}  // namespace

std::string_view name_of(FilterItem::Option option) {
  switch (option) {
    case FilterItem::Option::Filter:
      return "--filter";
    case FilterItem::Option::Notrace:
      return "--notrace";
    case FilterItem::Option::Trigger:
      return "--trigger";
    case FilterItem::Option::Caller:
      return "--caller-filter";
    case FilterItem::Option::Hide:
      return "--hide";
  }
  return {};
}

std::vector<FilterItem> parse_filter_items(FilterItem::Option option, std::string_view list) {
  using Option = FilterItem::Option;
  std::vector<FilterItem> items;
  split(list, ';', [&](std::string_view text) {
    const std::size_t at = std::min(text.find('@'), text.size());
    FilterItem item{.option = option, .text = std::string(text), .pattern = std::string(text.substr(0, at))};
    if (option == Option::Filter && item.pattern.starts_with('!')) {
      item.option = Option::Notrace;
      item.pattern.erase(0, 1);
    }
    if (item.option == Option::Filter || item.option == Option::Notrace) {
      item.actions.given.add(Setting::Filter);
      item.actions.is_in = item.option == Option::Filter;
    } else if (item.option == Option::Caller) {
      item.actions.given.add(Setting::Caller);
    } else if (item.option == Option::Hide) {
      item.actions.given.add(Setting::Hide);
    }
    WordParser words(item);
    split(text.substr(std::min(at + 1, text.size())), ',', [&](std::string_view word) { words.take(word); });
    if (option == Option::Trigger && !words.has_action())
      throw UsageError(
          fmt::format("--trigger: '{}' says nothing of the function; actions are {}", text, kActions));
    // To clear is all that such an item does of itself.
    if (item.option != Option::Trigger && item.clears.has(Setting::Filter))
      item.actions.given.remove(Setting::Filter);
    items.push_back(std::move(item));
  });
  if (items.empty())
    throw UsageError(fmt::format("{} takes names of functions, not '{}'", name_of(option), list));
  return items;
}

}  // namespace convert::uftrace
