#include "converters/symbols/name_pattern.h"

#include <array>
#include <fnmatch.h>

namespace convert {

PatternKind pattern_kind_of(std::string_view word) {
  if (word == "glob") return PatternKind::Glob;
  return word == "simple" ? PatternKind::Plain : PatternKind::Regex;
}

void NamePattern::FreeRegex::operator()(regex_t* regex) const {
  ::regfree(regex);
  delete regex;
}

NamePattern::NamePattern(std::string_view text, PatternKind kind, Demangle mode)
    : text_(demangle(text, mode)), kind_(kind) {
  constexpr std::string_view kSpecial = ".?*+-^$|()[]{}";
  if (text_.find_first_of(kSpecial) == std::string::npos) kind_ = PatternKind::Plain;
  if (kind_ == PatternKind::Regex && text_.starts_with("operator ")) kind_ = PatternKind::Plain;
  if (kind_ != PatternKind::Regex) return;
  auto regex = std::make_unique<regex_t>();
  const int error = ::regcomp(regex.get(), text_.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) {
    regex_.reset(regex.release());
    return;
  }
  kind_ = PatternKind::Plain;
  std::array<char, 128> problem;
  ::regerror(error, regex.get(), problem.data(), problem.size());
  problem_ = problem.data();
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

}  // namespace convert
