#include "converters/model/timeline.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "converters/model/lanes/offset.h"
#include "converters/model/merging/shared_threads.h"

namespace convert {
namespace {

std::string seconds(std::uint64_t time_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

}  // namespace

void Timeline::begin_input(std::string_view name) {
  inputs_.push_back({.name = std::string(name)});
  merged_.emplace_back();
  ids_of_inputs_.begin_input(name);
}

void Timeline::shift_input(std::size_t input, std::int64_t offset_ns) {
  merged_.at(input).offset_ns = sum_of(inputs_[input].clock_ns, offset_ns);
}

void Timeline::shift_clock(std::int64_t behind_ns) {
  inputs_.back().clock_ns = behind_ns;
  merged_.back().offset_ns = behind_ns;
}

Lane& Timeline::add_lane(LaneInfo info) {
  info.process = shown_id(info.process);
  info.thread = shown_id(info.thread);
  infos_.push_back(std::move(info));
  input_of_lane_.push_back(inputs_.size() - 1);
  return lanes_.emplace_back(pool_, options_.lanes);
}

void Timeline::add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes) {
  MergeLoop::SourceState state{.source = std::move(source), .input = inputs_.size() - 1};
  for (const Lane* const lane : lanes) state.lanes.push_back(number_of(*lane));
  sources_.push_back(std::move(state));
}

std::size_t Timeline::number_of(const Lane& lane) const {
  // Mostly one that was added last.
  const auto found =
      std::find_if(lanes_.rbegin(), lanes_.rend(), [&](const Lane& other) { return &other == &lane; });
  assert(found != lanes_.rend());
  return static_cast<std::size_t>(lanes_.rend() - found) - 1;
}

void Timeline::add_unmatched_thread(UnmatchedThread guest) {
  guests_.push_back({std::move(guest), inputs_.size() - 1});
}

void Timeline::add_call_history(std::unique_ptr<CallHistory> host) {
  hosts_.push_back({std::move(host), inputs_.size() - 1});
}

void Timeline::draw_matched_threads() {
  // What they keep is not needed any more when it is done.
  const auto threads = std::exchange(guests_, {});
  const auto histories = std::exchange(hosts_, {});
  if (threads.empty() || histories.empty()) return;
  std::vector<std::int64_t> offsets_ns;
  for (const MergeLoop::Input& input : merged_) offsets_ns.push_back(input.offset_ns);
  const auto name_of = [this](const Lane& lane) {
    return fmt::format("thread {}", static_cast<std::uint64_t>(infos_[number_of(lane)].thread));
  };
  const auto matches = match_threads(threads, histories, offsets_ns, name_of);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const UnmatchedThread& guest = threads[i].guest;
    if (matches[i].lane == nullptr) {
      notes_->add(kKeptApart, [&] {
        return fmt::format("{}: {}: {}", inputs_[threads[i].input].name, guest.name,
                           matches[i].why_unmatched);
      });
      continue;
    }
    const std::size_t number = number_of(*guest.lane);
    const std::uint64_t weight = std::exchange(infos_[number], infos_[number_of(*matches[i].lane)]).weight;
    infos_[number].weight = weight;
    lanes_[number].set_matched();
  }
}

// The lanes of histories go first at equal times, whatever came first on the command line: a guest's stamp
// may be cut off, so that it belongs into a call that begins then.
std::vector<std::size_t> Timeline::guests_last() const {
  std::vector<std::size_t> order;
  for (const bool are_guests : {false, true})
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      if (lanes_[i].is_matched() == are_guests) order.push_back(i);
  return order;
}

void Timeline::add_shared_source(std::unique_ptr<SharedSource> shared_source) {
  shared_sources_.push_back({.source = std::move(shared_source), .input = inputs_.size() - 1});
}

