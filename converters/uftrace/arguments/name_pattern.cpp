#include "converters/uftrace/arguments/name_pattern.h"

#include <fnmatch.h>

#include "converters/model/names/demangle.h"

namespace convert::uftrace {

PatternKind pattern_kind_of(std::string_view word) {
  if (word == "glob") return PatternKind::Glob;
  return word == "simple" ? PatternKind::Plain : PatternKind::Regex;
}

void NamePattern::FreeRegex::operator()(regex_t* regex) const {
  ::regfree(regex);
  delete regex;
}

NamePattern::NamePattern(std::string_view text, PatternKind kind)
    : text_(demangle(text, Demangle::Simple)), kind_(kind) {
  constexpr std::string_view kSpecial = ".?*+-^$|()[]{}";
  if (text_.find_first_of(kSpecial) == std::string::npos) kind_ = PatternKind::Plain;
  if (kind_ == PatternKind::Regex && text_.starts_with("operator ")) kind_ = PatternKind::Plain;
  if (kind_ != PatternKind::Regex) return;
  auto regex = std::make_unique<regex_t>();
  if (::regcomp(regex.get(), text_.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {
    regex_.reset(regex.release());
  } else {
    kind_ = PatternKind::Plain;
  }
}

bool NamePattern::matches(const std::string& name) const {
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

}  // namespace convert::uftrace
