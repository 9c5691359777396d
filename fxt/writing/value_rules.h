// The rules for the values of records, which don't depend on their order (fxt-notes W5, W18 to W20, W23, W25,
// W28). A check that fails throws a WriterError and changes nothing. Internal to the Writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fxt/records.h"
#include "fxt/utf8.h"
#include "fxt/writer.h"

namespace fxt {

void check_time(std::string_view what, std::uint64_t time);
void check_thread(std::string_view what, const Thread& thread);
void check_storage(std::string_view what, Storage storage);
void check_names(const String& category, const String& name);
void check_state(std::string_view what, ThreadState state);
void check_cpu(std::string_view what, std::uint64_t cpu);
void check_arguments(std::string_view what, const Arguments& arguments, const WriterOptions& options);
void check_scheduling_arguments(SchedulingType record, std::string_view what, const Arguments& arguments,
                                const WriterOptions& options);
void check_instant(const Event& event, const WriterOptions& options);
void check_object(const KernelObject& object);
// The process in a thread's name.
std::uint64_t process_of_thread(const KernelObject& object);

// The rules that depend on earlier records.
struct ValueRules {
  std::map<std::string, std::string, std::less<>> counter_of_series;  // by argument; as written
  std::unordered_map<std::uint64_t, std::uint64_t> process_of;        // by thread: that of its last name
  std::unordered_map<std::uint64_t, std::uint64_t> switched;          // the same, of those that were switched

  void check_counter(const Event& event) const;
  static void check_known(const Event& event);
  void add_counter(const Event& event);
  void check_series(std::string_view counter, std::string_view series) const;
  void add_series(std::string_view counter, std::string_view series);
  // A side of a legacy context switch, and one of another scheduling record.
  void check_switched(const Thread& thread) const;
  void check_scheduled(std::string_view what, std::uint64_t thread) const;
  void add_switched(const Thread& thread);
  void check_name(const KernelObject& object) const;
  void add_name(const KernelObject& object);
};

// `text` as a record will hold it, which some rules compare: repaired, and cut at `max_bytes`. A repaired
// text is stored in `kept`.
inline std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // replacing can make it longer
}

}  // namespace fxt
