// The facts about a thread that are known before its records are read, and the events between its records.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/timeline.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/tracepoint.h"
#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/perf/perf_scan.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/records/record_index.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/symbolizer.h"
#include "fxt/support/file_place.h"

namespace convert::uftrace {

struct SwitchPlan {
  PerfQueue* queue = nullptr;                 // null if perf has no events of the thread
  std::vector<std::uint64_t> lone_outs = {};  // see PerfThread
  std::vector<bool> short_outs = {};          // see PerfThread
  std::vector<PerfMessage> inferred = {};     // switches that were not recorded, sorted by time
  std::uint64_t last_ns = 0;                  // time of the last perf event of the thread
  bool shows_switches = true;                 // if false, switches are used only to disprove estimated exits
  bool shows_preempted = true;                // if true, calls show times when the thread was preempted
};

struct KernelPlan {
  KernelQueue* queue = nullptr;  // null if the thread has no kernel events
  std::string thread = {};
  const Tracepoints* tracepoints = nullptr;  // null if the kernel's events are only calls
  bool skips_outside = false;                // if true, hide events outside of the program's calls

  // The time of the last event; kForever if this time is unknown.
  std::uint64_t last_ns() const { return queue == nullptr ? 0 : queue->last_ns(); }
};

// An event from a list: an exec or a dlopen from task.txt, or a message from extern.dat.
struct ListedEvent {
  enum class What : std::uint8_t { Exec, Dlopen, Message } what;
  std::uint64_t time_ns;
  std::string text;  // the path of the program or of the library; for a message, its text
};

// The start of the flow to a forked child or a new thread.
struct ForkPoint {
  std::uint64_t flow;
  bool makes_thread;
};

struct ThreadPlan {
  const Task* task;
  ProcessId shown_process{};  // id in the timeline
  ThreadId shown_thread{};
  bool is_shown = true;  // if false, the plan exists only for threads that inherit calls from this thread
  fxt::FilePlace place = {};     // place of the record file; empty without one
  std::uint64_t size_bytes = 0;  // size of the file when the directory was listed
  bool keep_open = true;         // see InputFile
  ThreadFacts facts;
  RecordHead head = {};
  std::unique_ptr<PayloadDecoder> payload_decoder = {};  // may be null
  std::list<ListedEvent> listed_events = {};             // sorted by time
  const ThreadIndex* index = nullptr;                    // null if there is none
  std::multimap<std::uint64_t, ForkPoint> forks = {};    // indexed by file offset of the forking call's entry
  bool is_forked = false;
  std::vector<std::uint64_t> inherited = {};  // addresses of calls open at the fork, outermost first
  std::uint64_t most_calls = 0;               // limit for calls that are open before the first record
  SwitchPlan switches = {};
  KernelPlan kernel = {};
  bool skips_outside = false;          // if true, hide the thread's own events outside of program calls
  std::uint64_t switches_from_ns = 0;  // switches before this time are hidden
  bool shows_cpu_tracks = false;       // if true, also write context-switch records
  std::string ending = {};             // text of an instant at the thread's end; none if empty
  std::uint64_t fork_flow = 0;         // the flow that ends in the thread's first shown call; 0 if none

  WalkedThread walked() const { return {*task, place, facts, payload_decoder.get(), inherited}; }
};
using ThreadPlans = std::map<ThreadId, ThreadPlan>;

// ---- Forks (fork_plan.cpp) ----

// Assigns a forking call to each child. The time of a FORK line is a time at which the child already ran. The
// parent may then already be in a later fork. Therefore, the children of a process are taken in the order of
// their pids. Each child gets the earliest forking call that began before the time of the child's FORK line
// and that no other child has. Perf files have the thread that forked, and the exact time of the fork. With
// perf files, the child gets the forking call that was open in this thread at this time. Perf files also have
// children without a FORK line, which posix_spawn, system and popen create. Threads are assigned to calls of
// pthread_create in the same way.
//
// Completes the plans of forked threads and of their parents, and finds the program of each child.
// `plans` are indexed by tid. A fork whose parent is not among them is ignored. The timeline assigns the
// ids of flows, and has the depth limit for visible calls. Throws InputError if a record file can't be
// read.
void plan_forks(ThreadPlans& plans, Sessions& sessions, const PerfThreads& perf, bool has_estimated_exits,
                Symbolizer& symbolizer, Timeline& timeline, Notes& notes);

// Must be called if filters hide calls. If a child does not begin in a shown call, removes the flow from the
// plans of both threads. Throws InputError if a record file can't be read.
void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer);

}  // namespace convert::uftrace
