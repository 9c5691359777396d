// Finds the numbers of lines in the sources of the traced programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace convert::tfile {

// The address at which Linux loads a position-independent program in a debugger.
inline constexpr std::uint64_t kUsualBias = 0x5555'5555'4000;

// Returns the number of the line that ends with "// MARK" and `mark`, or 0 if no line does.
inline int line_of(const std::string& mark, const std::string& file = "traced_program.cpp") {
  std::ifstream source(std::filesystem::path(TRACED_SOURCE).parent_path() / file);
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.ends_with("// MARK " + mark)) return number;
  }
  return 0;
}

}  // namespace convert::tfile
