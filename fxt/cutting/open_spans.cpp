#include "fxt/cutting/open_spans.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fxt/checking/value_rules.h"

namespace fxt {
namespace {

bool is_begin(const Event& event) {
  return event.type == EventType::DurationBegin || event.type == EventType::AsyncBegin;
}

bool is_end(const Event& event) {
  return event.type == EventType::DurationEnd || event.type == EventType::AsyncEnd;
}

// Calls of a coarse clock may all begin where one before them ends.
constexpr std::size_t kMaxHeldEvents = std::size_t{1} << 12;

// Readers drop complete events of other times.
bool has_possible_end(const Event& event) { return event.end >= event.time && event.end < kTimeLimit; }

std::size_t hash_of_async_names(const Event& event) {
  return is_async(event.type) ? hash_of_names(event.category.text, event.name.text) : 0;
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

// A complete event may follow those inside it, so it goes where it belongs.
SpanStack::Position SpanStack::push(const Event& begin, std::uint64_t end, bool is_written) {
  const auto is_inside = [&](const OpenSpan& other) {
    const std::uint64_t other_begin = other.begin.record().time;
    return other_begin > begin.time ||
           (other_begin == begin.time && end != OpenSpan::kUnknown && other.end < end);
  };
  Position inner = latest_ && is_inside(**latest_) ? *latest_ : open_.end();
  while (inner != open_.begin() && is_inside(*std::prev(inner))) --inner;
  if (spare_.empty()) spare_.emplace_back();
  open_.splice(inner, spare_, spare_.begin());
  const Position position = std::prev(inner);
  latest_ = position;
  OpenSpan& span = *position;
  span.begin.assign(begin);
  span.begin.forget_indices();
  span.end = end;
  span.is_written = is_written;
  span.is_begun_again = span.is_outside = span.is_held = false;
  span.ends_to_drop = 0;
  span.end_bytes = end_bytes_of(begin);
  const bool is_around = end == OpenSpan::kUnknown && !around_.empty() && around_.back().first <= begin.time;
  span.around_ends = is_around ? around_.back().second : OpenSpan::kUnknown;
  if (end == OpenSpan::kUnknown) {
    std::vector<Position>& awaiting = awaiting_[hash_of_async_names(begin)];
    const auto time_of = [](Position other) { return other->begin.record().time; };
    awaiting.insert(std::ranges::upper_bound(awaiting, begin.time, {}, time_of), position);
  } else {
    ends_.insert(end);
  }
  has_unwritten |= !is_written;
  return position;
}

void SpanStack::sort_by_ends() {
  const auto is_sorted_by_end = [](const OpenSpan& span) {
    return !span.is_written && span.end != OpenSpan::kUnknown;
  };
  latest_.reset();
  for (Position first = open_.begin(); first != open_.end();) {
    const Position last = std::find_if_not(first, open_.end(), is_sorted_by_end);
    std::list<OpenSpan> sorted;
    sorted.splice(sorted.end(), open_, first, last);
    sorted.sort([](const OpenSpan& one, const OpenSpan& other) { return one.end > other.end; });
    open_.splice(last, sorted);
    first = std::find_if(last, open_.end(), is_sorted_by_end);
  }
}

SpanStack::Position SpanStack::erase(Position span) {
  if (span->end == OpenSpan::kUnknown)
    forget_awaited(span);
  else
    ends_.erase(ends_.find(span->end));
  if (latest_ == span) latest_.reset();
  const Position inside = std::next(span);
  spare_.splice(spare_.begin(), open_, span);
  return inside;
}

void SpanStack::set_end(Position span, std::uint64_t end) {
  forget_awaited(span);
  span->end = end;
  ends_.insert(end);
}

void SpanStack::forget_awaited(Position span) {
  const Event& begin = span->begin.record();
  const auto known = awaiting_.find(hash_of_async_names(begin));
  std::vector<Position>& awaiting = known->second;
  awaiting.erase(std::prev(std::find(awaiting.rbegin(), awaiting.rend(), span).base()));
  if (awaiting.empty() && is_async(begin.type)) awaiting_.erase(known);  // there may be any number of names
}

SpanStack::Position SpanStack::ended_by(const Event& event) {
  const auto awaiting = awaiting_.find(hash_of_async_names(event));
  return awaiting == awaiting_.end() || awaiting->second.empty() ? open_.end() : awaiting->second.back();
}

OpenSpan& OpenSpans::push(SpanStack& stack, const Event& begin, std::uint64_t end, bool is_written) {
  OpenSpan& span = *stack.push(begin, end, is_written);
  end_bytes_ += span.end_bytes;
  return span;
}

SpanStack::Position OpenSpans::erase(SpanStack& stack, SpanStack::Position span) {
  end_bytes_ -= span->end_bytes;
  return stack.erase(span);
}

// Joined with what has ended inside it, so that nobody passes these one by one.
void OpenSpans::end_with_outer(SpanStack& stack, SpanStack::Position span) {
  span->ends_to_drop = 1;
  const auto inside = std::next(span);
  if (inside == stack.end() || !inside->is_ended()) return;
  span->ends_to_drop += inside->ends_to_drop;
  erase(stack, inside);
}

// There are few threads, but any number of async operations.
void OpenSpans::forget_if_over(const Event& event, const SpanStack& stack) {
  if (is_async(event.type) && stack.empty() && stack.after == 0) asyncs_.erase(event.id);
}

void OpenSpans::expect_order_of_ends() {
  is_by_end_ = is_holding_ = true;
  for (auto& [thread, stack] : threads_) {
    SpanStack& around = held_[thread].around;
    around = std::exchange(stack, {});
    for (const OpenSpan& span : around)
      if (span.end != OpenSpan::kUnknown) stack.held_until = std::max(stack.held_until, span.end);
  }
}

void OpenSpans::add_before(const Event& event, std::uint64_t range_start) {
  const bool is_to_hold = is_holding_ && !is_async(event.type);
  SpanStack& stack = is_to_hold ? held_[event.thread].around : stack_of(event);
  stack.leave(event.time);
  if (event.type == EventType::DurationComplete) {
    if (!has_possible_end(event)) return;
    if (event.end < range_start) return stack.add_around(event.time, event.end);
    push(stack, event, event.end, false).is_outside = true;
    if (is_to_hold) stack_of(event).held_until = event.end;
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
    } else {
      end_held(event, piece);
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
  stack.has_durations |= is_duration(event.type) && !is_end(event) && !is_to_hold(event, piece);
  // What comes late, from inside of what was begun again, begins with that.
  if (event.time < piece.span.start && event.time >= stack.again_from) return add_late(event, stack, piece);
  if (is_end(event)) {
    if (const auto ended = stack.ended_by(event); ended != stack.end()) {
      end(stack, ended, event, false, piece);
      return forget_if_over(event, stack);
    }
    if (end_held(event, piece)) return;
    // It would end what is no begin in the trace.
    if (stack.next_end() != OpenSpan::kUnknown) return void(++counters_->unwritable);
  } else if (is_begin(event)) {
    push(stack, event, OpenSpan::kUnknown, true).is_held = is_to_hold(event, piece);
  } else if (event.type == EventType::DurationComplete && has_possible_end(event)) {
    if (event.end > piece.span.end) return add_crossing(event, stack, piece);
    stack.add_around(event.time, event.end);
  }
  write(event, piece);
  forget_if_over(event, stack);
}

// A complete event that goes on behind the piece becomes a begin. But begins and ends of one thread must
// nest in the file, too, and in the order of ends, those around it are unknown.
void OpenSpans::add_crossing(const Event& event, SpanStack& stack, Piece& piece) {
  if (!is_by_end_ || !piece.span.is_last()) {
    OpenSpan& span = push(stack, event, event.end, true);
    span.is_held = is_to_hold(event, piece);
    return write(begin_of(span), piece);
  }
  Event at_edge = event;
  at_edge.end = piece.span.end;
  write(piece.with_cut(at_edge, Piece::Cut::End), piece);
  count_cut(at_edge.end);
}

bool OpenSpans::is_to_hold(const Event& event, const Piece& piece) {
  if (!is_holding_ || is_async(event.type)) return false;
  if (event.time != piece.span.start && event.time != stack_of(event).held_until) return false;
  return held_[event.thread].events.size() < kMaxHeldEvents;
}

void OpenSpans::write(const Event& event, Piece& piece) {
  if (is_to_hold(event, piece))
    hold(event);
  else
    piece.write(event);
}

void OpenSpans::hold(const Event& event) {
  Held<Event>& held = held_[event.thread].events.emplace_back();
  held.assign(event);
  held.forget_indices();
  end_bytes_ += end_bytes_of(event);
  if (is_duration(event.type))
    stack_of(event).held_until = event.type == EventType::DurationComplete ? event.end : event.time;
}

// Ends the innermost duration that began before the range, which becomes a complete event if the arguments of
// both have room in one. False if there is none.
bool OpenSpans::end_held(const Event& end, Piece& piece) {
  if (!is_holding_ || is_async(end.type)) return false;
  SpanStack& around = held_[end.thread].around;
  const auto ended = around.ended_by(end);
  if (ended == around.end()) return false;
  OpenSpan& span = *ended;
  stack_of(end).held_until = end.time;
  Event call = span.begin.record();
  std::vector<Argument> arguments(call.arguments.begin(), call.arguments.end());
  arguments.insert(arguments.end(), end.arguments.begin(), end.arguments.end());
  if (arguments.size() < kMaxArguments) {
    call.type = EventType::DurationComplete;
    call.arguments = Arguments(arguments);
    Held<Event> whole;
    whole.assign(call);
    around.set_end(ended, end.time);
    span.begin = std::move(whole);
  } else {
    const bool goes_on = end.time > piece.span.end;
    Event at_edge = end;
    at_edge.time = std::min(end.time, piece.span.end);
    around.set_end(ended, at_edge.time);
    span.is_begun_again = span.is_held = true;
    write_end(span, at_edge, goes_on, piece);
  }
  return true;
}

void OpenSpans::add_late(const Event& event, SpanStack& stack, Piece& piece) {
  if (is_end(event)) {
    if (const auto ended = stack.ended_by(event); ended != stack.end())
      end(stack, ended, event, false, piece);
    else
      ++counters_->unwritable;
    return forget_if_over(event, stack);
  }
  const bool is_complete = event.type == EventType::DurationComplete;
  if (is_complete ? event.end < piece.span.start : !is_begin(event)) return piece.write(event);
  const std::uint64_t end = is_complete ? event.end : OpenSpan::kUnknown;
  Event begin = event;
  begin.time = std::max(piece.span.start, end > stack.again_until ? stack.again_until : 0);
  if (is_complete && end <= piece.span.end) return piece.write_cut(begin, Piece::Cut::Begin);
  OpenSpan& span = push(stack, begin, end, true);
  span.is_begun_again = true;
  piece.write(begin_of(span));
}

void OpenSpans::write_end(const OpenSpan& span, Event end, bool goes_on, Piece& piece) {
  if (span.is_ended()) return;
  if (span.is_begun_again) end.time = std::max(end.time, piece.span.start);
  const Event& written =
      piece.with_cut(end, Piece::cut_of(span.is_begun_again, goes_on), span.begin.record().arguments);
  if (span.is_held)
    hold(written);
  else
    piece.write(written);
  if (goes_on) count_cut(end.time);
}

void OpenSpans::count_cut(std::uint64_t time) {
  ++counters_->cut_calls;
  counters_->last_ns = std::max(counters_->last_ns, time);
}

// A span that goes on in the range is one of its records.
void OpenSpans::count_in_range(OpenSpan& span, const Piece& piece) {
  if (!std::exchange(span.is_outside, false)) return;
  ++counters_->events;
  --counters_->outside;
  counters_->first_ns = std::min(counters_->first_ns.value_or(piece.span.start), piece.span.start);
  if (span.end != OpenSpan::kUnknown)
    counters_->last_ns = std::max(counters_->last_ns, std::min(span.end, piece.span.end));
}

// Ends a span, and before it the calls inside it that are still open: readers would take its end for theirs.
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
  // Where begins stand for complete events, an end of another name could be taken for that of one of them.
  if (stack.next_end() != OpenSpan::kUnknown) named.name = span->begin.record().name;
  write_end(*span, named, goes_on, piece);
  if (span->ends_to_drop > 1)
    --span->ends_to_drop;
  else
    erase(stack, span);
}

// What a complete event began, and is over before `time`.
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
  auto last_awaiting = stack.end();  // nothing inside it awaits its end
  while (last_awaiting != stack.begin() && !std::prev(last_awaiting)->awaits_end()) --last_awaiting;
  bool is_inside = false;
  for (auto at = stack.begin(); at != stack.end();) {
    OpenSpan& span = *at;
    is_inside |= at == last_awaiting;
    if (span.end < piece.span.start) {  // it came too late for the piece that it belongs to
      at = erase(stack, at);
      continue;
    }
    if (span.around_ends < piece.span.start && !span.is_ended()) span.ends_to_drop = 1;
    if (span.is_written || span.is_ended()) {
      ++at;
      continue;
    }
    Event begin = span.begin.record();
    stack.again_from = std::min(stack.again_from, begin.time);
    begin.time = piece.span.start;
    span.is_begun_again = true;
    count_in_range(span, piece);
    if (is_inside && span.is_over_by(piece.span.end) && Piece::has_room_for_cut(begin.arguments)) {
      piece.write_cut(begin, Piece::Cut::Begin);
      stack.again_until = std::max(stack.again_until, span.end);
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
    auto first_ending = stack.begin();  // those around it have no end
    while (is_last && first_ending != stack.end() && first_ending->end == OpenSpan::kUnknown) ++first_ending;
    for (auto at = stack.end(); at != first_ending;) {
      OpenSpan& span = *--at;
      if (span.is_ended()) continue;
      write_end(span, end_of(span, std::min(piece.span.end, span.around_ends)), true, piece);
      span.ends_to_drop = span.around_ends < piece.span.end ? 1 : 0;
      span.is_written = span.is_begun_again = span.is_held = false;
      stack.has_unwritten = true;
    }
    stack.again_from = OpenSpan::kUnknown;
    stack.again_until = 0;
    stack.leave(OpenSpan::kUnknown);
  };
  for (auto& [thread, stack] : threads_) cut(stack);
  for (auto& [id, stack] : asyncs_) cut(stack);
  if (std::exchange(is_holding_, false)) write_held(piece, is_last);
}

// What goes on begins again in the next piece as in any trace. Threads on which the held records stand behind
// later ones come first, so that readers find the order of ends in the piece, too.
void OpenSpans::write_held(Piece& piece, bool is_last) {
  for (const bool has_durations : {true, false})
    for (auto& [thread, held] : held_)
      if (threads_[thread].has_durations == has_durations) write_held(held, piece, is_last);
  for (const auto& [thread, held] : held_) {
    for (const OpenSpan& span : held.around) {
      end_bytes_ -= span.end_bytes;
      if (span.end > piece.span.end) push(threads_[thread], span.begin.record(), span.end, false);
    }
  }
  held_.clear();
}

// Of complete events with the same times, some readers take the first for the outer one, others the last. So
// of the durations that go on, only the innermost becomes a complete event. The others become begins and
// ends. Their ends are the last records of the thread.
void OpenSpans::write_held(HeldRecords& held, Piece& piece, bool is_last) {
  held.around.sort_by_ends();
  std::vector<OpenSpan*> around;
  for (OpenSpan& span : held.around) around.push_back(&span);
  const std::uint64_t edge = piece.span.end;
  const auto is_known = [&](std::size_t i) { return around[i]->end != OpenSpan::kUnknown; };
  std::size_t unending = 0;  // from here on, what has no end ends with what is around it
  while (unending < around.size() && !(is_known(unending) && around[unending]->end > edge)) ++unending;
  const auto goes_on = [&](std::size_t i) {
    return around[i]->end > edge && (!is_last || is_known(i) || i > unending);
  };
  const bool is_tied_to_event = std::ranges::any_of(held.events, [edge](const Held<Event>& held_event) {
    const Event& event = held_event.record();
    return is_duration(event.type) && (is_end(event) ? event.time : event.end) == edge;
  });
  const auto is_pair = [&](std::size_t i) {
    return goes_on(i) && (i + 1 < around.size() ? around[i + 1]->end >= edge : is_tied_to_event);
  };
  for (std::size_t i = 0; i < around.size(); ++i) {
    OpenSpan& span = *around[i];
    count_in_range(span, piece);
    Event begin = span.begin.record();
    begin.time = piece.span.start;
    begin.end = std::min(span.end, edge);
    const bool is_complete = (goes_on(i) || is_known(i)) && !is_pair(i) && !span.is_held;
    begin.type = is_complete ? EventType::DurationComplete : EventType::DurationBegin;
    piece.write_cut(begin, is_complete ? Piece::cut_of(true, goes_on(i)) : Piece::Cut::No);
    if (is_complete && goes_on(i)) count_cut(edge);
    span.is_begun_again = true;
  }
  for (const Held<Event>& event : held.events) {
    piece.write(event.record());
    end_bytes_ -= end_bytes_of(event.record());
  }
  for (std::size_t i = around.size(); i-- > 0;)
    if (is_pair(i)) write_end(*around[i], end_of(*around[i], edge), true, piece);
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
  for (const auto& [thread, held] : held_) add_ends_of(held.around);
  std::ranges::sort(ends);
  return ends;
}

std::size_t OpenSpans::depth_of(const Thread& thread) const {
  const SpanStack* const open = threads_.find(thread);
  const HeldRecords* const held = held_.find(thread);
  return (open != nullptr ? open->depth() : 0) + (held != nullptr ? held->around.depth() : 0);
}

}  // namespace fxt
