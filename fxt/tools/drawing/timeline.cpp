#include "fxt/tools/drawing/timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <variant>

#include "fxt/format.h"
#include "fxt/tools/calls/call_event.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kHeldShapes = 100'000;
constexpr std::size_t kDrawnShapes = 50'000;
constexpr std::size_t kNameBytes = 200;             // more than a tooltip can show
constexpr std::string_view kFrames = "tracepoint";  // the category of GDB's frames

// What OpenCalls tells of a call.
enum Shown : std::size_t { kHidden, kInRow, kWaiting };

std::optional<std::uint64_t> frame_of(const Event& event) {
  if (event.category.text != kFrames) return std::nullopt;
  for (const Argument& argument : event.arguments)
    if (const auto* const number = std::get_if<std::uint32_t>(&argument.value);
        number != nullptr && argument.name.text == "frame")
      return *number;
  return std::nullopt;
}

std::uint64_t divided_up(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0 ? 1U : 0U);
}

// A frame that holds much is a call of no length. One that lasts, of single steps, is drawn as a call.
bool is_frame(Shape& shape) {
  if (shape.begin_ns != shape.end_ns) shape.kind = Shape::Kind::Call;
  return shape.kind == Shape::Kind::Frame;
}

}  // namespace

Timeline::Timeline(TimelineOptions options)
    : options_(std::move(options)),
      window_(options_.range),
      held_limit_(kHeldShapes),
      names_limit_(kHeldShapes) {}

std::optional<std::uint64_t> Timeline::time_of(std::uint64_t ticks, const Reader& reader) {
  const auto ns = reader.to_ns(ticks);
  if (!ns || *ns >= kTimeLimit) {
    ++account_.bad_times;
    return std::nullopt;
  }
  last_ns_ = std::max(last_ns_, *ns);
  return ns;
}

void Timeline::add(const Entry& entry, const Reader& reader) {
  if (const auto* const object = std::get_if<KernelObject>(&entry.record)) {
    const std::string name(cut_utf8(object->name.text, kNameBytes));
    if (object->type == KernelObjectType::Process) process_names_[object->koid] = name;
    if (object->type == KernelObjectType::Thread) thread_names_[object->koid] = name;
    return;
  }
  std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (requires { value.time; }) {
          const auto time = time_of(value.time, reader);
          if (!time) return;
          if (!start_ns_) start_ns_ = time;
          const bool is_inside = window_.side_of(*time) == TimeWindow::Side::Inside;
          if constexpr (std::is_same_v<T, Event>) {
            if (is_duration(value.type)) return add_call(entry.record, value, reader);
            if (value.type == EventType::Instant) return add_instant(entry.record, value, *time);
          }
          if (is_inside && options_.events.contains(entry.record)) account_.leave_out(entry.record);
        }
      },
      entry.record);
}

Timeline::Track& Timeline::track_of(const Event& event) {
  return tracks_.try_emplace({event.thread.process, event.thread.thread}, options_.max_rows).first->second;
}

void Timeline::add_call(const Record& record, const Event& event, const Reader& reader) {
  const auto said = call_event(event, reader);
  if (!said || said->end_ns >= kTimeLimit) {
    ++account_.bad_times;
    return;
  }
  last_ns_ = std::max(last_ns_, said->end_ns);
  Track& track = track_of(event);
  const auto over = [&](const OpenCalls::Call& call) { close(track, call, true); };
  const bool is_in_order = track.open.advance(said->begin_ns, over);
  const std::uint64_t time_ns = std::max(said->begin_ns, track.open.last_ns());
  if (said->is_end()) {
    if (!track.open.end(time_ns, over) && is_in_range(time_ns, time_ns)) ++account_.unmatched_ends;
    return;
  }
  const bool is_shown = options_.events.contains(record);
  const bool is_drawn = is_shown && is_in_range(said->begin_ns, said->end_ns);
  if (!is_in_order && is_drawn) ++account_.late;
  Shown shown = is_shown ? kInRow : kHidden;
  if (said->is_begin()) {
    if (is_shown && time_ns <= window_.to()) {
      track.waiting.push_back({.row = track.shown, .shape = shape_of(event, time_ns, time_ns)});
      shown = kWaiting;
    }
  } else if (is_in_order) {
    if (is_drawn) put(track, track.shown, shape_of(event, said->begin_ns, said->end_ns));
  } else {
    if (is_drawn) put_late(track, shape_of(event, said->begin_ns, said->end_ns));
    return;
  }
  track.open.push({.name = shown, .begin_ns = time_ns, .end_ns = said->end_ns, .waits = said->is_begin()});
  if (is_shown) ++track.shown;
}

