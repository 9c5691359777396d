// The ids that are shown. Ids of processes and threads are not 0 and are within the sink's limit, and inputs
// do not share ids.
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
    "renumbered", "process or thread ids replaced, because another input has them or viewers can't show them",
    true};

// Linux never assigns ids from here on, because its largest pid is 2^22. Importers that know no ids count up
// from here. At the end, such ids are replaced, without a note, by the smallest ids that no input has.
inline constexpr std::uint64_t kFirstMadeUpId = 0x4000'0000, kMadeUpIds = 0x10'0000;

class ShownIds {
 public:
  // Shown ids are below `id_limit`.
  ShownIds(std::uint64_t id_limit, Notes& notes) : id_limit_(id_limit), notes_(&notes) {}

  void begin_input(std::string_view name);
  // Returns the id that the trace shows for an id of the current input. It is the same id, or a free one if
  // this id is 0, too large, or used by an earlier input.
  ProcessId shown(ProcessId process);
  ThreadId shown(ThreadId thread);
  // A new id for a flow, which is unique in the output.
  std::uint64_t new_id() { return ++last_id_; }
  // A thread with an invented id gets this id if no input has it.
  void prefer(ThreadId made_up, std::uint64_t id) {
    threads_.preferred[static_cast<std::uint64_t>(made_up)] = id;
  }
  // Replaces invented ids after all inputs are known: by the preferred id, or else by the smallest free id.
  // Other ids do not change. settle() must be called first.
  void settle();
  ProcessId settled(ProcessId process) { return ProcessId{settled_id(processes_, number_of(process))}; }
  ThreadId settled(ThreadId thread) { return ThreadId{settled_id(threads_, number_of(thread))}; }

 private:
  struct Ids {
    std::map<std::uint64_t, std::uint64_t> of_input;   // shown ids, by the id in the input
    std::set<std::uint64_t> used;                      // ids that any input uses
    std::map<std::uint64_t, std::uint64_t> made_up;    // by invented id: the final id, or 0 if it has none
    std::map<std::uint64_t, std::uint64_t> preferred;  // by invented id
    std::uint64_t last_settled = 0;
  };
  static std::uint64_t settled_id(Ids& ids, std::uint64_t id);
  std::uint64_t shown_id(Ids& ids, std::uint64_t id, std::string_view what);

  std::uint64_t id_limit_;
  Notes* notes_;
  std::string input_;
  Ids processes_, threads_;
  std::uint64_t last_id_ = 0;
};

}  // namespace convert
