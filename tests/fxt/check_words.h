// Checks the words of a file, and returns the Checker's findings as short texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "fxt/checker.h"
#include "tests/fxt/trace_words.h"

namespace fxt::test {

inline void check(std::span<const std::uint64_t> words, const Checker::Report& report,
                  KnownReaders readers = KnownReaders::all()) {
  OrderedReader trace(std::as_bytes(words));
  Checker(report, readers).check(trace);
}

// Returns the rules that a file breaks, each once, in the order of the findings. "W15" is an error, and "w15"
// is a warning.
inline std::string broken_rules(std::span<const std::uint64_t> words) {
  std::vector<std::string> rules;
  check(words, [&rules](const Finding& finding) {
    std::string rule(finding.rule);
    if (finding.severity == Severity::Warning) rule[0] = 'w';
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
  });
  std::string text;
  for (const std::string& rule : rules) text += (text.empty() ? "" : " ") + rule;
  return text;
}
inline std::string broken_rules(std::initializer_list<std::uint64_t> words) {
  return broken_rules(std::span(words.begin(), words.size()));
}

}  // namespace fxt::test
