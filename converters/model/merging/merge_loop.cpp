#include "converters/model/merging/merge_loop.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/reading/input_error.h"

namespace convert {
namespace {

std::size_t threads_for(std::size_t jobs, std::size_t sources) { return std::min(jobs, sources + 1); }

void pump(const PumpPlan::Task& task, std::size_t worker) noexcept {
  const auto [source, shared, bytes, delivered_until_ns] = task;
  const PumpBudget budget{bytes, delivered_until_ns, worker};
  try {
    if (source != nullptr)
      source->done = !source->source->pump(budget);
    else
      shared->done = !shared->source->pump(budget);
  } catch (...) {
    (source != nullptr ? source->failure : shared->failure) = std::current_exception();
  }
}

// Releases the calls that are open at the end of a range. Otherwise, the merge would wait for the ends of
// these calls.
void release_calls_across(std::uint64_t end_ns, Lane& lane) {
  OpenCallStack& calls = lane.store().calls();
  while (lane.last_ns() > end_ns && calls.oldest_pending() < calls.size() &&
         calls[calls.oldest_pending()].begin_ns() <= end_ns)
    lane.store().release_oldest();
}

}  // namespace

void MergedBatch::flush() {
  if (!runs_.empty()) sink_.write(runs_);
  runs_.clear();
  events_ = 0;
  for (auto& chunk : used_chunks_) pool_.give_back(std::move(chunk));
  used_chunks_.clear();
}

MergeLoop::MergeLoop(Parts& parts, std::span<const std::size_t> order, std::size_t lookahead_bytes,
                     std::size_t jobs, EventSink& sink)
    : sink_(sink),
      inputs_(parts.inputs),
      tree_(parts.lanes.size()),
      plan_(parts.sources, parts.shared_sources, parts.lanes.size(), parts.inputs.size(), lookahead_bytes),
      batch_(sink, parts.pool),
      workers_(threads_for(jobs, parts.sources.size() + parts.shared_sources.size())),
      alternates_(workers_.jobs() == 2 && parts.sources.size() == 1 && parts.shared_sources.empty()) {
  std::vector<std::size_t> ranks(parts.lanes.size());
  for (std::size_t i = 0; i < parts.lanes.size(); ++i) {
    const std::size_t lane = order[i];
    ranks[lane] = i;
    lanes_.push_back({.lane = &parts.lanes[lane],
                      .number = static_cast<std::uint32_t>(lane),
                      .source = nullptr,
                      .input = &inputs_[parts.input_of_lane[lane]]});
  }
  for (SourceState& source : parts.sources)
    for (std::size_t& lane : source.lanes) {
      lane = ranks[lane];
      LaneState& state = lanes_[lane];
      if (state.source != nullptr) throw BrokenContract("a lane belongs to two sources");
      state.source = &source;
      state.lane->store().set_held_bytes_limit(plan_.shares().lane * source.lanes.size());
    }
}

void MergeLoop::run(const std::function<void()>& tick) {
  const auto is_in_released_call = [](const LaneState& state) {
    return state.lane->short_calls() != nullptr && state.lane->depth() != 0 &&
           !state.lane->calls()[0].is_pending();
  };
  is_merging_ = true;
  if (plan_.is_order_free()) read_later();
  for (LaneState& state : lanes_) seal(state);
  do {
    skip_unneeded();
    pump_round();
    tick();
    // has_enough() becomes true when the sink gets an event after the range. If calls are left out, there may
    // be no such event. Therefore, the time that the merge has reached is also checked.
  } while (blocking_ != nullptr && !sink_.has_enough() &&
           (tree_.next_ns() <= needed_until_ns_ || std::ranges::none_of(lanes_, is_in_released_call)));
  const auto counts_missing = [](const LaneState& state) { return state.lane->short_calls() != nullptr; };
  if (blocking_ == nullptr || std::ranges::none_of(lanes_, counts_missing)) return;
  // The rest of the inputs is not read. Ends the open calls, because their starts may already be written. The
  // arguments of the end of a call give the number of calls that are left out inside this call.
  std::vector<MergedRun> ends;
  for (LaneState& state : lanes_) {
    if (state.source != nullptr) state.source->done = true;
    while (state.lane->depth() != 0) state.lane->end(state.lane->last_ns());
    seal(state);
    for (; next_sealed(state); ++state.read)
      if (state.read->kind == EventKind::Begin || state.read->kind == EventKind::End)
        ends.push_back({{state.read, 1}, state.number});
  }
  // Sorts the ends by the times that they get in the trace. There, no end is after the range. The times of
  // the events may be later, because they depend on how far the inputs have been read.
  std::ranges::stable_sort(
      ends, {}, [&](const MergedRun& run) { return std::min(run.events.front().time_ns, needed_until_ns_); });
  if (!ends.empty()) sink_.write(ends);
  batch_.flush();
}

// Postpones the sources whose start time is known and from which nothing has been read yet.
void MergeLoop::read_later() {
  for (LaneState& state : lanes_) {
    if (state.source == nullptr || state.source->done) continue;
    const std::uint64_t begin_ns = state.source->source->begin_ns();
    if (begin_ns == 0 || state.queue().has_events() || state.lane->last_ns() != 0) continue;
    state.unsealed_ns = apply_offset(begin_ns, state.input->offset_ns);
    plan_.read_later(*state.source, state.unsealed_ns);
  }
  plan_.read_first();
}

// Lets lanes drop events that the sink does not need.
void MergeLoop::skip_unneeded() {
  if (sink_.needed_from_ns() == needed_from_ns_ && sink_.needed_until_ns() == needed_until_ns_) return;
  needed_from_ns_ = sink_.needed_from_ns();
  needed_until_ns_ = sink_.needed_until_ns();
  for (LaneState& state : lanes_) {
    const std::uint64_t from_ns = remove_offset(needed_from_ns_, state.input->offset_ns);
    state.lane->store().skip_calls_before(from_ns);
    if (LaneShortCalls* const calls = state.lane->short_calls())
      calls->count_between(from_ns, needed_until_ns_ == kForever
                                        ? kForever
                                        : remove_offset(needed_until_ns_, state.input->offset_ns));
  }
}

std::vector<std::uint64_t> MergeLoop::find_first_times(const std::vector<bool>& wanted,
                                                       const std::function<void()>& tick) {
  const auto input_of = [&](const LaneState& state) {
    return static_cast<std::size_t>(state.input - inputs_.data());
  };
  const auto is_unknown = [&](const LaneState& state) {
    return wanted[input_of(state)] && state.source != nullptr && !state.source->done &&
           std::ranges::none_of(state.source->lanes,
                                [&](std::size_t lane) { return lanes_[lane].queue().has_events(); });
  };
  for (LaneState& state : lanes_) seal(state);
  for (;;) {
    bool are_known = true;
    for (const LaneState& state : lanes_)
      if (is_unknown(state)) {
        plan_.need(*state.source);
        are_known = false;
      }
    if (are_known) break;
    pump_round();
    tick();
  }
  std::vector<std::uint64_t> first_ns(inputs_.size(), kForever);
  for (const LaneState& state : lanes_) {
    std::uint64_t lane_ns = kForever;
    if (state.queue().has_events())
      lane_ns = state.queue().first_ns();
    else if (state.source != nullptr && !state.source->done)
      lane_ns = state.source->source->watermark_ns();
    first_ns[input_of(state)] = std::min(first_ns[input_of(state)], lane_ns);
  }
  return first_ns;
}

// ---- Pumping ----

void MergeLoop::pump_round() {
  if (blocking_ != nullptr) plan_.need(*blocking_->source);
  const auto tasks = plan_.plan_round(tree_.next_ns());
  // Two threads take turns. A thread merges the events that it pumped in the previous round, because its core
  // has these events in the cache.
  worker_merges_ = alternates_ && is_merging_ && tasks.size() == 1 && !worker_merges_;
  if (worker_merges_) {
    workers_.start(1, [&](std::size_t, std::size_t) { blocking_ = merge(); });
    pump(tasks.front(), 0);
    workers_.finish();
  } else {
    workers_.start(tasks.size(),
                   [tasks](std::size_t task, std::size_t worker) { pump(tasks[task], worker); });
    if (is_merging_) blocking_ = merge();
    workers_.finish();
  }
  collect();
  if (blocking_ != nullptr) release_blocking();
}

// Must be called between two rounds. Seals the events that were read.
void MergeLoop::collect() {
  for (const auto& [source, shared, bytes, delivered_until_ns] : plan_.tasks()) {
    const std::exception_ptr failure = source != nullptr ? source->failure : shared->failure;
    if (failure == nullptr) continue;
    const std::size_t input = source != nullptr ? source->input : shared->input;
    naming_input(inputs_[input].name, [&] { std::rethrow_exception(failure); });
  }
  for (const auto& [source, shared, bytes, delivered_until_ns] : plan_.tasks())
    if (shared != nullptr) shared->source->deliver();
  for (const auto& [source, shared, bytes, delivered_until_ns] : plan_.tasks())
    if (source != nullptr)
      for (const std::size_t rank : source->lanes) seal(lanes_[rank]);
}

void MergeLoop::seal(LaneState& state) {
  const bool is_over = state.source == nullptr || state.source->done;
  naming_input(state.input->name, [&] { check_contract(state, is_over); });
  if (needed_until_ns_ != kForever && state.lane->short_calls() != nullptr)
    release_calls_across(remove_offset(needed_until_ns_, state.input->offset_ns), *state.lane);
  const std::size_t bytes = state.lane->store().seal();
  if (is_over) state.queue().close();
  if (state.source != nullptr) state.source->waiting_bytes += bytes;
  if (state.queue().has_unsealed())
    state.unsealed_ns = apply_offset(state.queue().first_unsealed_ns(), state.input->offset_ns);
  else if (is_over)
    state.unsealed_ns = LoserTree::kNever;
  else
    state.unsealed_ns = std::max(state.unsealed_ns,
                                 apply_offset(state.source->source->watermark_ns(), state.input->offset_ns));
  if (is_merging_ && state.read == state.end) next_sealed(state);
}

// Checks promises of the source. If a source broke a promise, events would be lost, or merged in a wrong
// order.
void MergeLoop::check_contract(const LaneState& state, bool is_over) {
  if (is_over && state.lane->depth() != 0)
    throw BrokenContract(fmt::format("at the end, {} calls of a thread are open", state.lane->depth()));
  if (!state.queue().has_unsealed()) return;
  const std::uint64_t first_ns = apply_offset(state.queue().first_unsealed_ns(), state.input->offset_ns);
  if (first_ns < state.unsealed_ns)
    throw BrokenContract(
        fmt::format("an event at {} ns is too early: its source has guaranteed that all further events are "
                    "at {} ns or later",
                    first_ns, state.unsealed_ns));
}

// If too many events wait, releases the call for whose end the merge waits.
void MergeLoop::release_blocking() {
  if (blocking_->read != blocking_->end || !blocking_->queue().has_unsealed()) return;
  if (!plan_.is_full(*blocking_->source)) return;
  blocking_->lane->store().release_oldest();
  seal(*blocking_);
}

// ---- Merging ----

// Returns the time of the lane's next event. If this event is not sealed, returns a time before which the
// lane has no events.
std::uint64_t MergeLoop::head_ns(const LaneState& state) const {
  return state.read != state.end ? state.read->time_ns : state.unsealed_ns;
}

bool MergeLoop::next_sealed(LaneState& state) {
  while (state.read == state.end) {
    if (state.source != nullptr) plan_.consume(*state.source, std::exchange(state.sealed.bytes, 0));
    if (state.sealed.chunk != nullptr) batch_.retire(std::move(state.sealed.chunk));
    if (!state.queue().has_sealed()) return false;
    state.sealed = state.queue().pop_sealed();
    state.read = state.sealed.events.data();
    state.end = state.read + state.sealed.events.size();
    if (state.sealed.events.empty()) continue;
    if (state.input->offset_ns != 0) {
      for (PendingEvent& event : state.sealed.events) {
        event.time_ns = apply_offset(event.time_ns, state.input->offset_ns);
        if (event.kind == EventKind::Complete)
          event.complete(apply_offset(event.end_ns(), state.input->offset_ns));
      }
    }
    state.input->first_ns = std::min(state.input->first_ns, state.read->time_ns);
  }
  return true;
}

// Merges sealed events in the order of time. If the lane that may have the next event has no sealed events,
// returns this lane. If all events are merged, returns null.
MergeLoop::LaneState* MergeLoop::merge() {
  const LaneState* before = nullptr;
  for (;;) {
    if (tree_.next_ns() == LoserTree::kNever) break;
    LaneState& state = lanes_[tree_.next()];
    if (const std::uint64_t time_ns = head_ns(state); time_ns != tree_.next_ns()) {
      tree_.postpone_next(time_ns);  // the lane has got events meanwhile
      continue;
    }
    if (state.read == state.end) {
      batch_.flush();
      return &state;
    }
    const PendingEvent* const first = state.read++;
    __builtin_prefetch(state.read + kPrefetchedEvents);
    // A lane that was next twice in a row will probably be next again. Therefore, all its events before the
    // first event of another lane are merged in one step.
    if (std::exchange(before, &state) == &state) {
      const std::uint64_t others_ns = tree_.others_ns();
      if (state.end[-1].time_ns < others_ns) state.read = state.end;
      while (state.read != state.end && state.read->time_ns < others_ns) ++state.read;
    }
    batch_.add({{first, state.read}, state.number});
    if (state.read == state.end) next_sealed(state);
    tree_.postpone_next(head_ns(state));
  }
  batch_.flush();
  return nullptr;
}

}  // namespace convert
