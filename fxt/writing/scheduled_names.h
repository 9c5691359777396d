// Threads that are switched or woken must have been named before, as Perfetto knows a thread's process from
// its last name only (W18). Internal to the Writer.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "fxt/checking/value_rules.h"

namespace fxt {

class ScheduledNames {
 public:
  // A side of a legacy context switch.
  void check_switched(const Thread& thread, FaultSink& faults) const {
    if (thread == kIdleThread) return;
    const auto named = process_of_.find(thread.thread);
    if (named == process_of_.end()) return check(thread.thread, faults);
    if (named->second != thread.process)
      faults.fault(Fault::NamedInOtherProcess,
                   text_of(thread.thread) + " of process " + std::to_string(thread.process) +
                       " was last named in process " + std::to_string(named->second));
  }
  // A thread of another scheduling record.
  void check(std::uint64_t thread, FaultSink& faults) const {
    if (!process_of_.contains(thread))
      faults.fault(Fault::UnnamedThread,
                   text_of(thread) + " has no kernel object before that names its process");
  }
  void check_name(const KernelObject& object, FaultSink& faults) const {
    if (object.type != KernelObjectType::Thread) return;
    const auto was = switched_.find(object.koid);
    if (was != switched_.end() && was->second != process_of_thread(object))
      faults.fault(Fault::NamedInOtherProcess,
                   text_of(object.koid) + " was switched in process " + std::to_string(was->second));
  }
  void add_switched(const Thread& thread) { switched_[thread.thread] = thread.process; }
  void add_name(const KernelObject& object) {
    if (object.type == KernelObjectType::Thread) process_of_[object.koid] = process_of_thread(object);
  }

 private:
  static std::string text_of(std::uint64_t thread) { return "thread " + std::to_string(thread); }

  std::unordered_map<std::uint64_t, std::uint64_t> process_of_;  // by thread: that of its last name
  std::unordered_map<std::uint64_t, std::uint64_t> switched_;    // the same, of those that were switched
};

}  // namespace fxt
