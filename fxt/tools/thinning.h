// Leaves out counter values, instants and context switches, if a trace has too many of them for --fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/support/call_lengths.h"
#include "fxt/time_range.h"
#include "fxt/tools/sorted_spool.h"

namespace fxt::tools {

// Each record that can be left out has a length, like a call. The longest records of each kind stay. For some
// kinds, time is divided into slots of 1 ns, 2 ns, 4 ns and so on. Each slot consists of two slots of half
// its length. The lengths are:
// - Value of a counter: the longest slot in which it is the lowest, the highest or the last value.
//   This slot is one half of a longer slot. The gap between the halves is the time from the last value of
//   the first half to the first value of the second half. Of two values with slots of equal length, the
//   value with the longer gap counts as longer.
// - Instant: the longest slot in which it is the first instant with its name on its thread.
//   Of two instants with slots of equal length, the instant with more time before it counts as longer.
// - Context switch: the longer one of the times for which its two threads were on the CPU.
//   If the time of the other thread is too short, the record shows the idle thread instead.
// - Wakeup: the time for which the thread was on a CPU after the wakeup.
struct ThinnedKinds {
  static constexpr std::size_t kCounters = 0, kInstants = 1, kSwitches = 2, kCount = 3;
};

// Finds the lengths. Calls `ranked` with each record when its length is known.
class RecordLengths {
 public:
  struct Ranked {
    std::size_t kind;
    std::uint64_t number;  // the record's number among the records that can be left out
    std::int32_t words;
    // lengths for the outgoing and the incoming thread of a switch; equal for other records
    std::uint64_t from_ns, to_ns;
    // words that a switch needs in addition if the idle thread replaces the outgoing or the incoming thread
    std::int32_t from_idle_words = 0, to_idle_words = 0;
  };
  explicit RecordLengths(std::function<void(const Ranked&)> ranked) : ranked_(std::move(ranked)) {}

  // The times must not decrease.
  void add_counter(Ranked record, const Event& event, std::uint64_t time_ns);
  void add_instant(Ranked record, const Event& event, std::uint64_t time_ns);
  void add_wakeup(Ranked record, std::uint64_t thread);
  // `incoming` is 0 for the idle thread.
  void add_switch(Ranked record, std::uint16_t cpu, std::uint64_t time_ns, bool comes_from_idle,
                  std::uint64_t incoming);
  void finish();

 private:
  // A value that is the lowest, the highest or the last value of its slot.
  struct Extreme {
    double value;
    std::uint64_t number;
    std::int32_t words;
  };
  // A slot that is not complete yet. `extremes` has the lowest and the highest value of each series, and then
  // the last value of the slot.
  struct Slot {
    std::uint64_t gap_ns;  // gap_of() of the last time in the slot before and the first time in this slot
    std::vector<Extreme> extremes;
  };
  // The slots of a counter. From slot to slot, the highest bit of the gap decreases, so there are at most 64
  // slots.
  struct Counter {
    std::uint64_t last_ns = 0;
    std::vector<Slot> slots = {};
  };
  struct Cpu {
    Ranked change;  // the latest switch
    std::uint64_t time_ns;
    std::uint64_t thread;  // the thread that came to the CPU; 0: the idle thread
    std::optional<Ranked> wakeup;
  };

  void join_slots(Counter& counter);
  void rank_lost(std::span<const Extreme> lost, std::span<const Extreme> extremes, std::uint64_t length_ns);
  void rank(Ranked record, std::uint64_t length_ns) {
    record.from_ns = record.to_ns = length_ns;
    ranked_(record);
  }
  void end_slice(Cpu& cpu, std::uint64_t length_ns);

  std::function<void(const Ranked&)> ranked_;
  std::unordered_map<std::size_t, Counter> counters_;        // by a hash of the names and ids
  std::unordered_map<std::size_t, std::uint64_t> instants_;  // latest time, by a hash of thread and names
  std::map<std::uint16_t, Cpu> cpus_;
  std::unordered_map<std::uint64_t, Ranked> woken_;  // by thread, until it runs
};

inline constexpr std::int64_t kAnyWords = std::int64_t{1} << 60;  // more than any trace has

// Passes over the records of a trace, in the same order each time. The first pass counts the records by
// length. The second pass chooses the records that stay. Further passes leave out the other records.
class Thinning {
 public:
  // Only records that `cut` selects can be left out.
  explicit Thinning(const CutOptions& cut) : cut_(cut), window_(cut.range) {}

  // Each pass begins with one of these functions. The range is passed here, because the caller
  // may not know it earlier.
  void begin_count(const TimeRange& range) { begin(Pass::Count, range); }
  void begin_choice(const TimeRange& range) { begin(Pass::Choice, range); }
  void begin_last(const TimeRange& range);
  // Must be called with each record. Returns the record to write, or null if it is left out. The result is
  // valid until the next call.
  const Entry* next(const Entry& entry, const Reader& reader);
  // Must be called after the last record of a pass.
  void finish();

  // Must be called after the count. Decides which records stay in a trace of `words` words. `calls` is the
  // size of all calls, and `others` is the size of all other records. First, the records that can't be left
  // out get their space. Counters, instants and switches get half of the remaining space, or more if calls do
  // not need the other half. Returns the size of all records that stay, except calls. This size may exceed
  // `words`.
  std::int64_t share(std::int64_t words, std::int64_t others, std::int64_t calls);
  // True if some records must be left out.
  bool is_needed() const { return shortest_ns_ != std::array<std::uint64_t, ThinnedKinds::kCount>{}; }

  // After the last pass: the number of left-out records, for example "2 instants left out"; empty if 0.
  std::string text() const;
  std::uint64_t left_out() const;

 private:
  static constexpr std::size_t kNone = ThinnedKinds::kCount;
  enum class Pass : std::uint8_t { Count, Choice, Last };

  void begin(Pass pass, const TimeRange& range);
  bool is_chosen(std::uint64_t thread) const;
  std::size_t kind_of(const Record& record) const;
  void add_length(const Record& record, std::size_t kind, std::uint64_t time_ns, std::int32_t words);
  void ranked(RecordLengths::Ranked record);
  const Entry* kept(const Entry& entry, std::size_t kind);

  CutOptions cut_;
  TimeWindow window_;
  Pass pass_ = Pass::Count;
  std::optional<RecordLengths> lengths_;
  std::array<CallLengths, ThinnedKinds::kCount> counted_;
  std::array<std::uint64_t, ThinnedKinds::kCount> shortest_ns_ = {};  // 0: all of the kind stay
  std::uint64_t number_ = 0;                                          // the number of the next record
  // For each record that stays: 4 times its number, plus 1 if the outgoing thread of a switch stays, plus 2
  // if the incoming thread stays.
  SortedSpool<std::uint64_t> kept_;
  std::array<std::uint64_t, ThinnedKinds::kCount> left_out_ = {};
  Entry changed_;
};

}  // namespace fxt::tools
