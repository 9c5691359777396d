#include "fxt/tools/drawing/timeline.h"

#include <cmath>
#include <iterator>
#include <variant>

#include "fxt/checking/value_rules.h"
#include "fxt/format.h"
#include "fxt/support/text.h"
#include "fxt/tools/record_text.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kDrawnShapes = 50'000, kFewShapes = 4'000;
constexpr std::size_t kPageShapes = 90'000;
constexpr std::size_t kNameBytes = 200;  // longer than the text that a tooltip can show
constexpr std::size_t kDetailsBytes = 4 * kNameBytes;
constexpr std::size_t kMaxArrows = 5'000, kMaxOpenFlows = 100'000;
constexpr std::size_t kMaxLines = 1'000, kMaxLogNames = 10'000;
constexpr std::string_view kFrames = "tracepoint";  // the category of GDB frames

std::optional<std::uint64_t> frame_of(const Event& event) {
  if (event.category.text != kFrames) return std::nullopt;
  for (const Argument& argument : event.arguments)
    if (const auto* const number = std::get_if<std::uint32_t>(&argument.value);
        number != nullptr && argument.name.text == "frame")
      return *number;
  return std::nullopt;
}

std::uint64_t process_of(const Event& event) {
  return event.thread.storage == Storage::Missing ? kUnregistered : event.thread.process;
}

std::uint64_t divided_up(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0 ? 1U : 0U);
}

}  // namespace

DrawnTimeline::DrawnTimeline(TimelineOptions options)
    : options_(std::move(options)),
      calls_(options_.events, *this, CallStream::Kinds::DurationsAndAsyncs),
      runs_([this](const CpuRun& run) { ran(run); }) {}

void DrawnTimeline::add(const Entry& entry, const Reader& reader) {
  const auto span = span_of(entry.record, reader);
  if (span)
    axis_.extend(span->begin_ns, span->end_ns);
  else if (fxt::time_of(entry.record))
    ++report_.bad_times;
  calls_.add(entry, reader);
  const auto* const event = std::get_if<Event>(&entry.record);
  if (!span || (event != nullptr && (is_duration(event->type) || event->type == EventType::AsyncBegin ||
                                     event->type == EventType::AsyncEnd)))
    return;
  const std::uint64_t time_ns = span->begin_ns;
  if (event == nullptr) runs_.add(entry.record, time_ns);
  const bool is_chosen = options_.events.contains(entry.record);
  if (event != nullptr && is_flow(event->type)) return add_flow(*event, time_ns, is_chosen);
  if (!is_chosen || !is_in_range(time_ns, time_ns)) return;
  if (event != nullptr && event->type == EventType::AsyncInstant)
    add_async_instant(*event, time_ns);
  else if (event != nullptr && event->type == EventType::Instant)
    add_instant(*event, time_ns);
  else if (event != nullptr && event->type == EventType::Counter)
    add_counter(*event, time_ns);
  else if (const auto* const log = std::get_if<Log>(&entry.record))
    add_log(*log, time_ns);
  else if (const auto* const wakeup = std::get_if<ThreadWakeup>(&entry.record))
    add_wakeup(*wakeup, time_ns);
  else if (!std::holds_alternative<LegacyContextSwitch>(entry.record) &&
           !std::holds_alternative<ContextSwitch>(entry.record))
    report_.count_undrawn(entry.record);
}

DrawnTimeline::ThreadState& DrawnTimeline::state_of(const CallTrack& thread) {
  if (thread.index >= threads_.size()) threads_.resize(thread.index + 1);
  auto& state = threads_[thread.index];
  if (!state) state.emplace(options_.max_rows);
  return *state;
}

void DrawnTimeline::started(CallTrack& thread, Call& call, const Event& event) {
  if (thread.is_async) return started_operation(call, event);
  std::uint32_t details = 0;
  // Narrow calls will be merged, so their arguments are not needed.
  if (!event.arguments.empty() && call.is_chosen && (call.is_pair || call.length_ns() >= budget_.merged_ns()))
    details = details_of(event);
  state_of(thread).open.push_back(
      {.frame = frame_of(event), .details = details, .row = thread.chosen - (call.is_chosen ? 1 : 0)});
}

