// Flows that are open at a time. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <optional>

#include "fxt/checking/links.h"
#include "fxt/cutter.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/open_spans.h"
#include "fxt/cutting/piece.h"

namespace fxt {

class CutFlows {
 public:
  explicit CutFlows(CutCounters& counters) : counters_(&counters) {}

  // A flow event outside of all pieces.
  void pass(const Event& event);
  // An event that is not kept. The flow that it ends is ended in the piece, on the thread where the piece has
  // it.
  void leave_out(const Event& event, OpenSpans& open_spans, Piece& piece);
  // A flow event inside a piece. If the flow began earlier, its step begins it here. The end of such a flow
  // is dropped.
  void add(const Event& event, OpenSpans& open_spans, Piece& piece);
  // Ends the flows that continue after the piece, each on the thread of its last event.
  void cut(const OpenSpans& open_spans, Piece& piece);
  // The approximate size of these ends.
  std::uint64_t end_bytes() const { return piece_.size() * kEndBytes; }

 private:
  static constexpr std::uint64_t kEndBytes = 6 * sizeof(std::uint64_t);

  struct OfTrace {
    bool is_written = false;  // an event of it, in some piece
  };
  struct FlowEnds {
    Held<Event> begin, last;
  };

  // Of a flow that is open in the piece. Nothing if its thread has too many open durations.
  std::optional<Event> end_of(std::uint64_t process, std::uint64_t id, const FlowEnds& places,
                              std::uint64_t time, const OpenSpans& open_spans, const Piece& piece);

  CutCounters* counters_;
  OpenFlows<OfTrace> all_;     // begun and not ended in the trace
  OpenFlows<FlowEnds> piece_;  // the same, in the piece
};

}  // namespace fxt
