// Which programs of a recording had user events. Each that has some writes events.txt anew when it starts, so
// that the names in there are those of one program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/sessions.h"

namespace convert::uftrace {

class EventPrograms {
 public:
  // Borrows the sessions for its whole life.
  explicit EventPrograms(const Sessions& sessions) : sessions_(sessions) {}

  // The task had a named user event at that time. Gives how long it ran the same program: further events then
  // say nothing new. Several threads may tell at once.
  SessionSpan take(const Task& task, std::uint64_t time_ns);

  // When all was told: notes every program that started before the last one of another name.
  void add_notes(const std::filesystem::path& directory, Notes& notes) const;

 private:
  const Sessions& sessions_;
  std::mutex mutex_;
  std::set<const Session*> with_events_;
};

}  // namespace convert::uftrace