void Timeline::close(Track& track, const OpenCalls::Call& call, bool has_end) {
  if (call.name == kHidden) return;
  --track.shown;
  if (call.name != kWaiting) return;
  Waiting waiting = std::move(track.waiting.back());
  track.waiting.pop_back();
  Shape& shape = waiting.shape;
  shape.end_ns = call.end_ns;
  shape.longest_ns = call.end_ns - shape.begin_ns;
  shape.has_end = has_end;
  if (!is_in_range(shape.begin_ns, shape.end_ns)) return;
  if (!has_end) ++account_.endless;
  put(track, waiting.row, std::move(shape));
}

void Timeline::add_instant(const Record& record, const Event& event, std::uint64_t time_ns) {
  if (!options_.events.contains(record)) return;
  Track& track = track_of(event);
  const bool is_in_order =
      track.open.advance(time_ns, [&](const OpenCalls::Call& call) { close(track, call, true); });
  if (!is_in_range(time_ns, time_ns)) return;
  Shape shape = shape_of(event, time_ns, time_ns);
  shape.kind = event.category.text == kFrames ? Shape::Kind::Frame : Shape::Kind::Instant;
  if (!is_in_order) ++account_.late;
  mark(track, is_in_order ? track.shown : track.lane.row_at(0, time_ns), std::move(shape));
}

bool Timeline::is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const {
  return begin_ns <= window_.to() && end_ns >= window_.from();
}

Shape Timeline::shape_of(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns) {
  return {.kind = event.category.text == kFrames ? Shape::Kind::Frame : Shape::Kind::Call,
          .begin_ns = begin_ns,
          .end_ns = end_ns,
          .longest_ns = end_ns - begin_ns,
          .name = shared(event.name.text),
          .frame = frame_of(event)};
}

Name Timeline::shared(std::string_view text) {
  text = cut_utf8(text, kNameBytes);
  if (const auto known = names_.find(text); known != names_.end()) return *known;
  if (names_.size() >= names_limit_) {
    std::erase_if(names_, [](const Name& name) { return name.use_count() == 1; });
    names_limit_ = std::max(kHeldShapes, 2 * names_.size());
  }
  return *names_.insert(std::make_shared<const std::string>(text)).first;
}

bool Timeline::take(Track& track, const Shape& shape) {
  if (track.place == Place::Unknown) {
    const bool has_lane = lanes_ < options_.max_lanes;
    track.place = has_lane ? Place::Lane : Place::None;
    ++(has_lane ? lanes_ : account_.other_threads);
  }
  if (track.place == Place::None) {
    ++account_.on_other_threads;
    return false;
  }
  first_drawn_ns_ = std::min(first_drawn_ns_, std::max(shape.begin_ns, window_.from()));
  last_drawn_ns_ = std::max(last_drawn_ns_, std::min(shape.end_ns, window_.to()));
  return true;
}

void Timeline::put(Track& track, std::size_t row, Shape shape) {
  if (is_frame(shape)) return mark(track, row, std::move(shape));
  if (!take(track, shape)) return;
  account_.too_deep += track.lane.put(row, std::move(shape));
  make_room();
}

