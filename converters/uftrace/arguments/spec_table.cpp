#include "converters/uftrace/arguments/spec_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <time.h>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/symbols/demangle.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// The limit for the atoms that repetitions add to a regular expression (see atoms_of()). With a hundred times
// as many atoms, matching a name takes minutes, or overflows the stack in the C library.
constexpr std::size_t kMostRepeated = 1000;
constexpr std::size_t kMostItems = 1024;  // limit for one function; a payload has fewer values
// Limits the modules and patterns, because each function is compared with each pattern.
constexpr fxt::Limit kModules{"modules in the argument specs of a function", 16, 0};
constexpr fxt::Limit kPatterns{"patterns for functions with arguments or results", 256, 0};
// Some regular expressions take 20 us and some kilobytes for each character of a name. Therefore, the time is
// limited. This also limits the memory.
constexpr fxt::Limit kMatching{"microseconds to compare functions with patterns", 10'000'000, 0};
constexpr std::uint64_t kMostStatesUs = 200'000;
constexpr double kMostAtoms = 200'000;      // limits the memory of all regular expressions to about 40 MiB
constexpr std::size_t kLongestName = 1024;  // longer names match no pattern

Machine machine_of(const Info& info) {
  const std::string_view cpu = info.cpu_description;
  return {.word_size = info.bits / 8,
          .has_long_doubles = !cpu.starts_with("ARMv6") && !cpu.starts_with("ARMv7")};
}

std::vector<SpecItem> items_of(std::vector<SpecItem> items, bool of_result) {
  std::erase_if(items, [of_result](const SpecItem& item) { return item.is_return() != of_result; });
  return items;
}

std::uint64_t thread_time_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec) / 1000;
}

// Returns the size of a regular expression in the C library, as a number of atoms (characters and sets of
// characters). If a part is repeated, its atoms count once for each repetition. Returns infinity for
// expressions that would need too much time or stack.
double atoms_of(std::string_view regex) {
  constexpr double kForbidden = std::numeric_limits<double>::infinity();
  constexpr std::size_t kMostCharacters = 4096, kMostParentheses = 100;
  if (regex.size() > kMostCharacters) return kForbidden;
  std::vector<double> atoms{1};  // for the whole expression, and for each open parenthesis
  double last = 0;               // atoms of the last part, which may be repeated
  const auto repeat = [&](double times) {
    atoms.back() += last * (times - 1);
    last *= times;
  };
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const char next = i + 1 < regex.size() ? regex[i + 1] : '\0';
    const std::size_t bound_end = regex.find_first_not_of("0123456789,", i + 1);
    if (regex[i] == '{' && bound_end != regex.npos && regex[bound_end] == '}') {
      double number = 0, largest = 1;
      for (; ++i < bound_end; largest = std::max(largest, number))
        number = regex[i] == ',' ? 0 : std::min(10 * number + (regex[i] - '0'), 1e9);
      repeat(largest);
    } else if (regex[i] == '+') {
      repeat(2);
    } else if (regex[i] == '(') {
      atoms.push_back(0);
      if (atoms.size() > kMostParentheses) return kForbidden;
    } else {
      last = 1;
      if (regex[i] == ')' && atoms.size() > 1) {
        last += atoms.back();
        atoms.pop_back();
      }
      atoms.back() += last;
      if (regex[i] == '\\' && next >= '1' && next <= '9') return kForbidden;
      // A ']' directly after '[' or '[^' is one of the characters in the brackets.
      if (regex[i] == '\\')
        ++i;
      else if (regex[i] == '[')
        i = std::min(regex.find(']', i + (next == '^' ? 3 : 2)), regex.size());
    }
  }
  return std::accumulate(atoms.begin(), atoms.end(), 0.0);
}

}  // namespace

