// Which values of which functions are recorded: the specs of info and of .dbg files, combined by uftrace's
// rules. Read-only once made.
#pragma once

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

namespace convert::uftrace {

// What the rules need to know of a function.
struct FunctionFacts {
  std::vector<std::string> names;  // of all symbols at its address, with simple demangling
  DebugInfo debug = {};
  // Whether it belongs to the module that a spec names.
  std::function<bool(std::string_view module)> is_in = [](std::string_view) { return false; };
};

class SpecTable {
 public:
  // `path` is the name of info in notes.
  SpecTable(const Info& info, std::string_view path, Names& names, Notes& notes);

  // False if the recording has no values at all. Without info there may be some: .dbg files describe them.
  bool has_any() const { return auto_args_ || !entries_.empty(); }
  const EnumTypes& enums() const { return enums_; }

  // The likely lists of the values at an entry (`of_result` false) or exit of the function, the likeliest
  // first. No two are equal, none is empty.
  std::vector<std::vector<SpecItem>> candidate_layouts(const FunctionFacts& function, bool of_result) const;

 private:
  struct Entry {
    NamePattern pattern;
    SpecEntry spec;
    bool of_results;  // what a name without values stands for
  };
  struct MergedItem {
    SpecItem item;
    bool is_exact;  // the spec names this function, not a pattern
  };
  using AutoList = std::map<std::string, std::vector<SpecItem>, std::less<>>;

  void add_entries(std::string_view list, PatternKind kind, bool of_results, SpecProblems& problems);
  void add_auto(std::string_view list, AutoList& autos, SpecProblems& problems);
  std::vector<SpecItem> by_rule(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_debug(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_list(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> automatic(const FunctionFacts& function, bool of_result) const;
  static void add(const SpecItem& item, bool is_exact, std::vector<MergedItem>& merged);

  Machine machine_;
  double atoms_left_ = 200'000;  // of regular expressions: no recording makes them take more than 40 MiB
  std::vector<Entry> entries_;
  AutoList auto_arguments_;
  AutoList auto_results_;
  EnumTypes enums_;
  bool auto_args_;  // functions without an entry have the values of their .dbg file; so without info
};

}  // namespace convert::uftrace
