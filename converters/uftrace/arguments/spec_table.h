// Which values a recording holds of which function: the specs of info and of .dbg files, put together by
// uftrace's rules (fact sheet 9.2, 9.3). Read-only once made.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/symbols/name_pattern.h"
#include "converters/uftrace/arguments/debug_file.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/arguments/spec.h"
#include "converters/uftrace/recording/info.h"

namespace convert::uftrace {

// What the rules ask of a function.
struct FunctionFacts {
  std::vector<std::string> names;  // of all symbols at its place, demangled the simple way
  DebugInfo debug = {};
  // Whether it belongs to the module that specs call so.
  std::function<bool(std::string_view module)> is_in = [](std::string_view) { return false; };
};

class SpecTable {
 public:
  // `path` names info in notes.
  SpecTable(const Info& info, std::string_view path, Notes& notes);

  // False if no value was recorded of any function.
  bool has_any() const { return auto_args_ || !entries_.empty(); }
  const EnumTypes& enums() const { return enums_; }

  // The likely lists of what is stored at an entry (`of_result` false) or exit of the function, the likeliest
  // first; no two are equal, none is empty.
  std::vector<std::vector<SpecItem>> candidate_layouts(const FunctionFacts& function, bool of_result) const;

 private:
  struct Entry {
    NamePattern pattern;
    SpecEntry spec;
    bool of_results;  // where it is only a name
  };
  struct Kept {
    SpecItem item;
    bool is_exact;
  };
  using AutoList = std::map<std::string, std::vector<SpecItem>, std::less<>>;

  void add_entries(std::string_view list, PatternKind kind, bool of_results, SpecProblems& problems);
  void add_auto(std::string_view list, AutoList& autos, SpecProblems& problems);
  std::vector<SpecItem> by_rule(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_debug(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_list(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> automatic(const FunctionFacts& function, bool of_result) const;
  static void add(const SpecItem& item, bool is_exact, std::vector<Kept>& kept);

  Machine machine_;
  std::vector<Entry> entries_;
  AutoList auto_arguments_;
  AutoList auto_results_;
  EnumTypes enums_;
  bool auto_args_ = false;
};

}  // namespace convert::uftrace
