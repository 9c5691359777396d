// What is known of a thread before its records are read, and what is to be said between them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/kernel/kernel_calls.h"
#include "converters/uftrace/perf/off_cpu_calls.h"
#include "converters/uftrace/recording/extern_file.h"
#include "converters/uftrace/records/fork_scan.h"
#include "converters/uftrace/records/payload_decoder.h"
#include "converters/uftrace/records/thread_facts.h"

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

// All that is known of a thread before its records are read.
struct ThreadPlan {
  const Task* task;
  std::string path = {};         // of its record file; empty if there is none
  std::uint64_t size_bytes = 0;  // of it, when the directory was listed
  bool keep_open = true;         // see InputFile
  ThreadFacts facts;
  RecordHead head = {};
  std::unique_ptr<PayloadDecoder> payloads = {};  // may be null
  std::deque<TaskMoment> moments = {};            // by time
  std::deque<ForkPoint> forks = {};               // by offset
  std::deque<ExternMessage> messages = {};        // by time, to be told on this thread
  bool is_forked = false;
  std::vector<std::uint64_t> inherited = {};  // addresses of the parent's open calls, outermost first
  SwitchPlan switches = {};
  std::uint64_t last_switch_ns = 0;  // none of them is later
  KernelPlan kernel = {};
  std::string ending = {};      // what to say at its end; empty: nothing
  std::uint64_t fork_flow = 0;  // the arrow that ends in its first call; 0: none
};
using ThreadPlans = std::map<ThreadId, ThreadPlan>;

}  // namespace convert::uftrace
