// Reads one <TID>.dat forward and tells its lane what it says: plain entries and exits at the speed of
// memory, everything else (losses, payloads, events, damage, execs, forks) step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lane.h"
#include "converters/model/timeline.h"
#include "converters/uftrace/arguments/source_lines.h"
#include "converters/uftrace/events/thread_events.h"
#include "converters/uftrace/filters/thread_filter.h"
#include "converters/uftrace/filters/verdict_scan.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/records/other_streams.h"
#include "converters/uftrace/records/payloads.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/record_file.h"
#include "converters/uftrace/records/thread_calls.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// What task.txt says of a thread, to be told between its records.
struct TaskMoment {
  enum class What : std::uint8_t { Exec, Dlopen } what;
  std::uint64_t time_ns;
  std::string path;  // of the program or library
};

// Where a fork's arrow starts: inside the call whose entry is the record at this offset.
struct ForkPoint {
  std::uint64_t entry_offset;
  std::uint64_t flow;
};

// What its switches need.
struct SwitchPlan {
  Inbox* inbox = nullptr;                     // null if there are none
  std::vector<std::uint64_t> lone_outs = {};  // see PerfThread
  std::vector<bool> short_outs = {};          // the same
  ProcessId process{};                        // as the timeline shows them
  ThreadId thread{};
  std::uint64_t last_ns = 0;  // none is later
  bool has_estimated_exits = false;
};

// What its kernel calls need.
struct KernelPlan {
  KernelInbox* inbox = nullptr;  // null if there are none
  std::string thread = {};       // for notes: "DIR: thread 100"
  const Tracepoints* tracepoints = nullptr;
  bool skips_outside = false;  // see KernelCalls
  ProcessId process{};         // as the timeline shows them
  ThreadId thread_id{};
};

// All that is known of a thread before its records are read.
struct ThreadPlan {
  const Task* task;
  std::string path;              // of its record file; empty if there is none
  std::uint64_t size_bytes = 0;  // of it, when the directory was listed
  bool keep_open = true;         // see RecordFile
  ThreadFacts facts;
  RecordHead head = {};
  std::unique_ptr<Payloads> payloads = {};  // may be null
  std::deque<TaskMoment> moments = {};      // by time
  std::deque<ForkPoint> forks = {};         // by offset
  std::deque<ExternMessage> messages = {};  // by time, to be told on this thread
  bool is_forked = false;
  std::vector<std::uint64_t> inherited = {};  // addresses of the parent's open calls, outermost first
  SwitchPlan switches = {};
  KernelPlan kernel = {};
  std::string ending = {};      // what to say at its end; empty: nothing
  std::uint64_t fork_flow = 0;  // the arrow that ends in its first call; 0: none
};

// What all threads of a recording share.
struct Workshop {
  // What one worker needs for the thread at hand.
  struct Bench {
    LabelCaches caches = {};
    EpochCaches<FateCache> fates = {};
    std::vector<std::byte> block = {};
  };
  Symbolizer& symbolizer;
  const SourceLines& lines;
  EventShop events;
  FilterTable* filters = nullptr;  // null: all calls are shown
  bool shows_program = true;       // its calls, their arrows and what task.txt says; losses are shown always
  bool shows_values = true;
  bool shows_events = true;
  std::vector<Bench> benches;  // by Turn::worker
};

class ThreadSource : public Source {
 public:
  // Borrows all but the plan until the timeline has run. Throws InputError if the file can't be opened.
  ThreadSource(ThreadPlan plan, Lane& lane, Workshop& workshop, ImportContext& context);

  bool pump(const Turn& turn) override;
  std::uint64_t frontier_ns() const override { return std::max(lane_.last_ns(), passed_ns_); }

  std::uint64_t size() const { return file_.size(); }

 private:
  struct PlainCalls;
  class LaneCalls : public OpenCalls {
   public:
    LaneCalls(const Lane& lane, const OtherStreams& others) : lane_(lane), others_(others) {}
    std::size_t depth() const override { return lane_.depth() - others_.open(); }
    std::uint64_t address_at(std::size_t depth) const override { return lane_.key_at(depth); }

   private:
    const Lane& lane_;
    const OtherStreams& others_;
  };

