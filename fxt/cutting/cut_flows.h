// Flows that are open at a time. Internal to the Cutter.
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
  // What the end of a flow takes from one of its events.
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

  // Of a flow that is open in the piece. Nothing if its thread has too many open durations.
  std::optional<Event> end_of(std::uint64_t process, std::uint64_t id, const FlowEnds& places,
                              std::uint64_t time, const OpenSpans& open_spans, const Piece& piece);

  CutCounters* counters_;
  HeldTexts* texts_;
  OpenFlows<OfTrace> all_;     // begun and not ended in the trace
  OpenFlows<FlowEnds> piece_;  // the same, in the piece
};

}  // namespace fxt
