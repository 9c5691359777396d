// For each length, counts the words that calls of this length take in the trace. From these counts, --fit
// finds the shortest length so that all calls of at least this length fit into the requested size of the
// trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace fxt {

// Counts lengths in intervals. Below 2^17 ns, each length is an interval of its own. A longer length is
// rounded to its first 17 binary digits. To find an exact length, the calls of one interval are counted
// again, in smaller intervals.
class CallLengths {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};
  struct Interval {
    std::uint64_t begin_ns, end_ns;  // from `begin_ns` up to, but not including, `end_ns`

    std::uint64_t width_ns() const { return end_ns - begin_ns; }
    bool contains(std::uint64_t length_ns) const { return length_ns >= begin_ns && length_ns < end_ns; }
  };
  static constexpr Interval kWhole{0, kForever};
  struct Entry {
    std::uint64_t length_ns;
    // words that the trace grows by if calls of this length are shown; negative if words become unnecessary
    std::int32_t words;
    std::uint32_t names;  // the names of the call: of_label(), of_name() or kNone

    static constexpr std::uint32_t kNone = 0;
    static constexpr std::uint32_t of_label(std::uint32_t label) { return 2 * label + 1; }
    static constexpr std::uint32_t of_name(std::uint32_t name) { return 2 * name + 2; }
  };
  struct Fitting {
    std::uint64_t shortest_ns = 0;  // calls of at least this length fit; 0: all calls
    std::int64_t words = 0;         // size of the calls that fit, including their names
    Interval too_short = {0, 0};    // the next shorter lengths; their calls do not all fit
  };
  // `names_of` returns the names that a label consists of. `words_of` returns the number of words that a name
  // itself takes in the trace. Only the first call with the name needs these words.
  struct NameWords {
    std::function<std::array<std::uint32_t, 2>(std::uint32_t label)> names_of;
    std::function<std::int64_t(std::uint32_t name)> words_of;
  };

  // Counts only the calls of this interval.
  explicit CallLengths(const Interval& part = kWhole) : part_(part) {}

  // Several threads may call this function at the same time. Each of the first four threads has its own
  // table. With a common table, the cores would spend most of the time on moving the table between their
  // caches.
  void add(std::span<const Entry> entries);

  // Must be called after all entries were added. Finds the shortest length so that all calls of at least this
  // length together take at most `words`. `words_above` is the size of the calls that are longer than the
  // part's interval.
  Fitting fit(std::int64_t words, std::int64_t words_above, const NameWords& names) const;

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<std::int64_t, kPage>;

  struct Table {
    std::mutex mutex;
    std::vector<std::unique_ptr<Page>> pages;  // words by interval
    // by Entry::names: length of the longest call, plus 1; 0 without a call
    std::vector<std::uint64_t> longest;

    std::int64_t& words_at(std::size_t index);
  };

  Table& table_of_thread();
  bool is_whole() const { return part_.end_ns == kForever; }
  unsigned shift() const;
  std::size_t index_of(std::uint64_t length_ns) const;
  Interval interval_at(std::size_t index) const;
  std::vector<std::uint64_t> longest_of_names(const NameWords& names) const;

  const Interval part_;
  std::array<Table, 4> tables_;
  std::mutex mutex_;
  std::vector<std::thread::id> threads_;  // the thread at index i adds to the table i modulo 4
};

// Returns the size for the next plan if the trace exceeds --fit by `excess_bytes`, although the plan was for
// `planned_words`. The next plan differs, because its size is below `planned_words`.
inline std::uint64_t next_target(std::uint64_t target_bytes, std::int64_t planned_words,
                                 std::uint64_t excess_bytes) {
  const auto planned_bytes = static_cast<std::uint64_t>(planned_words) * sizeof(std::uint64_t);
  const std::uint64_t least = std::min(target_bytes, planned_bytes);
  return least - std::min(least, excess_bytes);
}

}  // namespace fxt
