#include "converters/model/merging/merge_loop.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace convert {
namespace {

constexpr std::size_t kMinPumpBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxPumpBytes = std::size_t{512} << 10;
// Of all sources in one round: their events stay in the cache until they are merged.
constexpr std::size_t kRoundBytes = std::size_t{2048} << 10;
// Less is not worth the system call and the round.
constexpr std::size_t kMinSourceBytes = std::size_t{16} << 10;

// The number of threads that read and merge. Handing events from core to core costs more than it gains where
// the output's own thread has the second core, unless several sources are read at once.
std::size_t threads_for(std::size_t jobs, std::size_t sources) {
  return std::min(jobs, jobs > 2 ? sources + 1 : sources);
}

// Of the sources that are not read yet: as many as there may be cores.
constexpr std::size_t kReadTogether = 16;

constexpr std::size_t kBatchEvents = 1024;  // they stay in the cache until they are written

}  // namespace

MergeLoop::MergeLoop(const Parts& parts, std::size_t lookahead_bytes, std::size_t jobs, EventSink& sink)
    : pool_(parts.pool),
      sink_(sink),
      sources_(parts.sources),
      shared_sources_(parts.shared_sources),
      inputs_(parts.inputs),
      lane_bytes_(std::max(lookahead_bytes / std::max<std::size_t>(parts.lanes.size(), 1), kMinPumpBytes)),
      block_bytes_(
          std::clamp(std::min(lane_bytes_ / 4, kRoundBytes / std::max<std::size_t>(parts.lanes.size(), 1)),
                     kMinPumpBytes, kMaxPumpBytes)),
      source_bytes_(block_bytes_),
      lookahead_bytes_(lookahead_bytes),
      tree_(parts.lanes.size()),
      workers_(threads_for(jobs, parts.sources.size() + parts.shared_sources.size())) {
  std::vector<std::size_t> ranks(parts.lanes.size());  // by lane
  for (std::size_t i = 0; i < parts.lanes.size(); ++i) {
    const std::size_t lane = parts.order.empty() ? i : parts.order[i];
    ranks[lane] = i;
    lanes_.push_back({.lane = &parts.lanes[lane],
                      .number = static_cast<std::uint32_t>(lane),
                      .source = nullptr,
                      .input = &inputs_[parts.input_of_lane[lane]]});
  }
  for (SourceState& source : sources_)
    for (std::size_t& lane : source.lanes) {
      lane = ranks[lane];
      LaneState& state = lanes_[lane];
      assert(state.source == nullptr);
      state.source = &source;
      state.lane->set_held_bytes_limit(lane_bytes_ * source.lanes.size());
    }
  for (SourceState& source : sources_) hungry_.push_back(&source);
  batch_.reserve(kBatchEvents);
  const auto has_one_lane = [](const SourceState& source) { return source.lanes.size() == 1; };
  is_order_free_ = shared_sources_.empty() && std::ranges::all_of(sources_, has_one_lane);
  if (is_order_free_) source_bytes_ = std::max(block_bytes_, kMinSourceBytes);
}

void MergeLoop::run(const std::function<void()>& tick) {
  is_merging_ = true;
  read_later();
  read_next();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) seal(lane);
  do {
    skip_unneeded();
    plan_round(false);
    pump_round();
    tick();
  } while (blocking_ != kNone && !sink_.has_enough());
}

// Lanes need not even emit what the sink does not need.
void MergeLoop::skip_unneeded() {
  if (sink_.needed_from_ns() == needed_from_ns_) return;
  needed_from_ns_ = sink_.needed_from_ns();
  for (LaneState& state : lanes_)
    state.lane->skip_calls_before(remove_offset(needed_from_ns_, state.input->offset_ns));
}

std::vector<std::uint64_t> MergeLoop::find_first_times(const std::vector<bool>& wanted,
                                                       const std::function<void()>& tick) {
  const auto input_of = [&](const LaneState& state) {
    return static_cast<std::size_t>(state.input - inputs_.data());
  };
  const auto is_unknown = [&](const LaneState& state) {
    return wanted[input_of(state)] && state.source != nullptr && !state.source->done &&
           std::ranges::none_of(state.source->lanes,
                                [&](std::size_t lane) { return lanes_[lane].lane->queue().has_events(); });
  };
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) seal(lane);
  while (std::ranges::any_of(lanes_, is_unknown)) {
    plan_round(true);
    pump_round();
    tick();
  }
  std::vector<std::uint64_t> first_ns(inputs_.size(), kForever);
  for (const LaneState& state : lanes_) {
    std::uint64_t lane_ns = kForever;
    if (state.lane->queue().has_events())
      lane_ns = state.lane->queue().first_ns();
    else if (state.source != nullptr && !state.source->done)
      lane_ns = state.source->source->watermark_ns();
    first_ns[input_of(state)] = std::min(first_ns[input_of(state)], lane_ns);
  }
  return first_ns;
}

