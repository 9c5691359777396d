#include "converters/uftrace/threads/task_events.h"

#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

TaskEvents::TaskEvents(Context context, std::deque<TaskMoment> moments, std::deque<ExternMessage> messages)
    : context_(std::move(context)), moments_(std::move(moments)), messages_(std::move(messages)) {}

// They are not the thread's own: they say nothing of whether it ran.
void TaskEvents::tell_message() {
  const ExternMessage message = std::move(messages_.front());
  messages_.pop_front();
  context_.others.tell_before(message.time_ns + 1);
  if (!context_.shows_event()) return;
  Lane& lane = context_.lane;
  lane.instant(std::max(message.time_ns, lane.last_ns()),
               context_.names.intern_label("event", "external-data"),
               {{context_.names.intern("message"), message.text}});
}

void TaskEvents::tell_until(std::uint64_t delivered_until_ns, bool has_no_records) {
  while (std::min(moment_ns(), message_ns()) < delivered_until_ns) {
    if (moment_ns() > message_ns()) {
      context_.others.tell_before(message_ns() + 1);
      if (has_no_records) end_calls_at(message_ns());
      tell_messages(message_ns() + 1);
    } else if (has_no_records && !is_possible(moments_.front())) {
      moments_.pop_front();
    } else {
      if (has_no_records) end_calls_at(moment_ns());
      tell_moment();
    }
  }
  context_.others.tell_before(delivered_until_ns);
}

// Behind the records, the thread's calls end with the last that it did, of which an exec is a part.
void TaskEvents::end_calls_at(std::uint64_t time_ns) {
  const auto is_exec = [](const TaskMoment& moment) { return moment.what == TaskMoment::What::Exec; };
  if (time_ns >= context_.last_switch_ns && std::ranges::none_of(moments_, is_exec)) context_.end_calls();
}

// Behind the records, none of them tells that its time is right.
bool TaskEvents::is_possible(const TaskMoment& moment) {
  const ThreadFacts& facts = context_.facts;
  const std::uint64_t from_ns = context_.lane.last_ns() != 0 ? context_.lane.last_ns() : facts.begun_ns;
  if (from_ns == 0 || !leaps_too_far(from_ns, moment.time_ns, facts.elapsed_ns)) return true;
  context_.notes.add(kBadTime, context_.place(),
                     fmt::format("task.txt's time of {} ns is impossible", moment.time_ns));
  return false;
}

void TaskEvents::tell_moment() {
  const TaskMoment moment = std::move(moments_.front());
  moments_.pop_front();
  tell_messages(moment.time_ns);
  context_.others.tell(moment.time_ns);
  const std::uint64_t time_ns = std::max(moment.time_ns, context_.lane.last_ns());
  const bool is_exec = moment.what == TaskMoment::What::Exec;
  if (is_exec) context_.on_exec(time_ns);
  if (context_.shows_program && context_.shows_event())
    context_.lane.instant(time_ns, context_.names.intern_label("event", is_exec ? "exec" : "dlopen"),
                          {{context_.names.intern("path"), moment.path}});
  context_.others.resume(time_ns);
}

}  // namespace convert::uftrace
