// The ids that are shown for processes and threads: non-zero, within the sink's limit, and no two inputs
// share one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"

namespace convert {

inline constexpr NoteKind kRenumbered{
    "renumbered", "process or thread ids replaced: another input has them, or no viewer can", true};

// Linux never gives ids from here on (its largest pid is 2^22). Importers that know no ids count up from
// here; such ids are replaced without a note.
inline constexpr std::uint64_t kFirstMadeUpId = 0x4000'0000;

class ShownIds {
 public:
  // Shown ids are below `id_limit`.
  ShownIds(std::uint64_t id_limit, Notes& notes) : id_limit_(id_limit), notes_(&notes) {}

  void begin_input(std::string_view name);
  // The shown id for an id of the current input: itself, or a free one if it is 0, too large or used by an
  // earlier input.
  ProcessId of(ProcessId process);
  ThreadId of(ThreadId thread);

 private:
  struct Ids {
    std::map<std::uint64_t, std::uint64_t> of_input;  // shown ids, by the input's own
    std::set<std::uint64_t> used;                     // by all inputs
  };
  std::uint64_t shown_id(Ids& ids, std::uint64_t id, std::string_view what);

  std::uint64_t id_limit_;
  Notes* notes_;
  std::string input_;
  Ids processes_, threads_;
};

}  // namespace convert
