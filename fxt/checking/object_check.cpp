// What Perfetto and Tracy make of koids and names.
#include "fxt/checking/object_check.h"

#include <algorithm>

#include "fxt/checking/value_rules.h"

namespace fxt {
namespace {

constexpr std::string_view kRecord = "kernel-object", kSwitch = "context-switch";

}  // namespace

void ObjectCheck::object(const KernelObject& object) {
  if (object.type != KernelObjectType::Thread) return;
  const std::uint64_t process = process_of_thread(object);
  process_of_[object.koid] = process;
  if (process != 0) named_[object.koid][process] = findings_->offset();
}

void ObjectCheck::used(const Thread& thread) {
  if (thread.storage == Storage::Missing) return;
  if (last_seen_ == thread && !seen_.empty()) return;
  last_seen_ = thread;
  if (!seen_.insert(thread).second) return;
  check_thread(thread, *findings_);
}

void ObjectCheck::switched(const Thread& thread, std::uint8_t priority) {
  check_koid(thread.thread, *findings_);
  if (thread.storage != Storage::Missing && thread.thread != 0)
    switched_.try_emplace({thread.process, thread.thread, priority == 0}, findings_->offset());
}

void ObjectCheck::scheduled(std::uint64_t thread, bool is_idle) {
  check_koid(thread, *findings_);
  if (thread != 0 && !is_idle)
    scheduled_.try_emplace(thread, Place{findings_->offset(), findings_->record()});
}

std::uint64_t ObjectCheck::process_of(std::uint64_t thread) const {
  const auto named = process_of_.find(thread);
  return named == process_of_.end() ? 0 : named->second;
}

void ObjectCheck::judge_switches() const {
  for (const auto& [key, offset] : switched_) {
    const auto& [process, thread, has_priority_0] = key;
    const std::uint64_t known = process_of(thread);
    const std::string text = "thread " + std::to_string(thread);
    if (known == 0 && has_priority_0)
      findings_->report(Fault::TakenForIdle, offset, kSwitch,
                        text + " has priority 0 and no kernel object that names its process");
    else if (known == 0 && process != 0)
      findings_->report(Fault::UnnamedThread, offset, kSwitch,
                        text + " has no kernel object that names its process");
    else if (known != process)
      findings_->report(Fault::NamedInOtherProcess, offset, kSwitch,
                        text + " of process " + std::to_string(process) + " was last named in process " +
                            std::to_string(known));
  }
  std::unordered_set<std::uint64_t> with_events;
  for (const Thread& thread : seen_)
    if (thread.process != 0) with_events.insert(thread.thread);
  for (const auto& [thread, where] : scheduled_)
    if (process_of(thread) == 0 && with_events.contains(thread))
      findings_->report(Fault::UnnamedThread, where.offset, where.record,
                        "thread " + std::to_string(thread) + " has no kernel object that names its process");
}

// One tid may be in several processes; but what names a thread that nothing happens on was meant for another.
void ObjectCheck::finish() {
  judge_switches();
  for (const Thread& thread : seen_) {
    const auto named = named_.find(thread.thread);
    if (named == named_.end()) continue;
    const bool is_meant =
        named->second.contains(thread.process) ||
        std::ranges::any_of(named->second, [&](const auto& process_and_place) {
          return seen_.contains({.process = process_and_place.first, .thread = thread.thread});
        });
    if (is_meant) continue;
    findings_->report(Fault::NameOfNoThread, named->second.begin()->second, kRecord,
                      "names thread " + std::to_string(thread.thread) + " in process " +
                          std::to_string(named->second.begin()->first) + ", but its events are in process " +
                          std::to_string(thread.process));
  }
}

}  // namespace fxt
