// Which functions a spec or a filter is meant for: their names, demangled, against a pattern.
#pragma once

#include <cstdint>
#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

#include "converters/model/names/demangle.h"

namespace convert::uftrace {

enum class PatternKind : std::uint8_t { Regex, Glob, Plain };

// The words of info's `pattern_type`; regex, uftrace's default, for others.
PatternKind pattern_kind_of(std::string_view word);

class NamePattern {
 public:
  // `text` may be a mangled name; names are given as `demangled` makes them. A regular expression that can't
  // be understood is taken as plain text.
  NamePattern(std::string_view text, PatternKind kind, Demangle demangled = Demangle::Simple);

  // Whether it names one function, not a family of them.
  bool is_plain() const { return kind_ == PatternKind::Plain; }
  // A regular expression may lie anywhere in the name; the others must fit the whole of it. Safe to use from
  // several threads.
  bool matches(const std::string& name) const;
  const std::string& text() const { return text_; }
  // Why it is no regular expression; empty if nothing is wrong.
  const std::string& problem() const { return problem_; }

 private:
  struct FreeRegex {
    void operator()(regex_t* regex) const;
  };

  std::string text_, problem_;
  PatternKind kind_;
  std::unique_ptr<regex_t, FreeRegex> regex_;
};

}  // namespace convert::uftrace
