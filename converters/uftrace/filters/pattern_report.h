// The notes on patterns that match no call. Whether a pattern matches another input is known only when all
// inputs are converted, so the notes are added with the last one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

class PatternReport {
 public:
  // What a pattern matches in one input: a function that was called, one that was not, or none.
  enum class Fit : std::uint8_t { Called, NeverCalled, Nothing };

  // Announces one more input.
  void expect() { ++inputs_; }
  // `pattern` is its number among all patterns; `text` is the text of the note.
  void add(std::size_t pattern, Fit fit, std::string text) {
    findings_.push_back({pattern, fit, std::move(text)});
  }
  // Ends one input; with the last one, adds the notes.
  void finish(Notes& notes) {
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

 private:
  struct Finding {
    std::size_t pattern;
    Fit fit;
    std::string text;
  };

  std::size_t inputs_ = 0;  // that are not finished
  std::vector<Finding> findings_;
};

}  // namespace convert::uftrace
