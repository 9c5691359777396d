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

// Readers drop complete events of other times.
bool has_possible_end(const Event& event) { return event.end >= event.time && event.end < kTimeLimit; }

// What this event ends: the innermost one whose end is not known; of async operations, of this name.
std::optional<std::size_t> ended_by(const Event& event, SpanStack& stack) {
  for (std::size_t i = stack.depth(); i-- > 0;) {
    if (stack[i].end != OpenSpan::kUnknown) continue;
    if (!is_async(event.type)) return i;
    const Event& begin = stack[i].begin.record();
    if (begin.name == event.name && begin.category == event.category) return i;
  }
  return std::nullopt;
}

// A complete event becomes a begin here.
Event begin_of(const OpenSpan& span) {
  Event begin = span.begin.record();
  if (begin.type == EventType::DurationComplete) begin.type = EventType::DurationBegin;
  return begin;
}

Event end_of(const OpenSpan& span, std::uint64_t time) {
  Event end = span.begin.record();
  end.type = is_async(end.type) ? EventType::AsyncEnd : EventType::DurationEnd;
  end.time = time;
  end.arguments = {};
  return end;
}

// An end with the argument `cut`: header, time, id, three words of the argument, and what is inline.
std::uint64_t end_bytes_of(const Event& begin) {
  const auto inline_words = [](const String& text) {
    return text.storage == Storage::Inline ? words_of(text.text.size()) : 0;
  };
  return (8 + inline_words(begin.category) + inline_words(begin.name)) * sizeof(std::uint64_t);
}

}  // namespace

// A complete event may be told of after those inside it.
OpenSpan& SpanStack::push(const Event& begin, std::uint64_t end, bool is_written) {
  if (depth_ == open_.size()) open_.emplace_back();
  std::size_t place = depth_++;
  const auto is_inside = [&](const OpenSpan& other) {
    const std::uint64_t other_begin = other.begin.record().time;
    return other_begin > begin.time ||
           (other_begin == begin.time && other.end != OpenSpan::kUnknown && other.end < end);
  };
  if (begin.type == EventType::DurationComplete)
    for (; place > 0 && is_inside(open_[place - 1]); --place) std::swap(open_[place], open_[place - 1]);
  OpenSpan& span = open_[place];
  span.begin.assign(begin);
  span.begin.forget_indices();
  span.end = end;
  span.is_written = is_written;
  span.is_begun_again = false;
  span.end_bytes = end_bytes_of(begin);
  has_unwritten |= !is_written;
  return span;
}

void SpanStack::sort_by_ends() {
  const auto known = [this](std::size_t i) {
    return !open_[i].is_written && open_[i].end != OpenSpan::kUnknown;
  };
  for (std::size_t i = 1; i < depth_; ++i)
    for (std::size_t k = i; k > 0 && known(k) && known(k - 1) && open_[k - 1].end < open_[k].end; --k)
      std::swap(open_[k - 1], open_[k]);
}

void SpanStack::erase(std::size_t i) {
  std::rotate(open_.begin() + static_cast<std::ptrdiff_t>(i),
              open_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              open_.begin() + static_cast<std::ptrdiff_t>(depth_));
  --depth_;
}

SpanStack& OpenSpans::stack_of(const Event& event) {
  if (is_async(event.type)) return asyncs_[event.id];
  if (last_stack_ == nullptr || last_thread_ != event.thread) {
    last_thread_ = event.thread;
    last_stack_ = &threads_[{event.thread.process, event.thread.thread}];
  }
  return *last_stack_;
}

OpenSpan& OpenSpans::push(SpanStack& stack, const Event& begin, std::uint64_t end, bool is_written) {
  OpenSpan& span = stack.push(begin, end, is_written);
  end_bytes_ += span.end_bytes;
  return span;
}

void OpenSpans::erase(SpanStack& stack, std::size_t i) {
  end_bytes_ -= stack[i].end_bytes;
  stack.erase(i);
}

