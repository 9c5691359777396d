// A pattern that names of functions are compared with: regular expression, glob or plain text.
#pragma once

#include <cstdint>
#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

#include "converters/symbols/demangle.h"

namespace convert {

enum class PatternKind : std::uint8_t { Regex, Glob, Plain };

// "regex", "glob" or "simple", as uftrace calls them. Its default, a regular expression, for other words.
PatternKind pattern_kind_of(std::string_view word);

class NamePattern {
 public:
  // `text` may be a mangled name. It is demangled in the same mode as the names to compare. An invalid
  // regular expression is plain text.
  NamePattern(std::string_view text, PatternKind kind, Demangle mode = Demangle::Simple);

  // True if it matches one name only.
  bool is_plain() const { return kind_ == PatternKind::Plain; }
  // A regular expression matches any part of the name, the others match all of it. Safe to call from several
  // threads.
  bool matches(const std::string& name) const;
  const std::string& text() const { return text_; }
  // What is wrong with the regular expression; empty if nothing is.
  const std::string& problem() const { return problem_; }

 private:
  struct FreeRegex {
    void operator()(regex_t* regex) const;
  };

  std::string text_, problem_;
  PatternKind kind_;
  std::unique_ptr<regex_t, FreeRegex> regex_;
};

}  // namespace convert
