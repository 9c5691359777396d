// The rules that a trace must keep so that all known readers read it alike, and the findings that report
// where it breaks one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fxt {

struct Rule {
  std::string_view id;       // "W1": stable, for scripts
  std::string_view says;     // what a writer must do
  std::string_view because;  // which reader does what otherwise
};

// All of them, in order.
std::span<const Rule> rules();

enum class Severity : std::uint8_t {
  Warning,  // the spec says otherwise, but all known readers cope
  Error,    // some known reader fails, loses something or misdraws
};

// Whether Tracy takes an instant of this name for the start of a frame (W28).
bool names_a_frame(std::string_view name);

struct Finding {
  std::string_view rule;  // Rule::id
  Severity severity = Severity::Error;
  std::uint64_t offset = 0;  // of the record, in bytes from the start of the file
  std::string_view record;   // its kind, see kind_of(); "file" if it is none
  std::string problem;       // what is wrong
  std::string_view effect;   // which readers do what with it
};

}  // namespace fxt
