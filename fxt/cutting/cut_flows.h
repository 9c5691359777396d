// The flows that are open at the current time. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <optional>

#include "fxt/checking/links.h"
#include "fxt/cutter.h"
#include "fxt/cutting/held_texts.h"
#include "fxt/cutting/open_spans.h"
#include "fxt/cutting/piece.h"

namespace fxt {

class CutFlows {
 public:
  CutFlows(CutCounters& counters, HeldTexts& texts) : counters_(&counters), texts_(&texts) {}

  // Must be called with each flow event outside of all pieces.
  void pass(const Event& event);
  // Must be called with each flow event that is left out while a piece is open. If the event ends a flow that
  // is open in the piece, writes another end at the same time. This end is on a thread that has events of the
  // flow in the piece.
  void leave_out(const Event& event, OpenSpans& open_spans, Piece& piece);
  // Must be called with each flow event inside a piece. If the flow began before the piece, a step becomes
  // its begin, and an end is dropped.
  void add(const Event& event, OpenSpans& open_spans, Piece& piece);
  // Ends the flows that continue after the piece. The end is on the thread of the flow's last event in the
  // piece. If an end on this thread would not end this flow, it is on the thread where the flow begins.
  void cut(const OpenSpans& open_spans, Piece& piece);
  // The approximate size of the ends that cut() would write now.
  std::uint64_t end_bytes() const { return piece_.size() * kEndBytes; }

 private:
  static constexpr std::uint64_t kEndBytes = 6 * sizeof(std::uint64_t);

  struct OfTrace {
    bool is_written = false;  // true if a piece has an event of the flow
  };
  // The data of a flow event that are needed to write an end of the flow.
  struct Place {
    std::uint64_t time = 0;
    Thread thread = {};
    Storage category_storage = Storage::Table, name_storage = Storage::Table;
    HeldTexts::Use category = {}, name = {};
  };
  struct FlowEnds {
    Place begin = {}, last = {};
  };

  void set(Place& place, const Event& event) {
    place.time = event.time;
    place.thread = event.thread;
    place.category_storage = event.category.storage;
    place.name_storage = event.name.storage;
    place.category = texts_->use(event.category.text);
    place.name = texts_->use(event.name.text);
  }

  // Returns an end for a flow that is open in the piece. Returns nothing if too many durations are open on
  // the thread of this end.
  std::optional<Event> end_of(std::uint64_t process, std::uint64_t id, const FlowEnds& places,
                              std::uint64_t time, const OpenSpans& open_spans, const Piece& piece);

  CutCounters* counters_;
  HeldTexts* texts_;
  OpenFlows<OfTrace> all_;  // flows that have begun in the trace and not ended
  OpenFlows<FlowEnds> piece_;
};

}  // namespace fxt