SpecTable::SpecTable(const Info& info, std::string_view path, Names& names, Notes& notes, Notes& later_notes,
                     std::shared_ptr<PatternUse> use)
    : path_(path),
      later_notes_(later_notes),
      use_(std::move(use)),
      machine_(machine_of(info)),
      pattern_budget_(kPatterns),
      time_budget_(kMatching),
      auto_args_(!info.present) {
  ++use_->tables;
  const std::uint64_t begin_us = thread_time_us();
  const bool has_time = use_->time_us < kMatching.of(0);
  const PatternKind kind = has_time ? pattern_kind_of(info.pattern_type) : PatternKind::Plain;
  SpecProblems problems;
  for (const std::string& whole : info.argument_lines) {
    std::string_view line = whole;
    if (consume_prefix(line, "argspec:")) add_entries(line, kind, false, problems);
    if (consume_prefix(line, "retspec:")) add_entries(line, kind, true, problems);
    if (consume_prefix(line, "argauto:")) add_auto(line, auto_arguments_, problems);
    if (consume_prefix(line, "retauto:")) add_auto(line, auto_results_, problems);
    if (consume_prefix(line, "enumauto:")) parse_enums(line, names, enums_, problems);
    if (consume_prefix(line, "auto-args:")) auto_args_ = line == "1";
  }
  if (pattern_budget_.is_exceeded())
    note_over_limit(notes, Location::file(path), pattern_budget_,
                    "the other patterns are ignored, so some arguments and results are unknown");
  for (const std::string& problem : problems)
    notes.add(kDamagedLine, [&] { return fmt::format("{}: not an argument spec: \"{}\"", path, problem); });
  take_time(thread_time_us() - begin_us);
}

void SpecTable::add_entries(std::string_view list, PatternKind kind, bool of_results,
                            SpecProblems& problems) {
  for (SpecEntry& spec : parse_specs(list, machine_, problems)) {
    const double atoms = kind == PatternKind::Regex ? atoms_of(spec.pattern) : 0;
    if (atoms > static_cast<double>(spec.pattern.size() + kMostRepeated) ||
        use_->atoms + atoms > kMostAtoms) {
      problems.push_back(std::move(spec.pattern));
      continue;
    }
    atoms_ += atoms;
    use_->atoms += atoms;
    NamePattern pattern(spec.pattern, kind);
    if (pattern.is_plain())
      plain_[pattern.text()].push_back(entries_.size());
    else if (pattern_budget_.take())
      patterns_.push_back(entries_.size());
    else
      continue;
    entries_.push_back({std::move(pattern), std::move(spec), of_results});
  }
}

void SpecTable::add_auto(std::string_view list, AutoList& autos, SpecProblems& problems) {
  for (SpecEntry& spec : parse_specs(list, machine_, problems))
    autos.try_emplace(demangle(spec.pattern, Demangle::Simple), std::move(spec.items));
}

std::vector<SpecItem> SpecTable::from_debug(const FunctionFacts& function, bool of_result) const {
  SpecProblems problems;  // ignored, because a payload that can't be decoded gets a note
  const std::string_view line = of_result ? function.debug.results : function.debug.arguments;
  return items_of(parse_spec_items(line, machine_, problems), of_result);
}

std::vector<SpecItem> SpecTable::from_list(const FunctionFacts& function, bool of_result) const {
  const AutoList& list = of_result ? auto_results_ : auto_arguments_;
  for (const std::string& name : function.names) {
    const auto found = list.find(name);
    if (found != list.end()) return items_of(found->second, of_result);
  }
  return {};
}

std::vector<SpecItem> SpecTable::automatic(const FunctionFacts& function, bool of_result) const {
  auto items = from_debug(function, of_result);
  return items.empty() ? from_list(function, of_result) : items;
}

// If two items have the same location, the format of the later item replaces the format of the earlier item.
// But an item from a pattern does not replace an item whose spec names the function.
void SpecTable::add(const SpecItem& item, bool is_exact, std::vector<MergedItem>& merged) {
  const auto same = std::ranges::find_if(
      merged, [&](const MergedItem& other) { return other.item.location == item.location; });
  if (same == merged.end()) {
    if (merged.size() < kMostItems) merged.push_back({item, is_exact});
  } else if (is_exact || !same->is_exact) {
    same->item.format = item.format;
    same->item.size = item.size;
    same->item.type_name = item.type_name;
    same->is_exact = is_exact;
  }
}