void DrawnTimeline::ended(CallTrack& thread, const Call& call) {
  if (thread.is_async) return ended_operation(call);
  ThreadState& state = state_of(thread);
  const Extra extra = state.open.back();
  state.open.pop_back();
  if (!call.is_chosen || !is_in_range(call.start_ns, call.end_ns)) return;
  Shape shape{.begin_ns = call.start_ns,
              .end_ns = call.end_ns,
              .longest_ns = call.length_ns(),
              .name = call.name_index,
              .details = extra.details,
              .frame = extra.frame,
              .has_end = call.has_end};
  if (!call.has_end) ++report_.endless;
  // A frame with many values is a call of length 0, and is drawn as a frame. A frame with a length comes from
  // single steps, and is drawn as a call.
  if (shape.longest_ns == 0 && call.category() == kFrames) {
    shape.kind = Shape::Kind::Frame;
    return mark(state, thread.chosen, shape);
  }
  put(state, thread.chosen, shape);
}

std::uint32_t DrawnTimeline::details_of(const Event& event) {
  TextBuffer text;
  const bool is_frame = frame_of(event).has_value();  // the shape already shows the number of the frame
  for (const Argument& argument : event.arguments) {
    if (is_frame && argument.name.text == "frame") continue;
    if (text.size() > kDetailsBytes) break;
    if (text.size() != 0) text.push_back('\n');
    append_argument(text, argument);
  }
  if (event.scope) {
    append_text(text, text.size() != 0 ? "\nscope=" : "scope=");
    append_scope(text, *event.scope);
  }
  return keep_details({text.data(), text.size()});
}

std::uint32_t DrawnTimeline::keep_details(std::string_view text) {
  return details_->keep(cut_utf8(text, kDetailsBytes));
}

void DrawnTimeline::add_instant(const Event& event, std::uint64_t time_ns) {
  const CallTrack& thread = calls_.advance(event.thread, time_ns);
  const Shape shape{.kind = event.category.text == kFrames ? Shape::Kind::Frame : Shape::Kind::Instant,
                    .begin_ns = time_ns,
                    .end_ns = time_ns,
                    .name = calls_.index_of(event),
                    .details = event.arguments.empty() && !event.scope ? 0 : details_of(event),
                    .frame = frame_of(event)};
  mark(state_of(thread), thread.chosen, shape);
  if (event.scope && *event.scope != InstantScope::Thread && lines_.size() < kMaxLines)
    lines_.push_back(
        {.process = *event.scope == InstantScope::Process ? std::optional(thread.thread.first) : std::nullopt,
         .ns = time_ns,
         .name = shape.name});
}

// ---- Logs, async operations and CPUs ----

void DrawnTimeline::add_log(const Log& log, std::uint64_t time_ns) {
  const CallTrack& thread = calls_.advance(log.thread, time_ns);
  // The first line of a log message is the name of its instant. Without a message, or if there are too many
  // names, the name is "log".
  const std::string_view line = log.message.substr(0, log.message.find('\n'));
  const bool has_name = calls_.names().size() < kMaxLogNames && !line.empty();
  mark(state_of(thread), thread.chosen,
       {.kind = Shape::Kind::Instant,
        .begin_ns = time_ns,
        .end_ns = time_ns,
        .name = calls_.index_of(
            {.category = "log", .name = has_name ? cut_utf8(line, kNameBytes) : std::string_view("log")}),
        .details = has_name && line.size() == log.message.size() ? 0 : keep_details(log.message)});
}

std::size_t DrawnTimeline::OperationsState::take_row() {
  return free_rows.empty() ? known_rows++ : free_rows.extract(free_rows.begin()).value();
}

void DrawnTimeline::started_operation(Call& operation, const Event& event) {
  operation.is_chosen = options_.events.contains(event);
  if (!operation.is_chosen) return;
  const std::uint64_t process = process_of(event);
  operations_.emplace(operation.number,
                      DrawnOperation{.process = process,
                                     .details = event.arguments.empty() ? 0 : details_of(event),
                                     .row = operations_of(process).take_row()});
}

// An operation without an end lasts until the end of the trace.
void DrawnTimeline::ended_operation(const Call& operation) {
  if (!operation.is_chosen) return;
  const DrawnOperation drawn = operations_.extract(operation.number).mapped();
  OperationsState& lane = operations_of(drawn.process);
  lane.free_rows.insert(drawn.row);
  const std::uint64_t end_ns = is_over_ && !operation.has_end ? axis_.last_ns() : operation.end_ns;
  if (!is_in_range(operation.start_ns, end_ns)) return;
  if (!operation.has_end) ++report_.endless;
  put(lane, drawn.row,
      {.begin_ns = operation.start_ns,
       .end_ns = end_ns,
       .longest_ns = end_ns - operation.start_ns,
       .name = operation.name_index,
       .details = drawn.details,
       .has_end = operation.has_end});
}

