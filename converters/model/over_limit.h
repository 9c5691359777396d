// The note about a file that exceeds a limit. The part of the file before the limit is converted.
#pragma once

#include <fmt/format.h>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "fxt/support/budget.h"

namespace convert {

inline constexpr NoteKind kOverLimit{"over-limit", "files that exceed a limit, and are read only in part"};

// `consequence` is a clause that describes the part that is left out.
inline void note_over_limit(Notes& notes, const Location& where, const fxt::Budget& budget,
                            std::string_view consequence) {
  notes.add(kOverLimit, where, fmt::format("{}; {}", budget.exceeded(), consequence));
}

inline void note_over_limit(Notes& notes, const OverLimit& error, std::string_view consequence) {
  notes.add(kOverLimit, Location::file(error.path()), fmt::format("{}; {}", error.limit(), consequence));
}

}  // namespace convert
