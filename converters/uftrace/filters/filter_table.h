// The rules that the filter options give to the functions of a recording. A rule is determined when it is
// first requested. Safe to use from several threads. A result never depends on earlier requests.
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

// The settings that all filter options together give to one function.
struct FunctionRule {
  Actions actions = {};
  std::uint64_t size = 0;       // size of the symbol in bytes; 0 without a symbol
  bool is_passed_over = false;  // calls are hidden, and do not affect calls inside
  bool is_elsewhere = false;    // -L hides calls of the function

  bool has(Setting setting) const { return actions.given.has(setting); }
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

// Rules indexed by address, for the symbols of one epoch; null if no option applies to the function.
using FunctionRuleCache = AddressCache<const FunctionRule*>;

class FilterTable {
 public:
  // Provides the names and source locations of functions. The objects to which it refers must live longer
  // than the table.
  struct Functions {
    Symbolizer& symbolizer;
    FunctionLines& lines;
    const Names& names;  // has the texts of source lines
    Demangle demangle;
  };
  // If `passes_program` is true, only kernel calls are shown. Throws UsageError if a pattern should be a
  // regular expression, but is not a valid one.
  FilterTable(const FilterOptions& options, bool passes_program, const Functions& functions);

  // Returns the function's rule, or null if it has none. The rule is valid while this object exists.
  const FunctionRule* rule_of(const TaskSymbols& symbols, std::uint64_t address);
  const FunctionRule* unknown_rule() const {
    if (passes_program_) return &passed_;
    return needs_.locations ? &elsewhere_ : nullptr;
  }
  const FunctionRule* kernel_rule(std::uint64_t address);

  const FilterOptions& options() const { return options_; }
  bool passes_program() const { return passes_program_; }
  // True if only the functions that -F or a trigger selects, and their callees, are shown.
  bool has_filter() const { return needs_.filter; }
  // True if records after the start of a call decide whether the call is shown.
  bool looks_ahead() const { return needs_.later_records; }
  // True if the functions of calls, and not only times, decide which calls are shown.
  bool looks_at_functions() const { return needs_.functions; }
  // Returns the length from which calls with this rule are kept. kForever means that such a call is kept only
  // if a call inside it is kept. `rule` may be null. `around_ns` is the minimum length if the rule has none.
  std::uint64_t shortest_kept_ns(const FunctionRule* rule, bool is_too_small, std::uint64_t around_ns) const {
    if (is_too_small) return kForever;
    if (rule != nullptr && rule->has(Setting::Trace)) return 0;
    if (needs_.callers && (rule == nullptr || !rule->has(Setting::Caller))) return kForever;
    return rule != nullptr && rule->has(Setting::Time) ? rule->actions.time_ns : around_ns;
  }

  // Must be called once for each recording, after the last request for this recording. `input` is its name.
  // Finds the patterns that match no called function of the recording. The call for the last recording adds
  // the notes about such patterns in all recordings. It returns their texts without the names of recordings.
  std::vector<std::string> add_notes(const std::string& input, Notes& notes);

 private:
  struct Rule {
    FilterItem item;
    NamePattern pattern;
    bool is_kernel;
    bool is_used = false;  // true if the pattern matches a called function
    // For each symbol table that was searched: true if the table has a function whose whole name is the text
    // of the pattern. In such a table, the pattern matches only this function.
    std::map<const SymbolTable*, bool> names_one = {};
  };
  // What the options hide, and which facts about records and functions they need.
  struct Needs {
    bool filter = false;         // only selected functions and their callees are shown
    bool callers = false;        // only calls of some functions, and their callers, are shown
    bool later_records = false;  // records after the start of a call are needed
    bool functions = false;      // the functions in the later records are needed
    bool sizes = false;          // the sizes of functions are needed
    bool locations = false;      // functions without a source location are hidden
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
  std::vector<Rule> rules_;  // in the order in which the rules apply
  Needs needs_;
  std::mutex mutex_;
  // The rules of functions, indexed by symbol and image; null for a function without a rule.
  std::map<std::pair<const Symbol*, const Image*>, std::unique_ptr<const FunctionRule>> function_rules_;
  const FunctionRule unnamed_ = {};
  const FunctionRule passed_ = {.actions = {}, .size = 0, .is_passed_over = true};
  const FunctionRule elsewhere_ = {.actions = {}, .size = 0, .is_elsewhere = true};
};

}  // namespace convert::uftrace