// Draws the instant in the row of the innermost operation of its id.
void DrawnTimeline::add_async_instant(const Event& event, std::uint64_t time_ns) {
  const CallTrack* const track = calls_.operations_of(event.id);
  const auto around = track == nullptr ? operations_.end() : operations_.find(track->calls.back().number);
  const bool is_inside = around != operations_.end();
  mark(operations_of(is_inside ? around->second.process : process_of(event)),
       is_inside ? around->second.row : 0,
       {.kind = Shape::Kind::Instant,
        .begin_ns = time_ns,
        .end_ns = time_ns,
        .name = calls_.index_of(event),
        .details = event.arguments.empty() ? 0 : details_of(event)});
}

std::uint32_t DrawnTimeline::name_of_thread(std::uint64_t koid) {
  const auto [name, is_new] = thread_names_.try_emplace(koid, 0);
  if (is_new) name->second = calls_.index_of({.category = "cpu", .name = std::to_string(koid)});
  return name->second;
}

DrawnTimeline::LaneState& DrawnTimeline::lane_of_cpu(std::uint16_t cpu) {
  return cpus_.try_emplace(cpu, Drawing::Lane::Kind::Cpu, options_.max_rows).first->second;
}

DrawnTimeline::OperationsState& DrawnTimeline::operations_of(std::uint64_t process) {
  return operation_lanes_.try_emplace(process, options_.max_rows).first->second;
}

void DrawnTimeline::ran(const CpuRun& run) {
  if (!takes(options_.events, run) || !is_in_range(run.begin_ns, run.end_ns)) return;
  put(lane_of_cpu(run.cpu), 0,
      {.begin_ns = run.begin_ns,
       .end_ns = run.end_ns,
       .longest_ns = run.end_ns - run.begin_ns,
       .name = name_of_thread(run.thread),
       .has_end = run.has_end});
}

void DrawnTimeline::add_wakeup(const ThreadWakeup& wakeup, std::uint64_t time_ns) {
  mark(lane_of_cpu(wakeup.cpu), 0,
       {.kind = Shape::Kind::Instant,
        .begin_ns = time_ns,
        .end_ns = time_ns,
        .name = calls_.index_of({.category = "cpu", .name = "wakeup"}),
        .details = keep_details("thread " + std::to_string(wakeup.thread))});
}

bool DrawnTimeline::is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const {
  return begin_ns <= calls_.window().to() && end_ns >= calls_.window().from();
}

// Connects a step or an end to the same flow as Perfetto does. The names of flow events do not matter.
void DrawnTimeline::add_flow(const Event& event, std::uint64_t time_ns, bool is_chosen) {
  FlowPoint point{.is_shown = is_chosen && is_in_range(time_ns, time_ns), .ns = time_ns};
  if (is_chosen) {
    const CallTrack& thread = calls_.advance(event.thread, time_ns);
    point.thread = thread.thread;
    point.row = thread.chosen == 0 ? 0 : thread.chosen - 1;
  } else if (event.type == EventType::FlowStep) {
    return;  // the arrow skips this event
  }
  if (event.type == EventType::FlowBegin) return begin_flow(event, point);
  const auto flow = open_flows_.find(event.thread.process, event.id);
  if (!flow) return report_.count_flow_event(point.is_shown);
  add_arrow({.from = *flow.tag, .to = point, .name = calls_.index_of(event)});
  point.has_arrow = true;
  if (event.type == EventType::FlowEnd)
    open_flows_.end(flow, event.id);
  else
    *flow.tag = point;
}

void DrawnTimeline::begin_flow(const Event& event, const FlowPoint& point) {
  if (open_flows_.size() >= kMaxOpenFlows)
    report_.flows_too_many += point.is_shown ? 1 : 0;
  else if (!open_flows_.begin(event.thread.process, event.id, point))
    report_.count_flow_event(point.is_shown);
}

// A flow is drawn only if both ends are in the range and on selected threads.
void DrawnTimeline::add_arrow(const FlowArrow& arrow) {
  if (arrow.from.is_shown != arrow.to.is_shown)
    ++report_.arrows_cut;
  else if (arrow.to.is_shown && arrows_.size() < kMaxArrows)
    arrows_.push_back(arrow);
  else if (arrow.to.is_shown)
    ++report_.arrows_too_many;
}