// ---- Pumping ----

std::uint64_t MergeLoop::delivered_until_ns(std::size_t input) const {
  std::uint64_t delivered_until_ns = kForever;
  for (const SharedSourceState& shared : shared_sources_)
    if (shared.input == input && !shared.done)
      delivered_until_ns = std::min(delivered_until_ns, shared.source->watermark_ns());
  return delivered_until_ns;
}

// Pumps all sources whose lanes run short. Where those have read all that is delivered, the shared sources
// that are the least far are pumped.
void MergeLoop::plan_round(bool pump_all) {
  tasks_.clear();
  std::vector<std::uint64_t> limits_ns;
  for (std::size_t input = 0; input < inputs_.size(); ++input) limits_ns.push_back(delivered_until_ns(input));
  std::vector<bool> is_at_limit(inputs_.size());
  SourceState* const blocking = blocking_ != kNone ? lanes_[blocking_].source : nullptr;
  if (blocking != nullptr) feed(*blocking);
  if (!unread_.empty() && lanes_[unread_.back()->lanes.front()].unsealed_ns <= tree_.next_ns()) read_next();
  if (pump_all)
    for (SourceState& source : sources_) feed(source);
  std::erase_if(hungry_, [&](SourceState* source) {
    source->is_hungry =
        !source->done && (pump_all || source == blocking || source->waiting_bytes < source_bytes_);
    return !source->is_hungry;
  });
  std::ranges::sort(hungry_);
  for (SourceState* const source : hungry_) {
    const std::uint64_t limit_ns = limits_ns[source->input];
    if (source->source->watermark_ns() < limit_ns)
      tasks_.push_back({source, nullptr, source_bytes_, limit_ns});
    else
      is_at_limit[source->input] = true;
  }
  for (SharedSourceState& shared : shared_sources_)
    if (!shared.done && is_at_limit[shared.input] && shared.source->watermark_ns() == limits_ns[shared.input])
      tasks_.push_back({nullptr, &shared, block_bytes_});
}

void MergeLoop::feed(SourceState& source) {
  if (!std::exchange(source.is_hungry, true)) hungry_.push_back(&source);
}

// Of thousands of threads few run at one time: those that begin later have no events in memory until the
// merge comes near them.
void MergeLoop::read_later() {
  if (!is_order_free_) return;
  std::erase_if(hungry_, [&](SourceState* source) {
    LaneState& state = lanes_[source->lanes.front()];
    const std::uint64_t begin_ns = source->source->begin_ns();
    if (begin_ns == 0 || source->done || state.lane->queue().has_events() || state.lane->last_ns() != 0)
      return false;
    state.unsealed_ns = apply_offset(begin_ns, state.input->offset_ns);
    source->is_hungry = false;
    unread_.push_back(source);
    return true;
  });
  std::ranges::stable_sort(unread_, std::greater{}, [this](const SourceState* source) {
    return lanes_[source->lanes.front()].unsealed_ns;
  });
}

void MergeLoop::read_next() {
  for (std::size_t i = 0; i != kReadTogether && !unread_.empty(); ++i, unread_.pop_back())
    feed(*unread_.back());
}

void MergeLoop::pump_round() {
  workers_.start(tasks_.size(), [this](std::size_t task, std::size_t worker) { pump(task, worker); });
  if (is_merging_) blocking_ = merge();
  workers_.finish();
  collect();
  if (blocking_ != kNone) release_blocking();
}

void MergeLoop::pump(std::size_t task, std::size_t worker) {
  const auto [source, shared, bytes, delivered_until_ns] = tasks_[task];
  try {
    if (source != nullptr)
      source->done = !source->source->pump({bytes, delivered_until_ns, worker});
    else
      shared->done = !shared->source->pump({bytes, delivered_until_ns, worker});
  } catch (...) {
    (source != nullptr ? source->failure : shared->failure) = std::current_exception();
  }
}

