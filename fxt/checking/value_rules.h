// The Checker's rules for the values in records, which do not depend on the order of records. The Writer and
// the Cutter use them for names. Internal to the library. The tools use only the functions whose bodies are
// in this header, because a shared library does not export the other functions.
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
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/hash.h"
#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"

namespace fxt {

// True if the record is of a kind that the Writer writes automatically.
inline bool is_of_writer(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<Initialization>(record) ||
         std::holds_alternative<StringRecord>(record) || std::holds_alternative<ThreadRecord>(record);
}

// The value as a number; nothing if it is not a number.
inline std::optional<double> number_of(const Value& value) {
  return std::visit(
      []<typename T>(const T& number) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return static_cast<double>(number);
        return std::nullopt;
      },
      value);
}

class Findings;  // fxt/checking/findings.h: the findings of the current record

// Returns the text that describes a fault. The text is fixed, but may contain the `id` of a flow or
// operation. The caller adds the places and times of other events.
std::string problem_of(Fault fault, std::uint64_t id = 0);

// `ns` is empty if the time has more than 64 bits.
void check_time(std::optional<std::uint64_t> ns, Findings& findings);
// True if the event's times are compared with Tracy's limit for the length of a trace (rule W5). Tracy reads
// instants, counters and durations. Flows count as well, because the duration around a flow ends at the flow
// or later.
bool spans_the_trace(const Event& event);
void check_thread(const Thread& thread, Findings& findings);  // the thread of an event
void check_koid(std::uint64_t koid, Findings& findings);      // the id of a thread that is switched or woken
void check_state(ThreadState state, Findings& findings);
void check_cpu(std::uint64_t cpu, Findings& findings);
void check_profiler_thread(bool is_inline, Findings& findings);  // the thread of a module or mmap record
void check_arguments(const Arguments& arguments, Findings& findings);
void check_argument_tree(const Arguments& arguments, Findings& findings);  // not for a counter
void check_scheduling_arguments(SchedulingType record, const Arguments& arguments, Findings& findings);
void check_instant(std::string_view name, Findings& findings);
void check_object(const KernelObject& object, Findings& findings);
// The argument that names a thread's process, even if its type is wrong; null if it is missing.
const Argument* process_argument(const KernelObject& object);
// Returns the process that the kernel object of a thread names; 0 if it names no process.
std::uint64_t process_of_thread(const KernelObject& object);

// The names of threads. For a thread of a context switch or wakeup, Perfetto takes the process from the
// thread's last name in the file.
class ThreadNames {
 public:
  void add(const KernelObject& object);
  void check_switched(const Thread& thread, std::uint8_t priority, Findings& findings) const;
  // Checks a thread in a scheduling record that is not a legacy context switch. The idle thread needs no
  // check.
  void check_scheduled(std::uint64_t thread, Findings& findings) const;

 private:
  // The process in the thread's last name; 0 if the thread has no name.
  std::uint64_t process_of(std::uint64_t thread) const;

  std::map<std::uint64_t, std::uint64_t> process_of_;  // by thread
};

// The rules for counters. Each argument of a counter is a series. Different counters must not have series
// with the same name.
class CounterRules {
 public:
  void check(const Event& event, Findings& findings) const;
  // Must be called after check().
  void add(const Event& event);

 private:
  void check_series(std::string_view counter, std::string_view series, Findings& findings) const;

  std::map<std::string, std::string, std::less<>> counter_of_;  // by series
};

// Returns `text` as a record will contain it: repaired, and cut at `max_bytes`. A repaired text is stored in
// `kept`.
inline std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // the replacement may have made the text longer
}

// ---- Names and arguments ----

// Bools are not numbers.
bool is_number(const Value& value);

// A name for use in a message. A long name is shortened.
std::string quoted(std::string_view name);

// A hash of the category and name of an event; 0 if both are empty.
inline std::size_t hash_of_names(std::string_view category, std::string_view name) {
  if (category.empty() && name.empty()) return 0;
  const SeededHash hash;
  return hash(category) * 31 + hash(name);
}

// In scheduling records of subtypes 1 and 2, Perfetto recognizes the idle thread by this weight in one of
// these arguments. Perfetto does not show the idle thread, nor a CPU that runs only the idle thread (W18,
// W25).
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

// Sets of argument names. A trace has few different sets.
class ArgumentNames {
 public:
  // The names of one record, as hashes.
  using Names = std::vector<std::size_t>;

  // A number for these names: equal for equal names in the same order, and 0 without names.
  std::uint32_t number_of(const Arguments& arguments);
  // True if a name is in both sets.
  bool share(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Hash {
    std::size_t operator()(const Names& names) const;
  };
  std::unordered_map<Names, std::uint32_t, Hash> numbers_;
  std::vector<const Names*> names_;  // the keys of numbers_, in the order of the numbers
  Names list_;
};

}  // namespace fxt
