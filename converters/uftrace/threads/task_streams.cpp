#include "converters/uftrace/threads/task_streams.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

// ---- Execs and loads of libraries ----

TaskEventStream::TaskEventStream(std::list<ImageChange> events, Lane& lane, CallFilter& filter,
                                 StackRepair& calls, Names& names)
    : events_(std::move(events)),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      names_(names),
      dlopen_(names.intern_label("event", "dlopen")),
      path_(names.intern("path")) {}

Due TaskEventStream::next() const {
  return events_.empty() ? Due{} : Due{events_.front().time_ns, Precedence::ExecOrLoad};
}

bool TaskEventStream::has_exec() const {
  return std::ranges::any_of(events_,
                             [](const ImageChange& event) { return event.what == ImageChange::What::Exec; });
}

bool TaskEventStream::drop_impossible(const ThreadFacts& facts, RecordNotes& notes) {
  const std::uint64_t time_ns = events_.front().time_ns;
  const std::uint64_t from_ns = lane_.last_ns() != 0 ? lane_.last_ns() : facts.begun_ns;
  if (from_ns == 0 || !leaps_too_far(from_ns, time_ns, facts.elapsed_ns)) return false;
  notes.add(kBadTime, fmt::format("task.txt's time of {} ns is impossible", time_ns));
  events_.pop_front();
  return true;
}

void TaskEventStream::emit_next() {
  const ImageChange event = std::move(events_.front());
  events_.pop_front();
  calls_.make_room_for_event(event.time_ns);
  const std::uint64_t time_ns = std::max(event.time_ns, lane_.last_ns());
  const bool is_exec = event.what == ImageChange::What::Exec;
  const bool is_wanted = filter_.shows_program() && !calls_.inner().leaves_out_event();
  if (is_exec) calls_.exec(time_ns);
  if (is_wanted && filter_.shows_event(calls_.depth(), false))
    lane_.instant(time_ns, is_exec ? names_.intern_label("event", "exec " + event.path) : dlopen_,
                  {{path_, event.path}});
  calls_.resume(time_ns);
}

// ---- Messages ----

MessageStream::MessageStream(std::list<ExternMessage> messages, Lane& lane, CallFilter& filter,
                             StackRepair& calls, Names& names)
    : messages_(std::move(messages)),
      lane_(lane),
      filter_(filter),
      calls_(calls),
      names_(names),
      message_(names.intern("message")) {}

Due MessageStream::next() const {
  return messages_.empty() ? Due{} : Due{messages_.front().time_ns, Precedence::Message};
}

// A message is not the thread's own: it does not prove that the thread ran.
void MessageStream::emit_next() {
  const ExternMessage message = std::move(messages_.front());
  messages_.pop_front();
  if (!calls_.inner().leaves_out_event() && filter_.shows_event(calls_.depth(), false))
    lane_.instant(std::max(message.time_ns, lane_.last_ns()),
                  names_.intern_label("event", "external-data: " + message.text), {{message_, message.text}});
}

}  // namespace convert::uftrace
