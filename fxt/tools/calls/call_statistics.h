// How often and how long each function ran, by its durations: what `uftrace report` tells of a recording.
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
#include "fxt/tools/calls/open_calls.h"
#include "fxt/tools/text/text_format.h"

namespace fxt::tools {

// By what the lines are sorted: the greatest first, names by the alphabet.
enum class CallOrder : std::uint8_t { Total, Self, Average, Min, Max, Calls, Name };

class CallStatistics {
 public:
  explicit CallStatistics(CallOrder order = CallOrder::Total) : order_(order) {}

  void add(const Event& event, const Reader& reader);
  // Nothing comes any more; to be called once, before the following.
  void finish();
  void append_to(TextBuffer& out) const;
  nlohmann::json json() const;

 private:
  using Name = std::pair<std::string, std::string>;  // category and name
  struct Amount {
    std::uint64_t calls = 0;
    std::uint64_t total_ns = 0;  // of those that lie in none of the same name
    std::uint64_t sum_ns = 0;    // of all
    std::uint64_t self_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0}, max_ns = 0;

    std::uint64_t average_ns() const { return sum_ns / calls; }
  };
  struct Thread {
    OpenCalls open;
    std::unordered_map<std::size_t, std::size_t> depths;  // by name: how many are open, where any are
  };

  struct Line {
    const Name* name;
    const Amount* amount;
  };

  std::size_t index_of(const Event& event);
  void count(Thread& thread, const OpenCalls::Call& call);
  std::uint64_t rank_of(const Amount& amount) const;
  std::vector<Line> lines() const;

  CallOrder order_;
  std::map<Name, std::size_t, std::less<>> names_;
  std::vector<Amount> amounts_;                                        // by name
  std::map<std::pair<std::uint64_t, std::uint64_t>, Thread> threads_;  // by process and thread
  std::uint64_t unplaced_ = 0;                                         // behind what is later
  std::uint64_t unmatched_ = 0;                                        // ends that no begin waits for
};

}  // namespace fxt::tools
