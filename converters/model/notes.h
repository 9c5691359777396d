// What the user should know about a conversion: repaired calls, lost records, skipped bytes, cut strings.
// Counted by kind; the first few of each kind keep their place and problem.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/reading/input_error.h"

namespace convert {

// Each room defines its kinds as constants. The name is interface: it stands in reports, in the argument
// `repaired` and in tests. The meaning is one clause for the text report, in the plural: "exits whose
// entry was not recorded".
struct NoteKind {
  std::string_view name;
  std::string_view meaning;
  // Only told: nothing recorded is missing on the timeline, or the user asked to leave it out.
  bool is_remark = false;
};

class Notes {
 public:
  static constexpr std::size_t kKeptPerKind = 3;

  // All notes of one kind. `first` holds "<place>: <problem>" of the first kKeptPerKind.
  struct Group {
    const NoteKind* kind;
    std::uint64_t count = 0;
    std::vector<std::string> first = {};
  };

  // `kind` must outlive this object (a constant). `count` is how many things this one note stands for
  // (5151 lost records: one note, count 5151).
  void add(const NoteKind& kind, const Location& where, std::string_view problem, std::uint64_t count = 1);

  // The same for places that can be many: `describe` returns a std::string "<place>: <problem>" and is
  // only called while the text is still wanted.
  template <std::invocable Describe>
  void add(const NoteKind& kind, Describe&& describe, std::uint64_t count = 1) {
    Group& group = group_of(kind);
    group.count += count;
    if (group.first.size() < kKeptPerKind) group.first.push_back(describe());
  }

  // Adds all of `later`, as if it had been said here behind what there is.
  void join(const Notes& later);

  bool empty() const { return groups_.empty(); }
  // Whether all there is are remarks.
  bool has_only_remarks() const;
  std::uint64_t count(const NoteKind& kind) const;  // 0 if there is none
  // In the order of first appearance.
  const std::vector<Group>& groups() const { return groups_; }

 private:
  Group& group_of(const NoteKind& kind);
  std::vector<Group> groups_;
};

}  // namespace convert
