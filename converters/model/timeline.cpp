#include "converters/model/timeline.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/merging/shared_threads.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"

namespace convert {
void Timeline::begin_input(std::string_view name) {
  parts_.inputs.push_back({.name = std::string(name)});
  ids_.begin_input(name);
}

std::size_t Timeline::current_input() const {
  if (parts_.inputs.empty()) throw BrokenContract("begin_input() was not called before");
  return parts_.inputs.size() - 1;
}

void Timeline::shift_input(std::size_t input, std::int64_t offset_ns) {
  parts_.inputs.at(input).moved_ns = offset_ns;
  parts_.inputs[input].offset_ns = saturating_sum(parts_.inputs[input].clock_ns, offset_ns);
}

void Timeline::show_cpus_of(const std::string& machine) { parts_.inputs[current_input()].cpus_of = machine; }

std::optional<std::int64_t> Timeline::clock_shift_ns() const {
  const auto moved =
      std::ranges::find_if(parts_.inputs, [](const auto& input) { return input.clock_ns != 0; });
  return moved == parts_.inputs.end() ? std::nullopt : std::optional(moved->clock_ns);
}

void Timeline::shift_clock(std::int64_t behind_ns) {
  TimelineInput& input = parts_.inputs[current_input()];
  input.clock_ns = behind_ns;
  input.offset_ns = behind_ns;
}

Lane& Timeline::add_lane(LaneInfo info) {
  parts_.input_of_lane.push_back(current_input());
  info.process = ids_.shown(info.process);
  info.thread = ids_.shown(info.thread);
  infos_.push_back(std::move(info));
  return parts_.lanes.emplace_back(parts_.pool, options_.lanes);
}

void Timeline::describe_input(TraceInfo info) {
  const std::size_t input = current_input();
  const auto keep_first = [](std::string& known, std::string& other) {
    if (known.empty()) known = std::move(other);
  };
  keep_first(info_.session, info.session);
  if (info_.system.empty()) {
    keep_first(info_.system_release, info.system_release);
    keep_first(info_.machine, info.machine);
  }
  keep_first(info_.system, info.system);
  if (!info_.wall_clock && info.wall_clock) {
    info_.wall_clock = info.wall_clock;
    info_.wall_clock->input = input;
  }
  for (ProcessInfo& process : info.processes) {
    process.process = ids_.shown(process.process);
    if (process.parent != ProcessId{}) process.parent = ids_.shown(process.parent);
    info_.processes.push_back(std::move(process));
  }
}

void Timeline::add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes) {
  SourceState state{.source = std::move(source), .input = current_input()};
  for (const Lane* const lane : lanes) state.lanes.push_back(number_of(*lane));
  parts_.sources.push_back(std::move(state));
}

void Timeline::add_shared_source(std::unique_ptr<SharedSource> shared_source) {
  parts_.shared_sources.push_back({.source = std::move(shared_source), .input = current_input()});
}

std::size_t Timeline::number_of(const Lane& lane) const {
  // The lane is usually one of the latest lanes.
  const auto found = std::find_if(parts_.lanes.rbegin(), parts_.lanes.rend(),
                                  [&](const Lane& other) { return &other == &lane; });
  if (found == parts_.lanes.rend()) throw BrokenContract("a lane belongs to another Timeline");
  return static_cast<std::size_t>(parts_.lanes.rend() - found) - 1;
}

// ---- Matching threads ----

void Timeline::add_unmatched_thread(UnmatchedThread thread) {
  if (thread.id != 0) ids_.prefer(infos_[number_of(*thread.lane)].thread, thread.id);
  matcher_.add(std::move(thread), current_input());
}

void Timeline::add_call_history(std::unique_ptr<CallHistory> history) {
  matcher_.add(std::move(history), current_input());
}

