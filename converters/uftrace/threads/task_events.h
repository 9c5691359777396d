// What no record tells of a thread, said between its records by time: its execs and loads of libraries, as
// task.txt has them, and the messages of extern.dat.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/source.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/uftrace/threads/side_streams.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class TaskEvents {
 public:
  // Borrows what it refers to.
  struct Context {
    Lane& lane;
    Names& names;
    Notes& notes;
    SideStreams& others;
    const ThreadFacts& facts;
    std::uint64_t last_switch_ns;  // none of the thread's is later
    bool shows_program;            // its moments
    std::function<bool()> shows_event;
    std::function<Location()> place;  // behind the last record, for notes
    // The thread runs another program from here on; its calls are over.
    std::function<void(std::uint64_t time_ns)> on_exec;
    std::function<void()> end_calls;
  };
  // Both by time.
  TaskEvents(Context context, std::deque<TaskMoment> moments, std::deque<ExternMessage> messages);

  // An own record of this time or later needs a look before it is taken.
  std::uint64_t limit_ns() const {
    return std::min(moment_ns(), messages_.empty() ? kForever : message_ns() + 1);
  }
  // Says the execs and loads up to an own record of this time, and the messages before it.
  void tell(std::uint64_t time_ns) {
    while (!moments_.empty() && moment_ns() <= time_ns) tell_moment();
  }
  void tell_messages(std::uint64_t before_ns) {
    while (message_ns() < before_ns) tell_message();
  }
  // The thread has no record before this time, or none at all any more: says what is before it. Its calls
  // end with its own records and switches, whatever others say later.
  void tell_until(std::uint64_t delivered_until_ns, bool has_no_records);

 private:
  std::uint64_t moment_ns() const { return moments_.empty() ? kForever : moments_.front().time_ns; }
  std::uint64_t message_ns() const { return messages_.empty() ? kForever : messages_.front().time_ns; }
  void end_calls_at(std::uint64_t time_ns);
  bool is_possible(const TaskMoment& moment);
  void tell_moment();
  void tell_message();

  Context context_;
  std::deque<TaskMoment> moments_;
  std::deque<ExternMessage> messages_;
};

}  // namespace convert::uftrace
