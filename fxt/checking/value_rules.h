// The rules for what records say, whatever their order: stated once for the Writer, which refuses, and for
// the Checker, which reports. Internal to both.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace fxt {

// Takes the faults of the current record. The Writer's throws.
class FaultSink {
 public:
  virtual void fault(Fault fault, std::string problem) = 0;

 protected:
  ~FaultSink() = default;
};

void check_thread(const Thread& thread, FaultSink& faults);  // of an event
void check_koid(std::uint64_t koid, FaultSink& faults);      // of a thread that is switched or woken
void check_state(ThreadState state, FaultSink& faults);
void check_cpu(std::uint64_t cpu, FaultSink& faults);
void check_arguments(const Arguments& arguments, FaultSink& faults);
void check_scheduling_arguments(SchedulingType record, const Arguments& arguments, FaultSink& faults);
void check_instant(std::string_view name, FaultSink& faults);
void check_object(const KernelObject& object, FaultSink& faults);
// The argument of a thread's name that says its process, of whatever type; null if there is none.
const Argument* process_argument(const KernelObject& object);
// The process itself; 0 if the name doesn't say it.
std::uint64_t process_of_thread(const KernelObject& object);

// Counters: each argument's name is a series of one counter.
class CounterRules {
 public:
  void check(const Event& event, FaultSink& faults) const;
  void check_series(std::string_view counter, std::string_view series, FaultSink& faults) const;
  // To be called for those that were read, or have been written.
  void add(const Event& event);

 private:
  std::map<std::string, std::string, std::less<>> counter_of_;  // by series; both as written
};

// `text` as a record will hold it: repaired, and cut at `max_bytes`. A repaired text is stored in `kept`.
inline std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // replacing can make it longer
}

}  // namespace fxt
