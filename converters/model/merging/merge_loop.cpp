#include "converters/model/merging/merge_loop.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "converters/model/lanes/offset.h"

namespace convert {
namespace {

constexpr std::size_t kMinPumpBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxPumpBytes = std::size_t{512} << 10;
// All sources of a round together: what they say stays in the cache until it is merged.
constexpr std::size_t kRoundBytes = std::size_t{2048} << 10;

// Slots that are fetched ahead: another core has filled them.
constexpr std::size_t kAhead = 8;

// How many threads read and merge. What they hand to one another costs more than it gains where the output's
// own thread has the second core, unless several sources are read at once.
std::size_t threads_for(std::size_t jobs, std::size_t sources) {
  return std::min(jobs, jobs > 2 ? sources + 1 : sources);
}

constexpr std::size_t kBatch = 1024;  // events: their slots stay in the cache until they are written

}  // namespace

MergeLoop::MergeLoop(const Parts& parts, std::size_t lookahead_bytes, std::size_t jobs, EventSink& sink)
    : pool_(parts.pool),
      sink_(sink),
      sources_(parts.sources),
      shared_sources_(parts.shared_sources),
      inputs_(parts.inputs),
      share_bytes_(std::max(lookahead_bytes / std::max<std::size_t>(parts.lanes.size(), 1), kMinPumpBytes)),
      block_bytes_(
          std::clamp(std::min(share_bytes_ / 4, kRoundBytes / std::max<std::size_t>(parts.lanes.size(), 1)),
                     kMinPumpBytes, kMaxPumpBytes)),
      lookahead_bytes_(lookahead_bytes),
      turns_(parts.lanes.size()),
      workers_(threads_for(jobs, parts.sources.size() + parts.shared_sources.size())) {
  std::vector<std::size_t> turns(parts.lanes.size());  // by the lane's number
  for (std::size_t i = 0; i < parts.lanes.size(); ++i) {
    const std::size_t lane = parts.order.empty() ? i : parts.order[i];
    turns[lane] = i;
    lanes_.push_back({.lane = &parts.lanes[lane],
                      .number = static_cast<std::uint32_t>(lane),
                      .feed = nullptr,
                      .input = &inputs_[parts.input_of_lane[lane]]});
  }
  for (SourceState& feed : sources_)
    for (std::size_t& lane : feed.lanes) {
      lane = turns[lane];
      assert(lanes_[lane].feed == nullptr);
      lanes_[lane].feed = &feed;
      lanes_[lane].lane->set_share(share_bytes_ * feed.lanes.size());
    }
  batch_.reserve(kBatch);
}

void MergeLoop::run(const std::function<void()>& tick) {
  is_merging_ = true;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) seal(lane);
  set_turns();
  do {
    pass_over_unneeded();
    plan_round(false);
    pump_round();
    tick();
  } while (stuck_ != kNone && !sink_.has_enough());
}

// What the sink does not need is not said in the first place.
void MergeLoop::pass_over_unneeded() {
  if (sink_.needed_from_ns() == needed_from_ns_) return;
  needed_from_ns_ = sink_.needed_from_ns();
  for (LaneState& state : lanes_)
    state.lane->pass_over_before(remove_offset(needed_from_ns_, state.input->offset_ns));
}

std::vector<std::uint64_t> MergeLoop::find_first_times(const std::vector<bool>& wanted,
                                                       const std::function<void()>& tick) {
  const auto input_of = [&](const LaneState& state) {
    return static_cast<std::size_t>(state.input - inputs_.data());
  };
  const auto is_unknown = [&](const LaneState& state) {
    return wanted[input_of(state)] && state.feed != nullptr && !state.feed->done &&
           std::ranges::none_of(state.feed->lanes,
                                [&](std::size_t lane) { return lanes_[lane].lane->says_something(); });
  };
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) seal(lane);
  while (std::ranges::any_of(lanes_, is_unknown)) {
    plan_round(true);
    pump_round();
    tick();
  }
  std::vector<std::uint64_t> first_ns(inputs_.size(), kForever);
  for (const LaneState& state : lanes_) {
    // What a lane does not say yet comes after the frontier.
    std::uint64_t lane_ns = kForever;
    if (state.lane->says_something())
      lane_ns = state.lane->first_ns();
    else if (state.feed != nullptr && !state.feed->done)
      lane_ns = state.feed->source->watermark_ns();
    first_ns[input_of(state)] = std::min(first_ns[input_of(state)], lane_ns);
  }
  return first_ns;
}

