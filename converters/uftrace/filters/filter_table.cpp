#include "converters/uftrace/filters/filter_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/model/option.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/lower.h"
#include "fxt/support/similar_names.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kPlt = "PLT";

// uftrace's order: filters as they come, then triggers, and so on.
int turn_of(FilterItem::Option option) {
  return option == FilterItem::Option::Notrace ? static_cast<int>(FilterItem::Option::Filter)
                                               : static_cast<int>(option);
}

// Those of operators and closures hold what no regular expression may.
bool is_like_a_name(std::string_view pattern) {
  return pattern.find("operator") != std::string_view::npos || pattern.find("{{") != std::string_view::npos;
}

bool is_named_so(const SymbolTable& table, const std::string& name, Demangle demangle) {
  return std::ranges::any_of(table.symbols(), [&](const Symbol& symbol) {
    return symbol.is_function() && convert::demangle(symbol.name, demangle) == name;
  });
}

}  // namespace

FilterTable::FilterTable(const FilterOptions& options, bool passes_program, Demangle demangle,
                         Symbolizer& symbolizer)
    : options_(options), passes_program_(passes_program), demangle_(demangle), symbolizer_(symbolizer) {
  for (const FilterItem& item : options_.items) {
    // A mangled name is meant as it is.
    const bool is_mangled = convert::demangle(item.pattern, demangle) != item.pattern;
    NamePattern pattern(item.pattern, is_mangled ? PatternKind::Plain : options_.match, demangle);
    if (!pattern.problem().empty() && !is_like_a_name(item.pattern))
      throw UsageError(
          fmt::format("{}: '{}' is no regular expression ({}): put \\ before its special characters, or give "
                      "--match simple",
                      name_of(item.option), item.pattern, pattern.problem()));
    const std::string module = fxt::lower(item.module);
    Rule rule{.item = item, .pattern = std::move(pattern), .is_kernel = module == "kernel" || module == "k"};
    if (module == "plt") rule.item.module = kPlt;
    rules_.push_back(std::move(rule));
  }
  std::ranges::stable_sort(rules_, {}, [](const Rule& rule) { return turn_of(rule.item.option); });
  options_.report->expect();

  has_callers_ = options_.has(FilterItem::Option::Caller);
  looks_at_sizes_ = options_.size != 0;
  bool has_times = false;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Actions& actions = rules_[i].item.actions;
    if (actions.given.has(Setting::Filter) && actions.is_in && !is_filter_cleared(i)) has_filter_ = true;
    looks_at_sizes_ |= actions.given.has(Setting::Size);
    has_times |= actions.given.has(Setting::Time);
  }
  looks_ahead_ = options_.time_ns != 0 || has_callers_ || has_times;
  const auto names_trace = [](const Rule& rule) { return rule.item.actions.given.has(Setting::Trace); };
  looks_at_functions_ =
      has_callers_ || has_times || looks_at_sizes_ || std::ranges::any_of(rules_, names_trace);
}

// -F b -F b@clear is no filter at all; but a trigger takes b's setting only.
bool FilterTable::is_filter_cleared(std::size_t filter) const {
  const Rule& rule = rules_[filter];
  return std::any_of(
      rules_.begin() + static_cast<std::ptrdiff_t>(filter) + 1, rules_.end(), [&](const Rule& later) {
        return turn_of(later.item.option) == turn_of(rule.item.option) &&
               later.item.clears.has(Setting::Filter) && later.item.pattern == rule.item.pattern &&
               later.item.module == rule.item.module;
      });
}

bool FilterTable::fits(Rule& rule, const std::string& name, const SymbolTable& table, Demangle demangle) {
  if (name == rule.pattern.text()) return true;
  if (rule.pattern.is_plain() || !rule.pattern.matches(name)) return false;
  const auto [known, is_new] = rule.names_one.try_emplace(&table);
  if (is_new) known->second = is_named_so(table, rule.pattern.text(), demangle);
  return !known->second;
}

