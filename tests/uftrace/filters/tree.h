// A tree of calls as a recording, and the shown calls in the notation of the comment on write_tree().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/uftrace/recording.h"

namespace convert::uftrace {

// main 0-100{ a 1-20{ b 2-15{ c 3-4 }} d 21-60{ b 22-50{ c 23-40{ e 24-30 }}} f 61-62 ext 63-70{ cb 64-65{ e
// 64.1-64.5 }}} in us; ext is a library function of 16 bytes, cb has 64, all others 128.
void write_tree(RecordingBuilder& recording);

// The filter options of the words of a command line: {"-F", "b", "-D", "2"}.
FilterOptions filters_of(const std::vector<std::string>& words);

// The calls in the lines of one thread, as "main{a{b} d}".
std::string tree_of(const std::vector<std::string>& lines);

}  // namespace convert::uftrace
