// The names of user events (SDT probes). The file events.txt has lines "EVENT: <id> <provider>:<name>". It
// has the names of only one program, because each program with user events overwrites it.
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

// Skips damaged lines with a note. If an id has several names, uses the last name.
EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes);

class UserEvents {
 public:
  // Reads <directory>/events.txt, if it exists. `sessions` must outlive this object.
  UserEvents(const Directory& directory, const Sessions& sessions, Notes& notes);

  // Returns null if the file has no name for the id. Safe to use from several threads, because the names do
  // not change.
  const std::string* name_of(std::uint64_t id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? &found->second : nullptr;
  }

  // Registers that the task had a named user event at this time. Returns the span in which the task runs the
  // same program. Other events in this span need not be registered. Safe to use from several threads.
  SessionSpan add_use(const Task& task, std::uint64_t time_ns);
  // Must be called after the last add_use(). Adds a note for each program whose names may have been
  // overwritten by a program that started later.
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

// The sessions of one program have the same event ids, so their names are right even if one session overwrote
// the file of another. Only other programs get a note.
inline void UserEvents::add_notes(Notes& notes) const {
  const Session* last = nullptr;
  for (const Session& session : sessions_.sessions())
    if (used_.contains(&session)) last = &session;
  std::set<std::string_view> noted;
  for (const Session& session : sessions_.sessions()) {
    if (!used_.contains(&session) || session.exename == last->exename) continue;
    if (!noted.insert(session.exename).second) continue;
    notes.add(kUnsureEventNames, Location::file(path_),
              fmt::format("overwritten by {}, which started later than {}", last->exename, session.exename));
  }
}

}  // namespace convert::uftrace
