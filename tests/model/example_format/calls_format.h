// An example of an input format, which docs/adding-a-format.md explains. The format is a text file with
// entries and exits in the order of time.
//
//   calls 1            the first line
//   1000 7 > draw      at 1000 ns, thread 7 calls draw
//   1500 7 <           at 1500 ns, the innermost call of thread 7 returns
#pragma once

#include <memory>

#include "converters/model/importer.h"
#include "converters/model/notes.h"

namespace convert::example {

inline constexpr NoteKind kDamagedLine{"damaged-line", "lines that can't be read: left out"};
inline constexpr NoteKind kTimeWentBack{"time-went-back", "lines earlier than the line before: moved there"};
inline constexpr NoteKind kExitWithoutCall{"exit-without-call", "returns without a call: left out"};
inline constexpr NoteKind kOpenAtEnd{"open-at-end", "calls that did not return: they end with the file"};

std::unique_ptr<Importer> make_importer();

}  // namespace convert::example
