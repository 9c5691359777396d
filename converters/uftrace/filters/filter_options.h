// The options that select the functions and calls to show: -F, -N, -C, -H, -T, -L, -D, -t, -Z and others.
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

// Collects notes about patterns that match no call in an input. The notes are added after the last input,
// because their text depends on whether the pattern matches in other inputs.

class PatternReport {
 public:
  // The matches of a pattern in one input: a called function, only functions that were not called, or no
  // function.
  enum class Fit : std::uint8_t { Called, NeverCalled, Nothing };

  // Announces one more input.
  void expect() { ++inputs_; }
  // `pattern` is the index of the pattern. `text` is the text of the note about the pattern in this input.
  void add(std::size_t pattern, Fit fit, std::string input, std::string text) {
    findings_.push_back({pattern, fit, std::move(input), std::move(text)});
  }
  // Ends one input. After the last input, adds the notes, and returns their texts without input names.
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
      if (finding.fit == Fit::NeverCalled) finding.text += ", and was not called";
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

  std::size_t inputs_ = 0;  // number of inputs that finish() has not ended yet
  std::vector<Finding> findings_;
};

struct FilterOptions {
  std::vector<FilterItem> items = {};  // ordered as in the command line
  PatternKind match = PatternKind::Regex;
  bool starts_tracing = true;               // true if calls are shown before any trace_on or trace_off
  std::optional<std::uint32_t> depth = {};  // number of levels to show
  std::uint64_t time_ns = 0;                // length of the shortest call to show
  std::uint64_t size = 0;                   // size of the smallest function to show, in bytes
  bool no_libcall = false;                  // hide calls through the PLT
  // Shared by all inputs.
  std::shared_ptr<PatternReport> report = std::make_shared<PatternReport>();

  bool any() const {
    return !items.empty() || !starts_tracing || depth || time_ns != 0 || size != 0 || no_libcall;
  }
  bool has(FilterItem::Option option) const;
};

// Returns the command line options that set members of `options`, which must not move afterwards.
std::vector<Option> options_of(FilterOptions& options);

}  // namespace convert::uftrace
