#include "fxt/tools/drawing/timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <variant>

#include "fxt/format.h"
#include "fxt/tools/open_calls.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kHeldShapes = 100'000;
constexpr std::size_t kDrawnShapes = 50'000;
constexpr std::size_t kNameBytes = 200;             // more than a tooltip can show
constexpr std::string_view kFrames = "tracepoint";  // the category of GDB's frames

// What OpenCalls keeps about a call.
enum CallState : std::size_t { kHidden, kInRow, kWaiting };

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

// A frame with many values is a call of length 0. A frame that lasts, with single steps, is drawn as a call.
bool is_frame(Shape& shape) {
  if (shape.begin_ns != shape.end_ns) shape.kind = Shape::Kind::Call;
  return shape.kind == Shape::Kind::Frame;
}

}  // namespace

DrawnTimeline::DrawnTimeline(TimelineOptions options)
    : options_(std::move(options)),
      window_(options_.range),
      held_limit_(kHeldShapes),
      names_limit_(kHeldShapes) {}

std::optional<std::uint64_t> DrawnTimeline::time_of(std::uint64_t ticks, const Reader& reader) {
  const auto ns = reader.to_ns(ticks);
  if (!ns || *ns >= kTimeLimit) {
    ++report_.bad_times;
    return std::nullopt;
  }
  last_ns_ = std::max(last_ns_, *ns);
  return ns;
}

void DrawnTimeline::add(const Entry& entry, const Reader& reader) {
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
          if (is_inside && options_.events.contains(entry.record)) report_.count_undrawn(entry.record);
        }
      },
      entry.record);
}

DrawnTimeline::ThreadState& DrawnTimeline::thread_of(const Event& event) {
  return threads_.try_emplace({event.thread.process, event.thread.thread}, options_.max_rows).first->second;
}

void DrawnTimeline::add_call(const Record& record, const Event& event, const Reader& reader) {
  const auto duration = call_event(event, reader);
  if (!duration || duration->end_ns >= kTimeLimit) {
    ++report_.bad_times;
    return;
  }
  last_ns_ = std::max(last_ns_, duration->end_ns);
  ThreadState& thread = thread_of(event);
  const auto ended = [&](const OpenCalls::Call& call) { close(thread, call, true); };
  const bool is_in_order = thread.open.advance(duration->begin_ns, ended);
  const std::uint64_t time_ns = std::max(duration->begin_ns, thread.open.last_ns());
  if (duration->is_end()) {
    if (!thread.open.end(time_ns, ended) && is_in_range(time_ns, time_ns)) ++report_.unmatched_ends;
    return;
  }
  const bool is_shown = options_.events.contains(record);
  const bool is_drawn = is_shown && is_in_range(duration->begin_ns, duration->end_ns);
  if (!is_in_order && is_drawn) ++report_.late;
  CallState state = is_shown ? kInRow : kHidden;
  if (duration->is_begin()) {
    if (is_shown && time_ns <= window_.to()) {
      thread.waiting.push_back({.row = thread.shown, .shape = shape_of(event, time_ns, time_ns)});
      state = kWaiting;
    }
  } else if (is_in_order) {
    if (is_drawn) put(thread, thread.shown, shape_of(event, duration->begin_ns, duration->end_ns));
  } else {
    if (is_drawn) put_late(thread, shape_of(event, duration->begin_ns, duration->end_ns));
    return;
  }
  thread.open.push(
      {.name = state, .begin_ns = time_ns, .end_ns = duration->end_ns, .awaits_end = duration->is_begin()});
  if (is_shown) ++thread.shown;
}

void DrawnTimeline::close(ThreadState& thread, const OpenCalls::Call& call, bool has_end) {
  if (call.name == kHidden) return;
  --thread.shown;
  if (call.name != kWaiting) return;
  WaitingCall waiting = std::move(thread.waiting.back());
  thread.waiting.pop_back();
  Shape& shape = waiting.shape;
  shape.end_ns = call.end_ns;
  shape.longest_ns = call.end_ns - shape.begin_ns;
  shape.has_end = has_end;
  if (!is_in_range(shape.begin_ns, shape.end_ns)) return;
  if (!has_end) ++report_.endless;
  put(thread, waiting.row, std::move(shape));
}

void DrawnTimeline::add_instant(const Record& record, const Event& event, std::uint64_t time_ns) {
  if (!options_.events.contains(record)) return;
  ThreadState& thread = thread_of(event);
  const bool is_in_order =
      thread.open.advance(time_ns, [&](const OpenCalls::Call& call) { close(thread, call, true); });
  if (!is_in_range(time_ns, time_ns)) return;
  Shape shape = shape_of(event, time_ns, time_ns);
  shape.kind = event.category.text == kFrames ? Shape::Kind::Frame : Shape::Kind::Instant;
  if (!is_in_order) ++report_.late;
  mark(thread, is_in_order ? thread.shown : thread.rows.row_at(0, time_ns), std::move(shape));
}

bool DrawnTimeline::is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const {
  return begin_ns <= window_.to() && end_ns >= window_.from();
}

Shape DrawnTimeline::shape_of(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns) {
  return {.kind = event.category.text == kFrames ? Shape::Kind::Frame : Shape::Kind::Call,
          .begin_ns = begin_ns,
          .end_ns = end_ns,
          .longest_ns = end_ns - begin_ns,
          .name = shared(event.name.text),
          .frame = frame_of(event)};
}

SharedName DrawnTimeline::shared(std::string_view text) {
  text = cut_utf8(text, kNameBytes);
  if (const auto known = names_.find(text); known != names_.end()) return *known;
  if (names_.size() >= names_limit_) {
    std::erase_if(names_, [](const SharedName& name) { return name.use_count() == 1; });
    names_limit_ = std::max(kHeldShapes, 2 * names_.size());
  }
  return *names_.insert(std::make_shared<const std::string>(text)).first;
}

