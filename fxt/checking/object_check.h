// After the last record, checks the names of processes and threads, because a name may come after the events.
// Also checks the use of koids in Perfetto and Tracy (rules W18, W19). Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "fxt/checking/findings.h"
#include "fxt/records.h"

namespace fxt {

class ObjectCheck {
 public:
  explicit ObjectCheck(Findings& findings) : findings_(&findings) {}
  void object(const KernelObject& object) {
    names_.add(object);
    const std::uint64_t process = process_of_thread(object);
    if (object.type == KernelObjectType::Thread && process != 0)
      named_[object.koid][process] = findings_->offset();
  }
  // Must be called with the thread of each event.
  void used(const Thread& thread) {
    if (thread.storage == Storage::Missing || (last_seen_ == thread && !seen_.empty())) return;
    last_seen_ = thread;
    if (seen_.emplace(thread.thread, thread.process).second) check_thread(thread, *findings_);
  }
  // Must be called with both threads of each legacy context switch.
  void switched(const Thread& thread, std::uint8_t priority) {
    check_koid(thread.thread, *findings_);
    if (thread.storage != Storage::Missing)
      switched_.try_emplace({thread.process, thread.thread, priority != 0}, findings_->offset());
  }
  // Must be called with the threads of all other scheduling records.
  void scheduled(std::uint64_t thread, bool is_idle) {
    check_koid(thread, *findings_);
    if (!is_idle) scheduled_.try_emplace(thread, Place{findings_->offset(), findings_->record()});
  }
  void finish() {
    judge_switches();
    judge_names();
  }

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::string_view record;
  };

  void judge_switches() {
    for (const auto& [key, offset] : switched_) {
      const auto& [process, thread, has_priority] = key;
      findings_->set_record(offset, "context-switch");
      names_.check_switched({.process = process, .thread = thread}, has_priority ? 1 : 0, *findings_);
    }
    for (const auto& [thread, place] : scheduled_) {
      findings_->set_record(place.offset, place.record);
      const auto with_events = seen_.lower_bound({thread, 1});  // skips process 0
      if (with_events != seen_.end() && with_events->first == thread)
        names_.check_scheduled(thread, *findings_);
    }
  }
  // A tid may exist in several processes. But if the named thread has no events, and a thread with this tid
  // in another process has events, the name was probably meant for that thread.
  void judge_names() const {
    for (const auto& [thread, processes] : named_) {
      const bool has_owner = std::ranges::any_of(processes, [&, id = thread](const auto& one) {
        return seen_.contains({id, one.first});
      });
      if (has_owner) continue;
      const auto& [process, offset] = *processes.begin();
      for (auto seen = seen_.lower_bound({thread, 0}); seen != seen_.end() && seen->first == thread; ++seen)
        findings_->report(Fault::NameOfNoThread, offset, "kernel-object",
                          "names thread " + std::to_string(thread) + " in process " +
                              std::to_string(process) + ", but events of this thread are in process " +
                              std::to_string(seen->second));
    }
  }

  Findings* findings_;
  ThreadNames names_;
  // Offset of a name, by thread and process.
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> named_;
  // The offset of the first switch, by process, thread, and whether the thread had a priority.
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, std::uint64_t> switched_;
  std::map<std::uint64_t, Place> scheduled_;                // first use, by thread
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // thread and process of each event
  Thread last_seen_;
};

}  // namespace fxt