void Timeline::run(EventSink& all, const std::function<void()>& tick) {
  std::optional<SharedThreads> shared;
  if (SharedThreads::are_in(infos_)) shared.emplace(all, options_.lanes);
  EventSink& sink = shared ? *shared : all;
  sink.add_lanes(infos_);
  {
    MergeLoop rounds({.lanes = lanes_,
                      .input_of_lane = input_of_lane_,
                      .sources = sources_,
                      .shared_sources = shared_sources_,
                      .inputs = merged_,
                      .pool = pool_,
                      .order = guests_last()},
                     options_.lookahead_bytes, options_.jobs, sink);
    keep_offsets_drawable(rounds, tick);
    rounds.run(tick);
  }
  if (shared) too_deep_when_shared_.assign(shared->too_deep().begin(), shared->too_deep().end());
  finish_inputs();
  for (const auto& call : at_end_) call();
  for (const Notes& notes : later_notes_) notes_->join(notes);
}

// Reads on until every input that is moved back is known to begin at or after time 0.
void Timeline::keep_offsets_drawable(MergeLoop& rounds, const std::function<void()>& tick) {
  std::vector<bool> is_moved_back;
  for (const MergeLoop::Input& input : merged_) is_moved_back.push_back(input.offset_ns < 0);
  if (std::ranges::none_of(is_moved_back, std::identity{})) return;
  const auto first_ns = rounds.find_first_times(is_moved_back, tick);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::int64_t& offset_ns = merged_[i].offset_ns;
    if (offset_ns >= 0 || first_ns[i] >= magnitude_of(offset_ns)) continue;
    const auto possible_ns = -static_cast<std::int64_t>(first_ns[i]);
    notes_->add(
        kOffsetCut, Location::file(inputs_[i].name),
        fmt::format("an offset of {} ns would lead below time 0: moved by {} ns", offset_ns, possible_ns));
    offset_ns = possible_ns;
  }
}

void Timeline::finish_inputs() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t input = input_of_lane_[i];
    if (lanes_[i].last_ns() != 0)
      inputs_[input].last_ns =
          std::max(inputs_[input].last_ns, apply_offset(lanes_[i].last_ns(), merged_[input].offset_ns));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (merged_[i].offset_ns > 0 && inputs_[i].last_ns == kTimeLimitNs - 1)
      notes_->add(kOffsetCut, Location::file(inputs_[i].name),
                  fmt::format("an offset of {} ns leads behind the last time that can be drawn",
                              merged_[i].offset_ns));
}

void Timeline::note_inputs_apart() const {
  const auto is_empty = [&](std::size_t i) { return merged_[i].first_ns > inputs_[i].last_ns; };
  for (std::size_t i = 1; i < inputs_.size(); ++i) {
    if (is_empty(0) || is_empty(i)) continue;
    const std::uint64_t first_begin = merged_[0].first_ns, begin = merged_[i].first_ns;
    std::string gap;
    if (begin > inputs_[0].last_ns)
      gap = fmt::format("begins {} after {} ends", seconds(begin - inputs_[0].last_ns), inputs_[0].name);
    else if (inputs_[i].last_ns < first_begin)
      gap =
          fmt::format("ends {} before {} begins", seconds(first_begin - inputs_[i].last_ns), inputs_[0].name);
    else
      continue;
    const auto together_ns = merged_[i].offset_ns - inputs_[i].clock_ns +
                             static_cast<std::int64_t>(first_begin) - static_cast<std::int64_t>(begin);
    notes_->add(kApartInTime, Location::file(inputs_[i].name),
                fmt::format("{}; if their clocks differ, --offset {}={} lets both begin together", gap, i + 1,
                            together_ns));
  }
}

std::uint64_t Timeline::last_ns() const {
  std::uint64_t latest = 0;
  for (const Input& input : inputs_) latest = std::max(latest, input.last_ns);
  return latest;
}

std::vector<TooDeepCount> Timeline::too_deep() const {
  std::vector<TooDeepCount> counts;
  for (const Lane& lane : lanes_) {
    counts.push_back(lane.too_deep());
    if (!too_deep_when_shared_.empty()) counts.back().join(too_deep_when_shared_[counts.size() - 1]);
  }
  return counts;
}

std::uint64_t Timeline::skipped_calls() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.skipped_calls();
  return sum;
}

std::uint64_t Timeline::cut_arguments() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.cut_arguments();
  return sum;
}

}  // namespace convert
