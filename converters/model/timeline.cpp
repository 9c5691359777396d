#include "converters/model/timeline.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "converters/model/merging/shared_threads.h"
#include "converters/model/reading/text.h"

namespace convert {
void Timeline::begin_input(std::string_view name) {
  inputs_.push_back({.name = std::string(name)});
  ids_.begin_input(name);
}

void Timeline::shift_input(std::size_t input, std::int64_t offset_ns) {
  inputs_.at(input).offset_ns = saturating_sum(inputs_[input].clock_ns, offset_ns);
}

std::optional<std::int64_t> Timeline::clock_shift_ns() const {
  const auto moved = std::ranges::find_if(inputs_, [](const auto& input) { return input.clock_ns != 0; });
  return moved == inputs_.end() ? std::nullopt : std::optional(moved->clock_ns);
}

void Timeline::shift_clock(std::int64_t behind_ns) {
  inputs_.back().clock_ns = behind_ns;
  inputs_.back().offset_ns = behind_ns;
}

Lane& Timeline::add_lane(LaneInfo info) {
  info.process = shown_id(info.process);
  info.thread = shown_id(info.thread);
  infos_.push_back(std::move(info));
  input_of_lane_.push_back(inputs_.size() - 1);
  return lanes_.emplace_back(pool_, options_.lanes);
}

void Timeline::describe_input(TraceInfo info) {
  const auto keep_first = [](std::string& known, std::string& other) {
    if (known.empty()) known = std::move(other);
  };
  keep_first(info_.session, info.session);
  if (info_.system.empty()) keep_first(info_.system_release, info.system_release);
  keep_first(info_.system, info.system);
  if (!info_.wall_clock && info.wall_clock) {
    info_.wall_clock = info.wall_clock;
    input_of_clock_ = inputs_.size() - 1;
  }
  for (ProcessInfo& process : info.processes) {
    process.process = shown_id(process.process);
    if (process.parent != ProcessId{}) process.parent = shown_id(process.parent);
    info_.processes.push_back(std::move(process));
  }
}

void Timeline::add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes) {
  SourceState state{.source = std::move(source), .input = inputs_.size() - 1};
  for (const Lane* const lane : lanes) state.lanes.push_back(number_of(*lane));
  sources_.push_back(std::move(state));
}

void Timeline::add_shared_source(std::unique_ptr<SharedSource> shared_source) {
  shared_sources_.push_back({.source = std::move(shared_source), .input = inputs_.size() - 1});
}

std::size_t Timeline::number_of(const Lane& lane) const {
  // It is usually one of the last ones.
  const auto found =
      std::find_if(lanes_.rbegin(), lanes_.rend(), [&](const Lane& other) { return &other == &lane; });
  assert(found != lanes_.rend());
  return static_cast<std::size_t>(lanes_.rend() - found) - 1;
}

// ---- Matching threads ----

void Timeline::add_unmatched_thread(UnmatchedThread thread) {
  if (thread.id != 0) ids_.prefer(infos_[number_of(*thread.lane)].thread, thread.id);
  unmatched_threads_.push_back({std::move(thread), inputs_.size() - 1});
}

void Timeline::add_call_history(std::unique_ptr<CallHistory> history) {
  call_histories_.push_back({std::move(history), inputs_.size() - 1});
}

void Timeline::draw_matched_threads() {
  // Their memory is freed at the end of this function.
  const auto threads = std::exchange(unmatched_threads_, {});
  const auto histories = std::exchange(call_histories_, {});
  if (threads.empty() || histories.empty()) return;
  const auto name_of = [this](const Lane& lane) {
    return fmt::format("thread {}", convert::number_of(infos_[number_of(lane)].thread));
  };
  const auto matches = match_threads(threads, histories, inputs_, name_of);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const UnmatchedThread& thread = threads[i].thread;
    if (matches[i].lane == nullptr) {
      notes_->add(kKeptApart, [&] {
        return fmt::format("{}: {}: {}", inputs_[threads[i].input].name, thread.name,
                           matches[i].why_unmatched);
      });
      continue;
    }
    const std::size_t number = number_of(*thread.lane);
    const auto [weight, first_call_ns] = std::pair(infos_[number].weight, infos_[number].first_call_ns);
    infos_[number] = infos_[number_of(*matches[i].lane)];
    infos_[number].weight = weight;
    infos_[number].first_call_ns = first_call_ns;
    lanes_[number].set_matched();
  }
}

// At equal times, matched lanes come last, whatever came first on the command line: the times of their events
// may be rounded down, so that an event belongs into a call that begins at the same time.
std::vector<std::size_t> Timeline::merge_order() const {
  std::vector<std::size_t> order;
  for (const bool are_matched : {false, true})
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      if (lanes_[i].is_matched() == are_matched) order.push_back(i);
  return order;
}

// ---- Running ----