bool FilterTable::fits(Rule& rule, const std::vector<std::string>& names, const SymbolAt& place,
                       const AddressSpace* space) const {
  if (rule.is_kernel != place.is_kernel()) return false;
  const auto is_meant = [&](const std::string& name) {
    return fits(rule, name, *place.image->symbols, demangle_);
  };
  if (std::ranges::none_of(names, is_meant)) return false;
  return rule.is_kernel || rule.item.module.empty() || place.is_in(rule.item.module, space);
}

const FunctionRule* FilterTable::keep(FunctionRule rule, const Symbol* symbol, const Image* image) {
  const bool says_nothing = rule.actions.given.empty() && !rule.is_passed_over && !looks_at_sizes_;
  auto& kept = fates_[{symbol, image}];
  kept = says_nothing ? nullptr : std::make_unique<const FunctionRule>(std::move(rule));
  return kept.get();
}

const FunctionRule* FilterTable::rule_of(const TaskSymbols& symbols, std::uint64_t address) {
  if (passes_program_) return &passed_;
  return judge(symbols.at(address), symbols.space());
}

const FunctionRule* FilterTable::kernel_rule(std::uint64_t address) {
  return judge(symbolizer_.kernel_at(address), nullptr);
}

const FunctionRule* FilterTable::judge(const SymbolAt& place, const AddressSpace* space) {
  if (place.symbol == nullptr) return looks_at_sizes_ ? &unnamed_ : nullptr;
  const std::lock_guard lock(mutex_);
  if (const auto known = fates_.find({place.symbol, place.image}); known != fates_.end())
    return known->second.get();
  const auto names = place.names(demangle_);
  FunctionRule rule{.size = place.symbol->end - place.symbol->start,
                    .is_passed_over = options_.no_libcall && place.symbol->is_plt()};
  for (Rule& option : rules_) {
    if (!fits(option, names, place, space)) continue;
    rule.take(option.item);
    option.is_used = true;
  }
  return keep(std::move(rule), place.symbol, place.image);
}

void FilterTable::add_notes(const std::string& input, Notes& notes) {
  for (std::size_t i = 0; i < rules_.size(); ++i) report(rules_[i], i, input);
  options_.report->finish(notes);
}

// Where such a function is that was not called, or what is called like it.
void FilterTable::report(Rule& rule, std::size_t number, const std::string& input) {
  using Fit = PatternReport::Fit;
  if (rule.is_used) return options_.report->add(number, Fit::Called, {});
  const std::string& module = rule.item.module;
  const auto what = fmt::format("{}: {} '{}'", input, name_of(rule.item.option), rule.item.text);
  auto tables = symbolizer_.tables();
  if (rule.is_kernel) tables = {{"the kernel", symbolizer_.kernel_symbols()}};
  std::string elsewhere;  // a function that fits, but for its module
  fxt::SimilarNames similar(rule.pattern.text());
  for (const auto& [where, table] : tables) {
    if (table == nullptr) continue;
    for (const Symbol& symbol : table->symbols()) {
      if (!symbol.is_function()) continue;
      const std::string name = convert::demangle(symbol.name, demangle_);
      similar.see(name);
      if (!fits(rule, name, *table, demangle_)) continue;
      const std::string text = fmt::format("{}: {} is a function of {}", what, name, where);
      const bool is_there =
          rule.is_kernel || module.empty() || (module == kPlt ? symbol.is_plt() : where.starts_with(module));
      if (is_there) return options_.report->add(number, Fit::NeverCalled, text);
      if (elsewhere.empty()) elsewhere = text;
    }
  }
  const auto names = similar.nearest();
  options_.report->add(number, Fit::Nothing,
                       !elsewhere.empty() ? elsewhere
                       : names.empty()    ? fmt::format("{}: and none has a name like it", what)
                                       : fmt::format("{}: similar names: {}", what, fmt::join(names, ", ")));
}

}  // namespace convert::uftrace
