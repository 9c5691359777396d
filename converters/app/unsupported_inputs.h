// Files that people give by mistake, and what to do with them.
#pragma once

#include <string>

namespace convert {

// What a file that no importer takes is, and what helps: "a record file of a uftrace recording: convert its
// directory, DIR". Empty if nothing is known.
std::string advice_for(const std::string& input);

}  // namespace convert
