// The open spans: the durations of each thread, and the async operations of each id. Internal to the Cutter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "fxt/checking/by_thread.h"
#include "fxt/cutter.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/held_texts.h"
#include "fxt/cutting/piece.h"

namespace fxt {

// A duration or async operation that has begun and may have to begin or end again in a piece.
struct OpenSpan {
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  Held<Event> begin;
  std::uint64_t end = kUnknown;  // end time of a complete event; kUnknown for a begin
  // For a begin: the end time of a complete event around it, if that event ends by the end of the piece.
  std::uint64_t around_ends = kUnknown;
  bool is_written = false;      // the current piece has the span's begin
  bool is_begun_again = false;  // the span began before the current piece, which has its begin again
  bool is_outside = false;      // the span began before the range, and has not been written yet
  // If this span ended together with the span around it: the number of later ends to drop, for this span and
  // its inner spans. Otherwise 0.
  std::uint32_t unneeded_ends = 0;
  std::size_t names = 0;                      // hash_of_names() of an async operation; 0 for a duration
  std::list<OpenSpan>::iterator around = {};  // the next outer span that has these names and awaits its end

  bool is_over_by(std::uint64_t time) const { return end != kUnknown && end <= time; }
  bool is_ended() const { return unneeded_ends != 0; }
  bool awaits_end() const { return end == kUnknown && !is_ended(); }
};

// The open spans of one thread or one id, outermost first.
class SpanStack {
 public:
  using Position = std::list<OpenSpan>::iterator;

  bool empty() const { return open_.empty(); }
  std::size_t depth() const { return open_.size(); }
  Position begin() { return open_.begin(); }
  Position end() { return open_.end(); }
  auto begin() const { return open_.begin(); }
  auto end() const { return open_.end(); }
  // Reuses the memory of a span in `spare`. erase() moves the erased spans to `spare`.
  Position push(const Event& begin, std::uint64_t end, bool is_written, HeldTexts& texts,
                std::list<OpenSpan>& spare);
  // Returns the position of the next inner span.
  Position erase(Position span, std::list<OpenSpan>& spare);
  // The span that this event ends: the innermost duration without a known end, or the innermost async
  // operation of its category and name. Returns end() if there is none.
  Position ended_by(const Event& event);
  // Sorts complete events that begin again. They may overlap in the trace, but now begin at the same time.
  // Therefore, spans that end later come first.
  void sort_by_ends();
  // Adds a complete event that ends in this piece, and therefore does not begin again in a later piece. It
  // encloses the spans that begin before its end.
  void add_around(std::uint64_t begin, std::uint64_t end) {
    auto& around = complete_spans().around;
    if (around.empty() || end <= around.back().second) around.emplace_back(begin, end);
  }
  void leave(std::uint64_t time) {
    if (!complete_) return;
    auto& around = complete_->around;
    while (!around.empty() && around.back().second <= time) around.pop_back();
  }
  std::uint64_t next_end() const {
    return !complete_ || complete_->ends.empty() ? OpenSpan::kUnknown : *complete_->ends.begin();
  }

  bool has_unwritten = false;  // some spans may have to begin again
  std::uint64_t after = 0;     // number of begins after the range that wait for their ends

 private:
  // Created when needed: only threads have complete events, and there may be any number of other stacks.
  struct CompleteSpans {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> around = {};  // begins and ends of complete events
    std::multiset<std::uint64_t> ends = {};                            // known ends of open spans
  };

  CompleteSpans& complete_spans() {
    if (!complete_) complete_ = std::make_unique<CompleteSpans>();
    return *complete_;
  }
  void await_end(Position span);
  void forget_awaited(Position span);

  // Spans with the same names, whose ends are not known.
  struct Awaiting {
    Position innermost = {};  // OpenSpan::around leads to the outer spans
    std::size_t count = 0;
  };

  std::unique_ptr<CompleteSpans> complete_;
  std::list<OpenSpan> open_;
  // By hash_of_names(), or 0 for durations. Created only for many spans, because there may be any
  // number of stacks with one span.
  std::unique_ptr<std::map<std::size_t, Awaiting>> awaiting_;
};

class OpenSpans {
 public:
  OpenSpans(CutCounters& counters, HeldTexts& texts) : counters_(&counters), texts_(&texts) {}

  // Must be called with each duration or async event before or after the range. An event after the range may
  // end a span that is open in the last piece.
  void add_before(const Event& event, std::uint64_t range_start);
  void add_after(const Event& event, Piece& piece);
  // Writes an event inside the range. Before it, writes the ends of durations that have ended by its time.
  void add(const Event& event, Piece& piece);
  // Writes begins for all spans that were open before the piece.
  void begin_again(Piece& piece);
  // Writes ends for all spans that have ended by the end of the piece.
  void settle(Piece& piece);
  // Ends the spans that continue after the piece. If `is_last`, the trace is over. Then a span without a
  // known end stays open, unless it is inside a span with a known end.
  void cut(Piece& piece, bool is_last);

  // The first end of the open spans; kUnknown if no end is known.
  std::uint64_t next_end() const;
  std::vector<std::uint64_t> ends_until(std::uint64_t time) const;
  // The approximate size of the output of cut().
  std::uint64_t end_bytes() const { return end_bytes_; }
  // The number of durations that are open on this thread.
  std::size_t depth_of(const Thread& thread) const;

 private:
  SpanStack& stack_of(const Event& event) {
    return is_async(event.type) ? asyncs_[event.id] : threads_[event.thread];
  }
  OpenSpan& push(SpanStack& stack, const Event& begin, std::uint64_t end, bool is_written);
  SpanStack::Position erase(SpanStack& stack, SpanStack::Position span);
  void end_with_outer(SpanStack& stack, SpanStack::Position span);
  void forget_if_over(const Event& event, const SpanStack& stack);
  void settle(SpanStack& stack, std::uint64_t time, Piece& piece);
  void begin_again(SpanStack& stack, Piece& piece);
  void count_in_range(OpenSpan& span, const Piece& piece);
  void end(SpanStack& stack, SpanStack::Position span, const Event& end, bool goes_on, Piece& piece);
  void write_end(const OpenSpan& span, Event end, bool goes_on, Piece& piece);
  void count_cut(std::uint64_t time);

  CutCounters* counters_;
  HeldTexts* texts_;
  std::uint64_t end_bytes_ = 0;
  std::list<OpenSpan> spare_;
  ByThread<SpanStack> threads_;
  std::map<std::uint64_t, SpanStack> asyncs_;
};

}  // namespace fxt
