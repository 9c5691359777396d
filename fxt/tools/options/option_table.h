// The table of all options, in the groups in which the help shows them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/tools/options/option.h"

namespace fxt::tools {

struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};
using OptionTable = std::vector<OptionGroup>;

struct CommandLine {
  struct Given {
    const Option* option;  // borrowed from the table
    std::string value;     // empty for switches
  };
  std::vector<Given> options;  // in the order in which they were given
  std::vector<std::string> paths;

  bool has(std::string_view name) const;
};

// Nothing is told to the options yet. Throws UsageError.
CommandLine parse(int argc, const char* const* argv, const OptionTable& table);

// The two paths of a program that takes an IN and an OUT. Throws UsageError if they are not two.
std::pair<std::string, std::string> in_and_out(const CommandLine& line);

}  // namespace fxt::tools
