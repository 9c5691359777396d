#include "converters/uftrace/filters/filter_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converters/model/option.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/similar_names.h"
#include "fxt/utf8.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kPlt = "PLT";

// The order in which uftrace applies options: first all -F and -N, then triggers, and so on.
int order_of(FilterItem::Option option) {
  return option == FilterItem::Option::Notrace ? static_cast<int>(FilterItem::Option::Filter)
                                               : static_cast<int>(option);
}

// True for names that are not valid as regular expressions: operators, closures, and functions with pointers
// to functions as parameters.
bool is_like_a_name(std::string_view pattern) {
  constexpr std::array<std::string_view, 4> kParts{"operator", "{{", "::{", "(*"};
  return std::ranges::any_of(kParts,
                             [pattern](std::string_view part) { return pattern.find(part) != pattern.npos; });
}

// Returns the source name of a generic Rust function: "<alloc::vec::Vec>::push" for
// "<alloc::vec::Vec<u8>>::push", and "<str>::len" for "<str>len".
std::string without_generics(std::string_view name) {
  std::string text;
  std::size_t depth = 0;  // nesting of generic arguments
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char before = text.empty() ? '<' : text.back();
    const bool is_sign = name.substr(i).starts_with("<=>");  // operator<=>
    if (name[i] == '<' && !is_sign && (depth > 0 || is_word_character(before) || before == '}'))
      ++depth;
    else if (depth > 0)
      depth -= name[i] == '>' ? 1U : 0U;
    else
      text += before == '>' && is_word_character(name[i]) ? fmt::format("::{}", name[i])
                                                          : std::string(1, name[i]);
  }
  return depth == 0 ? text : std::string(name);
}

bool has_function(const SymbolTable& table, const std::string& name, Demangle demangle) {
  return std::ranges::any_of(table.symbols(), [&](const Symbol& symbol) {
    return symbol.is_function() && convert::demangle(symbol.name, demangle) == name;
  });
}

}  // namespace

FilterTable::FilterTable(const FilterOptions& options, bool passes_program, const Functions& functions)
    : options_(options), passes_program_(passes_program), functions_(functions) {
  for (const FilterItem& item : options_.items) {
    const Demangle mode = item.option == FilterItem::Option::Location ? Demangle::No : functions_.demangle;
    // A mangled name is not a pattern.
    const bool is_mangled = demangle(item.pattern, mode) != item.pattern;
    NamePattern pattern(item.pattern, is_mangled ? PatternKind::Plain : options_.match, mode);
    if (!pattern.problem().empty() && !is_like_a_name(item.pattern))
      throw UsageError(
          fmt::format("{}: '{}' is not a regular expression ({}); put \\ before its special characters, or "
                      "use --match simple",
                      name_of(item.option), item.pattern, pattern.problem()));
    const std::string module = fxt::lower(item.module);
    Rule rule{.item = item, .pattern = std::move(pattern), .is_kernel = module == "kernel" || module == "k"};
    if (module == "plt") rule.item.module = kPlt;
    rules_.push_back(std::move(rule));
  }
  std::ranges::stable_sort(rules_, {}, [](const Rule& rule) { return order_of(rule.item.option); });
  options_.report->expect();

  needs_.callers = options_.has(FilterItem::Option::Caller);
  needs_.sizes = options_.size != 0;
  bool has_times = false, has_traces = false;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Actions& actions = rules_[i].item.actions;
    if (actions.given.has(Setting::Filter) && actions.is_in && !is_filter_cleared(i)) needs_.filter = true;
    if (rules_[i].item.option == FilterItem::Option::Location) needs_.locations |= actions.is_in;
    needs_.sizes |= actions.given.has(Setting::Size);
    has_times |= actions.given.has(Setting::Time);
    has_traces |= actions.given.has(Setting::Trace);
  }
  needs_.later_records = options_.time_ns != 0 || needs_.callers || has_times;
  needs_.functions = needs_.callers || has_times || needs_.sizes || has_traces;
}

// True if a later item clears this filter. -F b -F b@clear leaves no filter at all. After -F b -T b@clear,
// the filter still exists, although it no longer selects b.
bool FilterTable::is_filter_cleared(std::size_t filter) const {
  const Rule& rule = rules_[filter];
  return std::any_of(
      rules_.begin() + static_cast<std::ptrdiff_t>(filter) + 1, rules_.end(), [&](const Rule& later) {
        return order_of(later.item.option) == order_of(rule.item.option) &&
               later.item.clears.has(Setting::Filter) && later.item.pattern == rule.item.pattern &&
               later.item.module == rule.item.module;
      });
}

bool FilterTable::fits(Rule& rule, const std::string& name, const SymbolTable& table, Demangle demangle) {
  if (name == rule.pattern.text()) return true;
  if (rule.pattern.is_plain())
    return name.find('>') != name.npos && without_generics(name) == rule.pattern.text();
  if (!rule.pattern.matches(name)) return false;
  const auto [known, is_new] = rule.names_one.try_emplace(&table);
  if (is_new) known->second = has_function(table, rule.pattern.text(), demangle);
  return !known->second;
}

// A pattern without special characters must be at the end of the path, or before a slash. For example, "lib"
// matches "src/mylib/c.c", and "c" matches every "x.c".
bool FilterTable::lies_in(const Rule& rule, const std::string& file) {
  std::string_view part = rule.pattern.text();
  // A text that looks like a pattern may also be a whole path, as in "/usr/include/c++/12/bits/move.h".
  if (!rule.pattern.is_plain()) return file == part || rule.pattern.matches(file);
  if (part.starts_with('/')) part.remove_prefix(1);
  if (part.ends_with('/')) part.remove_suffix(1);
  for (std::size_t at = file.find(part); at != std::string::npos; at = file.find(part, at + 1)) {
    const std::string_view rest = std::string_view(file).substr(at + part.size());
    if (rest.empty() || rest.front() == '/') return true;
  }
  return false;
}

