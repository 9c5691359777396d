#include "converters/uftrace/filters/filter_item.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>

#include "converters/model/option.h"
#include "converters/model/reading/text.h"
#include "fxt/time_range.h"

namespace convert::uftrace {
namespace {

constexpr std::uint32_t kMaxActionDepth = 1024;
constexpr std::string_view kActionList =
    "filter, notrace, hide, caller, depth=N, time=TIME, size=N, trace, trace_on, trace_off, clear, "
    "if:argN==VALUE";

struct Action {
  std::string_view name;
  Setting setting;
  std::string_view before_value = {};  // empty if the action has no value
};
// The actions of an item, which are also names that `clear=` accepts. Longer names must come before their
// prefixes: "trace_on" before "trace".
constexpr std::array<Action, 11> kActions{{{"trace_on", Setting::TraceOn},
                                           {"trace_off", Setting::TraceOff},
                                           {"trace", Setting::Trace},
                                           {"notrace", Setting::Filter},
                                           {"filter", Setting::Filter},
                                           {"hide", Setting::Hide},
                                           {"caller", Setting::Caller},
                                           {"depth", Setting::Depth, "="},
                                           {"time", Setting::Time, "="},
                                           {"size", Setting::Size, "="},
                                           {"if", Setting::Condition, ":"}}};

// Actions of uftrace without an effect here: they are about the recorder, the terminal or the recorded
// values.
constexpr std::array<std::string_view, 11> kWithoutEffect{"arg",    "fparg",     "retval",   "auto-args",
                                                          "color=", "backtrace", "callsite", "finish",
                                                          "read=",  "recover",   "script"};
// Another word that `clear=` accepts.
constexpr std::string_view kLocation = "loc";

bool begins_with(std::string_view word, std::string_view prefix) { return consume_prefix(word, prefix); }

// Parses the words after the `@` of an item.
class WordParser {
 public:
  explicit WordParser(FilterItem& item) : item_(item) {}

  void add(std::string_view word) {
    if (add_action(word))
      has_action_ = true;
    else
      set_module(word);
  }
  bool has_action() const { return has_action_; }

 private:
  using Option = FilterItem::Option;

  [[noreturn]] void refuse(std::string_view form, std::string_view word) const {
    throw UsageError(fmt::format("{}: in '{}': {}, not '{}'", name_of(item_.option), item_.text, form, word));
  }
  bool is_filter() const { return item_.option == Option::Filter || item_.option == Option::Notrace; }

  // -T accepts all settings, -F and -N accept some, and -C, -H and -L accept none.
  void give(Setting setting) {
    constexpr std::array kOfFilters{Setting::Depth,  Setting::Time, Setting::Size,
                                    Setting::Caller, Setting::Hide, Setting::Condition};
    if (item_.option == Option::Trigger || (is_filter() && std::ranges::count(kOfFilters, setting) != 0))
      item_.actions.given.add(setting);
  }

  bool add_action(std::string_view word) {
    // A word with a dot is the name of a file, even if it begins like an action.
    const bool is_file =
        word.find('.') != std::string_view::npos && word.find_first_of("=:") == std::string_view::npos;
    if (is_file) return false;
    std::string_view rest = word;
    if (consume_prefix(rest, "clear")) {
      if (is_filter() || item_.option == Option::Trigger) clear_all(rest, word);
      return true;
    }
    if (consume_prefix(rest, "trace")) {
      give(trace_setting(rest, word));
      return true;
    }
    for (const Action& action : kActions) {
      rest = word;
      if (!consume_prefix(rest, action.name) || !consume_prefix(rest, action.before_value)) continue;
      set_value(action, rest, word);
      give(action.setting);
      return true;
    }
    return std::ranges::any_of(kWithoutEffect,
                               [&](std::string_view known) { return begins_with(word, known); });
  }

