// The ids of processes and threads that the trace shows. These ids are not 0, and are below the sink's limit.
// Two inputs never have the same id.
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

// The first made-up id. It is above the ids of Linux, which are at most 2^22. If an input has no ids, its
// importer counts up from this number. At the end, settle() replaces the made-up ids.
inline constexpr std::uint64_t kFirstMadeUpId = 0x4000'0000, kMadeUpIds = 0x10'0000;

class ShownIds {
 public:
  // Shown ids are below `id_limit`.
  ShownIds(std::uint64_t id_limit, Notes& notes) : id_limit_(id_limit), notes_(&notes) {}

  void begin_input(std::string_view name);
  // Returns the id that the trace shows for an id of the current input. An id is replaced if it is 0, too
  // large, or used by an earlier input. Other ids stay as they are.
  ProcessId shown(ProcessId process);
  ThreadId shown(ThreadId thread);
  // Returns a new id for a flow. The id is unique in the output.
  std::uint64_t new_id() { return ++last_id_; }
  // The thread with the made-up id `made_up` will be shown with `id` if no input has this id.
  void prefer(ThreadId made_up, std::uint64_t id) {
    threads_.preferred[static_cast<std::uint64_t>(made_up)] = id;
  }
  // Finds the final id for each made-up id: the preferred id, or the smallest free id. Must be called after
  // all inputs are known. After that, settled() returns the final id. Other ids do not change.
  void settle();
  ProcessId settled(ProcessId process) { return ProcessId{settled_id(processes_, number_of(process))}; }
  ThreadId settled(ThreadId thread) { return ThreadId{settled_id(threads_, number_of(thread))}; }

 private:
  struct Ids {
    std::map<std::uint64_t, std::uint64_t> of_input;
    std::set<std::uint64_t> used;                      // ids that any input uses
    std::map<std::uint64_t, std::uint64_t> made_up;    // final id, by made-up id; 0 if it is not settled
    std::map<std::uint64_t, std::uint64_t> preferred;  // by made-up id
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