// Returns the source file of a function. Empty if the file is unknown.
std::string FilterTable::file_of(const SymbolAt& function) const {
  const NameId line = functions_.lines.line_of(function);
  if (line == CallLabel::kNoLine) return {};
  const std::string_view text = functions_.names.text(line);
  return std::string(text.substr(0, text.rfind(':')));
}

bool FilterTable::fits(Rule& rule, const std::vector<std::string>& names, const SymbolAt& function,
                       const AddressSpace* space) const {
  if (rule.is_kernel != function.is_kernel()) return false;
  if (rule.item.option == FilterItem::Option::Location) {
    const std::string file = file_of(function);
    if (file.empty() || !lies_in(rule, file)) return false;
    return rule.item.module.empty() || function.is_in(rule.item.module, space);
  }
  const auto is_meant = [&](const std::string& name) {
    return fits(rule, name, *function.image->symbols, functions_.demangle);
  };
  if (std::ranges::none_of(names, is_meant)) return false;
  return rule.is_kernel || rule.item.module.empty() || function.is_in(rule.item.module, space);
}

const FunctionRule* FilterTable::keep(FunctionRule rule, const Symbol* symbol, const Image* image) {
  const bool is_empty =
      rule.actions.given.empty() && !rule.is_passed_over && !rule.is_elsewhere && !needs_.sizes;
  auto& kept = function_rules_[{symbol, image}];
  kept = is_empty ? nullptr : std::make_unique<const FunctionRule>(std::move(rule));
  return kept.get();
}

const FunctionRule* FilterTable::rule_of(const TaskSymbols& symbols, std::uint64_t address) {
  if (passes_program_) return &passed_;
  return find_rule(symbols.at(address), symbols.space());
}

const FunctionRule* FilterTable::kernel_rule(std::uint64_t address) {
  return find_rule(functions_.symbolizer.images().kernel_at(address), nullptr);
}

const FunctionRule* FilterTable::find_rule(const SymbolAt& function, const AddressSpace* space) {
  if (function.symbol == nullptr) {
    if (needs_.locations) return &elsewhere_;
    return needs_.sizes ? &unnamed_ : nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (const auto known = function_rules_.find({function.symbol, function.image});
      known != function_rules_.end())
    return known->second.get();
  const auto names = function.names(functions_.demangle);
  FunctionRule rule{.size = function.symbol->end - function.symbol->start,
                    .is_passed_over = options_.no_libcall && function.symbol->is_plt()};
  rule.is_elsewhere = needs_.locations;
  for (Rule& option : rules_) {
    if (!fits(option, names, function, space)) continue;
    rule.apply(option.item);
    if (option.item.option == FilterItem::Option::Location) rule.is_elsewhere = !option.item.actions.is_in;
    option.is_used = true;
  }
  return keep(std::move(rule), function.symbol, function.image);
}

std::vector<std::string> FilterTable::add_notes(const std::string& input, Notes& notes) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const FilterItem& item = rules_[i].item;
    if (item.actions.given.has(Setting::Caller) && !needs_.callers)
      notes.add(kOptionUnused, [&] {
        return fmt::format("{}: {} '{}': `caller` has no effect without --caller-filter", input,
                           name_of(item.option), item.text);
      });
    report(rules_[i], i, input);
  }
  return options_.report->finish(notes);
}

// Reports whether the pattern matches a called function, another function, or none. Suggests similar names.
void FilterTable::report(Rule& rule, std::size_t number, const std::string& input) {
  using Fit = PatternReport::Fit;
  const auto add = [&](Fit fit, std::string text) {
    options_.report->add(number, fit, input, std::move(text));
  };
  if (rule.is_used) return add(Fit::Called, {});
  const std::string& module = rule.item.module;
  const auto what = fmt::format("{} '{}'", name_of(rule.item.option), rule.item.text);
  if (rule.item.option == FilterItem::Option::Location)
    return add(Fit::Nothing, fmt::format("{}: no called function is in a matching source file", what));
  auto tables = functions_.symbolizer.tables();
  if (rule.is_kernel) tables = {{"the kernel", functions_.symbolizer.images().kernel_symbols()}};
  std::string elsewhere;  // a matching function in another module
  fxt::SimilarNames similar(rule.pattern.text());
  for (const auto& [where, table] : tables) {
    if (table == nullptr) continue;
    for (const Symbol& symbol : table->symbols()) {
      if (!symbol.is_function()) continue;
      const std::string name = demangle(symbol.name, functions_.demangle);
      similar.consider(name);
      if (!fits(rule, name, *table, functions_.demangle)) continue;
      const std::string text = fmt::format("{}: {} is a function of {}", what, name, where);
      const bool is_there =
          rule.is_kernel || module.empty() || (module == kPlt ? symbol.is_plt() : where.starts_with(module));
      if (is_there) return add(Fit::NeverCalled, text);
      if (elsewhere.empty()) elsewhere = text;
    }
  }
  const auto names = similar.nearest();
  add(Fit::Nothing, !elsewhere.empty() ? elsewhere
                    : names.empty()    ? fmt::format("{}: no function has a similar name", what)
                                       : fmt::format("{}: similar names: {}", what, fmt::join(names, ", ")));
}

}  // namespace convert::uftrace