// There are few threads, but any number of async operations.
void OpenSpans::forget_if_over(const Event& event, const SpanStack& stack) {
  if (is_async(event.type) && stack.empty() && stack.after == 0) asyncs_.erase(event.id);
}

void OpenSpans::add_before(const Event& event, std::uint64_t range_start) {
  SpanStack& stack = stack_of(event);
  if (event.type == EventType::DurationComplete) {
    if (event.end >= range_start && has_possible_end(event)) push(stack, event, event.end, false);
  } else if (is_begin(event)) {
    push(stack, event, OpenSpan::kUnknown, false);
  } else if (is_end(event)) {
    if (const auto ended = ended_by(event, stack)) erase(stack, *ended);
    forget_if_over(event, stack);
  }
}

void OpenSpans::add_after(const Event& event, Piece& piece) {
  SpanStack& stack = stack_of(event);
  if (is_begin(event)) ++stack.after;
  if (!is_end(event)) return;
  if (stack.after > 0) {
    --stack.after;
    return;
  }
  begin_again(stack, piece);
  settle(stack, piece.span.end, piece);
  const auto ended = ended_by(event, stack);
  if (!ended) return;
  while (stack.depth() > *ended + 1)
    end(stack, stack.depth() - 1, end_of(stack[stack.depth() - 1], piece.span.end), true, piece);
  Event at_edge = event;
  at_edge.time = piece.span.end;
  end(stack, *ended, at_edge, true, piece);
}

void OpenSpans::add(const Event& event, Piece& piece) {
  SpanStack& stack = stack_of(event);
  if (!stack.empty()) {
    begin_again(stack, piece);
    if (!is_async(event.type)) settle(stack, event.time, piece);
  }
  if (is_end(event)) {
    if (const auto ended = ended_by(event, stack)) {
      end(stack, *ended, event, false, piece);
      forget_if_over(event, stack);
      return;
    }
  } else if (is_begin(event)) {
    push(stack, event, OpenSpan::kUnknown, true);
  } else if (event.type == EventType::DurationComplete && event.end > piece.span.end &&
             has_possible_end(event)) {
    piece.write(begin_of(push(stack, event, event.end, true)));
    return;
  }
  piece.write(event);
}

void OpenSpans::end(SpanStack& stack, std::size_t i, const Event& end, bool goes_on, Piece& piece) {
  OpenSpan& span = stack[i];
  piece.write_cut(end, Piece::cut_of(span.is_begun_again, goes_on), span.begin.record().arguments);
  counters_->cut_calls += goes_on ? 1 : 0;
  erase(stack, i);
}

// What a complete event began, and is over before `time`.
void OpenSpans::settle(SpanStack& stack, std::uint64_t time, Piece& piece) {
  while (!stack.empty() && stack[stack.depth() - 1].is_over_by(time)) {
    const std::size_t top = stack.depth() - 1;
    end(stack, top, end_of(stack[top], stack[top].end), false, piece);
  }
}

void OpenSpans::begin_again(SpanStack& stack, Piece& piece) {
  if (!stack.has_unwritten) return;
  stack.sort_by_ends();
  for (std::size_t i = 0; i < stack.depth();) {
    OpenSpan& span = stack[i];
    if (span.is_written) {
      ++i;
      continue;
    }
    Event begin = span.begin.record();
    begin.time = piece.span.start;
    span.is_begun_again = true;
    if (span.is_over_by(piece.span.end) && Piece::has_room_for_cut(begin.arguments)) {
      piece.write_cut(begin, Piece::Cut::Begin);
      erase(stack, i);
      continue;
    }
    if (begin.type == EventType::DurationComplete) begin.type = EventType::DurationBegin;
    piece.write(begin);
    span.is_written = true;
    ++i;
  }
  stack.has_unwritten = false;
}

void OpenSpans::begin_again(Piece& piece) {
  for (auto& [thread, stack] : threads_) begin_again(stack, piece);
  for (auto& [id, stack] : asyncs_) begin_again(stack, piece);
}