  class KernelGate : public KernelFilter {
   public:
    explicit KernelGate(ThreadSource& source) : source_(source) {}
    Verdict enter(std::size_t depth, std::uint64_t address) override;
    bool shows_event(std::size_t depth) override { return source_.shows_event_in(depth, false); }
    void drop() override { ++source_.filtering_->calls; }

   private:
    ThreadSource& source_;
    AddressCache<const Fate*, 8> fates_;  // of the kernel's functions
  };

  // What -F and its kin need of the thread.
  struct Filtering {
    ThreadFilter filter;
    bool looks_ahead = false;                   // so calls have verdicts,
    std::vector<std::uint64_t> inherited = {};  // which need what the thread started with,
    bool is_scanned = false;                    // and are found first of all
    std::unique_ptr<VerdictScan> scan = {};     // meanwhile
    Verdicts verdicts = {};
    const RecordItem* item = nullptr;     // the call at hand
    std::uint64_t calls = 0, events = 0;  // that are left out
  };

  void start_filtering();
  bool scan_verdicts();
  std::function<bool(std::uint64_t address, bool is_recorded)> call_filter();
  template <std::endian Order>
  std::size_t take_filtered(PlainRecords<Order> records, std::uint64_t offset);
  void set_view(const SymbolView& view);
  const Fate* fate_at(std::uint64_t address);
  bool shows_call(std::uint64_t address, bool is_recorded);
  bool enter(ThreadFilter& filter, std::uint64_t address, bool is_recorded);
  bool meets_condition(const Fate& fate);
  bool is_left_out(const CallRecord& call);
  bool is_seen(const CallRecord& call);
  bool shows_event(bool is_of_call = false) { return shows_event_in(open_.depth(), is_of_call); }
  bool shows_event_in(std::size_t depth, bool is_of_call);
  bool shows_switch(bool is_short);
  void take(const RecordItem& item);
  Schedule::Context switches_of_plan();
  KernelCalls::Context kernel_of_plan();
  void take_call(const RecordItem& item);
  void take_event(const RecordItem& item);
  CallName name_of(std::uint64_t address);
  bool begin_with_line(const CallRecord& call, const CallName& name);
  std::string function_of(const CallRecord& call) const;
  void note_skipped(const RecordItem& item, std::string_view function);
  std::uint64_t in_order(const RecordItem& item);
  void tell_others(std::uint64_t time_ns);
  void tell_others(const CallRecord& call);
  void tell_messages(std::uint64_t before_ns);
  void tell_until(std::uint64_t gate_ns);
  void tell_moments(std::uint64_t time_ns);
  void tell_moment_behind_records();
  void tell_moment();
  void tell(const TaskMoment& moment, std::uint64_t time_ns);
  void exec(std::uint64_t time_ns);
  void tell_forks(std::uint64_t time_ns);
  void tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow);
  void enter_view(std::uint64_t time_ns);
  void set_limits();
  bool are_calls_over(std::uint64_t time_ns) const;
  void end_calls();
  void finish();
  void add_left_out(const NoteKind& kind, std::uint64_t count);
  void note(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1);

  ThreadPlan plan_;
  Lane& lane_;
  Workshop& workshop_;
  ImportContext& context_;
  Notes& notes_;
  RecordFile file_;
  std::unique_ptr<KernelGate> kernel_gate_;  // null: all that the kernel did is shown
  OtherStreams others_;
  LaneCalls open_;
  RecordCursor cursor_;
  RecordCursor::Limits limits_;
  std::uint64_t place_ = 0;      // of the item at hand
  std::uint64_t latest_ns_ = 0;  // of an event
  std::uint64_t passed_ns_ = 0;  // the gate, once it was reached
  std::optional<SymbolView> view_;
  Workshop::Bench* bench_ = nullptr;  // for one pump()
  LabelCache* cache_ = nullptr;       // of the view; for one pump()
  FateCache* fates_ = nullptr;        // the same
  std::optional<Filtering> filtering_;
  Arguments values_;  // of the call at hand
  ThreadEvents events_;
  ThreadCalls calls_;
  bool calls_are_over_ = false;
};

}  // namespace convert::uftrace
