#include "fxt/cutting/open_spans.h"

#include <algorithm>
#include <optional>

namespace fxt {
namespace {

bool is_begin(const Event& event) {
  return event.type == EventType::DurationBegin || event.type == EventType::AsyncBegin;
}

bool is_end(const Event& event) {
  return event.type == EventType::DurationEnd || event.type == EventType::AsyncEnd;
}

// What this event ends: the innermost one whose end is not known; of async operations, of this name.
std::optional<std::size_t> ended_by(const Event& event, Track& track) {
  for (std::size_t i = track.depth(); i-- > 0;) {
    if (track[i].end != Lasting::kUnknown) continue;
    if (!is_async(event.type)) return i;
    const Event begin = track[i].begin.event();
    if (begin.name == event.name && begin.category == event.category) return i;
  }
  return std::nullopt;
}

// A complete event becomes a begin here.
Event begin_of(const Lasting& lasting) {
  Event begin = lasting.begin.event();
  if (begin.type == EventType::DurationComplete) begin.type = EventType::DurationBegin;
  return begin;
}

Event end_of(const Lasting& lasting, std::uint64_t time) {
  Event end = lasting.begin.event();
  end.type = is_async(end.type) ? EventType::AsyncEnd : EventType::DurationEnd;
  end.time = time;
  end.arguments = {};
  return end;
}

}  // namespace

Lasting& Track::push(const Event& begin, std::uint64_t end, bool is_written) {
  if (depth_ == open_.size()) open_.emplace_back();
  Lasting& lasting = open_[depth_++];
  lasting.begin.assign(begin);
  lasting.end = end;
  lasting.is_written = is_written;
  lasting.is_begun_again = false;
  has_unwritten |= !is_written;
  return lasting;
}

void Track::erase(std::size_t i) {
  std::rotate(open_.begin() + static_cast<std::ptrdiff_t>(i),
              open_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              open_.begin() + static_cast<std::ptrdiff_t>(depth_));
  --depth_;
}

Track& Tracks::track_of(const Event& event) {
  if (is_async(event.type)) return asyncs_[event.id];
  if (last_track_ == nullptr || last_thread_ != event.thread) {
    last_thread_ = event.thread;
    last_track_ = &threads_[{event.thread.process, event.thread.thread}];
  }
  return *last_track_;
}

// There are few threads, but any number of async operations.
void Tracks::forget_if_over(const Event& event, const Track& track) {
  if (is_async(event.type) && track.empty() && track.after == 0) asyncs_.erase(event.id);
}

void Tracks::add_before(const Event& event, std::uint64_t range_start) {
  Track& track = track_of(event);
  if (event.type == EventType::DurationComplete) {
    if (event.end >= range_start) track.push(event, event.end, false);
  } else if (is_begin(event)) {
    track.push(event, Lasting::kUnknown, false);
  } else if (is_end(event)) {
    if (const auto ended = ended_by(event, track)) track.erase(*ended);
    forget_if_over(event, track);
  }
}

void Tracks::add_after(const Event& event, Piece& piece) {
  Track& track = track_of(event);
  if (is_begin(event)) ++track.after;
  if (!is_end(event)) return;
  if (track.after > 0) {
    --track.after;
    return;
  }
  begin_again(track, piece);
  settle(track, piece.span.end, piece);
  const auto ended = ended_by(event, track);
  if (!ended) return;
  while (track.depth() > *ended + 1)
    end(track, track.depth() - 1, end_of(track[track.depth() - 1], piece.span.end), true, piece);
  Event at_edge = event;
  at_edge.time = piece.span.end;
  end(track, *ended, at_edge, true, piece);
}

void Tracks::add(const Event& event, Piece& piece) {
  Track& track = track_of(event);
  if (!track.empty()) {
    if (track.has_unwritten) begin_again(track, piece);
    if (!is_async(event.type)) settle(track, event.time, piece);
  }
  if (is_end(event)) {
    if (const auto ended = ended_by(event, track)) {
      end(track, *ended, event, false, piece);
      forget_if_over(event, track);
      return;
    }
  } else if (is_begin(event)) {
    track.push(event, Lasting::kUnknown, true);
  } else if (event.type == EventType::DurationComplete && event.end > piece.span.end) {
    piece.write(begin_of(track.push(event, event.end, true)));
    return;
  }
  piece.write(event);
}

void Tracks::end(Track& track, std::size_t i, const Event& end, bool goes_on, Piece& piece) {
  Lasting& lasting = track[i];
  piece.write_cut(end, Piece::cut_of(lasting.is_begun_again, goes_on), lasting.begin.event().arguments);
  counters_->cut_calls += goes_on ? 1 : 0;
  track.erase(i);
}

// What a complete event began, and is over before `time`.
void Tracks::settle(Track& track, std::uint64_t time, Piece& piece) {
  while (!track.empty() && track[track.depth() - 1].is_over_by(time)) {
    const std::size_t top = track.depth() - 1;
    end(track, top, end_of(track[top], track[top].end), false, piece);
  }
}

void Tracks::begin_again(Track& track, Piece& piece) {
  for (std::size_t i = 0; i < track.depth();) {
    Lasting& lasting = track[i];
    if (lasting.is_written) {
      ++i;
      continue;
    }
    Event begin = lasting.begin.event();
    begin.time = piece.span.start;
    lasting.is_begun_again = true;
    if (lasting.is_over_by(piece.span.end) && Piece::can_say_cut(begin.arguments)) {
      piece.write_cut(begin, Piece::Cut::Begin);
      track.erase(i);
      continue;
    }
    if (begin.type == EventType::DurationComplete) begin.type = EventType::DurationBegin;
    piece.write(begin);
    lasting.is_written = true;
    ++i;
  }
  track.has_unwritten = false;
}

void Tracks::begin_again(Piece& piece) {
  for (auto& [thread, track] : threads_) begin_again(track, piece);
  for (auto& [id, track] : asyncs_) begin_again(track, piece);
}

void Tracks::settle(Piece& piece) {
  for (auto& [thread, track] : threads_) settle(track, piece.span.end, piece);
}

void Tracks::cut(Piece& piece, bool is_last) {
  const auto cut = [&](Track& track) {
    for (std::size_t i = track.depth(); i-- > 0;) {
      Lasting& lasting = track[i];
      if (is_last && lasting.end == Lasting::kUnknown) continue;
      piece.write_cut(end_of(lasting, piece.span.end), Piece::cut_of(lasting.is_begun_again, true),
                      lasting.begin.event().arguments);
      ++counters_->cut_calls;
      lasting.is_written = lasting.is_begun_again = false;
      track.has_unwritten = true;
    }
  };
  for (auto& [thread, track] : threads_) cut(track);
  for (auto& [id, track] : asyncs_) cut(track);
}

std::uint64_t Tracks::next_end() const {
  std::uint64_t next = Lasting::kUnknown;
  for (const auto& [thread, track] : threads_)
    for (std::size_t i = 0; i < track.depth(); ++i) next = std::min(next, track[i].end);
  return next;
}

std::size_t Tracks::depth_of(const Thread& thread) const {
  const auto found = threads_.find({thread.process, thread.thread});
  return found == threads_.end() ? 0 : found->second.depth();
}

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
