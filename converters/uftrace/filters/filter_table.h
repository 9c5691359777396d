// The rules of a recording's functions, from the filter options. A rule is determined when its function is
// called for the first time. Safe to use from several threads; a result never depends on earlier calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/name_pattern.h"
#include "converters/uftrace/filters/filter_item.h"
#include "converters/uftrace/filters/filter_options.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// What all filter options together set for one function.
struct FunctionRule {
  Actions actions = {};
  std::uint64_t size = 0;       // of its symbol in bytes; 0 if it has none
  bool is_passed_over = false;  // its calls are hidden, and change nothing for the calls inside
  bool is_elsewhere = false;    // -L hides its calls

  bool has(Setting setting) const { return actions.given.has(setting); }
  // Adds the settings of an item, which override earlier ones.
  void apply(const FilterItem& item) {
    const Actions& later = item.actions;
    actions.given.remove(item.clears);
    actions.given.add(later.given);
    if (later.given.has(Setting::Filter)) actions.is_in = later.is_in;
    if (later.given.has(Setting::Depth)) actions.depth = later.depth;
    if (later.given.has(Setting::Time)) actions.time_ns = later.time_ns;
    if (later.given.has(Setting::Size)) actions.size = later.size;
    if (later.given.has(Setting::Condition)) actions.condition = later.condition;
  }
};

// By address, for the symbols of one epoch; null if no option is about the function.
using FunctionRuleCache = AddressCache<const FunctionRule*>;

class FilterTable {
 public:
  // What functions are called and where they stand. Borrowed by the table.
  struct Functions {
    Symbolizer& symbolizer;
    FunctionLines& lines;
    const Names& names;  // of the lines
    Demangle demangle;
  };
  // With `passes_program`, only calls of the kernel are shown. Throws UsageError if a pattern is no regular
  // expression.
  FilterTable(const FilterOptions& options, bool passes_program, const Functions& functions);

  // The rule of the function at that address; null if it has none. Valid as long as this object.
  const FunctionRule* rule_of(const TaskSymbols& symbols, std::uint64_t address);
  // The rule of a call whose address is not known.
  const FunctionRule* unknown_rule() const {
    if (passes_program_) return &passed_;
    return needs_.locations ? &elsewhere_ : nullptr;
  }
  // The rule of a function of the kernel.
  const FunctionRule* kernel_rule(std::uint64_t address);

  const FilterOptions& options() const { return options_; }
  // Calls of the program are not shown.
  bool passes_program() const { return passes_program_; }
  // Nothing is shown outside of functions that are filtered in.
  bool has_filter() const { return needs_.filter; }
  // Whether a call is shown may depend on what comes after its begin.
  bool looks_ahead() const { return needs_.later_records; }
  // Whether that depends on functions, too, and not on times alone.
  bool looks_at_functions() const { return needs_.functions; }
  // How long a call must take to be shown: kForever if no length is enough, and then only a call inside it
  // can keep it. `rule` may be null; `around_ns` holds for calls without a time of their own.
  std::uint64_t shortest_kept_ns(const FunctionRule* rule, bool is_too_small, std::uint64_t around_ns) const {
    if (is_too_small) return kForever;
    if (rule != nullptr && rule->has(Setting::Trace)) return 0;
    if (needs_.callers && (rule == nullptr || !rule->has(Setting::Caller))) return kForever;
    return rule != nullptr && rule->has(Setting::Time) ? rule->actions.time_ns : around_ns;
  }

  // At the end: notes the patterns that fit no called function. `input` is the recording's name. With the
  // last recording, returns the texts of these notes, without the inputs.
  std::vector<std::string> add_notes(const std::string& input, Notes& notes);

 private:
  struct Rule {
    FilterItem item;
    NamePattern pattern;
    bool is_kernel;
    bool is_used = false;  // it fits a function that was called
    // Whether a function of the table is called exactly as the pattern: then only that function is meant.
    std::map<const SymbolTable*, bool> names_one = {};
  };
  // What the options depend on.
  struct Needs {
    bool filter = false;         // functions that are filtered in
    bool callers = false;        // only callers of some functions are shown
    bool later_records = false;  // what comes after the begin of a call
    bool functions = false;      // for that, the functions, too
    bool sizes = false;          // of functions
    bool locations = false;      // functions without a location of their own are hidden
  };
  static bool fits(Rule& rule, const std::string& name, const SymbolTable& table, Demangle demangle);
  static bool lies_in(const Rule& rule, const std::string& file);
  std::string file_of(const SymbolAt& function) const;
  bool fits(Rule& rule, const std::vector<std::string>& names, const SymbolAt& function,
            const AddressSpace* space) const;
  const FunctionRule* find_rule(const SymbolAt& function, const AddressSpace* space);
  const FunctionRule* keep(FunctionRule rule, const Symbol* symbol, const Image* image);
  bool is_filter_cleared(std::size_t filter) const;
  void report(Rule& rule, std::size_t number, const std::string& input);

  const FilterOptions options_;
  const bool passes_program_;
  Functions functions_;
  std::vector<Rule> rules_;  // in the order in which they apply
  Needs needs_;
  std::mutex mutex_;
  // By symbol and the image that holds it; null for functions without a rule.
  std::map<std::pair<const Symbol*, const Image*>, std::unique_ptr<const FunctionRule>> function_rules_;
  const FunctionRule unnamed_ = {};
  const FunctionRule passed_ = {.actions = {}, .size = 0, .is_passed_over = true};
  const FunctionRule elsewhere_ = {.actions = {}, .size = 0, .is_elsewhere = true};
};

}  // namespace convert::uftrace