void OpenSpans::settle(Piece& piece) {
  for (auto& [thread, stack] : threads_) settle(stack, piece.span.end, piece);
}

void OpenSpans::cut(Piece& piece, bool is_last) {
  const auto cut = [&](SpanStack& stack) {
    for (std::size_t i = stack.depth(); i-- > 0;) {
      OpenSpan& span = stack[i];
      if (is_last && span.end == OpenSpan::kUnknown) continue;
      piece.write_cut(end_of(span, piece.span.end), Piece::cut_of(span.is_begun_again, true),
                      span.begin.record().arguments);
      ++counters_->cut_calls;
      span.is_written = span.is_begun_again = false;
      stack.has_unwritten = true;
    }
  };
  for (auto& [thread, stack] : threads_) cut(stack);
  for (auto& [id, stack] : asyncs_) cut(stack);
}

std::uint64_t OpenSpans::next_end() const {
  std::uint64_t next = OpenSpan::kUnknown;
  for (const auto& [thread, stack] : threads_)
    for (std::size_t i = 0; i < stack.depth(); ++i) next = std::min(next, stack[i].end);
  return next;
}

std::vector<std::uint64_t> OpenSpans::ends_until(std::uint64_t time) const {
  std::vector<std::uint64_t> ends;
  for (const auto& [thread, stack] : threads_)
    for (std::size_t i = 0; i < stack.depth(); ++i)
      if (stack[i].end != OpenSpan::kUnknown && stack[i].end <= time) ends.push_back(stack[i].end);
  std::ranges::sort(ends);
  return ends;
}

std::size_t OpenSpans::depth_of(const Thread& thread) const {
  const auto found = threads_.find({thread.process, thread.thread});
  return found == threads_.end() ? 0 : found->second.depth();
}

void CutFlows::pass(const Event& event) {
  if (event.type == EventType::FlowBegin) all_.begin(event.thread.process, event.id);
  if (event.type != EventType::FlowEnd) return;
  if (const auto flow = all_.find(event.thread.process, event.id)) all_.end(flow, event.id);
}

void CutFlows::add(const Event& event, OpenSpans& open_spans, Piece& piece) {
  const std::uint64_t process = event.thread.process;
  const bool was_begun = static_cast<bool>(all_.find(process, event.id));
  pass(event);
  auto here = piece_.find(process, event.id);
  Event said = event;
  if (event.type != EventType::FlowBegin && here.match == decltype(piece_)::Match::NoneBegan && was_begun) {
    if (event.type == EventType::FlowEnd) {
      ++counters_->cut_flows;
      return;
    }
    said.type = EventType::FlowBegin;
  }
  if (said.type == EventType::FlowBegin) {
    piece_.begin(process, event.id);
    here = piece_.find(process, event.id);
  }
  open_spans.add(said, piece);
  if (!here) return;
  if (said.type == EventType::FlowEnd) {
    piece_.end(here, event.id);
  } else {
    here.tag->last.assign(said);
    if (said.type == EventType::FlowBegin) here.tag->begin.assign(said);
  }
}

// A flow is ended at its last event, unless another flow of its id is open there by then. Readers would end
// it in the latest duration of its thread, so it gets a duration of no length for itself.
void CutFlows::cut(OpenSpans& open_spans, Piece& piece) {
  piece_.for_each([&](std::uint64_t process, std::uint64_t id, const FlowEnds& places) {
    Event end = places.last.record();
    if (!piece_.find(end.thread.process, id).is_of(process)) end = places.begin.record();
    if (open_spans.depth_of(end.thread) >= kMaxDepth) return;
    end.time = end.end = piece.span.end;
    end.arguments = {};
    end.type = EventType::DurationComplete;
    piece.write(end);
    end.type = EventType::FlowEnd;
    piece.write(end);
  });
  piece_ = {};
}

}  // namespace fxt
