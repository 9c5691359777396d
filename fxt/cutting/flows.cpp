#include "fxt/cutting/flows.h"

namespace fxt {

void CutFlows::pass(const Event& event) {
  if (event.type == EventType::FlowBegin) all_.begin(event.thread.process, event.id, 0);
  if (event.type != EventType::FlowEnd) return;
  const auto flow = all_.find(event.thread.process, event.id);
  if (flow.match == OpenFlows::Match::Found) all_.end(flow, event.id);
}

void CutFlows::add(const Event& event, Tracks& tracks, Piece& piece) {
  const std::uint64_t process = event.thread.process;
  const bool was_begun = all_.find(process, event.id).match == OpenFlows::Match::Found;
  pass(event);
  auto here = piece_.find(process, event.id);
  Event said = event;
  if (event.type != EventType::FlowBegin && here.match == OpenFlows::Match::NoneBegan && was_begun) {
    if (event.type == EventType::FlowEnd) {
      ++counters_->cut_flows;
      return;
    }
    said.type = EventType::FlowBegin;
  }
  if (said.type == EventType::FlowBegin) {
    piece_.begin(process, event.id, 0);
    here = piece_.find(process, event.id);
  }
  tracks.add(said, piece);
  if (here.match != OpenFlows::Match::Found) return;
  if (said.type == EventType::FlowEnd) {
    piece_.end(here, event.id);
    places_.erase({here.process, event.id});
  } else {
    Places& places = places_[{here.process, event.id}];
    places.last.assign(said);
    if (said.type == EventType::FlowBegin) places.begin.assign(said);
  }
}

// Where it was seen last, unless another one of its id answers there by now. What began and ended last on its
// thread would be taken for where the flow ends: it gets a duration of no length for itself.
void CutFlows::cut(Tracks& tracks, Piece& piece) {
  for (const auto& [key, places] : places_) {
    const auto& [process, id] = key;
    Event end = places.last.event();
    if (!piece_.find(end.thread.process, id).is_of(process)) end = places.begin.event();
    if (tracks.depth_of(end.thread) >= kMaxDepth) continue;
    end.time = end.end = piece.span.end;
    end.arguments = {};
    end.type = EventType::DurationComplete;
    piece.write(end);
    end.type = EventType::FlowEnd;
    piece.write(end);
  }
  places_.clear();
  piece_ = {};
}

}  // namespace fxt
