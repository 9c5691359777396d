// Notes are facts about a conversion that the user should know, such as repaired calls or lost records. The
// class Notes counts them by kind, and keeps the first texts of each kind.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "fxt/support/budget.h"

namespace convert {

// A kind of note. Each kind is a constant next to the code that adds notes of this kind.
struct NoteKind {
  std::string_view name;     // stable, because it is in reports and in the argument `repaired`
  std::string_view meaning;  // a clause for the report, in the plural: "exits whose entry was not recorded"
  // True if the note is informational: the recorded data are on the timeline, or an option omits them.
  bool is_remark = false;
};

class Notes {
 public:
  static constexpr std::size_t kKeptPerKind = 3;

  struct Group {
    const NoteKind* kind;
    std::uint64_t count = 0;
    std::uint64_t notes = 0;              // number of calls of add(), each of which may count many things
    std::vector<std::string> first = {};  // "<location>: <problem>" of the first kKeptPerKind notes
  };

  // `kind` must outlive this object. `count` is the number of things in the note, such as lost records.
  void add(const NoteKind& kind, const Location& where, std::string_view problem, std::uint64_t count = 1);

  // Adds a note of a kind that may be frequent. `describe` returns "<location>: <problem>". `describe` is
  // called only if the text is kept.
  template <std::invocable Describe>
  void add(const NoteKind& kind, Describe&& describe, std::uint64_t count = 1) {
    Group& group = group_of(kind);
    group.count += count;
    ++group.notes;
    if (group.first.size() < kKeptPerKind) group.first.push_back(describe());
  }

  // Appends all notes of `later`, except notes of the kind `except`.
  void join(const Notes& later, const NoteKind* except = nullptr);

  bool empty() const { return groups_.empty(); }
  bool has_only_remarks() const;
  std::uint64_t count(const NoteKind& kind) const;  // 0 if there are none
  // The groups in the order in which their first notes were added.
  const std::vector<Group>& groups() const { return groups_; }

 private:
  Group& group_of(const NoteKind& kind);
  std::vector<Group> groups_;
};

// A file exceeds a limit. The part of the file before the limit is converted.
inline constexpr NoteKind kOverLimit{"over-limit", "files that exceed a limit, and are read only in part"};

// `consequence` is a clause that describes the part that is left out.
inline void note_over_limit(Notes& notes, const Location& where, const fxt::Budget& budget,
                            std::string_view consequence) {
  notes.add(kOverLimit, where, fmt::format("{}; {}", budget.exceeded(), consequence));
}

inline void note_over_limit(Notes& notes, const OverLimit& error, std::string_view consequence) {
  notes.add(kOverLimit, Location::file(error.path()), fmt::format("{}; {}", error.limit(), consequence));
}

}  // namespace convert
