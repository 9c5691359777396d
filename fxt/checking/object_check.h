// Names of processes and threads, as far as they are known at the end of the file only (rules W18, W19).
// Internal to the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "fxt/checking/findings.h"
#include "fxt/records.h"

namespace fxt {

class ObjectCheck {
 public:
  explicit ObjectCheck(Findings& findings) : findings_(&findings) {}
  void object(const KernelObject& object);
  // The thread of an event.
  void used(const Thread& thread);
  // The same for a thread that is switched or woken. Its process is known at the end of the file only; thread
  // 0 has none.
  void scheduled(std::uint64_t thread, bool is_idle);
  // A side of a legacy context switch. Whether its thread has a name is known at the end of the file only.
  void switched(const Thread& thread, std::uint8_t priority);
  void finish();

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::string_view record;
  };
  void judge_switches() const;
  // The process that Perfetto shows the thread in; 0 without a name.
  std::uint64_t process_of(std::uint64_t thread) const;

  Findings* findings_;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> named_;  // thread, its processes, where
  std::map<std::uint64_t, std::uint64_t> process_of_;                      // by thread: that of its last name
  // By process and thread, and whether its priority was 0: where.
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, std::uint64_t> switched_;
  std::map<std::uint64_t, Place> scheduled_;     // by thread
  std::unordered_set<Thread, ThreadHash> seen_;  // of events
  Thread last_seen_;
};

}  // namespace fxt
