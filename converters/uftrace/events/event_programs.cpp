#include "converters/uftrace/events/event_programs.h"

#include <fmt/format.h>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

SessionSpan EventPrograms::take(const Task& task, std::uint64_t time_ns) {
  const SessionSpan span = sessions_.session_at(task, time_ns);
  const std::lock_guard lock(mutex_);
  if (span.session != nullptr) with_events_.insert(span.session);
  return span;
}

// Sessions of one program give their events the same ids.
void EventPrograms::add_notes(const std::filesystem::path& directory, Notes& notes) const {
  const Session* last = nullptr;
  for (const Session& session : sessions_.sessions())
    if (with_events_.contains(&session)) last = &session;
  std::set<std::string_view> noted;
  for (const Session& session : sessions_.sessions()) {
    if (!with_events_.contains(&session) || session.exename == last->exename) continue;
    if (!noted.insert(session.exename).second) continue;
    notes.add(kUnsureEventNames, Location::file((directory / "events.txt").native()),
              fmt::format("written anew by {}, which started later than {}", last->exename, session.exename));
  }
}

}  // namespace convert::uftrace
