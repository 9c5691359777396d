// Reads one <TID>.dat forward and tells its lane what it says: plain entries and exits at the speed of
// memory, everything else (losses, payloads, events, damage, execs, forks) step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/timeline.h"
#include "converters/uftrace/arguments/source_lines.h"
#include "converters/uftrace/events/thread_events.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/thread_calls.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "converters/uftrace/threads/call_filter.h"
#include "converters/uftrace/threads/side_streams.h"
#include "converters/uftrace/threads/task_events.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// What all threads of a recording share.
struct RecordingContext {
  // What one worker needs for the thread at hand.
  struct WorkerScratch {
    LabelCaches labels = {};
    EpochCaches<FunctionRuleCache> rules = {};
    std::vector<std::byte> block = {};
  };
  Symbolizer& symbolizer;
  const SourceLines& lines;
  EventContext events;
  FilterTable* filters = nullptr;  // null: all calls are shown
  bool shows_program = true;       // its calls, their arrows and what task.txt says; losses are shown always
  bool shows_values = true;
  bool shows_events = true;
  std::vector<WorkerScratch> workers;  // by PumpBudget::worker
};

class ThreadSource : public Source {
 public:
  // Borrows all but the plan until the timeline has run. Throws InputError if the file can't be opened.
  ThreadSource(ThreadPlan plan, Lane& lane, RecordingContext& shared, ImportContext& context);

  bool pump(const PumpBudget& turn) override;
  std::uint64_t watermark_ns() const override { return std::max(lane_.last_ns(), passed_ns_); }

  std::uint64_t size() const { return file_.size(); }

 private:
  struct PlainCalls;
  class LaneCalls : public OpenCalls {
   public:
    LaneCalls(const Lane& lane, const SideStreams& others) : lane_(lane), others_(others) {}
    std::size_t depth() const override { return lane_.depth() - others_.open(); }
    std::uint64_t address_at(std::size_t depth) const override { return lane_.key_at(depth); }

   private:
    const Lane& lane_;
    const SideStreams& others_;
  };

  OffCpuCalls::Context switches_of_plan();
  TaskEvents::Context moments_of_plan();
  std::function<bool(std::uint64_t address, bool is_recorded)> call_filter();
  bool is_left_out(const CallRecord& call);
  bool is_seen(const CallRecord& call);
  bool shows_event(bool is_of_call) {
    return filter_ == nullptr || filter_->shows_event(open_.depth(), is_of_call);
  }
  bool shows_switch(bool is_short);
  void take(const RecordItem& item);
  void take_call(const RecordItem& item);
  void take_event(const RecordItem& item);
  bool begin_with_line(const CallRecord& call, const CallName& name);
  std::string function_of(const CallRecord& call) const;
  void note_skipped(const RecordItem& item, std::string_view function);
  std::uint64_t in_order(const RecordItem& item);
  void tell_others(std::uint64_t time_ns);
  void tell_others(const CallRecord& call);
  void exec(std::uint64_t time_ns);
  void tell_forks(std::uint64_t time_ns);
  void tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow);
  void use_rules();
  void set_limits();
  void end_calls();
  void finish();
  void add_left_out(const NoteKind& kind, std::uint64_t count);
  void note(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1);

  ThreadPlan plan_;
  Lane& lane_;
  RecordingContext& recording_;
  ImportContext& context_;
  Notes& notes_;
  InputFile file_;
  TaskSymbols symbols_;
  std::unique_ptr<CallFilter> filter_;           // null: all calls are shown
  std::unique_ptr<KernelFilter> kernel_filter_;  // null: all that the kernel did is shown
  SideStreams others_;
  LaneCalls open_;
  TaskEvents moments_;
  RecordCursor cursor_;
  RecordCursor::Limits limits_;
  std::uint64_t place_ = 0;                             // of the item at hand
  std::uint64_t latest_ns_ = 0;                         // of an event
  std::uint64_t passed_ns_ = 0;                         // the gate, once it was reached
  RecordingContext::WorkerScratch* scratch_ = nullptr;  // for one pump()
  Arguments values_;                                    // of the call at hand
  ThreadEvents events_;
  ThreadCalls calls_;
  bool calls_are_over_ = false;
};

}  // namespace convert::uftrace
