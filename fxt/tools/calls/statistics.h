// fxt-dump --stats: what a trace consists of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fxt/reader.h"
#include "fxt/tools/calls/call_statistics.h"
#include "fxt/tools/text/text_format.h"

namespace fxt::tools {

class Statistics {
 public:
  // `order`: of the lines that tell of calls.
  explicit Statistics(CallOrder order = CallOrder::Total) : calls_(order) {}

  void add(const Entry& entry, const Reader& reader);
  // Nothing comes any more; to be called once, before the following.
  void finish() { calls_.finish(); }
  // Several tables as text.
  void append_to(TextBuffer& out, const Reader& reader) const;
  // The same as one JSON object.
  void append_json_to(TextBuffer& out, const Reader& reader) const;

 private:
  struct Amount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;  // process, thread

  void add_event(const Event& event, const Reader& reader);
  void add_time(std::uint64_t ticks, const Reader& reader);

  std::map<std::string, Amount, std::less<>> kinds_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> events_;  // by category and name
  std::map<ThreadKey, std::uint64_t> threads_;                           // events of each
  std::map<std::uint64_t, std::string> thread_names_, process_names_;
  std::optional<std::uint64_t> first_ns_, last_ns_;
  std::uint64_t inline_strings_ = 0, table_strings_ = 0, inline_threads_ = 0, table_threads_ = 0;
  std::uint64_t problems_ = 0;
  CallStatistics calls_;
};

}  // namespace fxt::tools
