// All facts about a thread before its records are read, and all events that are emitted between the records.
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

// The switches of a thread.
struct SwitchPlan {
  PerfQueue* queue = nullptr;                 // null if no switches are known
  std::vector<std::uint64_t> lone_outs = {};  // see PerfThread
  std::vector<bool> short_outs = {};          // see PerfThread
  std::vector<PerfMessage> inferred = {};     // switches that were not recorded, sorted by time
  std::uint64_t last_ns = 0;                  // time of the last recorded switch
  bool shows_switches = true;                 // otherwise the queue has only exits, execs and names
  bool shows_preempted = true;                // show preempted threads as calls off the CPU
};

// The kernel events of a thread.
struct KernelPlan {
  KernelQueue* queue = nullptr;              // null if the thread has none
  std::string thread = {};                   // for notes: "DIR: thread 100"
  const Tracepoints* tracepoints = nullptr;  // null if there are only calls
  bool skips_outside = false;                // hide events outside of the program's calls

  // The time of the last event; kForever if it is unknown.
  std::uint64_t last_ns() const { return queue == nullptr ? 0 : queue->last_ns(); }
};

// An exec or the load of a library, from task.txt, or a message from extern.dat.
struct ListedEvent {
  enum class What : std::uint8_t { Exec, Dlopen, Message } what;
  std::uint64_t time_ns;
  std::string text;  // path of the program or library, or the message
};

// The start of the flow to a forked child or a new thread.
struct ForkPoint {
  std::uint64_t flow;
  bool makes_thread;
};

struct ThreadPlan {
  const Task* task;
  ProcessId shown_process{};  // as in the timeline
  ThreadId shown_thread{};
  bool is_shown = true;          // otherwise other threads only inherit from it
  fxt::FilePlace place = {};     // place of its record file; empty if it has none
  std::uint64_t size_bytes = 0;  // its size when the directory was listed
  bool keep_open = true;         // see InputFile
  ThreadFacts facts;
  RecordHead head = {};
  std::unique_ptr<PayloadDecoder> payload_decoder = {};  // may be null
  std::list<ListedEvent> listed_events = {};             // sorted by time
  const ThreadIndex* index = nullptr;                    // null if there is none
  std::multimap<std::uint64_t, ForkPoint> forks = {};    // by offset of the entry in which the flow starts
  bool is_forked = false;
  std::vector<std::uint64_t> inherited = {};  // addresses of the calls in which it begins, outermost first
  std::uint64_t most_calls = 0;               // that may be open before its first record
  SwitchPlan switches = {};
  KernelPlan kernel = {};
  bool skips_outside = false;          // hide own events outside of the program's calls
  std::uint64_t switches_from_ns = 0;  // hide switches before the first call of the process
  bool shows_cpu_tracks = false;       // also write switches as records
  std::string ending = {};             // shown at its end, unless empty
  std::uint64_t fork_flow = 0;         // the flow that ends in its first call; 0 if none

  WalkedThread walked() const { return {*task, place, facts, payload_decoder.get(), inherited}; }
};
using ThreadPlans = std::map<ThreadId, ThreadPlan>;

// ---- Forks (fork_plan.cpp) ----

// Each child of a process, in the order of the pids, gets the earliest free forking call of the process that
// began before the child ran. (A FORK line has the time when the child ran. At this time, the parent may
// already be in a later fork.) Perf data name the thread that forked, and the exact time. With these data,
// the child gets the forking call that this thread had open. Perf data also have children without a FORK
// line, which posix_spawn, system and popen create. These children run another program before they write a
// record. The threads of a process get the process's calls of pthread_create in the same way.
//
// Completes the plans of forked threads and of their parents, and finds the program of each child. `plans`
// are by tid; a fork whose parent or child is not among them is ignored. The timeline assigns the ids of
// flows, and has the depth from which calls are not visible. Throws InputError if a record file can't be
// read.
void plan_forks(ThreadPlans& plans, Sessions& sessions, const PerfThreads& perf, bool has_estimated_exits,
                Symbolizer& symbolizer, Timeline& timeline, Notes& notes);

// If not all calls are shown, a child that begins in no shown call gets no flow. Removes such flows from the
// plans of both threads. Throws InputError if a record file can't be read.
void drop_hidden_arrows(ThreadPlans& plans, FilterTable& table, Symbolizer& symbolizer);

}  // namespace convert::uftrace
