#include "converters/uftrace/filters/pattern_report.h"

#include <algorithm>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

void PatternReport::add(std::size_t pattern, Fit fit, std::string text) {
  findings_.push_back({pattern, fit, std::move(text)});
}

void PatternReport::finish(Notes& notes) {
  if (--inputs_ != 0) return;
  for (const Finding& finding : findings_) {
    if (finding.fit == Fit::Called) continue;
    const bool fits_elsewhere = std::ranges::any_of(findings_, [&](const Finding& other) {
      return other.pattern == finding.pattern && other.fit != Fit::Nothing;
    });
    const NoteKind& kind = finding.fit == Fit::NeverCalled ? kNeverCalled
                           : fits_elsewhere                ? kNotInInput
                                                           : kNoSuchFunction;
    notes.add(kind, [&] { return finding.text; });
  }
  findings_.clear();
}

}  // namespace convert::uftrace