void DrawnTimeline::add_counter(const Event& event, std::uint64_t time_ns) {
  using Added = DrawnCounters::Added;
  for (const Argument& argument : event.arguments) {
    const auto value = number_of(argument.value);
    const Added added = value && std::isfinite(*value)
                            ? counters_.add({event.thread.process, std::string(event.name.text), event.id,
                                             std::string(argument.name.text)},
                                            {time_ns, *value})
                            : Added::TooMany;
    ++(added == Added::TooMany ? report_.values_not_drawn : report_.values);
    if (added == Added::New) axis_.reach(time_ns, time_ns, calls_.window());
  }
}

bool DrawnTimeline::admit(LaneState& lane) {
  const bool is_thread = lane.kind == Drawing::Lane::Kind::Thread;
  if (!lane.is_drawn) {
    std::size_t& drawn = drawn_lanes_.at(static_cast<std::size_t>(lane.kind));
    lane.is_drawn = drawn < options_.max_threads;
    ++(*lane.is_drawn ? drawn : is_thread ? report_.other_threads : report_.other_lanes);
  }
  if (!*lane.is_drawn) ++(is_thread ? report_.on_other_threads : report_.on_other_lanes);
  return *lane.is_drawn;
}

void DrawnTimeline::put(LaneState& lane, std::size_t row, const Shape& shape) {
  if (!admit(lane)) return;
  if (shape.name >= calls_of_name_.size()) calls_of_name_.resize(2 * shape.name + 1);
  ++calls_of_name_[shape.name];
  axis_.reach(shape.begin_ns, shape.end_ns, calls_.window());
  const std::size_t before = lane.rows.size();
  report_.too_deep += lane.rows.put(row, shape, budget_.merged_ns());
  budget_.change(before, lane.rows.size());
  make_room();
}

void DrawnTimeline::mark(LaneState& lane, std::size_t row, const Shape& shape) {
  if (!admit(lane)) return;
  if (shape.kind == Shape::Kind::Frame) axis_.reach(shape.begin_ns, shape.end_ns, calls_.window());
  axis_.mark(shape.begin_ns);
  const ThreadRows::Marked marked = lane.rows.mark(row, shape);
  if (marked == ThreadRows::Marked::TooDeep) ++report_.too_deep;
  if (marked != ThreadRows::Marked::New) return;
  budget_.change(0, 1);
  make_room();
}

void DrawnTimeline::make_room() {
  budget_.make_room(axis_.last_ns(), [this](std::uint64_t width_ns, std::size_t excess) {
    std::size_t merged = 0;
    for (auto& thread : threads_)
      if (thread) merged += thread->rows.merge(width_ns, excess - merged);
    for (auto& [process, lane] : operation_lanes_) merged += lane.rows.merge(width_ns, excess - merged);
    for (auto& [cpu, lane] : cpus_) merged += lane.rows.merge(width_ns, excess - merged);
    return merged;
  });
}

void DrawnTimeline::finish(const ReaderCounters& counters) {
  is_over_ = true;
  calls_.finish();
  runs_.finish(axis_.last_ns());
  open_flows_.for_each([this](std::uint64_t, std::uint64_t, const FlowPoint& latest) {
    if (!latest.has_arrow) report_.count_flow_event(latest.is_shown);
  });
  report_.unmatched_ends += calls_.odd().unmatched;
  report_.unreadable = counters.unknown_records + counters.damaged_records + counters.too_large_records;
  axis_.finish(options_.events.range.value_or(TimeRange{}), calls_.window());
}

std::map<ThreadKey, std::size_t> DrawnTimeline::add_lanes_to(Drawing& drawing) const {
  std::map<ThreadKey, std::size_t> lanes;
  const auto add = [&drawing](const LaneState& lane, std::string_view name) {
    drawing.lanes.push_back(
        {.name = std::string(cut_utf8(name, kNameBytes)), .kind = lane.kind, .rows = lane.rows.rows()});
  };
  const ObjectNames& objects = calls_.objects();
  for (const auto& [key, thread] : calls_.threads()) {
    if (thread.index >= threads_.size() || !threads_[thread.index] ||
        threads_[thread.index]->rows.size() == 0)
      continue;
    lanes.emplace(key, drawing.lanes.size());
    add(*threads_[thread.index], objects.text_of(key));
  }
  for (const auto& [process, lane] : operation_lanes_)
    if (lane.rows.size() != 0) add(lane, objects.text_of_process(process) + ": async operations");
  for (const auto& [cpu, lane] : cpus_)
    if (lane.rows.size() != 0) add(lane, "cpu " + std::to_string(cpu));
  return lanes;
}

