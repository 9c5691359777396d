// What the values of records must keep, whatever their place in the file (fxt-notes W5, W18 to W20, W23,
// W25, W28). Each check throws a WriterError, and nothing has changed. Internal to the Writer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "fxt/records.h"
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

// Those that depend on what was written before.
struct ValueRules {
  std::map<std::string, std::string, std::less<>> counter_of_series;  // by argument; as written
  std::unordered_set<std::uint64_t> named_threads;

  void check_counter(const Event& event) const;
  void take_counter(const Event& event);
  void check_series(std::string_view counter, std::string_view series) const;
  void take_series(std::string_view counter, std::string_view series);
  void check_priority(const Thread& thread, std::uint8_t priority) const;
};

}  // namespace fxt
