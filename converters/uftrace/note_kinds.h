// What a uftrace recording may give the user to know. The names are interface: they stand in reports, in the
// argument `repaired` and in tests.
#pragma once

#include "converters/model/notes.h"

namespace convert::uftrace {

// ---- Text and metadata files ----
inline constexpr NoteKind kDamagedLine{"damaged-line", "lines of text files that could not be understood"};
inline constexpr NoteKind kNoInfo{"no-info", "recordings without a usable info file (recorder killed?)"};
inline constexpr NoteKind kNoTaskFile{"no-task-file", "recordings without a list of tasks"};
inline constexpr NoteKind kNoMap{"no-map", "sessions without a memory map: their calls have no names"};
inline constexpr NoteKind kNoSession{"no-session", "threads of no known program: their calls have no names"};
inline constexpr NoteKind kNoSymbol{"no-symbol", "addresses without a symbol"};
inline constexpr NoteKind kUnlistedThread{"unlisted-thread",
                                          "record files of threads that info does not list"};
inline constexpr NoteKind kUnreadableFile{"unreadable-file", "files that could not be read"};

}  // namespace convert::uftrace
