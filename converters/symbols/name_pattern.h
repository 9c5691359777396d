// A pattern for names of functions: regular expression, glob or plain text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fnmatch.h>
#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

#include "converters/symbols/demangle.h"

namespace convert {

enum class PatternKind : std::uint8_t { Regex, Glob, Plain };

// Parses "regex", "glob" or "simple", as in uftrace. Other words mean uftrace's default, a regular
// expression.
PatternKind pattern_kind_of(std::string_view word);

class NamePattern {
 public:
  // `text` may be a mangled name. It is demangled in the same mode as the names to compare. An invalid
  // regular expression becomes plain text.
  NamePattern(std::string_view text, PatternKind kind, Demangle mode = Demangle::Simple);

  // True if the pattern matches exactly one name.
  bool is_plain() const { return kind_ == PatternKind::Plain; }
  // A regular expression matches any part of the name; other patterns must match all of it. Safe to call from
  // several threads.
  bool matches(const std::string& name) const;
  // Releases the memory that matches() has used until now. The C library stores states of the expression when
  // it compares the expression with names. Each state needs some kilobytes.
  void release_states() {
    if (regex_ != nullptr) compile(compiled_);
  }
  const std::string& text() const { return text_; }
  // The error in the regular expression; empty if it is valid.
  const std::string& problem() const { return problem_; }

 private:
  struct FreeRegex {
    void operator()(regex_t* regex) const;
  };

  int compile(const std::string& regex);

  std::string text_, problem_, compiled_;
  PatternKind kind_;
  std::unique_ptr<regex_t, FreeRegex> regex_;
};

inline PatternKind pattern_kind_of(std::string_view word) {
  if (word == "glob") return PatternKind::Glob;
  return word == "simple" ? PatternKind::Plain : PatternKind::Regex;
}

inline void NamePattern::FreeRegex::operator()(regex_t* regex) const {
  ::regfree(regex);
  delete regex;
}

// Returns an expression that the C library tries to match only at the start of a name: "^.*(a)" for "a". The
// C library tries "a" itself at each character of the name, which can take quadratic time. Expressions with
// back references stay unchanged, because the new brackets would change the numbers of the groups.
inline std::string from_first_character(const std::string& regex) {
  int open = 0;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const char next = i + 1 < regex.size() ? regex[i + 1] : '\0';
    if (regex[i] == '\\' && next >= '0' && next <= '9') return regex;
    if (regex[i] == '\\')
      ++i;
    else if (regex[i] == '[')  // a ']' that comes first in the brackets is one of the characters
      i = std::min(regex.find(']', i + (next == '^' ? 3 : 2)), regex.size());
    else if (regex[i] == '(')
      ++open;
    else if (regex[i] == ')' && --open < 0)
      return regex;
  }
  return "^.*(" + regex + ")";
}

inline NamePattern::NamePattern(std::string_view text, PatternKind kind, Demangle mode)
    : text_(demangle(text, mode)), kind_(kind) {
  constexpr std::string_view kSpecial = ".?*+-^$|()[]{}";
  if (text_.find_first_of(kSpecial) == std::string::npos) kind_ = PatternKind::Plain;
  if (kind_ == PatternKind::Regex && text_.starts_with("operator ")) kind_ = PatternKind::Plain;
  if (kind_ != PatternKind::Regex) return;
  if (const int error = compile(text_); error == 0) {
    compile(from_first_character(text_));
  } else {
    kind_ = PatternKind::Plain;
    std::array<char, 128> problem;
    ::regerror(error, nullptr, problem.data(), problem.size());
    problem_ = problem.data();
  }
}

inline int NamePattern::compile(const std::string& regex) {
  auto compiled = std::make_unique<regex_t>();
  const int error = ::regcomp(compiled.get(), regex.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) return error;
  regex_.reset(compiled.release());
  compiled_ = regex;
  return 0;
}

inline bool NamePattern::matches(const std::string& name) const {
  switch (kind_) {
    case PatternKind::Regex:
      return ::regexec(regex_.get(), name.c_str(), 0, nullptr, 0) == 0;
    case PatternKind::Glob:
      return ::fnmatch(text_.c_str(), name.c_str(), 0) == 0;
    case PatternKind::Plain:
      return text_ == name;
  }
  return false;
}

}  // namespace convert
