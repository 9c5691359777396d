#include "fxt/tools/cpu_runs.h"

#include <algorithm>
#include <string>
#include <variant>

#include "fxt/checking/value_rules.h"

namespace fxt::tools {

bool takes(const Selection& selection, const CpuRun& run) {
  const auto is_switch = [](const std::string& kind) {
    return kind == "context-switch" || kind == "thread-switch";
  };
  return selection.names.empty() && selection.categories.empty() && selection.has_thread(run.thread) &&
         (selection.kinds.empty() || std::ranges::any_of(selection.kinds, is_switch));
}

void CpuRuns::add(const Record& record, std::uint64_t time_ns) {
  const auto unless_idle = [](std::uint64_t thread, bool is_idle) {
    return is_idle || thread == kIdleThread.thread ? std::nullopt : std::optional(thread);
  };
  if (const auto* const legacy = std::get_if<LegacyContextSwitch>(&record))
    change(legacy->cpu, unless_idle(legacy->incoming.thread, legacy->incoming.storage == Storage::Missing),
           time_ns);
  else if (const auto* const context_switch = std::get_if<ContextSwitch>(&record))
    change(context_switch->cpu,
           unless_idle(context_switch->incoming_thread, is_idle(context_switch->arguments, kIncomingWeight)),
           time_ns);
  else if (const auto* const wakeup = std::get_if<ThreadWakeup>(&record))
    woken_.try_emplace(wakeup->thread, time_ns);
}

void CpuRuns::change(std::uint16_t cpu, std::optional<std::uint64_t> incoming, std::uint64_t time_ns) {
  if (const auto run = running_.find(cpu); run != running_.end()) {
    run->second.end_ns = time_ns;
    ran_(run->second);
    running_.erase(run);
  }
  if (!incoming) return;
  CpuRun& run = running_[cpu];
  run = {.cpu = cpu, .thread = *incoming, .begin_ns = time_ns};
  if (const auto woken = woken_.find(*incoming); woken != woken_.end()) {
    run.woken_ns = woken->second;
    woken_.erase(woken);
  }
}

void CpuRuns::finish(std::uint64_t last_ns) {
  for (auto& [cpu, run] : running_) {
    run.end_ns = last_ns;
    run.has_end = false;
    ran_(run);
  }
  running_.clear();
}

}  // namespace fxt::tools