void Timeline::draw_matched_threads() {
  const ThreadMatcher matcher = std::exchange(matcher_, {});  // destroyed at the end of this function
  const auto threads = matcher.threads();
  if (threads.empty()) return;
  const auto name_of = [this](const Lane& lane) {
    return fmt::format("thread {}", convert::number_of(infos_[number_of(lane)].thread));
  };
  const auto matches = matcher.match(parts_.inputs, name_of);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const UnmatchedThread& thread = threads[i].thread;
    if (matches[i].lane == nullptr) {
      notes_->add(kKeptApart, [&] {
        return fmt::format("{}: {}: {}", parts_.inputs[threads[i].input].name, thread.name,
                           matches[i].why_unmatched);
      });
      continue;
    }
    const std::size_t number = number_of(*thread.lane);
    const auto [weight, first_call_ns] = std::pair(infos_[number].weight, infos_[number].first_call_ns);
    infos_[number] = infos_[number_of(*matches[i].lane)];
    infos_[number].weight = weight;
    infos_[number].first_call_ns = first_call_ns;
    parts_.lanes[number].set_matched();
    for (const auto& [lane, part_name] : thread.parts) {
      LaneInfo& part = infos_[number_of(*lane)];
      part.process = infos_[number].process;
      part.process_name = infos_[number].process_name;
      part.thread_name = fmt::format("{} on {}", part_name, name_of(*thread.lane));
    }
  }
}

// At equal times, events of matched lanes are last. Therefore, such an event is inside a call that starts at
// the same time, even if the event's time was rounded down. This does not depend on the order of the inputs.
std::vector<std::size_t> Timeline::merge_order() const {
  std::vector<std::size_t> order;
  for (const bool are_matched : {false, true})
    for (std::size_t i = 0; i < parts_.lanes.size(); ++i)
      if (parts_.lanes[i].is_matched() == are_matched) order.push_back(i);
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
    MergeLoop loop(parts_, merge_order(), options_.lookahead_bytes, options_.jobs, first_sink);
    limit_offsets(loop, tick);
    apply_offsets();
    first_sink.add_lanes(infos_);
    for (std::size_t i = 0; i < parts_.lanes.size(); ++i)
      if (LaneShortCalls* const calls = parts_.lanes[i].short_calls())
        calls->set_thread_words(first_sink.thread_words(i));
    loop.run(tick);
  }
  finish_inputs();
  note_shared_cpus();
  add_up(shared ? shared->too_deep() : std::span<const TooDeepCount>());
  for (const auto& call : at_end_) call();
  for (const Notes& notes : later_notes_) notes_->join(notes);
  first_sink.finish(totals_);
}

// Finds the first times of inputs with a negative offset. Limits offsets so that no time is below 0.
void Timeline::limit_offsets(MergeLoop& loop, const std::function<void()>& tick) {
  std::vector<bool> is_moved_back;
  for (const TimelineInput& input : parts_.inputs) is_moved_back.push_back(input.offset_ns < 0);
  if (std::ranges::none_of(is_moved_back, std::identity{})) return;
  const auto first_ns = loop.find_first_times(is_moved_back, tick);
  for (std::size_t i = 0; i < parts_.inputs.size(); ++i) {
    std::int64_t& offset_ns = parts_.inputs[i].offset_ns;
    if (offset_ns >= 0 || first_ns[i] >= magnitude_of(offset_ns)) continue;
    const auto possible_ns = -static_cast<std::int64_t>(first_ns[i]);
    notes_->add(kOffsetCut, Location::file(parts_.inputs[i].name),
                fmt::format("an offset of {} ns would lead to times below 0, so {} ns is used", offset_ns,
                            possible_ns));
    offset_ns = possible_ns;
  }
}

std::optional<std::uint64_t> Timeline::first_call_ns() const {
  std::uint64_t first_ns = kForever;
  for (std::size_t i = 0; i < infos_.size(); ++i)
    if (infos_[i].first_call_ns != kForever)
      first_ns = std::min(
          first_ns, apply_offset(infos_[i].first_call_ns, parts_.inputs[parts_.input_of_lane[i]].offset_ns));
  return first_ns == kForever ? std::nullopt : std::optional(first_ns);
}