void Timeline::run(EventSink& sink, const std::function<void()>& tick) {
  ids_.settle();
  for (LaneInfo& info : infos_) {
    info.process = ids_.settled(info.process);
    info.thread = ids_.settled(info.thread);
  }
  std::optional<SharedThreads> shared;
  if (SharedThreads::are_in(infos_)) shared.emplace(sink, options_.lanes);
  EventSink& first_sink = shared ? *shared : sink;
  {
    MergeLoop loop({.lanes = lanes_,
                    .input_of_lane = input_of_lane_,
                    .sources = sources_,
                    .shared_sources = shared_sources_,
                    .inputs = inputs_,
                    .pool = pool_,
                    .order = merge_order()},
                   options_.lookahead_bytes, options_.jobs, first_sink);
    limit_offsets(loop, tick);
    apply_offsets();
    first_sink.add_lanes(infos_);
    loop.run(tick);
  }
  if (shared) too_deep_when_shared_.assign(shared->too_deep().begin(), shared->too_deep().end());
  finish_inputs();
  for (const auto& call : at_end_) call();
  for (const Notes& notes : later_notes_) notes_->join(notes);
}

// Reads until every input with a negative offset is known to begin at or after time 0.
void Timeline::limit_offsets(MergeLoop& loop, const std::function<void()>& tick) {
  std::vector<bool> is_moved_back;
  for (const TimelineInput& input : inputs_) is_moved_back.push_back(input.offset_ns < 0);
  if (std::ranges::none_of(is_moved_back, std::identity{})) return;
  const auto first_ns = loop.find_first_times(is_moved_back, tick);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::int64_t& offset_ns = inputs_[i].offset_ns;
    if (offset_ns >= 0 || first_ns[i] >= magnitude_of(offset_ns)) continue;
    const auto possible_ns = -static_cast<std::int64_t>(first_ns[i]);
    notes_->add(
        kOffsetCut, Location::file(inputs_[i].name),
        fmt::format("an offset of {} ns would lead below time 0: moved by {} ns", offset_ns, possible_ns));
    offset_ns = possible_ns;
  }
}

// To the times that importers told.
void Timeline::apply_offsets() {
  for (std::size_t i = 0; i < infos_.size(); ++i)
    if (std::uint64_t& time_ns = infos_[i].first_call_ns; time_ns != kForever)
      time_ns = apply_offset(time_ns, inputs_[input_of_lane_[i]].offset_ns);
  if (info_.wall_clock)
    info_.wall_clock->time_ns = apply_offset(info_.wall_clock->time_ns, inputs_[input_of_clock_].offset_ns);
}

void Timeline::finish_inputs() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    TimelineInput& input = inputs_[input_of_lane_[i]];
    if (lanes_[i].last_ns() != 0)
      input.last_ns = std::max(input.last_ns, apply_offset(lanes_[i].last_ns(), input.offset_ns));
  }
  for (const TimelineInput& input : inputs_)
    if (input.offset_ns > 0 && input.last_ns == kTimeLimitNs - 1)
      notes_->add(
          kOffsetCut, Location::file(input.name),
          fmt::format("an offset of {} ns leads behind the last time that can be drawn", input.offset_ns));
}

// ---- After the run ----

void Timeline::note_inputs_apart() const {
  const auto is_empty = [](const TimelineInput& input) { return input.first_ns > input.last_ns; };
  for (std::size_t i = 1; i < inputs_.size(); ++i) {
    const TimelineInput &first = inputs_[0], &input = inputs_[i];
    if (is_empty(first) || is_empty(input)) continue;
    std::string gap;
    if (input.first_ns > first.last_ns)
      gap =
          fmt::format("begins {} after {} ends", format_seconds(input.first_ns - first.last_ns), first.name);
    else if (input.last_ns < first.first_ns)
      gap =
          fmt::format("ends {} before {} begins", format_seconds(first.first_ns - input.last_ns), first.name);
    else
      continue;
    const auto together_ns = input.offset_ns - input.clock_ns + static_cast<std::int64_t>(first.first_ns) -
                             static_cast<std::int64_t>(input.first_ns);
    notes_->add(kApartInTime, Location::file(input.name),
                fmt::format("{}; if their clocks differ, --offset {}={} lets both begin together", gap, i + 1,
                            together_ns));
  }
}

std::uint64_t Timeline::last_ns() const {
  std::uint64_t latest = 0;
  for (const TimelineInput& input : inputs_) latest = std::max(latest, input.last_ns);
  return latest;
}

std::uint64_t Timeline::calls_end_ns() const {
  std::uint64_t latest = 0;
  for (const SourceState& state : sources_) {
    const TimelineInput& input = inputs_[state.input];
    const std::uint64_t end_ns = state.source->calls_end_ns();
    latest = std::max(latest, end_ns == kForever ? input.last_ns : apply_offset(end_ns, input.offset_ns));
  }
  return std::min(latest, last_ns());
}

std::vector<TooDeepCount> Timeline::too_deep() const {
  std::vector<TooDeepCount> counts;
  for (const Lane& lane : lanes_) {
    counts.push_back(lane.counters().too_deep);
    if (!too_deep_when_shared_.empty()) counts.back().join(too_deep_when_shared_[counts.size() - 1]);
  }
  return counts;
}

std::uint64_t Timeline::cut_arguments() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.counters().cut_arguments;
  return sum;
}

std::uint64_t Timeline::skipped_calls() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.counters().skipped_calls;
  return sum;
}

}  // namespace convert