// The time of this table counts twice, and the time of other tables counts once. Therefore, a single table
// can use only half of the limit, and leaves time for other recordings and later passes.
void SpecTable::take_time(std::uint64_t spent_us) {
  const std::uint64_t all_us = use_->time_us += spent_us;
  const std::uint64_t more_us = all_us - std::exchange(all_seen_us_, all_us);
  if (!time_budget_.is_exceeded() && !time_budget_.take(spent_us + more_us))
    note_over_limit(later_notes_, Location::file(path_), time_budget_,
                    "the remaining functions are not compared, so some arguments and results are unknown");
}

std::uint64_t SpecTable::count_matching(std::uint64_t since_us) {
  const std::uint64_t now_us = thread_time_us();
  const std::uint64_t spent_us = now_us - since_us;
  take_time(spent_us);
  matching_us_ += spent_us;
  if (matching_us_ > kMostStatesUs / use_->tables) {
    for (const std::size_t index : patterns_) entries_[index].pattern.release_states();
    matching_us_ = 0;
  }
  return now_us;
}

// Returns the indexes of the entries that match a name of the function, in ascending order.
std::vector<std::size_t> SpecTable::entries_of(const FunctionFacts& function) {
  constexpr std::size_t kLong = 128, kPatternsPerCount = 16;
  std::vector<std::size_t> found;
  for (const std::string& name : function.names)
    if (const auto plain = plain_.find(name); plain != plain_.end())
      found.insert(found.end(), plain->second.begin(), plain->second.end());
  std::uint64_t since_us = patterns_.empty() ? 0 : thread_time_us();
  for (const std::string& name : function.names) {
    if (name.size() > kLongestName) continue;
    for (std::size_t i = 0; i < patterns_.size() && !time_budget_.is_exceeded(); ++i) {
      if (entries_[patterns_[i]].pattern.matches(name)) found.push_back(patterns_[i]);
      if (name.size() > kLong || i % kPatternsPerCount == 0) since_us = count_matching(since_us);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<SpecItem> SpecTable::by_rule(const FunctionFacts& function, bool of_result) {
  std::vector<MergedItem> merged;
  fxt::Budget modules(kModules);
  const std::vector<std::size_t> entries = entries_of(function);
  const std::uint64_t since_us = thread_time_us();
  for (const std::size_t index : entries) {
    const Entry& entry = entries_[index];
    if (!entry.spec.module.empty() && !(modules.take() && function.is_in(entry.spec.module))) continue;
    const bool is_exact = entry.pattern.is_plain();
    if (!entry.spec.is_auto) {
      for (const SpecItem& item : items_of(entry.spec.items, of_result)) add(item, is_exact, merged);
    } else if (entry.of_results == of_result) {
      for (const SpecItem& item : automatic(function, of_result)) add(item, is_exact, merged);
    }
  }
  if (merged.empty() && auto_args_) {
    for (const SpecItem& item : automatic(function, of_result)) add(item, true, merged);
  }
  count_matching(since_us);
  std::vector<SpecItem> items;
  for (MergedItem& one : merged) items.push_back(std::move(one.item));
  return items;
}

std::vector<std::vector<SpecItem>> SpecTable::candidate_layouts(const FunctionFacts& function,
                                                                bool of_result) {
  std::vector<std::vector<SpecItem>> candidates;
  const auto add_candidate = [&](std::vector<SpecItem> items) {
    if (!items.empty() && std::ranges::count(candidates, items) == 0) candidates.push_back(std::move(items));
  };
  add_candidate(by_rule(function, of_result));
  // The recorder may have compared only one of the names, or may have used only DWARF or the automatic list.
  // Therefore, the results of these cases are also candidates.
  if (function.names.size() > 1) {
    FunctionFacts alias = function;
    for (const std::string& name : function.names) {
      alias.names = {name};
      add_candidate(by_rule(alias, of_result));
    }
  }
  add_candidate(from_debug(function, of_result));
  add_candidate(from_list(function, of_result));
  // In info, the recorder writes the item `retval/s` of a trigger as `retval`. Therefore, a single return
  // value may also be a string.
  if (of_result && !candidates.empty() && candidates.front().size() == 1) {
    SpecItem text = candidates.front().front();
    text.format = Format::String;
    text.size = 0;
    add_candidate({text});
  }
  return candidates;
}

}  // namespace convert::uftrace