void Timeline::apply_offsets() {
  for (std::size_t i = 0; i < infos_.size(); ++i)
    if (std::uint64_t& time_ns = infos_[i].first_call_ns; time_ns != kForever)
      time_ns = apply_offset(time_ns, parts_.inputs[parts_.input_of_lane[i]].offset_ns);
  if (auto& clock = info_.wall_clock)
    clock->time_ns = apply_offset(clock->time_ns, parts_.inputs[clock->input].offset_ns);
}

void Timeline::finish_inputs() {
  for (std::size_t i = 0; i < parts_.lanes.size(); ++i) {
    TimelineInput& input = parts_.inputs[parts_.input_of_lane[i]];
    if (parts_.lanes[i].last_ns() != 0)
      input.last_ns = std::max(input.last_ns, apply_offset(parts_.lanes[i].last_ns(), input.offset_ns));
  }
  for (const TimelineInput& input : parts_.inputs)
    if (input.offset_ns > 0 && input.last_ns == kTimeLimitNs - 1)
      notes_->add(kOffsetCut, Location::file(input.name),
                  fmt::format("an offset of {} ns leads to times after 2^63 ns, the last possible time",
                              input.offset_ns));
}

// A CPU's track can show only one thread at a time. Reports inputs that put several threads on the same track
// at the same time.
void Timeline::note_shared_cpus() const {
  const auto note = [&](const TimelineInput& input, const std::string& what) {
    notes_->add(kSharedCpus, Location::file(input.name), what);
  };
  const auto note_if_shared = [&](const TimelineInput& earlier, const TimelineInput& input) {
    const bool is_same_time = input.first_ns == earlier.first_ns && input.last_ns == earlier.last_ns;
    if (!earlier.cpus_of) return false;
    if (*input.cpus_of != *earlier.cpus_of)
      note(input, fmt::format("was recorded on the machine \"{}\", but other inputs were recorded on \"{}\"",
                              *input.cpus_of, *earlier.cpus_of));
    else if (input.first_ns > earlier.last_ns || earlier.first_ns > input.last_ns)
      return false;
    else if (input.moved_ns != earlier.moved_ns)
      note(input.moved_ns != 0 ? input : earlier,
           "overlaps another input because of --offset, so each CPU seems to run two threads at the same "
           "time");
    else if (is_same_time)
      note(input,
           "has the same machine and times as an earlier input, so each CPU seems to run two threads at the "
           "same time");
    else
      return false;
    return true;
  };
  for (std::size_t i = 0; i < parts_.inputs.size(); ++i) {
    if (!parts_.inputs[i].cpus_of) continue;
    for (std::size_t j = 0; j < i && !note_if_shared(parts_.inputs[j], parts_.inputs[i]); ++j) continue;
  }
}

std::optional<FirstView> Timeline::first_view() const {
  constexpr std::uint64_t kMarginsInSpan = 20;     // a margin is 5 % of the marks' span
  constexpr std::uint64_t kLeastMarginNs = 1'000;  // margin around a single mark, for example
  TimeSpan calls, marks;
  for (const LaneInfo& lane : infos_) calls.begin_ns = std::min(calls.begin_ns, lane.first_call_ns);
  for (const SourceState& state : parts_.sources) {
    const TimelineInput& input = parts_.inputs[state.input];
    const auto shown = [&](std::uint64_t time_ns) { return apply_offset(time_ns, input.offset_ns); };
    const std::uint64_t end_ns = state.source->calls_end_ns();
    if (end_ns != 0)
      calls.end_ns = std::max(calls.end_ns, end_ns == kForever ? input.last_ns : shown(end_ns));
    if (const auto own = state.source->marks()) marks.join({shown(own->begin_ns), shown(own->end_ns)});
  }
  calls.end_ns = std::min(calls.end_ns, totals_.last_ns);
  if (calls.begin_ns < calls.end_ns) return FirstView{.span = calls, .has_calls = true};
  if (marks.begin_ns > marks.end_ns) return std::nullopt;
  const std::uint64_t margin_ns = std::max((marks.end_ns - marks.begin_ns) / kMarginsInSpan, kLeastMarginNs);
  marks.begin_ns -= std::min(marks.begin_ns, margin_ns);
  marks.end_ns = std::min(marks.end_ns + margin_ns, kTimeLimitNs - 1);
  return FirstView{.span = marks, .has_calls = false};
}

