// Counts the records that the selected readers ignore (rule W29), and reports the number at the end of the
// file. Internal to the Checker.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "fxt/checking/findings.h"
#include "fxt/contents.h"
#include "fxt/reader.h"
#include "fxt/records.h"

namespace fxt {

class UseCheck {
 public:
  explicit UseCheck(Findings& findings) : findings_(&findings) {}

  // Damaged records and scopes have their own faults. Categories are not counted, because nearly
  // all events have a category.
  void add(const Entry& entry) {
    if (!findings_->is_for_some_readers()) return;
    const auto content = content_of(entry.record);
    if (content && (content != Content::UnknownRecords || is_of_unknown_type(entry))) count(*content);
    if (content == Content::Instants && !std::get<Event>(entry.record).arguments.empty())
      count(Content::ArgumentsOfInstants);
  }
  void finish() const {
    for (const ContentUse& use : content_uses())
      if (const Seen& seen = seen_.at(static_cast<std::size_t>(use.content)); seen.count != 0)
        findings_->report_ignored(readers_that_ignore(use.content), seen.offset, seen.record,
                                  std::string(use.name) + " (" + std::to_string(seen.count) + ")");
  }

 private:
  struct Seen {
    std::uint64_t count = 0;
    std::uint64_t offset = 0;  // offset of the first ignored record
    std::string_view record = {};
  };

  static bool is_of_unknown_type(const Entry& entry) {
    return std::ranges::any_of(entry.problems, [](const Problem& problem) {
      return problem.kind == ProblemKind::UnknownRecordType;
    });
  }
  void count(Content content) {
    Seen& seen = seen_.at(static_cast<std::size_t>(content));
    if (seen.count++ == 0) seen = {.count = 1, .offset = findings_->offset(), .record = findings_->record()};
  }

  Findings* findings_;
  std::array<Seen, kContents> seen_;
};

}  // namespace fxt
