#include "converters/uftrace/events/user_events.h"

#include <fmt/format.h>

#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes) {
  EventNames names;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    try {
      LineReader reader(*line, path, lines.number());
      reader.expect("EVENT: ");
      const std::uint64_t id = reader.decimal("event id");
      reader.expect(" ");
      if (reader.rest().empty()) reader.fail("expected the event's name");
      names[id] = reader.rest();
    } catch (const InputError& damage) {
      notes.add(kDamagedLine, [&] { return std::string(damage.what()); });
    }
  }
  return names;
}

UserEvents::UserEvents(const std::filesystem::path& directory, const Sessions& sessions, Notes& notes)
    : path_((directory / "events.txt").native()), sessions_(sessions) {
  if (const auto text = read_optional_file(path_, notes)) names_ = parse_event_names(*text, path_, notes);
}

SessionSpan UserEvents::add_use(const Task& task, std::uint64_t time_ns) {
  const SessionSpan span = sessions_.session_at(task, time_ns);
  const std::lock_guard lock(mutex_);
  if (span.session != nullptr) used_.insert(span.session);
  return span;
}

// Sessions of one program give their events the same ids, so only other programs count.
void UserEvents::add_notes(Notes& notes) const {
  const Session* last = nullptr;
  for (const Session& session : sessions_.sessions())
    if (used_.contains(&session)) last = &session;
  std::set<std::string_view> noted;
  for (const Session& session : sessions_.sessions()) {
    if (!used_.contains(&session) || session.exename == last->exename) continue;
    if (!noted.insert(session.exename).second) continue;
    notes.add(kUnsureEventNames, Location::file(path_),
              fmt::format("written anew by {}, which started later than {}", last->exename, session.exename));
  }
}

}  // namespace convert::uftrace
