// The rules for the functions of a recording, from the filter options. A rule is determined at the first call
// of its function. Safe to use from several threads; a result never depends on earlier calls.
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

// The settings from all filter options together for one function.
struct FunctionRule {
  Actions actions = {};
  std::uint64_t size = 0;       // size of its symbol in bytes; 0 if it has none
  bool is_passed_over = false;  // its calls are hidden, and do not affect the calls inside
  bool is_elsewhere = false;    // -L hides its calls

  bool has(Setting setting) const { return actions.given.has(setting); }
  // Adds the settings of an item, which override earlier settings.
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

// Rules by address, for the symbols of one epoch; null if no option applies to the function.
using FunctionRuleCache = AddressCache<const FunctionRule*>;

class FilterTable {
 public:
  // Provides the names and source locations of functions; must outlive the table.
  struct Functions {
    Symbolizer& symbolizer;
    FunctionLines& lines;
    const Names& names;  // has the texts of source lines
    Demangle demangle;
  };
  // With `passes_program`, only kernel calls are shown. Throws UsageError if a pattern is not a valid regular
  // expression.
  FilterTable(const FilterOptions& options, bool passes_program, const Functions& functions);

  // The rule of the function at that address; null if no option applies to it. Valid as long as this object.
  const FunctionRule* rule_of(const TaskSymbols& symbols, std::uint64_t address);
  // The rule for a call whose address is unknown.
  const FunctionRule* unknown_rule() const {
    if (passes_program_) return &passed_;
    return needs_.locations ? &elsewhere_ : nullptr;
  }
  // The rule for a kernel function.
  const FunctionRule* kernel_rule(std::uint64_t address);

  const FilterOptions& options() const { return options_; }
  // True if calls of the program are not shown.
  bool passes_program() const { return passes_program_; }
  // True if only functions that are filtered in, and their callees, are shown.
  bool has_filter() const { return needs_.filter; }
  // True if a call may be shown or hidden because of records after its start.
  bool looks_ahead() const { return needs_.later_records; }
  // True if showing a call also depends on functions, and not only on times.
  bool looks_at_functions() const { return needs_.functions; }
  // The minimum length of a call that is shown. If it is kForever, a call is shown only if a call inside it
  // is kept. `rule` may be null. `around_ns` applies to calls without their own time setting.
  std::uint64_t shortest_kept_ns(const FunctionRule* rule, bool is_too_small, std::uint64_t around_ns) const {
    if (is_too_small) return kForever;
    if (rule != nullptr && rule->has(Setting::Trace)) return 0;
    if (needs_.callers && (rule == nullptr || !rule->has(Setting::Caller))) return kForever;
    return rule != nullptr && rule->has(Setting::Time) ? rule->actions.time_ns : around_ns;
  }

  // Must be called at the end. Notes the patterns that match no called function. `input` is the name of the
  // recording. After the last recording, returns the texts of these notes, without the inputs.
  std::vector<std::string> add_notes(const std::string& input, Notes& notes);

 private:
  struct Rule {
    FilterItem item;
    NamePattern pattern;
    bool is_kernel;
    bool is_used = false;  // it matches a function that was called
    // True for a symbol table if one of its functions has exactly the name that the pattern spells. The
    // pattern then matches only this function.
    std::map<const SymbolTable*, bool> names_one = {};
  };
  // The properties of all options together.
  struct Needs {
    bool filter = false;         // only functions that are filtered in are shown
    bool callers = false;        // only callers of some functions are shown
    bool later_records = false;  // records after the start of a call are needed
    bool functions = false;      // the functions in these records are needed
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
  std::vector<Rule> rules_;  // in the order in which they apply
  Needs needs_;
  std::mutex mutex_;
  // The rules by symbol and its image; null for functions without a rule.
  std::map<std::pair<const Symbol*, const Image*>, std::unique_ptr<const FunctionRule>> function_rules_;
  const FunctionRule unnamed_ = {};
  const FunctionRule passed_ = {.actions = {}, .size = 0, .is_passed_over = true};
  const FunctionRule elsewhere_ = {.actions = {}, .size = 0, .is_elsewhere = true};
};

}  // namespace convert::uftrace
