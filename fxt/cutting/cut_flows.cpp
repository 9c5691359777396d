#include "fxt/cutting/cut_flows.h"

#include <algorithm>

namespace fxt {

void CutFlows::pass(const Event& event) {
  if (event.type == EventType::FlowBegin) all_.begin(event.thread.process, event.id);
  if (event.type != EventType::FlowEnd) return;
  const auto flow = all_.find(event.thread.process, event.id);
  if (!flow) return;
  if (flow.tag->is_written) ++counters_->cut_flows;
  all_.end(flow, event.id);
}

// If the end of a flow is left out, writes another end. This end is in a duration of no length, which
// consists of a begin and an end. With a complete event of no length, readers would bind the next flow of the
// thread to this event.
void CutFlows::leave_out(const Event& event, OpenSpans& open_spans, Piece& piece) {
  const auto flow = all_.find(event.thread.process, event.id);
  const auto here = piece_.find(event.thread.process, event.id);
  if (event.type == EventType::FlowEnd && here && flow.is_of(here.process)) {
    if (auto end = end_of(here.process, event.id, *here.tag, event.time, open_spans, piece))
      for (const EventType type : {EventType::DurationBegin, EventType::FlowEnd, EventType::DurationEnd}) {
        end->type = type;
        open_spans.add(*end, piece);
      }
    piece_.end(here, event.id);
  }
  pass(event);
}

void CutFlows::add(const Event& event, OpenSpans& open_spans, Piece& piece) {
  const std::uint64_t process = event.thread.process;
  const auto flow = all_.find(process, event.id);
  auto here = piece_.find(process, event.id);
  Event written = event;
  if (event.type != EventType::FlowBegin && here.match == decltype(piece_)::Match::NoneBegan && flow) {
    if (event.type == EventType::FlowEnd) {
      ++counters_->cut_flows;
      return all_.end(flow, event.id);
    }
    written.type = EventType::FlowBegin;
  }
  if (event.type == EventType::FlowBegin)
    all_.begin(process, event.id, {.is_written = true});
  else if (event.type == EventType::FlowStep && flow)
    flow.tag->is_written = true;
  else if (flow)
    all_.end(flow, event.id);
  if (written.type == EventType::FlowBegin) {
    piece_.begin(process, event.id);
    here = piece_.find(process, event.id);
  }
  open_spans.add(written, piece);
  if (!here) return;
  if (written.type == EventType::FlowEnd) {
    piece_.end(here, event.id);
  } else {
    set(here.tag->last, written);
    if (written.type == EventType::FlowBegin) set(here.tag->begin, written);
  }
}

// Returns an end on the thread of the flow's last event. If this end would end a flow of another process,
// returns an end on the thread of the flow's begin.
std::optional<Event> CutFlows::end_of(std::uint64_t process, std::uint64_t id, const FlowEnds& places,
                                      std::uint64_t time, const OpenSpans& open_spans, const Piece& piece) {
  const bool is_others = !piece_.find(places.last.thread.process, id).is_of(process);
  const Place& place = is_others ? places.begin : places.last;
  if (open_spans.depth_of(place.thread) >= kMaxDepth) return std::nullopt;
  time = std::min(std::max(time, places.last.time), piece.span.end);
  Event end{.type = EventType::FlowEnd,
            .time = time,
            .thread = place.thread,
            .category = place.category.text(),
            .name = place.name.text(),
            .id = id,
            .end = time};
  end.category.storage = place.category_storage;
  end.name.storage = place.name_storage;
  return end;
}

// Writes each end with a duration of no length, because readers bind an end to the latest duration of the
// thread.
void CutFlows::cut(const OpenSpans& open_spans, Piece& piece) {
  piece_.for_each([&](std::uint64_t process, std::uint64_t id, const FlowEnds& places) {
    const auto end = end_of(process, id, places, piece.span.end, open_spans, piece);
    if (!end) return;
    Event duration = *end;
    duration.type = EventType::DurationComplete;
    piece.write(duration);
    piece.write(*end);
  });
  piece_ = {};
}

}  // namespace fxt
