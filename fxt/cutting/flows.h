// Flows whose begin and end may lie in different pieces. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "fxt/checking/open_flows.h"
#include "fxt/cutter.h"
#include "fxt/cutting/held_event.h"
#include "fxt/cutting/piece.h"
#include "fxt/cutting/tracks.h"

namespace fxt {

class CutFlows {
 public:
  explicit CutFlows(CutCounters& counters) : counters_(&counters) {}

  // A flow event that is not in any piece.
  void pass(const Event& event);
  // One that is: a step of a flow that began earlier begins it here, its end is left out.
  void add(const Event& event, Tracks& tracks, Piece& piece);
  // Ends those that go on behind the piece, each where it was seen last.
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
