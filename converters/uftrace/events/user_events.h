// The names of user events (SDT probes), from events.txt: "EVENT: <id> <provider>:<name>". Every program with
// user events writes the file anew when it starts, so it holds the names of one program only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/sessions.h"

namespace convert::uftrace {

using EventNames = std::map<std::uint64_t, std::string>;

// Damaged lines are noted and skipped. The last name of an id counts.
EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes);

class UserEvents {
 public:
  // Reads <directory>/events.txt; most recordings have none. Borrows the sessions for its whole life.
  UserEvents(const Directory& directory, const Sessions& sessions, Notes& notes);

  // Null if the file has no name for the id. Read-only, so safe to use from several threads.
  const std::string* name_of(std::uint64_t id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? &found->second : nullptr;
  }

  // Registers that the task had a named user event at that time, and returns how long the task runs the same
  // program: its events in that span need no further call. Safe to use from several threads.
  SessionSpan add_use(const Task& task, std::uint64_t time_ns);
  // After the last add_use(): notes every program whose names may have been overwritten, because another one
  // with events started later.
  void add_notes(Notes& notes) const;

 private:
  std::string path_;
  const Sessions& sessions_;
  EventNames names_;
  std::mutex mutex_;
  std::set<const Session*> used_;
};

inline EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes) {
  EventNames names;
  read_lines(text, path, notes, [&](LineReader line) {
    if (line.rest().empty() || line.rest().starts_with('#')) return;
    line.expect("EVENT: ");
    const std::uint64_t id = line.decimal("event id");
    line.expect(" ");
    if (line.rest().empty()) line.fail("expected the event's name");
    names[id] = line.rest();
  });
  return names;
}

inline UserEvents::UserEvents(const Directory& directory, const Sessions& sessions, Notes& notes)
    : path_(directory.file("events.txt").text()), sessions_(sessions) {
  if (const auto text = read_optional_file(directory.file("events.txt"), notes))
    names_ = parse_event_names(*text, path_, notes);
}

inline SessionSpan UserEvents::add_use(const Task& task, std::uint64_t time_ns) {
  const SessionSpan span = sessions_.session_at(task, time_ns);
  const std::lock_guard lock(mutex_);
  if (span.session != nullptr) used_.insert(span.session);
  return span;
}

// Sessions of one program give their events the same ids, so only other programs count.
inline void UserEvents::add_notes(Notes& notes) const {
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