// Between two rounds: seals what was read, for the merge.
void MergeLoop::collect() {
  for (const auto& [source, shared, bytes, delivered_until_ns] : tasks_) {
    const std::exception_ptr failure = source != nullptr ? source->failure : shared->failure;
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  for (const auto& [source, shared, bytes, delivered_until_ns] : tasks_)
    if (shared != nullptr) shared->source->deliver();
  for (const auto& [source, shared, bytes, delivered_until_ns] : tasks_)
    if (source != nullptr)
      for (const std::size_t lane : source->lanes) seal(lane);
}

void MergeLoop::seal(std::size_t rank) {
  LaneState& state = lanes_[rank];
  const std::size_t bytes = state.lane->seal();
  const bool is_over = state.source == nullptr || state.source->done;
  assert(!is_over || state.lane->depth() == 0);
  if (is_over) state.lane->queue().close();
  if (state.source != nullptr) state.source->waiting_bytes += bytes;
  if (state.lane->queue().has_unsealed())
    state.unsealed_ns = apply_offset(state.lane->queue().first_unsealed_ns(), state.input->offset_ns);
  else if (is_over)
    state.unsealed_ns = LoserTree::kNever;
  else
    state.unsealed_ns = std::max(state.unsealed_ns,
                                 apply_offset(state.source->source->watermark_ns(), state.input->offset_ns));
  if (is_merging_ && state.read == state.end) next_sealed(state);
}

// The merge waits for a pending call to end. Once enough events wait for it, its begin is emitted alone.
void MergeLoop::release_blocking() {
  LaneState& state = lanes_[blocking_];
  if (state.read != state.end || !state.lane->queue().has_unsealed()) return;
  std::size_t delivered_bytes = 0;
  for (const SharedSourceState& shared : shared_sources_) delivered_bytes += shared.source->waiting_bytes();
  const bool is_full = state.source->waiting_bytes >= lane_bytes_ * state.source->lanes.size();
  if (!is_full && delivered_bytes < lookahead_bytes_) return;
  state.lane->release_oldest();
  seal(blocking_);
}

// ---- Merging ----

// The time of a lane's next event, or a time before which there is none.
std::uint64_t MergeLoop::head_ns(const LaneState& state) const {
  return state.read != state.end ? state.read->time_ns : state.unsealed_ns;
}

// Takes the next sealed events of a lane; false if it has none.
bool MergeLoop::next_sealed(LaneState& state) {
  while (state.read == state.end) {
    if (state.sealed.chunk != nullptr) used_chunks_.push_back(std::move(state.sealed.chunk));
    if (!state.lane->queue().has_sealed()) return false;
    state.sealed = state.lane->queue().pop_sealed();
    state.read = state.sealed.events.data();
    state.end = state.read + state.sealed.events.size();
    if (state.sealed.events.empty()) continue;
    if (state.input->offset_ns != 0) {
      for (PendingEvent& event : state.sealed.events) {
        event.time_ns = apply_offset(event.time_ns, state.input->offset_ns);
        if (event.kind == EventKind::Complete)
          event.end_ns = apply_offset(event.end_ns, state.input->offset_ns);
      }
    }
    state.input->first_ns = std::min(state.input->first_ns, state.read->time_ns);
  }
  return true;
}

// Merges sealed events up to the first lane that is next in time but has none. Returns that lane, or kNone if
// all events are merged.
std::size_t MergeLoop::merge() {
  std::size_t before = kNone;
  for (;;) {
    const std::size_t lane = tree_.next();
    if (tree_.next_ns() == LoserTree::kNever) break;
    LaneState& state = lanes_[lane];
    if (const std::uint64_t time_ns = head_ns(state); time_ns != tree_.next_ns()) {
      tree_.postpone_next(time_ns);  // the lane had no events when it was asked last
      continue;
    }
    if (state.read == state.end) {
      flush();
      return lane;
    }
    const PendingEvent* const first = state.read++;
    __builtin_prefetch(state.read + kPrefetchedEvents);
    // A lane that was next twice in a row probably stays so: its events are merged first, as many as precede
    // those of the others.
    if (std::exchange(before, lane) == lane) {
      const std::uint64_t others_ns = tree_.others_ns();
      if (state.end[-1].time_ns < others_ns) state.read = state.end;
      while (state.read != state.end && state.read->time_ns < others_ns) ++state.read;
    }
    batch_.push_back({{first, state.read}, state.number});
    batch_events_ += batch_.back().events.size();
    if (batch_events_ >= kBatchEvents) flush();
    if (state.read == state.end) {
      if (state.source != nullptr) {
        state.source->waiting_bytes -= state.sealed.events.size_bytes();
        if (state.source->waiting_bytes < source_bytes_) feed(*state.source);
      }
      next_sealed(state);
    }
    tree_.postpone_next(head_ns(state));
  }
  flush();
  return kNone;
}

void MergeLoop::flush() {
  if (!batch_.empty()) sink_.write(batch_);
  batch_.clear();
  batch_events_ = 0;
  for (auto& chunk : used_chunks_) pool_.give_back(std::move(chunk));
  used_chunks_.clear();
}

}  // namespace convert
