#include "converters/model/timeline.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace convert {
namespace {

// Ids are below 2^32, as all readers need it.
constexpr std::uint64_t kKoidLimit = std::uint64_t{1} << 32;

constexpr std::size_t kMinPumpBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxPumpBytes = std::size_t{256} << 10;

// A lane in the merge: ordered by the earliest time that its next event can have, then by lane.
struct Turn {
  std::uint64_t time_ns;
  std::uint32_t lane;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};

// A binary heap of turns whose top changes its time, which std::priority_queue can't.
class Turns {
 public:
  void add(Turn turn) {
    turns_.push_back(turn);
    std::ranges::push_heap(turns_, std::greater{});
  }
  bool empty() const { return turns_.empty(); }
  const Turn& top() const { return turns_.front(); }
  // The one that would be top without the top; false if there is none.
  bool second(Turn& turn) const {
    if (turns_.size() < 2) return false;
    turn = turns_.size() == 2 ? turns_[1] : std::min(turns_[1], turns_[2]);
    return true;
  }
  void postpone_top(std::uint64_t time_ns) {
    turns_.front().time_ns = time_ns;
    std::size_t at = 0;
    for (std::size_t child = 1; child < turns_.size(); child = 2 * at + 1) {
      if (child + 1 < turns_.size() && turns_[child + 1] < turns_[child]) ++child;
      if (turns_[at] < turns_[child]) break;
      std::swap(turns_[at], turns_[child]);
      at = child;
    }
  }
  void remove_top() {
    std::ranges::pop_heap(turns_, std::greater{});
    turns_.pop_back();
  }

 private:
  std::vector<Turn> turns_;
};

std::uint64_t magnitude_of(std::int64_t offset_ns) {
  const auto bits = static_cast<std::uint64_t>(offset_ns);
  return offset_ns < 0 ? ~bits + 1 : bits;
}

// A time moved by an offset, at most to the ends of what can be drawn.
std::uint64_t moved(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (offset_ns < 0) return time_ns - std::min(time_ns, magnitude);
  return std::min(time_ns + magnitude, kTimeLimitNs - 1);
}

// The time before which all lies that is moved to before `time_ns`.
std::uint64_t before_moving(std::uint64_t time_ns, std::int64_t offset_ns) {
  const std::uint64_t magnitude = magnitude_of(offset_ns);
  if (time_ns >= kTimeLimitNs) return kTimeLimitNs;
  if (offset_ns < 0) return time_ns >= kTimeLimitNs - magnitude ? kTimeLimitNs : time_ns + magnitude;
  return time_ns - std::min(time_ns, magnitude);
}

std::string seconds(std::uint64_t time_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

}  // namespace

void Timeline::begin_input(std::string_view name) {
  inputs_.push_back({.name = std::string(name)});
  process_ids_.clear();
  thread_ids_.clear();
}

std::uint64_t Timeline::koid(Ids& ids, std::set<std::uint64_t>& taken, std::uint64_t id,
                             std::string_view what) {
  const auto [entry, is_new] = ids.try_emplace(id, id);
  if (!is_new) return entry->second;
  if (id == 0 || id >= kKoidLimit || taken.contains(id)) {
    std::uint64_t free = kFirstMadeUpId;
    if (!taken.empty() && *taken.rbegin() + 1 < kKoidLimit) free = std::max(free, *taken.rbegin() + 1);
    while (taken.contains(free)) ++free;
    entry->second = free;
    if (id < kFirstMadeUpId || id >= kKoidLimit)
      notes_->add(kRenumbered, Place::file(inputs_.back().name),
                  fmt::format("{} {} is shown as {}", what, id, free));
  }
  taken.insert(entry->second);
  return entry->second;
}

ProcessId Timeline::koid_of(ProcessId process) {
  return static_cast<ProcessId>(
      koid(process_ids_, processes_, static_cast<std::uint64_t>(process), "process"));
}

ThreadId Timeline::koid_of(ThreadId thread) {
  return static_cast<ThreadId>(koid(thread_ids_, threads_, static_cast<std::uint64_t>(thread), "thread"));
}

Lane& Timeline::add_lane(LaneInfo info) {
  info.process = koid_of(info.process);
  info.thread = koid_of(info.thread);
  infos_.push_back(std::move(info));
  input_of_lane_.push_back(inputs_.size() - 1);
  return lanes_.emplace_back(pool_, options_.lanes);
}

void Timeline::add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes) {
  for (const Lane* lane : lanes) feed_of_.emplace(lane, feeds_.size());
  feeds_.push_back({std::move(source), lanes, false});
}