void Timeline::put_late(Track& track, Shape shape) {
  std::size_t first_row = 0;
  for (const Waiting& waiting : track.waiting)
    if (waiting.shape.begin_ns <= shape.begin_ns) first_row = waiting.row + 1;
  if (is_frame(shape)) {
    const std::size_t row = track.lane.row_at(first_row, shape.begin_ns);
    return mark(track, row, std::move(shape));
  }
  if (!take(track, shape)) return;
  account_.too_deep += track.lane.put_late(first_row, shape);
  make_room();
}

void Timeline::mark(Track& track, std::size_t row, Shape shape) {
  if (!take(track, shape)) return;
  if (track.lane.mark(row, std::move(shape)) == Lane::Marked::TooDeep) ++account_.too_deep;
  make_room();
}

void Timeline::make_room() {
  if (++held_ <= held_limit_) return;
  merge(kHeldShapes / 2);
  held_limit_ = std::max(kHeldShapes, 2 * held_);
}

std::uint64_t Timeline::span_ns() const {
  return last_drawn_ns_ > first_drawn_ns_ ? last_drawn_ns_ - first_drawn_ns_ : 0;
}

void Timeline::merge(std::size_t max_shapes) {
  const std::uint64_t pixel_ns = std::max<std::uint64_t>(1, divided_up(span_ns(), options_.columns));
  for (std::uint64_t pixels = 1;; pixels *= 2) {
    held_ = 0;
    for (auto& [key, track] : tracks_) {
      track.lane.merge(pixel_ns * pixels);
      held_ += track.lane.size();
    }
    merged_ns_ = std::max(merged_ns_, pixel_ns * pixels);
    if (held_ <= max_shapes || pixels >= options_.columns) break;
  }
  account_.pixels = divided_up(merged_ns_, pixel_ns);
}

void Timeline::finish(const ReaderCounters& counters) {
  for (auto& [key, of] : tracks_) {
    Track& track = of;
    track.open.finish([&](const OpenCalls::Call& call) { close(track, call, !call.waits); });
  }
  if (first_drawn_ns_ > last_drawn_ns_) return;
  // An end of the range that lies outside of the trace is not drawn.
  origin_ns_ = std::min(start_ns_.value_or(0), first_drawn_ns_);
  from_ns_ = options_.range.from ? std::clamp(window_.from(), origin_ns_, first_drawn_ns_) : first_drawn_ns_;
  to_ns_ = options_.range.to ? std::clamp(window_.to(), last_drawn_ns_, std::max(last_ns_, last_drawn_ns_))
                             : last_drawn_ns_;
  to_ns_ = std::max(to_ns_, from_ns_ + 1);
  first_drawn_ns_ = from_ns_;
  last_drawn_ns_ = to_ns_;
  merge(kDrawnShapes);
  account_.unreadable = counters.unknown_records + counters.damaged_records + counters.too_large_records;
  count_shapes();
}

void Timeline::count_shapes() {
  for (const auto& [key, track] : tracks_) {
    if (track.lane.size() != 0) ++account_.threads;
    for (const Row& row : track.lane.rows()) {
      for (const auto& [begin, call] : row.calls()) {
        account_.calls += call.count;
        if (!call.is_merged()) continue;
        account_.merged_calls += call.count;
        ++account_.merged_shapes;
      }
      for (const auto& [begin, mark] : row.marks()) {
        (mark.kind == Shape::Kind::Frame ? account_.frames : account_.instants) += mark.count;
        if (!mark.is_merged()) continue;
        account_.merged_marks += mark.count;
        ++account_.merged_mark_shapes;
      }
    }
  }
}

std::vector<Timeline::NamedLane> Timeline::lanes() const {
  const auto named = [](const auto& names, std::uint64_t koid, std::string_view nameless) {
    const auto name = names.find(koid);
    return fmt::format("{} {}", name == names.end() ? nameless : name->second, koid);
  };
  std::vector<NamedLane> lanes;
  for (const auto& [key, track] : tracks_)
    if (track.lane.size() != 0)
      lanes.push_back({.name = fmt::format("{} / {}", named(process_names_, key.first, "process"),
                                           named(thread_names_, key.second, "thread")),
                       .lane = &track.lane});
  return lanes;
}

}  // namespace fxt::tools
