// What Perfetto and Tracy make of koids, names and counters.
#include "fxt/checking/object_check.h"

#include <algorithm>

#include "fxt/checking/argument_rules.h"

namespace fxt {
namespace {

constexpr std::string_view kRecord = "kernel-object", kSwitch = "context-switch";
constexpr std::string_view kCutIds = "Perfetto cuts ids to 32 bits, Tracy merges threads";

}  // namespace

void ObjectCheck::object(const KernelObject& object) {
  if (object.type != KernelObjectType::Process && object.type != KernelObjectType::Thread) return;
  if (object.name.text.empty() && object.name.storage != Storage::Missing)
    findings_->warning("W18", "names koid " + std::to_string(object.koid) + " with nothing",
                       "viewers show no name");
  if (object.koid >= kKoidLimit)
    findings_->error("W19", "koid " + std::to_string(object.koid) + " needs more than 32 bits", kCutIds);
  if (object.koid == 0)
    findings_->warning("W19", "koid 0 is not a process or thread", "viewers take it for the idle thread");
  if (object.type == KernelObjectType::Thread) thread_object(object);
}

void ObjectCheck::thread_object(const KernelObject& object) {
  for (std::size_t i = 0; i < object.arguments.size(); ++i) {
    const Argument& argument = object.arguments[i];
    if (argument.name.text != "process") continue;
    const auto* process = std::get_if<Koid>(&argument.value);
    if (process == nullptr) {
      findings_->error("W18", "argument \"process\" is not of type koid",
                       "Perfetto counts an error and loses the name");
      return;
    }
    if (i != 0)
      findings_->warning("W18", "argument \"process\" is not the first",
                         "some parsers look for it only there");
    if (process->koid >= kKoidLimit)
      findings_->error("W19", "process " + std::to_string(process->koid) + " needs more than 32 bits",
                       kCutIds);
    named_[object.koid][process->koid] = findings_->offset();
    process_of_[object.koid] = process->koid;
    return;
  }
  process_of_[object.koid] = 0;
  findings_->error("W18", "a thread without an argument \"process\"",
                   "Perfetto files its name under process 0, other readers lose it");
}

void ObjectCheck::used(const Thread& thread) {
  if (thread.storage == Storage::Missing) return;
  if (last_seen_ == thread && !seen_.empty()) return;
  last_seen_ = thread;
  if (!seen_.insert(thread).second) return;
  const std::string text = std::to_string(thread.process) + "/" + std::to_string(thread.thread);
  if (thread.process >= kKoidLimit || thread.thread >= kKoidLimit) {
    findings_->error("W19", "thread " + text + " needs more than 32 bits", kCutIds);
  } else if (thread.process == 0 || thread.thread == 0) {
    findings_->warning("W19", "thread " + text + " has an id of 0", "viewers take 0 for the idle thread");
  }
}

void ObjectCheck::fits(std::uint64_t thread) {
  if (thread >= kKoidLimit)
    findings_->error("W19", "thread " + std::to_string(thread) + " needs more than 32 bits", kCutIds);
}

void ObjectCheck::switched(const Thread& thread, std::uint8_t priority) {
  fits(thread.thread);
  if (thread.storage != Storage::Missing && thread.thread != 0)
    switched_.try_emplace({thread.process, thread.thread, priority == 0}, findings_->offset());
}

void ObjectCheck::scheduled(std::uint64_t thread, bool is_idle) {
  fits(thread);
  if (thread != 0 && !is_idle)
    scheduled_.try_emplace(thread, Place{findings_->offset(), findings_->record()});
}

void ObjectCheck::counter(const Event& event) {
  if (event.arguments.empty())
    findings_->error("W20", "has no argument, so it has no value", "no reader shows it");
  const std::string_view fault =
      fault_of_known_counter(event.category.text, event.name.text, event.arguments);
  if (!fault.empty())
    findings_->error("W20", "is cpu_frequency of category power, but " + std::string(fault),
                     "Perfetto draws such counters by cpu; it drops this one, or that argument");
  for (const Argument& argument : event.arguments) {
    if (argument.name.storage == Storage::Missing || event.name.storage == Storage::Missing) continue;
    if (!is_numeric(argument.value)) {
      findings_->error("W20", "argument " + quoted(argument.name.text) + " is not a number",
                       "Perfetto counts an error, Tracy ignores it or takes ids for values");
      continue;
    }
    const auto series = series_.find(argument.name.text);
    if (series == series_.end()) {
      series_.emplace(argument.name.text, event.name.text);
    } else if (series->second != event.name.text) {
      findings_->error("W20",
                       "argument " + quoted(argument.name.text) + " also names a series of counter \"" +
                           series->second + '"',
                       "Tracy draws both as one plot");
    }
  }
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
      findings_->error("W18", offset, kSwitch,
                       text + " has priority 0 and no kernel object that names its process",
                       "Perfetto takes it for the idle thread");
    else if (known == 0 && process != 0)
      findings_->error("W18", offset, kSwitch, text + " has no kernel object that names its process",
                       "Perfetto files its switches under process 0");
    else if (known != process)
      findings_->error("W18", offset, kSwitch,
                       text + " of process " + std::to_string(process) + " was last named in process " +
                           std::to_string(known),
                       "Perfetto files its switches there");
  }
  std::unordered_set<std::uint64_t> with_events;
  for (const Thread& thread : seen_)
    if (thread.process != 0) with_events.insert(thread.thread);
  for (const auto& [thread, where] : scheduled_)
    if (process_of(thread) == 0 && with_events.contains(thread))
      findings_->error("W18", where.offset, where.record,
                       "thread " + std::to_string(thread) + " has no kernel object that names its process",
                       "Perfetto files this under process 0, apart from the thread's events");
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
    findings_->warning("W18", named->second.begin()->second, kRecord,
                       "names thread " + std::to_string(thread.thread) + " in process " +
                           std::to_string(named->second.begin()->first) + ", but its events are in process " +
                           std::to_string(thread.process),
                       "viewers show two threads, one without a name");
  }
}

}  // namespace fxt
