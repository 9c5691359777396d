// The options that choose which functions and calls are shown: -F, -N, -C, -H, -T, -L, -D, -t, -Z and the
// like.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/option.h"
#include "converters/symbols/name_pattern.h"
#include "converters/uftrace/filters/filter_item.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

// The notes on patterns that match no call. Whether a pattern matches another input is known only when all
// inputs are converted, so the notes are added with the last one.

class PatternReport {
 public:
  // What a pattern matches in one input: a function that was called, one that was not, or none.
  enum class Fit : std::uint8_t { Called, NeverCalled, Nothing };

  // Announces one more input.
  void expect() { ++inputs_; }
  // `pattern` is its number among all patterns; `text` is the text of the note about that input.
  void add(std::size_t pattern, Fit fit, std::string input, std::string text) {
    findings_.push_back({pattern, fit, std::move(input), std::move(text)});
  }
  // Ends one input; with the last one, adds the notes. Returns their texts, without the inputs.
  std::vector<std::string> finish(Notes& notes) {
    std::vector<std::string> misfits;
    if (--inputs_ != 0) return misfits;
    for (Finding& finding : findings_) {
      if (finding.fit == Fit::Called) continue;
      const bool fits_elsewhere = std::ranges::any_of(findings_, [&](const Finding& other) {
        return other.pattern == finding.pattern && other.fit != Fit::Nothing;
      });
      const NoteKind& kind = finding.fit == Fit::NeverCalled ? kNeverCalled
                             : fits_elsewhere                ? kNotInInput
                                                             : kNoSuchFunction;
      notes.add(kind, [&] { return fmt::format("{}: {}", finding.input, finding.text); });
      if (finding.fit == Fit::NeverCalled) finding.text += ", and is not called";
      if (std::ranges::count(misfits, finding.text) == 0) misfits.push_back(std::move(finding.text));
    }
    findings_.clear();
    return misfits;
  }

 private:
  struct Finding {
    std::size_t pattern;
    Fit fit;
    std::string input, text;
  };

  std::size_t inputs_ = 0;  // that are not finished
  std::vector<Finding> findings_;
};

struct FilterOptions {
  std::vector<FilterItem> items = {};  // in the order of the command line
  PatternKind match = PatternKind::Regex;
  bool starts_tracing = true;               // before any trace_on or trace_off
  std::optional<std::uint32_t> depth = {};  // number of levels that are shown
  std::uint64_t time_ns = 0;                // shortest call that is shown
  std::uint64_t size = 0;                   // smallest function that is shown, in bytes
  bool no_libcall = false;                  // calls through the PLT are hidden
  // Shared by all inputs.
  std::shared_ptr<PatternReport> report = std::make_shared<PatternReport>();

  bool any() const {
    return !items.empty() || !starts_tracing || depth || time_ns != 0 || size != 0 || no_libcall;
  }
  bool has(FilterItem::Option option) const;
};

// The options of the command line, which write into `options`; it must not move.
std::vector<Option> options_of(FilterOptions& options);

}  // namespace convert::uftrace
