// The note on a file that asks for more than it may: the good part before the limit is converted. And the
// error, if there is no such part.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "fxt/support/budget.h"

namespace convert {

inline constexpr NoteKind kOverLimit{"over-limit", "files that exceed a limit"};

// `consequence`: what is left out, as a clause.
inline void note_over_limit(Notes& notes, const Location& where, const fxt::Budget& budget,
                            std::string_view consequence) {
  notes.add(kOverLimit, where, fmt::format("{}: {}", budget.exceeded(), consequence));
}

// Of a file that is only needed for names or types, this becomes a note.
class OverLimit : public InputError {
 public:
  OverLimit(std::string_view path, std::string_view limit)
      : InputError(Location::file(path), limit), path_(path), limit_(limit) {}

  void note(Notes& notes, std::string_view consequence) const {
    notes.add(kOverLimit, Location::file(path_), fmt::format("{}: {}", limit_, consequence));
  }

 private:
  std::string path_, limit_;
};

}  // namespace convert