std::size_t Timeline::waiting_bytes(const Feed& feed) const {
  std::size_t sum = 0;
  for (const Lane* lane : feed.lanes) sum += lane->waiting_bytes();
  return sum;
}

void Timeline::run(EventSink& sink, const std::function<void()>& tick) {
  sink.add_lanes(infos_);
  if (lanes_.empty()) return;
  const std::size_t share = std::max(options_.lookahead_bytes / lanes_.size(), kMinPumpBytes);
  const std::size_t block = std::clamp(share / 4, kMinPumpBytes, kMaxPumpBytes);

  keep_offsets_drawable(block, tick);

  Feed no_source{.source = nullptr, .lanes = {}, .done = true};
  std::vector<Feed*> feeds;  // by lane
  Turns turns;
  std::vector<std::int64_t> offsets;  // by lane
  for (const Lane& lane : lanes_) {
    const auto found = feed_of_.find(&lane);
    Feed& feed = found != feed_of_.end() ? feeds_[found->second] : no_source;
    offsets.push_back(inputs_[input_of_lane_[feeds.size()]].offset_ns);
    feeds.push_back(&feed);
    if (feed.done && lane.empty()) continue;
    const std::uint64_t time_ns = lane.empty() ? feed.source->frontier_ns() : lane.head().time_ns;
    turns.add({moved(time_ns, offsets.back()), static_cast<std::uint32_t>(feeds.size() - 1)});
  }

  while (!turns.empty()) {
    const Turn turn = turns.top();
    Lane& lane = lanes_[turn.lane];
    Feed& feed = *feeds[turn.lane];

    if (lane.empty() && feed.done) {
      assert(lane.depth() == 0);
      turns.remove_top();
      continue;
    }
    const bool waits = lane.empty() || lane.head_is_open();
    if (waits && !feed.done && (lane.empty() || waiting_bytes(feed) < share * feed.lanes.size())) {
      tick();
      feed.done = !feed.source->pump(block);
    } else if (waits) {
      lane.release_head();
    } else {
      // Up to the next lane's turn; at equal times, the lower lane goes first.
      Turn next{kTimeLimitNs, 0};
      const bool goes_first = turns.second(next) && turn.lane < next.lane;
      write(turn.lane, next.time_ns + (goes_first ? 1 : 0), sink);
    }
    const std::int64_t offset_ns = offsets[turn.lane];
    const std::uint64_t time_ns = !lane.empty() ? moved(lane.head().time_ns, offset_ns)
                                  : feed.done
                                      ? turn.time_ns
                                      : std::max(turn.time_ns, moved(feed.source->frontier_ns(), offset_ns));
    turns.postpone_top(time_ns);
  }
  finish_inputs();
}

