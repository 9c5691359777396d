#include "fxt/cutting/open_spans.h"

#include <algorithm>
#include <iterator>

#include "fxt/checking/value_rules.h"

namespace fxt {
namespace {

constexpr std::size_t kSearched = 16;  // larger stacks need an index to find spans

bool is_begin(const Event& event) {
  return event.type == EventType::DurationBegin || event.type == EventType::AsyncBegin;
}

bool is_end(const Event& event) {
  return event.type == EventType::DurationEnd || event.type == EventType::AsyncEnd;
}

// True if the times of a complete event are possible. Readers drop other complete events.
bool has_possible_end(const Event& event) { return event.end >= event.time && event.end < kTimeLimit; }

std::size_t hash_of_async_names(const Event& event) {
  return is_async(event.type) ? hash_of_names(event.category.text, event.name.text) : 0;
}

// The begin of a span. If the span is a complete event, it becomes a begin event.
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

// The size of an end with the argument `cut`: header, time, id, three words of the argument, inline texts.
std::uint64_t end_bytes_of(const Event& begin) {
  const auto inline_words = [](const String& text) {
    return text.storage == Storage::Inline ? words_of(text.text.size()) : 0;
  };
  return (8 + inline_words(begin.category) + inline_words(begin.name)) * sizeof(std::uint64_t);
}

}  // namespace

SpanStack::Position SpanStack::push(const Event& begin, std::uint64_t end, bool is_written, HeldTexts& texts,
                                    std::list<OpenSpan>& spare) {
  if (spare.empty()) spare.emplace_back();
  open_.splice(open_.end(), spare, spare.begin());
  const Position position = std::prev(open_.end());
  OpenSpan& span = *position;
  span.begin.assign(begin, texts);
  span.names = hash_of_async_names(begin);
  span.end = end;
  span.is_written = is_written;
  span.is_begun_again = span.is_outside = false;
  span.unneeded_ends = 0;
  span.around_ends = OpenSpan::kUnknown;
  if (end == OpenSpan::kUnknown && complete_ && !complete_->around.empty() &&
      complete_->around.back().first <= begin.time)
    span.around_ends = complete_->around.back().second;
  if (end == OpenSpan::kUnknown) {
    await_end(position);
  } else {
    complete_spans().ends.insert(end);
  }
  has_unwritten |= !is_written;
  return position;
}

void SpanStack::sort_by_ends() {
  const auto is_sorted_by_end = [](const OpenSpan& span) {
    return !span.is_written && span.end != OpenSpan::kUnknown;
  };
  for (Position first = open_.begin(); first != open_.end();) {
    const Position last = std::find_if_not(first, open_.end(), is_sorted_by_end);
    std::list<OpenSpan> sorted;
    sorted.splice(sorted.end(), open_, first, last);
    sorted.sort([](const OpenSpan& one, const OpenSpan& other) { return one.end > other.end; });
    open_.splice(last, sorted);
    first = std::find_if(last, open_.end(), is_sorted_by_end);
  }
}

SpanStack::Position SpanStack::erase(Position span, std::list<OpenSpan>& spare) {
  if (span->end == OpenSpan::kUnknown)
    forget_awaited(span);
  else
    complete_->ends.erase(complete_->ends.find(span->end));
  const Position inside = std::next(span);
  spare.splice(spare.begin(), open_, span);
  return inside;
}

void SpanStack::await_end(Position span) {
  if (!awaiting_ && open_.size() <= kSearched) return;
  const auto add = [this](Position awaiting) {
    Awaiting& same = (*awaiting_)[awaiting->names];
    awaiting->around = std::exchange(same.innermost, awaiting);
    ++same.count;
  };
  if (awaiting_) return add(span);
  awaiting_ = std::make_unique<std::map<std::size_t, Awaiting>>();
  for (Position at = open_.begin(); at != open_.end(); ++at)
    if (at->end == OpenSpan::kUnknown) add(at);
}

void SpanStack::forget_awaited(Position span) {
  if (!awaiting_) return;
  const auto known = awaiting_->find(span->names);
  Position* at = &known->second.innermost;
  while (*at != span) at = &(*at)->around;
  *at = span->around;
  if (--known->second.count == 0 && is_async(span->begin.record().type))
    awaiting_->erase(known);  // saves memory, because operations may have any number of names
}

SpanStack::Position SpanStack::ended_by(const Event& event) {
  const std::size_t names = hash_of_async_names(event);
  if (awaiting_) {
    const auto known = awaiting_->find(names);
    return known == awaiting_->end() || known->second.count == 0 ? open_.end() : known->second.innermost;
  }
  for (Position at = open_.end(); at != open_.begin();)
    if (--at; at->end == OpenSpan::kUnknown && at->names == names) return at;
  return open_.end();
}

OpenSpan& OpenSpans::push(SpanStack& stack, const Event& begin, std::uint64_t end, bool is_written) {
  OpenSpan& span = *stack.push(begin, end, is_written, *texts_, spare_);
  end_bytes_ += end_bytes_of(span.begin.record());
  return span;
}

SpanStack::Position OpenSpans::erase(SpanStack& stack, SpanStack::Position span) {
  end_bytes_ -= end_bytes_of(span->begin.record());
  return stack.erase(span, spare_);
}

// Marks that a span has ended together with the span around it. If the next inner span has also ended, merges
// it into this span, so that later searches skip both at once.
void OpenSpans::end_with_outer(SpanStack& stack, SpanStack::Position span) {
  span->unneeded_ends = 1;
  const auto inside = std::next(span);
  if (inside == stack.end() || !inside->is_ended()) return;
  span->unneeded_ends += inside->unneeded_ends;
  erase(stack, inside);
}

// Deletes the empty stack of an async id, because there may be any number of ids.
void OpenSpans::forget_if_over(const Event& event, const SpanStack& stack) {
  if (is_async(event.type) && stack.empty() && stack.after == 0) asyncs_.erase(event.id);
}

void OpenSpans::add_before(const Event& event, std::uint64_t range_start) {
  SpanStack& stack = stack_of(event);
  stack.leave(event.time);
  if (event.type == EventType::DurationComplete) {
    if (!has_possible_end(event)) return;
    if (event.end < range_start) return stack.add_around(event.time, event.end);
    push(stack, event, event.end, false).is_outside = true;
  } else if (is_begin(event)) {
    push(stack, event, OpenSpan::kUnknown, false).is_outside = true;
  } else if (is_end(event)) {
    if (const auto ended = stack.ended_by(event); ended != stack.end()) erase(stack, ended);
  }
  forget_if_over(event, stack);
}

void OpenSpans::add_after(const Event& event, Piece& piece) {
  SpanStack& stack = stack_of(event);
  if (is_begin(event)) {
    ++stack.after;
  } else if (is_end(event) && stack.after > 0) {
    --stack.after;
  } else if (is_end(event)) {
    begin_again(stack, piece);
    settle(stack, piece.span.end, piece);
    if (const auto ended = stack.ended_by(event); ended != stack.end()) {
      Event at_edge = event;
      at_edge.time = piece.span.end;
      end(stack, ended, at_edge, true, piece);
    }
  }
  forget_if_over(event, stack);
}

void OpenSpans::add(const Event& event, Piece& piece) {
  SpanStack& stack = stack_of(event);
  if (!stack.empty()) {
    begin_again(stack, piece);
    if (!is_async(event.type)) settle(stack, event.time, piece);
  }
  stack.leave(event.time);
  if (is_end(event)) {
    if (const auto ended = stack.ended_by(event); ended != stack.end()) {
      end(stack, ended, event, false, piece);
      return forget_if_over(event, stack);
    }
    // This end has no begin, but would end a complete event that became a begin event.
    if (stack.next_end() != OpenSpan::kUnknown) return void(++counters_->unwritable);
  } else if (is_begin(event)) {
    push(stack, event, OpenSpan::kUnknown, true);
  } else if (event.type == EventType::DurationComplete && has_possible_end(event)) {
    // A complete event that continues after the piece becomes a begin.
    if (event.end > piece.span.end) return piece.write(begin_of(push(stack, event, event.end, true)));
    stack.add_around(event.time, event.end);
  }
  piece.write(event);
  forget_if_over(event, stack);
}

void OpenSpans::write_end(const OpenSpan& span, Event end, bool goes_on, Piece& piece) {
  if (span.is_ended()) return;
  if (span.is_begun_again) end.time = std::max(end.time, piece.span.start);
  piece.write_cut(end, Piece::cut_of(span.is_begun_again, goes_on), span.begin.record().arguments);
  if (goes_on) count_cut(end.time);
}

void OpenSpans::count_cut(std::uint64_t time) {
  ++counters_->cut_calls;
  counters_->last_ns = std::max(counters_->last_ns, time);
}

// Counts a span as a record in the range, if it began before the range and continues inside.
void OpenSpans::count_in_range(OpenSpan& span, const Piece& piece) {
  if (!std::exchange(span.is_outside, false)) return;
  ++counters_->events;
  --counters_->outside;
  counters_->first_ns = std::min(counters_->first_ns.value_or(piece.span.start), piece.span.start);
  if (span.end != OpenSpan::kUnknown)
    counters_->last_ns = std::max(counters_->last_ns, std::min(span.end, piece.span.end));
}

// Ends a span. For a duration, first ends the inner durations that are still open, because readers would
// treat the next end as the end of an inner duration.
void OpenSpans::end(SpanStack& stack, SpanStack::Position span, const Event& end, bool goes_on,
                    Piece& piece) {
  for (auto inner = std::prev(stack.end()); inner != span && !is_async(end.type); --inner) {
    write_end(*inner, end_of(*inner, std::min(end.time, inner->around_ends)), inner->end != end.time, piece);
    if (inner->end != OpenSpan::kUnknown)
      inner = erase(stack, inner);
    else if (!inner->is_ended())
      end_with_outer(stack, inner);
  }
  Event named = end;
  // Readers could treat an end with another name as the end of a complete event that became a begin.
  if (stack.next_end() != OpenSpan::kUnknown) named.name = span->begin.record().name;
  write_end(*span, named, goes_on, piece);
  if (span->unneeded_ends > 1)
    --span->unneeded_ends;
  else
    erase(stack, span);
}

// Ends the spans of complete events that end at `time` or earlier.
void OpenSpans::settle(SpanStack& stack, std::uint64_t time, Piece& piece) {
  while (stack.next_end() != OpenSpan::kUnknown && stack.next_end() <= time) {
    auto innermost = std::prev(stack.end());
    while (innermost->end != stack.next_end()) --innermost;
    end(stack, innermost, end_of(*innermost, stack.next_end()), false, piece);
  }
}

void OpenSpans::begin_again(SpanStack& stack, Piece& piece) {
  if (!stack.has_unwritten) return;
  stack.sort_by_ends();
  auto last_awaiting = stack.end();  // from this position on, no span waits for an end
  while (last_awaiting != stack.begin() && !std::prev(last_awaiting)->awaits_end()) --last_awaiting;
  bool is_inside = false;
  for (auto at = stack.begin(); at != stack.end();) {
    OpenSpan& span = *at;
    is_inside |= at == last_awaiting;
    if (span.end < piece.span.start) {  // true if the span ended before this piece
      at = erase(stack, at);
      continue;
    }
    if (span.around_ends < piece.span.start && !span.is_ended()) span.unneeded_ends = 1;
    if (span.is_written || span.is_ended()) {
      ++at;
      continue;
    }
    Event begin = span.begin.record();
    begin.time = piece.span.start;
    span.is_begun_again = true;
    count_in_range(span, piece);
    if (is_inside && span.is_over_by(piece.span.end) && Piece::has_room_for_cut(begin.arguments)) {
      piece.write_cut(begin, Piece::Cut::Begin);
      stack.add_around(begin.time, span.end);
      at = erase(stack, at);
      continue;
    }
    if (begin.type == EventType::DurationComplete) begin.type = EventType::DurationBegin;
    piece.write(begin);
    span.is_written = true;
    ++at;
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
    auto first_ending = stack.begin();  // if `is_last`: the outermost span with a known end
    while (is_last && first_ending != stack.end() && first_ending->end == OpenSpan::kUnknown) ++first_ending;
    for (auto at = stack.end(); at != first_ending;) {
      OpenSpan& span = *--at;
      if (span.is_ended()) continue;
      write_end(span, end_of(span, std::min(piece.span.end, span.around_ends)), true, piece);
      span.unneeded_ends = span.around_ends < piece.span.end ? 1 : 0;
      span.is_written = span.is_begun_again = false;
      stack.has_unwritten = true;
    }
    stack.leave(OpenSpan::kUnknown);
  };
  for (auto& [thread, stack] : threads_) cut(stack);
  for (auto& [id, stack] : asyncs_) cut(stack);
  // Deletes the empty stacks of threads. This function visits all stacks for each piece, and there may be
  // more threads than spans.
  threads_.erase_if([](const SpanStack& stack) { return stack.empty() && stack.after == 0; });
}

std::uint64_t OpenSpans::next_end() const {
  std::uint64_t next = OpenSpan::kUnknown;
  for (const auto& [thread, stack] : threads_) next = std::min(next, stack.next_end());
  return next;
}

std::vector<std::uint64_t> OpenSpans::ends_until(std::uint64_t time) const {
  std::vector<std::uint64_t> ends;
  const auto add_ends_of = [&](const SpanStack& stack) {
    for (const OpenSpan& span : stack)
      if (span.is_over_by(time)) ends.push_back(span.end);
  };
  for (const auto& [thread, stack] : threads_) add_ends_of(stack);
  std::ranges::sort(ends);
  return ends;
}

std::size_t OpenSpans::depth_of(const Thread& thread) const {
  const SpanStack* const open = threads_.find(thread);
  return open != nullptr ? open->depth() : 0;
}

}  // namespace fxt