// `lanes` has the index of each drawn thread's track in `drawing.lanes`.
void DrawnTimeline::add_lines_to(Drawing& drawing, const std::map<ThreadKey, std::size_t>& lanes) const {
  for (const auto& [process, ns, name] : lines_) {
    const auto first = process ? lanes.lower_bound({*process, 0}) : lanes.begin();
    const auto behind = process ? lanes.upper_bound({*process, ~std::uint64_t{0}}) : lanes.end();
    if (first != behind)
      drawing.lines.push_back({.first_lane = first->second,
                               .last_lane = process ? std::prev(behind)->second : drawing.lanes.size() - 1,
                               .ns = ns,
                               .name = name});
  }
}

Drawing DrawnTimeline::drawing(Detail detail) {
  Drawing drawing{.details = details_,
                  .from_ns = axis_.from_ns(),
                  .to_ns = axis_.to_ns(),
                  .origin_ns = axis_.origin_ns()};
  const std::map<ThreadKey, std::size_t> lanes = add_lanes_to(drawing);
  const std::uint64_t length_ns = drawing.to_ns - drawing.from_ns;
  const std::uint64_t pixel_ns = std::max<std::uint64_t>(1, divided_up(length_ns, options_.columns));
  const std::size_t most = detail == Detail::All   ? kPageShapes
                           : detail == Detail::Few ? kFewShapes
                                                   : kDrawnShapes;
  std::uint64_t merged_ns = std::max(budget_.merged_ns(), detail == Detail::All ? 0 : pixel_ns);
  std::size_t shapes = 0, deepest = 0;
  for (Drawing::Lane& lane : drawing.lanes) {
    deepest = std::max(deepest, lane.rows.size());
    for (Row& row : lane.rows) {
      if (detail != Detail::All) row.merge(pixel_ns, row.size());
      shapes += row.size();
    }
  }
  // Merges shapes in the lowest rows first, so that the calls around them remain separate.
  for (std::uint64_t width_ns = merged_ns; shapes > most && width_ns / 2 <= length_ns;
       width_ns = std::max<std::uint64_t>(1, 2 * width_ns)) {
    merged_ns = width_ns;
    for (std::size_t number = deepest; number-- > 0;)
      for (Drawing::Lane& lane : drawing.lanes)
        if (number < lane.rows.size() && shapes > most)
          shapes -= lane.rows[number].merge(merged_ns, shapes - most);
  }
  const auto end_of = [&](const FlowPoint& point) -> std::optional<Drawing::Arrow::End> {
    const auto lane = lanes.find(point.thread);
    if (lane == lanes.end() || point.row >= drawing.lanes[lane->second].rows.size()) return std::nullopt;
    return Drawing::Arrow::End{.lane = lane->second, .row = point.row, .ns = point.ns};
  };
  for (const FlowArrow& arrow : arrows_) {
    const auto from = end_of(arrow.from), to = end_of(arrow.to);
    if (from && to) drawing.arrows.push_back({.from = *from, .to = *to, .name = arrow.name});
  }
  report_.arrows_without_row = arrows_.size() - drawing.arrows.size();
  for (Drawing::Lane& lane : counters_.lanes()) drawing.lanes.push_back(std::move(lane));
  add_lines_to(drawing, lanes);
  for (std::uint32_t name = 0; name < calls_.names().size(); ++name)
    drawing.names.push_back(
        {calls_.names()[name].category, std::string(cut_utf8(calls_.names()[name].name, kNameBytes))});
  for (const auto& [koid, name] : thread_names_)
    drawing.names[name].name = cut_utf8(calls_.objects().text_of_thread(koid), kNameBytes);
  drawing.calls = calls_of_name_;
  drawing.calls.resize(drawing.names.size());
  report_.merged_ns = merged_ns;
  report_.pixels = detail == Detail::All ? 0 : divided_up(merged_ns, pixel_ns);
  report_.without_details = details_->left_out();
  report_.count_drawn(drawing);
  drawing.foot = report_.lines();
  return drawing;
}

}  // namespace fxt::tools