// Reads on until every input that is moved back is known to begin at or after time 0.
void Timeline::keep_offsets_drawable(std::size_t block, const std::function<void()>& tick) {
  std::vector<std::uint64_t> first_ns(inputs_.size(), kTimeLimitNs);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t input = input_of_lane_[i];
    const auto found = feed_of_.find(&lanes_[i]);
    if (inputs_[input].offset_ns >= 0 || found == feed_of_.end()) continue;
    Feed& feed = feeds_[found->second];
    const auto is_empty = [](const Lane* lane) { return lane->empty(); };
    while (!feed.done && std::ranges::all_of(feed.lanes, is_empty)) {
      tick();
      feed.done = !feed.source->pump(block);
    }
    // What a lane does not say yet comes after the frontier.
    if (!lanes_[i].empty())
      first_ns[input] = std::min(first_ns[input], lanes_[i].head().time_ns);
    else if (!feed.done)
      first_ns[input] = std::min(first_ns[input], feed.source->frontier_ns());
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[i];
    if (input.offset_ns >= 0 || first_ns[i] >= magnitude_of(input.offset_ns)) continue;
    const auto possible_ns = -static_cast<std::int64_t>(first_ns[i]);
    notes_->add(kOffsetCut, Place::file(input.name),
                fmt::format("an offset of {} ns would lead below time 0: moved by {} ns", input.offset_ns,
                            possible_ns));
    input.offset_ns = possible_ns;
  }
}

// All that lane number `index` has ready before that time.
void Timeline::write(std::size_t index, std::uint64_t before_ns, EventSink& sink) {
  Lane& lane = lanes_[index];
  Input& input = inputs_[input_of_lane_[index]];
  const std::int64_t offset_ns = input.offset_ns;
  input.first_ns = std::min(input.first_ns, moved(lane.head().time_ns, offset_ns));
  const std::uint64_t lane_before_ns = before_moving(before_ns, offset_ns);
  for (bool has_more = true; has_more;) {
    const auto run = lane.ready(lane_before_ns);
    if (run.empty()) break;
    if (offset_ns == 0) {
      sink.write(index, lane, run);
    } else {
      moved_.assign(run.begin(), run.end());
      for (Slot& slot : moved_) {
        slot.time_ns = moved(slot.time_ns, offset_ns);
        if (slot.kind() == SlotKind::Complete) slot.end_ns = moved(slot.end_ns, offset_ns);
      }
      sink.write(index, lane, moved_);
    }
    has_more = lane.consume(run.size());
  }
}

void Timeline::finish_inputs() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Input& input = inputs_[input_of_lane_[i]];
    if (lanes_[i].last_ns() != 0)
      input.last_ns = std::max(input.last_ns, moved(lanes_[i].last_ns(), input.offset_ns));
  }
  for (const Input& input : inputs_)
    if (input.offset_ns > 0 && input.last_ns == kTimeLimitNs - 1)
      notes_->add(
          kOffsetCut, Place::file(input.name),
          fmt::format("an offset of {} ns leads behind the last time that can be drawn", input.offset_ns));
}

void Timeline::note_inputs_apart() const {
  const auto is_empty = [](const Input& input) { return input.first_ns > input.last_ns; };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input &first = inputs_.front(), &input = inputs_[i];
    if (is_empty(first) || is_empty(input)) continue;
    std::string gap;
    if (input.first_ns > first.last_ns)
      gap = fmt::format("begins {} after {} ends", seconds(input.first_ns - first.last_ns), first.name);
    else if (input.last_ns < first.first_ns)
      gap = fmt::format("ends {} before {} begins", seconds(first.first_ns - input.last_ns), first.name);
    else
      continue;
    const auto together_ns = input.offset_ns + static_cast<std::int64_t>(first.first_ns) -
                             static_cast<std::int64_t>(input.first_ns);
    notes_->add(kApartInTime, Place::file(input.name),
                fmt::format("{}; if their clocks differ, --offset {}={} lets both begin together", gap, i + 1,
                            together_ns));
  }
}

std::uint64_t Timeline::last_ns() const {
  std::uint64_t latest = 0;
  for (const Input& input : inputs_) latest = std::max(latest, input.last_ns);
  return latest;
}

std::uint64_t Timeline::hidden() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.hidden();
  return sum;
}

std::uint64_t Timeline::cut_arguments() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.cut_arguments();
  return sum;
}

}  // namespace convert
