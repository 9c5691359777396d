// Finds the values that are recorded for a function. For this, combines the specs in info and in .dbg files
// by uftrace's rules.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
  std::vector<std::string> names;  // names of all symbols at the address, simply demangled
  DebugInfo debug = {};
  // Returns true if the function belongs to this module, which a spec names.
  std::function<bool(std::string_view module)> is_in = [](std::string_view) { return false; };
};

// What the patterns of all tables of a conversion take together. Time and atoms are limited.
struct PatternUse {
  std::atomic<std::uint64_t> time_us = 0;  // processor time, also of tables that no longer exist
  double atoms = 0;                        // a measure of the memory of all regular expressions
  std::size_t tables = 0;                  // each table may keep the same part of the memory for matching
};

class SpecTable {
 public:
  // `path` is the path of the file `info`, for notes. candidate_layouts() adds its notes to `later_notes`.
  SpecTable(const Info& info, std::string_view path, Names& names, Notes& notes, Notes& later_notes,
            std::shared_ptr<PatternUse> use = std::make_shared<PatternUse>());
  ~SpecTable() {
    use_->atoms -= atoms_;
    --use_->tables;
  }
  SpecTable(const SpecTable&) = delete;
  SpecTable& operator=(const SpecTable&) = delete;

  // False if the recording has no values at all. If the file info is missing, returns true, because .dbg
  // files may describe values.
  bool has_any() const { return auto_args_ || !entries_.empty(); }
  const EnumTypes& enums() const { return enums_; }

  // Returns the possible lists of values at an entry of the function, or at an exit if `of_result` is true.
  // The most likely list comes first. All lists are different, and no list is empty.
  std::vector<std::vector<SpecItem>> candidate_layouts(const FunctionFacts& function, bool of_result);

 private:
  struct Entry {
    NamePattern pattern;
    SpecEntry spec;
    bool of_results;  // the entry is from a list of results; used only if the entry has no values
  };
  struct MergedItem {
    SpecItem item;
    bool is_exact;  // the spec has the function's name, not a pattern
  };
  using AutoList = std::map<std::string, std::vector<SpecItem>, std::less<>>;

  void add_entries(std::string_view list, PatternKind kind, bool of_results, SpecProblems& problems);
  void add_auto(std::string_view list, AutoList& autos, SpecProblems& problems);
  std::vector<std::size_t> entries_of(const FunctionFacts& function);
  void take_time(std::uint64_t spent_us);
  std::uint64_t count_matching(std::uint64_t since_us);
  std::vector<SpecItem> by_rule(const FunctionFacts& function, bool of_result);
  std::vector<SpecItem> from_debug(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> from_list(const FunctionFacts& function, bool of_result) const;
  std::vector<SpecItem> automatic(const FunctionFacts& function, bool of_result) const;
  static void add(const SpecItem& item, bool is_exact, std::vector<MergedItem>& merged);

  std::string path_;
  Notes& later_notes_;
  std::shared_ptr<PatternUse> use_;
  Machine machine_;
  double atoms_ = 0;  // the part of PatternUse::atoms for this table
  fxt::Budget pattern_budget_, time_budget_;
  std::uint64_t all_seen_us_ = 0;  // the part of PatternUse::time_us that time_budget_ includes
  std::uint64_t matching_us_ = 0;  // time spent on patterns since release_states() was called
  std::vector<Entry> entries_;
  fxt::SeededMap<std::string, std::vector<std::size_t>> plain_;  // indexes of entries with a name
  std::vector<std::size_t> patterns_;                            // indexes of entries with a pattern
  AutoList auto_arguments_;
  AutoList auto_results_;
  EnumTypes enums_;
  // True if functions without an entry have the values that a .dbg file or an AutoList describes. Also true
  // if the file `info` is missing.
  bool auto_args_;
};

}  // namespace convert::uftrace
