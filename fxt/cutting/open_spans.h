// What begins and ends at different times: the durations of each thread, the async operations of each id, and
// flows. Internal to the Cutter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "fxt/checking/open_flows.h"
#include "fxt/cutter.h"
#include "fxt/cutting/held_event.h"
#include "fxt/cutting/piece.h"

namespace fxt {

// A duration or async operation that has begun and may have to begin or end again in a piece.
struct Lasting {
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  HeldEvent begin;
  std::uint64_t end = kUnknown;  // known for complete events
  bool is_written = false;       // its begin, in the current piece
  bool is_begun_again = false;   // in that piece: it began earlier

  bool is_over_by(std::uint64_t time) const { return end != kUnknown && end <= time; }
};

// The open ones of one thread or one id, outermost first.
class Track {
 public:
  bool empty() const { return depth_ == 0; }
  std::size_t depth() const { return depth_; }
  Lasting& operator[](std::size_t i) { return open_[i]; }
  const Lasting& operator[](std::size_t i) const { return open_[i]; }
  Lasting& push(const Event& begin, std::uint64_t end, bool is_written);
  void erase(std::size_t i);

  bool has_unwritten = false;  // some may have to be begun again
  std::uint64_t after = 0;     // begins after the range whose ends are still to come

 private:
  std::vector<Lasting> open_;  // entries behind depth_ keep their memory
  std::size_t depth_ = 0;
};

class Tracks {
 public:
  explicit Tracks(CutCounters& counters) : counters_(&counters) {}

  // A duration or async event before the range, or behind it, where it may end what is open in the last
  // piece.
  void add_before(const Event& event, std::uint64_t range_start);
  void add_after(const Event& event, Piece& piece);
  // An event inside the range: writes it, after the durations that have ended by then.
  void add(const Event& event, Piece& piece);

  // Writes begins for everything that was open before the piece.
  void begin_again(Piece& piece);
  // Writes ends for everything that has ended by the end of the piece.
  void settle(Piece& piece);
  // Ends what goes on behind it; `is_last`: because the trace is over, and so only what is known to go on.
  void cut(Piece& piece, bool is_last);

  // When the first of what is open ends; kUnknown if that is known of none.
  std::uint64_t next_end() const;
  // How many durations are open on this thread.
  std::size_t depth_of(const Thread& thread) const;

 private:
  Track& track_of(const Event& event);
  void forget_if_over(const Event& event, const Track& track);
  void settle(Track& track, std::uint64_t time, Piece& piece);
  void begin_again(Track& track, Piece& piece);
  void end(Track& track, std::size_t i, const Event& end, bool goes_on, Piece& piece);

  CutCounters* counters_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Track> threads_;  // by process and thread
  std::map<std::uint64_t, Track> asyncs_;                             // by id
  Thread last_thread_ = {};
  Track* last_track_ = nullptr;
};

class CutFlows {
 public:
  explicit CutFlows(CutCounters& counters) : counters_(&counters) {}

  // A flow event outside of all pieces.
  void pass(const Event& event);
  // One that is: a step of a flow that began earlier begins it here, its end is left out.
  void add(const Event& event, Tracks& tracks, Piece& piece);
  // Ends the flows that go on behind the piece, each at its last event.
  void cut(Tracks& tracks, Piece& piece);

 private:
  CutCounters* counters_;
  OpenFlows all_;    // begun and not ended in the trace
  OpenFlows piece_;  // the same, in the piece
  struct Places {
    HeldEvent begin, last;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Places> places_;  // of these, by process and id
};

}  // namespace fxt
