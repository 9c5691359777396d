// How the user is told of records that are odd, by all who meet them.
#pragma once

#include <cstdint>
#include <string>

#include "converters/model/notes.h"
#include "converters/uftrace/records/record_cursor.h"

namespace convert::uftrace {

// Losses, impossible times, and what can't be read. `is_last`: the file ends with the item.
void note_item(const RecordItem& item, bool is_last, const std::string& path, Notes& notes);

// A call whose time is before that of an earlier one.
void note_time_went_back(const RecordItem& item, const std::string& path, Notes& notes);

}  // namespace convert::uftrace