bool DrawnTimeline::admit(ThreadState& thread, const Shape& shape) {
  if (thread.is_drawn == IsDrawn::Unknown) {
    const bool is_drawn = drawn_threads_ < options_.max_threads;
    thread.is_drawn = is_drawn ? IsDrawn::Yes : IsDrawn::No;
    ++(is_drawn ? drawn_threads_ : report_.other_threads);
  }
  if (thread.is_drawn == IsDrawn::No) {
    ++report_.on_other_threads;
    return false;
  }
  first_drawn_ns_ = std::min(first_drawn_ns_, std::max(shape.begin_ns, window_.from()));
  last_drawn_ns_ = std::max(last_drawn_ns_, std::min(shape.end_ns, window_.to()));
  return true;
}

void DrawnTimeline::put(ThreadState& thread, std::size_t row, Shape shape) {
  if (is_frame(shape)) return mark(thread, row, std::move(shape));
  if (!admit(thread, shape)) return;
  report_.too_deep += thread.rows.put(row, std::move(shape));
  make_room();
}

void DrawnTimeline::put_late(ThreadState& thread, Shape shape) {
  std::size_t first_row = 0;
  for (const WaitingCall& waiting : thread.waiting)
    if (waiting.shape.begin_ns <= shape.begin_ns) first_row = waiting.row + 1;
  if (is_frame(shape)) {
    const std::size_t row = thread.rows.row_at(first_row, shape.begin_ns);
    return mark(thread, row, std::move(shape));
  }
  if (!admit(thread, shape)) return;
  report_.too_deep += thread.rows.put_late(first_row, shape);
  make_room();
}

void DrawnTimeline::mark(ThreadState& thread, std::size_t row, Shape shape) {
  if (!admit(thread, shape)) return;
  if (thread.rows.mark(row, std::move(shape)) == ThreadRows::Marked::TooDeep) ++report_.too_deep;
  make_room();
}

void DrawnTimeline::make_room() {
  if (++held_ <= held_limit_) return;
  merge(kHeldShapes / 2);
  held_limit_ = std::max(kHeldShapes, 2 * held_);
}

std::uint64_t DrawnTimeline::span_ns() const {
  return last_drawn_ns_ > first_drawn_ns_ ? last_drawn_ns_ - first_drawn_ns_ : 0;
}

void DrawnTimeline::merge(std::size_t max_shapes) {
  const std::uint64_t pixel_ns = std::max<std::uint64_t>(1, divided_up(span_ns(), options_.columns));
  for (std::uint64_t pixels = 1;; pixels *= 2) {
    held_ = 0;
    for (auto& [key, thread] : threads_) {
      thread.rows.merge(pixel_ns * pixels);
      held_ += thread.rows.size();
    }
    merged_ns_ = std::max(merged_ns_, pixel_ns * pixels);
    if (held_ <= max_shapes || pixels >= options_.columns) break;
  }
  report_.pixels = divided_up(merged_ns_, pixel_ns);
}

void DrawnTimeline::finish(const ReaderCounters& counters) {
  for (auto& [key, of] : threads_) {
    ThreadState& thread = of;
    thread.open.finish([&](const OpenCalls::Call& call) { close(thread, call, !call.awaits_end); });
  }
  if (first_drawn_ns_ > last_drawn_ns_) return;
  // The picture ends with the trace where the range reaches further.
  origin_ns_ = std::min(start_ns_.value_or(0), first_drawn_ns_);
  from_ns_ = options_.range.from ? std::clamp(window_.from(), origin_ns_, first_drawn_ns_) : first_drawn_ns_;
  to_ns_ = options_.range.to ? std::clamp(window_.to(), last_drawn_ns_, std::max(last_ns_, last_drawn_ns_))
                             : last_drawn_ns_;
  to_ns_ = std::max(to_ns_, from_ns_ + 1);
  first_drawn_ns_ = from_ns_;
  last_drawn_ns_ = to_ns_;
  merge(kDrawnShapes);
  report_.unreadable = counters.unknown_records + counters.damaged_records + counters.too_large_records;
  count_shapes();
}

void DrawnTimeline::count_shapes() {
  for (const auto& [key, thread] : threads_) {
    if (thread.rows.size() != 0) ++report_.threads;
    for (const Row& row : thread.rows.rows()) {
      for (const auto& [begin, call] : row.calls()) {
        report_.calls += call.count;
        if (!call.is_merged()) continue;
        report_.merged_calls += call.count;
        ++report_.merged_shapes;
      }
      for (const auto& [begin, mark] : row.marks()) {
        (mark.kind == Shape::Kind::Frame ? report_.frames : report_.instants) += mark.count;
        if (!mark.is_merged()) continue;
        report_.merged_marks += mark.count;
        ++report_.merged_mark_shapes;
      }
    }
  }
}

std::vector<DrawnTimeline::NamedRows> DrawnTimeline::threads() const {
  const auto named = [](const auto& names, std::uint64_t koid, std::string_view nameless) {
    const auto name = names.find(koid);
    return fmt::format("{} {}", name == names.end() ? nameless : name->second, koid);
  };
  std::vector<NamedRows> named_rows;
  for (const auto& [key, thread] : threads_)
    if (thread.rows.size() != 0)
      named_rows.push_back({.name = fmt::format("{} / {}", named(process_names_, key.first, "process"),
                                                named(thread_names_, key.second, "thread")),
                            .rows = &thread.rows});
  return named_rows;
}

}  // namespace fxt::tools
