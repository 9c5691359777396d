// Names of processes and threads, and the series of counters (rules W18, W19, W20). Internal to the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "fxt/checking/findings.h"
#include "fxt/records.h"

namespace fxt {

class ObjectCheck {
 public:
  explicit ObjectCheck(const Findings& findings) : findings_(&findings) {}
  void object(const KernelObject& object, std::uint64_t offset);
  // The thread of an event.
  void used(const Thread& thread, std::uint64_t offset, std::string_view record);
  // A thread that only a context switch speaks of; 0 is idle there.
  void scheduled(std::uint64_t thread, std::uint64_t offset, std::string_view record);
  // A side of a legacy context switch. Whether its thread is named, the whole file tells.
  void switched(const Thread& thread, std::uint8_t priority, std::uint64_t offset, std::string_view record);
  void counter(const Event& event, std::uint64_t offset);
  void finish();

 private:
  void thread_object(const KernelObject& object, std::uint64_t offset);

  const Findings* findings_;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> named_;  // thread, its processes, where
  std::set<std::uint64_t> in_a_process_;         // threads of those whose last name gave them one
  std::map<std::uint64_t, std::uint64_t> idle_;  // threads that were switched with priority 0, where
  std::unordered_set<Thread, ThreadHash> seen_;  // of events
  Thread last_seen_;
  std::map<std::string, std::string, std::less<>> series_;  // argument, its counter
};

}  // namespace fxt
