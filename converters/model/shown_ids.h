// Ids as they are shown: below 2^32, as all readers need it, and never one for two inputs.
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

// Ids from here on are never given by Linux (its largest pid is 2^22). An importer that knows no id counts up
// from here; such ids are replaced without a note.
inline constexpr std::uint64_t kFirstMadeUpId = 0x4000'0000;

class ShownIds {
 public:
  explicit ShownIds(Notes& notes) : notes_(&notes) {}

  void begin_input(std::string_view name);
  // What is shown for an id of the current input: itself, or a free one if it is 0, too large or taken by an
  // earlier input.
  ProcessId of(ProcessId process);
  ThreadId of(ThreadId thread);

 private:
  struct Ids {
    std::map<std::uint64_t, std::uint64_t> of_input;
    std::set<std::uint64_t> taken;  // of all inputs
  };
  std::uint64_t koid(Ids& ids, std::uint64_t id, std::string_view what);

  Notes* notes_;
  std::string input_;
  Ids processes_, threads_;
};

}  // namespace convert