// ---- Pumping ----

std::uint64_t MergeLoop::delivered_until_ns(std::size_t input) const {
  std::uint64_t delivered_until_ns = kForever;
  for (const SharedSourceState& feeding : shared_sources_)
    if (feeding.input == input && !feeding.done)
      delivered_until_ns = std::min(delivered_until_ns, feeding.shared_source->watermark_ns());
  return delivered_until_ns;
}

// All sources whose lanes run short, or, where those stand at the gate, the feeders that hold them up.
void MergeLoop::plan_round(bool everything_is_short) {
  tasks_.clear();
  std::vector<std::uint64_t> gates;
  for (std::size_t input = 0; input < inputs_.size(); ++input) gates.push_back(delivered_until_ns(input));
  std::vector<bool> is_at_gate(inputs_.size());
  const SourceState* const stuck = stuck_ != kNone ? lanes_[stuck_].feed : nullptr;
  for (SourceState& feed : sources_) {
    if (feed.done || (!everything_is_short && &feed != stuck && feed.waiting_bytes >= block_bytes_)) continue;
    if (feed.source->watermark_ns() < gates[feed.input])
      tasks_.push_back({&feed, nullptr, gates[feed.input]});
    else
      is_at_gate[feed.input] = true;
  }
  for (SharedSourceState& feeding : shared_sources_)
    if (!feeding.done && is_at_gate[feeding.input] &&
        feeding.shared_source->watermark_ns() == gates[feeding.input])
      tasks_.push_back({nullptr, &feeding});
}

void MergeLoop::pump_round() {
  workers_.start(tasks_.size(), [this](std::size_t task, std::size_t worker) { pump(task, worker); });
  if (is_merging_) stuck_ = merge();
  workers_.finish();
  collect();
  if (stuck_ != kNone) release_stuck();
  set_turns();
}

void MergeLoop::set_turns() {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) turns_.set(lane, head_ns(lanes_[lane]));
  turns_.rebuild();
}

void MergeLoop::pump(std::size_t task, std::size_t worker) {
  const auto [feed, feeding, delivered_until_ns] = tasks_[task];
  try {
    if (feed != nullptr)
      feed->done = !feed->source->pump({block_bytes_, delivered_until_ns, worker});
    else
      feeding->done = !feeding->shared_source->pump({block_bytes_, delivered_until_ns, worker});
  } catch (...) {
    (feed != nullptr ? feed->failure : feeding->failure) = std::current_exception();
  }
}

