// How often and how long each function ran, by its durations; the counterpart of `uftrace report`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "fxt/reader.h"
#include "fxt/tools/open_calls.h"
#include "fxt/tools/record_text.h"

namespace fxt::tools {

// The sort key of the lines: the greatest first, names alphabetically.
enum class CallOrder : std::uint8_t { Total, Self, Average, Min, Max, Calls, Name };

class CallStatistics {
 public:
  explicit CallStatistics(CallOrder order = CallOrder::Total) : order_(order) {}

  void add(const Event& event, const Reader& reader);
  // No event follows. To be called once, before the functions below.
  void finish();
  void append_to(TextBuffer& out) const;
  nlohmann::json json() const;

 private:
  using Name = std::pair<std::string, std::string>;  // category and name
  struct CallTotals {
    std::uint64_t calls = 0;
    std::uint64_t total_ns = 0;  // without calls inside a call of the same name
    std::uint64_t sum_ns = 0;    // of all calls
    std::uint64_t self_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0}, max_ns = 0;

    std::uint64_t average_ns() const { return sum_ns / calls; }
  };
  struct ThreadCalls {
    OpenCalls open;
    std::unordered_map<std::size_t, std::size_t> depths;  // number of open calls, by name
  };

  struct Line {
    const Name* name;
    const CallTotals* totals;
  };

  std::size_t index_of(const Event& event);
  void count(ThreadCalls& thread, const OpenCalls::Call& call);
  std::uint64_t rank_of(const CallTotals& totals) const;
  std::vector<Line> lines() const;

  CallOrder order_;
  std::map<Name, std::size_t, std::less<>> names_;
  std::vector<CallTotals> totals_;  // by name
  std::map<ThreadKey, ThreadCalls> threads_;
  std::uint64_t late_ = 0;       // events after later ones of their thread
  std::uint64_t unmatched_ = 0;  // ends without a begin
};

}  // namespace fxt::tools
