// The texts of a program that are made from the table of its options: help, manual page, completions for
// shells.
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
  std::string summary;                // a few words, such as "prints traces"
  std::vector<std::string> synopses;  // such as "[OPTIONS] FILE", without the name of the program
  std::string description;            // paragraphs, separated by empty lines
  std::string exit_status;            // one paragraph
  // Commands with their descriptions, for the help and the manual page. If there are any, the program also
  // has a short help, which has these commands and the most common options.
  std::vector<std::pair<std::string, std::string>> examples = {};
  std::vector<std::string> common_options = {};
  std::string build = {};  // the lines below the version, from build_text()
};

// The components from which the program was built: the lines below its name in `--version`. Returns "commit
// 0a1b2c3, gcc 12.2.0\nBoost 1_74\n", for example. `libraries` are additional libraries of this program, such
// as "libdw 0.188". They come before Boost.
std::string build_text(std::string_view libraries = {});

enum class Shell : std::uint8_t { Bash, Zsh, Fish };

// The full help, with at most 80 columns.
std::string help_of(const ProgramText& program, const OptionTable& table);
// A help of one screen: examples and common options.
std::string short_help_of(const ProgramText& program, const OptionTable& table);
// The help of the options only, with an empty line after each group. Groups without options are left out.
std::string help_of(const OptionTable& table);
// The manual page in roff, for man(1).
std::string manual_of(const ProgramText& program, const OptionTable& table);
// The completion script for a shell.
std::string completion_of(const ProgramText& program, const OptionTable& table, Shell shell);

// The options that print these texts, and the version.
class TextOptions {
 public:
  // The group of these options, the last one in the table. The group refers to members of this object.
  OptionGroup group();
  // The text that the command line requests, if any. Values of other options are not parsed.
  std::optional<std::string> text_of(const ProgramText& program, const OptionTable& table,
                                     const CommandLine& line);

 private:
  bool help_ = false, version_ = false, manual_ = false;
  std::optional<Shell> completion_;
};

// Parses the command line of a program, and performs the actions of its options. Adds the options that print
// texts to `table`. Returns nothing if such a text was printed. Throws UsageError for wrong options, and for
// options that would have no effect.
std::optional<CommandLine> parse_program(int argc, const char* const* argv, const ProgramText& program,
                                         OptionTable& table);

}  // namespace fxt
