// The texts of a program, all from the table of its options: help, manual page, completions for shells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/support/options.h"

namespace fxt {

struct ProgramText {
  std::string name, version;
  std::string summary;                // less than a line: "prints traces"
  std::vector<std::string> synopses;  // without the name: "[OPTIONS] FILE"
  std::string description;            // paragraphs, with an empty line between them
  std::string exit_status;            // one paragraph
  // For a help of one screen: a command and what it does, and the options that most people need. Without them
  // there is one help only.
  std::vector<std::pair<std::string, std::string>> examples = {};
  std::vector<std::string> common_options = {};
  std::string build = {};  // the lines below the version: build_text()
};

enum class Shell : std::uint8_t { Bash, Zsh, Fish };

// Of at most 80 columns.
std::string help_of(const ProgramText& program, const OptionTable& table);
// One screen: examples and common options.
std::string short_help_of(const ProgramText& program, const OptionTable& table);
// The options alone, each group with an empty line after it. Groups without options are left out.
std::string help_of(const OptionTable& table);
// In roff, for man(1).
std::string manual_of(const ProgramText& program, const OptionTable& table);
// The script that the shell reads.
std::string completion_of(const ProgramText& program, const OptionTable& table, Shell shell);

// The options that print these texts, and the version.
class TextOptions {
 public:
  // The last group of the table. Borrows *this.
  OptionGroup group();
  // The text that the command line requests, if any. No value of another option is read.
  std::optional<std::string> text_of(const ProgramText& program, const OptionTable& table,
                                     const CommandLine& line);

 private:
  bool help_ = false, version_ = false, manual_ = false;
  std::optional<Shell> completion_;
};

// For a program without options of its own kind: parses its command line and takes the values of the
// options of `table`, to which those that print texts are added. Nothing if such a text was printed instead.
// Throws UsageError, also if an option would have no effect.
std::optional<CommandLine> parse_program(int argc, const char* const* argv, const ProgramText& program,
                                         OptionTable& table);

}  // namespace fxt