  void set_value(const Action& action, std::string_view value, std::string_view word) {
    Actions& actions = item_.actions;
    if (action.setting == Setting::Hide && item_.option == Option::Location) {
      actions.is_in = false;
    } else if (action.setting == Setting::Filter && item_.option == Option::Trigger) {
      actions.is_in = action.name == "filter";
    } else if (action.setting == Setting::Depth) {
      const auto depth = c_number(value);
      if (!depth || *depth > kMaxActionDepth)
        refuse(fmt::format("depth= takes a number from 0 to {}", kMaxActionDepth), word);
      actions.depth = static_cast<std::uint32_t>(*depth);
    } else if (action.setting == Setting::Time) {
      const auto time_ns = fxt::parse_time_ns(value);
      if (!time_ns) refuse(fmt::format("time= takes {}", fxt::kTimeForm), word);
      actions.time_ns = *time_ns;
    } else if (action.setting == Setting::Size) {
      const auto size = c_size(value);
      if (!size) refuse(fmt::format("size= takes {}", kCSizeForm), word);
      actions.size = *size;
    } else if (action.setting == Setting::Condition) {
      try {
        actions.condition = parse_condition(value);
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: in '{}': {}", name_of(item_.option), item_.text, error.what()));
      }
    }
  }

  // Parses a word that begins with "trace": trace, trace_on, trace-off, traceon … `text` is the part after
  // "trace".
  Setting trace_setting(std::string_view text, std::string_view word) const {
    if (text.empty()) return Setting::Trace;
    if (text.front() == '_' || text.front() == '-') text.remove_prefix(1);
    if (consume_prefix(text, "on") && text.empty()) return Setting::TraceOn;
    if (consume_prefix(text, "off") && text.empty()) return Setting::TraceOff;
    refuse("the actions that begin with `trace` are trace, trace_on and trace_off", word);
  }

  void clear_all(std::string_view text, std::string_view word) {
    if (text.empty()) {
      item_.clears = Settings::all();
      return;
    }
    if (!consume_prefix(text, "=")) refuse("use clear or clear=NAME[+NAME...]", word);
    split(text, '+', [&](std::string_view name) { clear(name, word); });
  }

  void clear(std::string_view name, std::string_view word) {
    const auto* const known =
        std::ranges::find_if(kActions, [name](const Action& a) { return begins_with(name, a.name); });
    if (known != kActions.end()) return item_.clears.add(known->setting);
    const bool has_no_effect = std::ranges::any_of(kWithoutEffect, [name](std::string_view action) {
      return begins_with(name, action.substr(0, action.find('=')));
    });
    if (!has_no_effect && !begins_with(name, kLocation)) refuse("clear= takes names of actions", word);
  }

  void set_module(std::string_view word) {
    if (!item_.module.empty())
      refuse(fmt::format("'{}' is already the module, so the other words must be actions", item_.module),
             word);
    item_.module = word;
  }

  FilterItem& item_;
  bool has_action_ = false;
};

// Returns the number of characters before the next `;` that is not in brackets. In a Rust array such as
// "[u8;4]", the `;` is in brackets.
std::size_t item_size(std::string_view list) {
  std::size_t open = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') ++open;
    if (list[i] == ']' && open > 0) --open;
    if (list[i] == ';' && (open == 0 || list.find(']', i) == list.npos)) return i;
  }
  return list.size();
}

}  // namespace

std::optional<std::uint64_t> c_size(std::string_view text) {
  if (const auto number = c_number(text)) return number;
  const bool has_unit = !text.empty() && !is_digit(text.back());
  return has_unit ? fxt::parse_size(text) : std::nullopt;
}

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
    case FilterItem::Option::Location:
      return "--loc-filter";
  }
  return {};
}

std::vector<FilterItem> parse_filter_items(FilterItem::Option option, std::string_view list) {
  using Option = FilterItem::Option;
  std::vector<FilterItem> items;
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view text = rest.substr(0, item_size(rest));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    if (text.empty()) continue;
    const std::size_t at = std::min(text.find('@'), text.size());
    FilterItem item{.option = option, .text = std::string(text), .pattern = std::string(text.substr(0, at))};
    if ((option == Option::Filter || option == Option::Location) && item.pattern.starts_with('!')) {
      if (option == Option::Filter) item.option = Option::Notrace;
      item.actions.is_in = false;
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
    split(text.substr(std::min(at + 1, text.size())), ',', [&](std::string_view word) { words.add(word); });
    if (option == Option::Trigger && !words.has_action())
      throw UsageError(fmt::format("--trigger: '{}' has no known action; actions are {}", text, kActionList));
    // An item of -F or -N that clears filters is not itself a filter.
    if (item.option != Option::Trigger && item.clears.has(Setting::Filter))
      item.actions.given.remove(Setting::Filter);
    items.push_back(std::move(item));
  }
  if (items.empty())
    throw UsageError(fmt::format("{} takes names of {}, not '{}'", name_of(option),
                                 option == Option::Location ? "source files" : "functions", list));
  return items;
}

}  // namespace convert::uftrace
