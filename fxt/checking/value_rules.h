// The Checker's rules for the values in records, whatever their order, and what the Writer and the Cutter ask
// about names. Internal to them. The programs for traces use what is defined here, as a shared library
// exports nothing of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace fxt {

// Whether the Writer writes such records by itself.
inline bool is_of_writer(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<Initialization>(record) ||
         std::holds_alternative<StringRecord>(record) || std::holds_alternative<ThreadRecord>(record);
}

class Findings;  // fxt/checking/findings.h; those of the current record

// What is wrong, of faults whose text depends on nothing but the `id` of a flow or async operation. Where and
// when it began is for the caller to add.
std::string problem_of(Fault fault, std::uint64_t id = 0);

// `ns`: nothing if it has more than 64 bits.
void check_time(std::optional<std::uint64_t> ns, Findings& findings);
// Whether its times count for the length of the trace: those that Tracy reads, and those of flows, whose
// durations end no earlier.
bool spans_the_trace(const Event& event);
void check_thread(const Thread& thread, Findings& findings);  // of an event
void check_koid(std::uint64_t koid, Findings& findings);      // of a thread that is switched or woken
void check_state(ThreadState state, Findings& findings);
void check_cpu(std::uint64_t cpu, Findings& findings);
void check_profiler_thread(bool is_inline, Findings& findings);  // of a module or mmap
void check_arguments(const Arguments& arguments, Findings& findings);
void check_scheduling_arguments(SchedulingType record, const Arguments& arguments, Findings& findings);
void check_instant(std::string_view name, Findings& findings);
void check_object(const KernelObject& object, Findings& findings);
// The argument of a thread's name that says its process, of whatever type; null if there is none.
const Argument* process_argument(const KernelObject& object);
// The process itself; 0 if the name doesn't say it.
std::uint64_t process_of_thread(const KernelObject& object);

// Names of threads. Perfetto knows the process of a thread that is switched or woken by its last name in the
// file only.
class ThreadNames {
 public:
  void add(const KernelObject& object);
  // A side of a legacy context switch.
  void check_switched(const Thread& thread, std::uint8_t priority, Findings& findings) const;
  // The thread of another scheduling record, if it is not the idle one.
  void check_scheduled(std::uint64_t thread, Findings& findings) const;

 private:
  // 0 without a name.
  std::uint64_t process_of(std::uint64_t thread) const;

  std::unordered_map<std::uint64_t, std::uint64_t> process_of_;  // by thread: that of its last name
};

// Counters: each argument's name is a series of one counter.
class CounterRules {
 public:
  void check(const Event& event, Findings& findings) const;
  // To be called after check().
  void add(const Event& event);

 private:
  void check_series(std::string_view counter, std::string_view series, Findings& findings) const;

  std::map<std::string, std::string, std::less<>> counter_of_;  // by series
};

// `text` as a record will hold it: repaired, and cut at `max_bytes`. A repaired text is stored in `kept`.
inline std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // replacing can make it longer
}

// ---- Names and arguments ----

// Bools are not.
bool is_number(const Value& value);

// A name in a message, cut when it is long.
std::string quoted(std::string_view name);

// One number for the category and name of an event; 0 if both are empty.
inline std::size_t hash_of_names(std::string_view category, std::string_view name) {
  if (category.empty() && name.empty()) return 0;
  const std::hash<std::string_view> hash;
  return hash(category) * 31 + hash(name);
}

// Perfetto recognizes the idle thread of subtype 1 scheduling records by this weight, under one of these
// names. It ignores that thread, and a cpu that has no other (W18, W25).
inline constexpr std::int32_t kIdleWeight = std::numeric_limits<std::int32_t>::min();
inline constexpr std::string_view kIncomingWeight = "incoming_weight", kOutgoingWeight = "outgoing_weight",
                                  kWakeupWeight = "weight";
inline bool is_idle(const Arguments& arguments, std::string_view weight) {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    const auto* const value = std::get_if<std::int32_t>(&argument.value);
    return value != nullptr && *value == kIdleWeight && argument.name.text == weight;
  });
}
bool uses_cpu(const ContextSwitch& context_switch);
bool uses_cpu(const ThreadWakeup& wakeup);

// Sets of names of arguments, of which few are ever seen.
class ArgumentNames {
 public:
  // The names of one record, as their hashes. Few records have names that no other has.
  using Names = std::vector<std::size_t>;

  // A number for these names, the same for the same ones in this order; 0 for none.
  std::uint32_t number_of(const Arguments& arguments);
  // Whether one name is among those of both numbers.
  bool share(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Hash {
    std::size_t operator()(const Names& names) const;
  };
  std::unordered_map<Names, std::uint32_t, Hash> numbers_;
  std::vector<const Names*> names_;  // by number, from 1; keys of numbers_
  Names list_;
};

}  // namespace fxt
