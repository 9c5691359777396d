// SPDX-License-Identifier: Apache-2.0
// Pairs the starts of calls with their ends. Returns the durations of each thread and the async operations of
// each id as calls with start, end, depth, self time and parent. All encodings are supported: start and end
// events, complete events, and ends without names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/time_range.h"

namespace FXT_API fxt {

struct CallName {
  std::string category, name;
  friend auto operator<=>(const CallName&, const CallName&) = default;
};

// All pairs of category and name in a trace, numbered from 0.
class CallNames {
 public:
  std::uint32_t index_of(const Event& event) {
    std::uint32_t& guess = guesses_[event.name.index % kGuesses];
    if (guess >= names_.size() || !is(names_[guess], event)) guess = find(event);
    return guess;
  }
  const CallName& operator[](std::uint32_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }

 private:
  using View = std::pair<std::string_view, std::string_view>;
  struct Hash {
    std::size_t operator()(const View& view) const;
  };
  // Most names have an index in the string table, so the latest name with the event's index is tried first.
  static constexpr std::size_t kGuesses = std::size_t{1} << 15;

  static bool is(const CallName& name, const Event& event) {
    return name.name == event.name.text && name.category == event.category.text;
  }
  std::uint32_t find(const Event& event);

  std::deque<CallName> names_;
  std::unordered_map<View, std::uint32_t, Hash> indices_;
  std::vector<std::uint32_t> guesses_ = std::vector<std::uint32_t>(kGuesses, ~0U);
};

// A duration, or an async operation.
struct Call {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t number = 0;      // counts from 0 in the order of starts
  std::uint64_t parent = kNone;  // the number of the call around this call
  std::size_t depth = 0;         // how many calls are around this call
  const CallName* names = nullptr;
  std::uint32_t name_index = 0;  // the index of `names` in Pairing::names()
  bool is_pair = false;          // start and end are separate events
  bool is_ending = false;        // the end event has been read
  bool has_end = true;           // false without an end event: the call ends with an outer call or its track
  bool is_chosen = true;         // set by PairingOptions::chooses
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;  // valid once knows_end() returns true
  // Total time of the calls directly inside this call. Only the time in PairingOptions::range counts.
  std::uint64_t inner_ns = 0;
  // `later_end_depth - 1` is the depth of the innermost outer call that may end later than this call.
  // `later_end_depth` is 0 if there is no such call.
  std::size_t later_end_depth = 0;

  const std::string& category() const { return names->category; }
  const std::string& name() const { return names->name; }
  std::uint64_t length_ns() const { return end_ns - start_ns; }
  // The self time of the whole call. Valid only without PairingOptions::range.
  std::uint64_t self_ns() const { return length_ns() - std::min(inner_ns, length_ns()); }
  bool knows_end() const { return !is_pair || is_ending; }
};

// Process and thread. For an event whose thread index was never registered: kUnregistered and the index.
using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;
inline constexpr std::uint64_t kUnregistered = ~std::uint64_t{0};

// Nested calls: the durations of a thread, or the async operations of an id.
struct CallTrack {
  ThreadKey thread = {};  // for async operations: the thread of the operation that started last
  bool is_async = false;
  std::uint64_t id = 0;  // the id of async operations
  // Counts from 0; the number of an async track is reused after its operations have ended.
  std::uint32_t index = 0;
  std::vector<Call> calls = {};  // open calls, outermost first; complete events may stay after their end
  std::size_t awaiting = 0;      // number of calls whose end event has not been read
  std::size_t chosen = 0;        // number of calls that are chosen
  std::uint64_t last_ns = 0;     // time of the latest event
};

struct PairingOptions {
  bool durations = true, asyncs = true;
  TimeRange range = {};  // Call::inner_ns and Pairing::part_of() count only the time in this range
  std::function<bool(const CallName&)> chooses = {};  // sets Call::is_chosen; called once per name
};

// Receives calls while they are paired. A Pairing calls started() when a call begins, and ended() when it
// ends.
class CallListener {
 public:
  virtual ~CallListener() = default;
  // The call was pushed onto CallTrack::calls. May change Call::is_chosen. `event` is the start of the call.
  virtual void started(CallTrack&, Call&, const Event& event) { static_cast<void>(event); }
  // The call has ended, and was removed from CallTrack::calls.
  virtual void ended(CallTrack&, const Call&) = 0;
};

// Not thread-safe. Memory grows with open calls, threads and names, not with the length of the trace.
class Pairing {
 public:
  // Calls `ended` with each call when it ends. Inner calls end before outer calls.
  explicit Pairing(std::function<void(const Call&)> ended, const PairingOptions& options = {});
  // Keeps a reference to `listener`, which must outlive the Pairing.
  explicit Pairing(CallListener& listener, const PairingOptions& options = {});
  virtual ~Pairing();
  Pairing(const Pairing&) = delete;
  Pairing& operator=(const Pairing&) = delete;

