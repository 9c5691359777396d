// The file events.txt: names of user events (SDT probes), "EVENT: <id> <provider>:<name>".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "converters/model/notes.h"

namespace convert::uftrace {

using EventNames = std::map<std::uint64_t, std::string>;

// Damaged lines are noted and passed; of an id's names the last one counts.
EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes);

// Reads <directory>/events.txt; most recordings have none.
EventNames read_event_names(const std::filesystem::path& directory, Notes& notes);

}  // namespace convert::uftrace
