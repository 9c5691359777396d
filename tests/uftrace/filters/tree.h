// Writes a recording with a tree of calls, and shows the converted calls as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {

// The calls, with their times in µs:
//   main 0-100{ a 1-20{ b 2-15{ c 3-4 }} d 21-60{ b 22-50{ c 23-40{ e 24-30 }}} f 61-62
//               ext 63-70{ cb 64-65{ e 64.1-64.5 }}}
// The library function ext has 16 bytes, cb has 64 bytes, and all other functions have 128 bytes.
void write_tree(RecordingBuilder& recording);

// Returns the options for the words of a command line, such as {"-F", "b", "-D", "2"}.
FilterOptions filters_of(const std::vector<std::string>& words);

// Returns the calls in the lines of one thread as text, such as "main{a{b} d}".
std::string tree_of(const std::vector<std::string>& lines);

}  // namespace convert::uftrace