// Between the rounds: what was read can be merged.
void MergeLoop::collect() {
  for (const auto& [feed, feeding, delivered_until_ns] : tasks_) {
    const std::exception_ptr failure = feed != nullptr ? feed->failure : feeding->failure;
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  for (const auto& [feed, feeding, delivered_until_ns] : tasks_)
    if (feeding != nullptr) feeding->shared_source->deliver();
  for (const auto& [feed, feeding, delivered_until_ns] : tasks_)
    if (feed != nullptr)
      for (const std::size_t lane : feed->lanes) seal(lane);
}

void MergeLoop::seal(std::size_t lane) {
  LaneState& state = lanes_[lane];
  const std::size_t bytes = state.lane->seal();
  const bool is_over = state.feed == nullptr || state.feed->done;
  assert(!is_over || state.lane->depth() == 0);
  if (state.feed != nullptr) state.feed->waiting_bytes += bytes;
  if (state.lane->is_held_back())
    state.unsealed_ns = apply_offset(state.lane->held_back_ns(), state.input->offset_ns);
  else if (is_over)
    state.unsealed_ns = LoserTree::kNever;
  else
    state.unsealed_ns =
        std::max(state.unsealed_ns, apply_offset(state.feed->source->watermark_ns(), state.input->offset_ns));
  if (is_merging_ && state.read == state.end) next_piece(state);
}

// The merge still waits for a call to end. When enough waits behind it, it becomes a begin.
void MergeLoop::release_stuck() {
  LaneState& state = lanes_[stuck_];
  if (state.read != state.end || !state.lane->is_held_back()) return;
  std::size_t fed_bytes = 0;
  for (const SharedSourceState& feeding : shared_sources_)
    fed_bytes += feeding.shared_source->waiting_bytes();
  const bool is_full = state.feed->waiting_bytes >= share_bytes_ * state.feed->lanes.size();
  if (!is_full && fed_bytes < lookahead_bytes_) return;
  state.lane->release_oldest();
  seal(stuck_);
}

// ---- Merging ----

// The time of a lane's next event, or a time before which none will be.
std::uint64_t MergeLoop::head_ns(const LaneState& state) const {
  return state.read != state.end ? state.read->time_ns : state.unsealed_ns;
}

// Goes on to the next sealed slots; false if there are none.
bool MergeLoop::next_piece(LaneState& state) {
  while (state.read == state.end) {
    if (state.piece.chunk != nullptr) spent_.push_back(std::move(state.piece.chunk));
    if (!state.lane->has_sealed()) return false;
    state.piece = state.lane->take_sealed();
    state.read = state.piece.slots.data();
    state.end = state.read + state.piece.slots.size();
    if (state.piece.slots.empty()) continue;
    if (state.input->offset_ns != 0) {
      for (PendingEvent& slot : state.piece.slots) {
        slot.time_ns = apply_offset(slot.time_ns, state.input->offset_ns);
        if (slot.kind == EventKind::Complete) slot.end_ns = apply_offset(slot.end_ns, state.input->offset_ns);
      }
    }
    state.input->first_ns = std::min(state.input->first_ns, state.read->time_ns);
  }
  return true;
}

// Merges what is sealed, up to the first lane that has nothing when its turn comes: gives that, or kNone when
// all is over.
std::size_t MergeLoop::merge() {
  std::size_t before = kNone;
  for (;;) {
    const std::size_t lane = turns_.next();
    if (turns_.next_ns() == LoserTree::kNever) break;
    LaneState& state = lanes_[lane];
    if (state.read == state.end) {
      flush();
      return lane;
    }
    const PendingEvent* const first = state.read++;
    __builtin_prefetch(state.read + kAhead);
    // A lane that has had its turn twice has more to say: all that comes before the others.
    if (std::exchange(before, lane) == lane) {
      const std::uint64_t others_ns = turns_.others_ns();
      if (state.end[-1].time_ns < others_ns) state.read = state.end;
      while (state.read != state.end && state.read->time_ns < others_ns) ++state.read;
    }
    batch_.push_back({{first, state.read}, state.number});
    batch_events_ += batch_.back().slots.size();
    if (batch_events_ >= kBatch) flush();
    if (state.read == state.end) {
      if (state.feed != nullptr) state.feed->waiting_bytes -= state.piece.slots.size_bytes();
      next_piece(state);
    }
    turns_.postpone_next(head_ns(state));
  }
  flush();
  return kNone;
}

void MergeLoop::flush() {
  if (!batch_.empty()) sink_.write(batch_);
  batch_.clear();
  batch_events_ = 0;
  for (auto& chunk : spent_) pool_.give_back(std::move(chunk));
  spent_.clear();
}

}  // namespace convert
