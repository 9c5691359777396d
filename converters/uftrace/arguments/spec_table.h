// Finds out which values are recorded for which functions: combines the specs of info and of .dbg files by
// uftrace's rules. Does not change after construction.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/symbols/name_pattern.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/arguments/spec.h"
#include "converters/uftrace/recording/info.h"
#include "fxt/hash.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {

// The properties of a function that the rules need.
struct FunctionFacts {
  std::vector<std::string> names;  // names of all symbols at its address, with simple demangling
  DebugInfo debug = {};
  // True if the function belongs to the module in a spec.
  std::function<bool(std::string_view module)> is_in = [](std::string_view) { return false; };
};

class SpecTable {
 public:
  // `path` is the name of info in notes.
  SpecTable(const Info& info, std::string_view path, Names& names, Notes& notes);

  // False if the recording has no values at all. Also true if the file `info` is missing, because .dbg files
  // may describe values.
  bool has_any() const { return auto_args_ || !entries_.empty(); }
  const EnumTypes& enums() const { return enums_; }

  // The possible lists of the values at an entry (`of_result` false) or exit of the function, the most likely
  // first. All lists are different, and none is empty.
  std::vector<std::vector<SpecItem>> candidate_layouts(const FunctionFacts& function, bool of_result) const;

 private:
  struct Entry {
    NamePattern pattern;
    SpecEntry spec;
    bool of_results;  // for a name without values: true if it means results
  };
  struct MergedItem {
    SpecItem item;
    bool is_exact;  // the spec names this function without a pattern
  };
  using AutoList = std::map<std::string, std::vector<SpecItem>, std::less<>>;

  void add_entries(std::string_view list, PatternKind kind, bool of_results, SpecProblems& problems);
  void add_auto(std::string_view list, AutoList& autos, SpecProblems& problems);
  std::vector<std::size_t> entries_of(const FunctionFacts& function) const;
  std::vector<SpecItem> by_rule(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_debug(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_list(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> automatic(const FunctionFacts& function, bool of_result) const;
  static void add(const SpecItem& item, bool is_exact, std::vector<MergedItem>& merged);

  Machine machine_;
  double atoms_left_ = 200'000;  // limit for regular expressions: they take at most 40 MiB for a recording
  fxt::Budget pattern_budget_;
  std::vector<Entry> entries_;
  fxt::SeededMap<std::string, std::vector<std::size_t>> plain_;  // indexes of entries that are one name
  std::vector<std::size_t> patterns_;                            // indexes of the other entries
  AutoList auto_arguments_;
  AutoList auto_results_;
  EnumTypes enums_;
  bool auto_args_;  // functions without an entry have the values of their .dbg file; also true without info
};

}  // namespace convert::uftrace
