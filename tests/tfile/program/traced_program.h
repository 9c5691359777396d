// Line numbers of traced_program.cpp.
#pragma once

#include <fstream>
#include <string>

namespace convert::tfile {

// The number of the line of traced_program.cpp that ends with that mark; 0 if there is none.
inline int line_of(const std::string& mark) {
  std::ifstream source(TRACED_SOURCE);
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.ends_with("// MARK " + mark)) return number;
  }
  return 0;
}

}  // namespace convert::tfile
