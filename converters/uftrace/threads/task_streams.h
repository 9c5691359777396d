// What other files hold about a thread: its execs and loads of libraries, from task.txt, and the messages of
// extern.dat. The name of a mark says what it is about: viewers show no more of it.
#pragma once

#include <list>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/threads/side_stream.h"
#include "converters/uftrace/threads/stack_repair.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class TaskEventStream : public SideStream {
 public:
  // By time. Borrows the references.
  TaskEventStream(std::list<ImageChange> events, Lane& lane, CallFilter& filter, StackRepair& calls,
                  Names& names);

  Due next() const override;
  void emit_next() override;

  bool has_exec() const;
  bool is_exec_next() const { return !events_.empty() && events_.front().what == ImageChange::What::Exec; }
  // Drops the next event, with a note, if its time is impossibly far behind the thread's other events.
  bool drop_impossible(const ThreadFacts& facts, RecordNotes& notes);

 private:
  std::list<ImageChange> events_;
  Lane& lane_;
  CallFilter& filter_;
  StackRepair& calls_;
  Names& names_;
  LabelId dlopen_;
  NameId path_;
};

class MessageStream : public SideStream {
 public:
  // By time. Borrows the references.
  MessageStream(std::list<ExternMessage> messages, Lane& lane, CallFilter& filter, StackRepair& calls,
                Names& names);

  Due next() const override;
  void emit_next() override;

 private:
  std::list<ExternMessage> messages_;
  Lane& lane_;
  CallFilter& filter_;
  StackRepair& calls_;
  Names& names_;
  NameId message_;
};

}  // namespace convert::uftrace