void Timeline::add_up(std::span<const TooDeepCount> too_deep_when_shared) {
  std::uint64_t first_ns = kForever;
  for (const TimelineInput& input : parts_.inputs) {
    first_ns = std::min(first_ns, input.first_ns);
    totals_.last_ns = std::max(totals_.last_ns, input.last_ns);
  }
  if (first_ns != kForever) totals_.first_ns = first_ns;
  totals_.first_view = first_view();
  for (Lane& lane : parts_.lanes) {
    const LaneCounters& counters = lane.store().counters();
    totals_.too_deep.push_back(counters.too_deep);
    totals_.cut_arguments += counters.cut_arguments;
    totals_.skipped_calls += counters.skipped_calls;
    if (LaneShortCalls* const calls = lane.short_calls()) {
      calls->flush();
      for (const auto& [count, time_ns] : {calls->in_shown_calls(), calls->outside_of_calls()})
        totals_.left_out.add({count, time_ns});
      totals_.outside_ns += calls->outside_of_calls().time_ns;
    }
  }
  for (std::size_t i = 0; i < too_deep_when_shared.size(); ++i)
    totals_.too_deep[i].join(too_deep_when_shared[i]);
}

// ---- After the run ----

void Timeline::note_losses(const Names& names, std::string_view output) const {
  for (std::size_t i = 0; i < totals_.too_deep.size(); ++i) {
    const auto& [count, first] = totals_.too_deep[i];
    if (count == 0) continue;
    notes_->add(kTooDeep, Location::file(output),
                fmt::format("{} in thread {} ({}), the first is {}",
                            fxt::counted(count, "call or instant", "calls and instants"),
                            convert::number_of(infos_[i].thread), infos_[i].thread_name,
                            names.text(names.label(first).name)),
                count);
  }
  if (const std::uint64_t count = totals_.cut_arguments; count != 0)
    notes_->add(kArgumentsCut, Location::file(output), fmt::format("{} {}", count, kArgumentsCut.meaning),
                count);
}

void Timeline::note_inputs_apart() const {
  const auto is_empty = [](const TimelineInput& input) { return input.first_ns > input.last_ns; };
  for (std::size_t i = 1; i < parts_.inputs.size(); ++i) {
    const TimelineInput &first = parts_.inputs[0], &input = parts_.inputs[i];
    if (is_empty(first) || is_empty(input)) continue;
    std::string gap;
    if (input.first_ns > first.last_ns)
      gap =
          fmt::format("starts {} after {} ends", format_seconds(input.first_ns - first.last_ns), first.name);
    else if (input.last_ns < first.first_ns)
      gap =
          fmt::format("ends {} before {} starts", format_seconds(first.first_ns - input.last_ns), first.name);
    else
      continue;
    const auto together_ns = input.offset_ns - input.clock_ns + static_cast<std::int64_t>(first.first_ns) -
                             static_cast<std::int64_t>(input.first_ns);
    notes_->add(
        kApartInTime, Location::file(input.name),
        fmt::format(
            "{}; if the clocks of the two inputs differ, use --offset {}={} to let both start together", gap,
            i + 1, together_ns));
  }
}

}  // namespace convert