  // Must be called with each record of an OrderedReader. Ignores records that belong to no call. Returns
  // true if the record is part of a chosen call. Throws std::invalid_argument if the range ends before it
  // begins.
  bool add(const Entry& entry, const Reader& reader);
  // Must be called after the last record. Calls without an end event end at the latest time of their track.
  void finish();
  // Removes the complete events of the thread that have ended by `time_ns`. Returns the thread's open calls.
  const CallTrack& advance(const Thread& thread, std::uint64_t time_ns);

  // The part of a call that is in the range. `is_empty` is true if the call is outside of the range.
  struct Part {
    bool is_empty;
    std::uint64_t begin_ns, end_ns;
    std::uint64_t length_ns() const { return end_ns - begin_ns; }
  };
  Part part_of(const Call& call) const { return part_of(call.start_ns, call.end_ns); }
  Part part_of(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    const std::uint64_t begin = std::max(begin_ns, window_.from());
    const std::uint64_t end = std::min(end_ns, window_.to());
    return {.is_empty = end < begin, .begin_ns = begin, .end_ns = std::max(begin, end)};
  }
  const CallNames& names() const { return names_; }
  std::uint32_t index_of(const Event& event) { return names_.index_of(event); }
  const std::map<ThreadKey, CallTrack>& threads() const { return threads_; }
  CallTrack& thread_of(const Thread& thread);
  // The open async operations of an id; null if no operation is open.
  const CallTrack* operations_of(std::uint64_t id) const {
    const auto known = asyncs_.find(id);
    return known == asyncs_.end() ? nullptr : &known->second;
  }
  const TimeWindow& window() const { return window_; }

  // Counts events that belong to no call, and calls that do not nest.
  struct OddEvents {
    std::uint64_t unmatched = 0;  // end events without a start event; only events with a chosen name
    std::uint64_t bad_times = 0;  // events with an impossible time, or with an end before the start
    std::uint64_t crossing = 0;   // calls that start inside another call and end after that call
  };
  const OddEvents& odd() const { return odd_; }

 protected:
  // Must be called with each record that add() does not get. PairingOptions::range may count its times from
  // the first record that has a time, and add() may not get that record.
  void know_start(const Entry& entry, const Reader& reader);

 private:
  class FXT_INTERNAL Function;

  bool is_chosen(std::uint32_t name);
  CallTrack& track_of(const Event& event);
  bool put_end(CallTrack& track, std::uint64_t time_ns, std::uint32_t name);
  void end_calls_before(CallTrack& track, std::uint64_t time_ns);
  void end_all(CallTrack& track);
  void pop(CallTrack& track);
  void add_to_outer(CallTrack& track, const Part& part);
  void forget_if_over(CallTrack& track);

  PairingOptions options_;
  std::unique_ptr<CallListener> own_;  // calls the function that was passed to the first constructor
  CallListener* listener_;
  TimeWindow window_;
  CallNames names_;
  std::vector<signed char> chosen_;  // by name index; -1 before `chooses` is called
  std::map<ThreadKey, CallTrack> threads_;
  std::map<std::uint64_t, CallTrack> asyncs_;  // by id
  // The number of open async operations by track and name. An id may have very many open operations. If none
  // of them has the name of an end event, no search is needed.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> operations_;
  std::array<CallTrack*, 256> recent_ = {};  // the latest track for each thread index
  std::uint32_t tracks_ = 0;                 // number of known tracks
  std::vector<std::uint32_t> free_tracks_;
  std::uint64_t calls_ = 0;  // number of calls so far
  OddEvents odd_;
};

}  // namespace fxt
