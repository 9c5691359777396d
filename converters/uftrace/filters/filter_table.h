// What the options say of each function of a recording: worked out when a function is first met, once. Safe
// to use from several threads; an answer never depends on what was asked before.
#pragma once

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
#include "converters/uftrace/filters/filter_options.h"
#include "converters/uftrace/filters/function_rule.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

class FilterTable {
 public:
  // Borrows the symbolizer for its whole life. `passes_program`: calls of the program are passed over, only
  // those of the kernel are shown. Throws UsageError if a pattern is no regular expression.
  FilterTable(const FilterOptions& options, bool passes_program, Demangle demangle, Symbolizer& symbolizer);

  // Of the function at that address; null if nothing is said of it. Valid as long as this object.
  const FunctionRule* rule_of(const TaskSymbols& symbols, std::uint64_t address);
  // Of a call of which no address is known.
  const FunctionRule* unknown_rule() const { return passes_program_ ? &passed_ : nullptr; }
  // Of the kernel's.
  const FunctionRule* kernel_rule(std::uint64_t address);

  const FilterOptions& options() const { return options_; }
  // Nothing is shown outside of functions that are filtered in.
  bool has_filter() const { return has_filter_; }
  // Only callers of some functions are shown.
  bool has_callers() const { return has_callers_; }
  // Calls of the program are not shown.
  bool passes_program() const { return passes_program_; }
  // How long a call with this rule must take to be kept by its own length, which may be null; kForever if no
  // length is enough. `around_ns` is what holds in the calls around it.
  std::uint64_t shortest_kept_ns(const FunctionRule* rule, bool is_too_small, std::uint64_t around_ns) const {
    if (is_too_small) return kForever;
    if (rule != nullptr && rule->has(Setting::Trace)) return 0;
    if (has_callers_ && (rule == nullptr || !rule->has(Setting::Caller))) return kForever;
    return rule != nullptr && rule->has(Setting::Time) ? rule->actions.time_ns : around_ns;
  }
  // Whether a call is shown may depend on what comes after its begin.
  bool looks_ahead() const { return looks_ahead_; }
  // Whether that depends on functions, too, and not on times alone.
  bool looks_at_functions() const { return looks_at_functions_; }

  // At the end: which patterns fit no function that was called. `input` is the recording's name.
  void add_notes(const std::string& input, Notes& notes);

 private:
  struct Rule {
    FilterItem item;
    NamePattern pattern;
    bool is_kernel;
    bool is_used = false;  // it fits a function that was called
    // Whether a function there has the pattern itself for a name: then that one is meant, and no other.
    std::map<const SymbolTable*, bool> names_one = {};
  };
  static bool fits(Rule& rule, const std::string& name, const SymbolTable& table, Demangle demangle);
  bool fits(Rule& rule, const std::vector<std::string>& names, const SymbolAt& place,
            const AddressSpace* space) const;
  const FunctionRule* judge(const SymbolAt& place, const AddressSpace* space);
  const FunctionRule* keep(FunctionRule rule, const Symbol* symbol, const Image* image);
  bool is_filter_cleared(std::size_t filter) const;
  void report(Rule& rule, std::size_t number, const std::string& input);

  const FilterOptions options_;
  const bool passes_program_;
  Demangle demangle_;
  Symbolizer& symbolizer_;
  std::vector<Rule> rules_;  // in the order in which they count
  bool has_filter_ = false, has_callers_ = false;
  bool looks_ahead_ = false, looks_at_functions_ = false, looks_at_sizes_ = false;
  std::mutex mutex_;
  // By symbol, and where it lies. Those of which nothing is said are null.
  std::map<std::pair<const Symbol*, const Image*>, std::unique_ptr<const FunctionRule>> fates_;
  const FunctionRule unnamed_ = {};
  const FunctionRule passed_ = {.actions = {}, .size = 0, .is_passed_over = true};
};

}  // namespace convert::uftrace
