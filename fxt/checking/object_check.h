// Names of processes and threads, and the series of counters (rules W18, W19, W20). Internal to the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "fxt/checking/findings.h"
#include "fxt/records.h"

namespace fxt {

class ObjectCheck {
 public:
  explicit ObjectCheck(const Findings& findings) : findings_(&findings) {}
  void object(const KernelObject& object);
  // The thread of an event.
  void used(const Thread& thread);
  // A thread without its process, in a scheduling record.
  void fits(std::uint64_t thread);
  // The same for one that is switched or woken. Where it belongs, the whole file tells; 0 is nowhere.
  void scheduled(std::uint64_t thread, bool is_idle);
  // A side of a legacy context switch. Whether its thread is named, the whole file tells.
  void switched(const Thread& thread, std::uint8_t priority);
  void counter(const Event& event);
  void finish();

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::string_view record;
  };
  void thread_object(const KernelObject& object);
  void judge_switches() const;
  // As Perfetto knows it, for all scheduling records: 0 without a name.
  std::uint64_t process_of(std::uint64_t thread) const;

  const Findings* findings_;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> named_;  // thread, its processes, where
  std::map<std::uint64_t, std::uint64_t> process_of_;                      // by thread: as its last name says
  // By process and thread, and whether its priority was 0: where.
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, std::uint64_t> switched_;
  std::map<std::uint64_t, Place> scheduled_;     // by thread
  std::unordered_set<Thread, ThreadHash> seen_;  // of events
  Thread last_seen_;
  std::map<std::string, std::string, std::less<>> series_;  // argument, its counter
};

}  // namespace fxt
