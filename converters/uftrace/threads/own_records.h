// Converts the records of a thread's own file to calls with arguments, events, losses and the flows of forks.
// Takes one record at a time. Runs of plain records are processed in fast_calls.h instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/events/thread_events.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/record_notes.h"
#include "converters/uftrace/threads/call_filter.h"
#include "converters/uftrace/threads/side_streams.h"
#include "converters/uftrace/threads/stack_repair.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

struct SharedByThreads {
  Symbolizer& symbolizer;
  DebugFiles& debug;
  EventContext events;
  FilterTable* filters = nullptr;  // null if all calls are shown
  bool shows_values = true;
  bool shows_events = true;
  std::vector<WorkerScratch> workers;  // indexed by PumpBudget::worker
  // The number of switches that were not written. Each thread adds its number when it ends.
  std::atomic<std::uint64_t> unwritten_switches = 0;
  std::atomic<std::uint64_t> calls_left_out = 0;
  std::atomic<bool> has_shown_calls = false;
};

struct ThreadStages {
  ThreadStages(ThreadPlan& plan, Lane& lane, SharedByThreads& shared, Names& names, RecordNotes& notes);

  TaskSymbols symbols;
  std::unique_ptr<OptionFilter> option_filter;  // null if all calls are shown
  CallFilter no_options;
  CallFilter& filter;  // one of these two filters
  StackRepair calls;
  SideStreams streams;
};

class OwnRecords {
 public:
  OwnRecords(ThreadPlan& plan, ThreadStages& stages, Lane& lane, const SharedByThreads& shared, Names& names,
             RecordNotes& notes);

  void emit(const RecordItem& item, WorkerScratch& scratch);

  // A run of plain records must end before this time, and before this offset. At the time, symbols change, or
  // an event of a side stream is due. At the offset, a flow starts. The time is 0 if the next record must not
  // be in a run, for example because the stack is unknown.
  std::uint64_t plain_until_ns() const;
  std::uint64_t plain_until_offset() const;
  std::uint64_t latest_event_ns() const { return latest_event_ns_; }

 private:
  void emit_call(const RecordItem& item, WorkerScratch& scratch);
  void emit_event(const RecordItem& item);
  void collect_values(const RecordItem& item);
  void emit_forks(std::uint64_t time_ns);
  std::string function_of(const CallRecord& call) const;
  // Adds a note about values that were skipped. The note ends with the result of `function`.
  template <typename FunctionText>
  void note_skipped(const RecordItem& item, FunctionText function);

  ThreadPlan& plan_;
  ThreadStages& stages_;
  Lane& lane_;
  const SharedByThreads& shared_;
  Names& names_;
  RecordNotes& notes_;
  ThreadEvents events_;
  Arguments values_;
  std::uint64_t latest_event_ns_ = 0;
};

}  // namespace convert::uftrace
