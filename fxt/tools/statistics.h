// fxt-dump --stats: counts of records, events, calls and threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fxt/reader.h"
#include "fxt/tools/call_statistics.h"
#include "fxt/tools/record_text.h"

namespace fxt::tools {

class Statistics {
 public:
  // `order`: of the lines about calls.
  explicit Statistics(CallOrder order = CallOrder::Total) : calls_(order) {}

  void add(const Entry& entry, const Reader& reader);
  // No record follows. To be called once, before the functions below.
  void finish() { calls_.finish(); }
  // Several tables as text.
  void append_to(TextBuffer& out, const Reader& reader) const;
  // The same as one JSON object.
  void append_json_to(TextBuffer& out, const Reader& reader) const;

 private:
  struct RecordTotals {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };

  void add_event(const Event& event, const Reader& reader);
  void add_time(std::uint64_t ticks, const Reader& reader);

  std::map<std::string, RecordTotals, std::less<>> kinds_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> events_;  // by category and name
  std::map<ThreadKey, std::uint64_t> threads_;                           // number of events
  std::map<std::uint64_t, std::string> thread_names_, process_names_;
  std::optional<std::uint64_t> first_ns_, last_ns_;
  std::uint64_t inline_strings_ = 0, table_strings_ = 0, inline_threads_ = 0, table_threads_ = 0;
  std::uint64_t problems_ = 0;
  CallStatistics calls_;
};

}  // namespace fxt::tools
