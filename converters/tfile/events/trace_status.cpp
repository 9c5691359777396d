#include "converters/tfile/events/trace_status.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {

Arguments status_arguments(const TraceFile& trace, const Survey& survey, Names& names) {
  Arguments arguments;
  const auto add = [&](std::string_view name, const auto& value) {
    arguments.add({names.intern(name), value});
  };
  const Status status = trace.description.status.value_or(Status{});
  if (trace.description.status) add("stop_reason", status.describe());
  add("frames", survey.time.frames);
  if (status.frames_created) add("frames_created", *status.frames_created);
  if (status.start_us)
    add("start", fmt::format("{}.{:06} s", *status.start_us / 1000000, *status.start_us % 1000000));
  if (status.stop_us)
    add("stop", fmt::format("{}.{:06} s", *status.stop_us / 1000000, *status.stop_us % 1000000));
  if (!status.user.empty()) add("user", status.user);
  if (!status.notes.empty()) add("notes", status.notes);
  if (trace.description.status) add("circular", static_cast<std::uint32_t>(status.circular));
  if (status.buffer_size) add("buffer_size", *status.buffer_size);
  if (status.buffer_free) add("buffer_free", *status.buffer_free);
  if (status.frames && *status.frames != survey.time.frames) add("frames_expected", *status.frames);
  if (!trace.architecture.empty()) add("architecture", trace.architecture);
  add("clock", name_of(survey.time.base));
  return arguments;
}

namespace {

void note_frames(const TraceFile& trace, const Survey& survey, Notes& notes) {
  const Location file = Location::file(trace.path);
  const auto& status = trace.description.status;
  for (const Damage& damage : survey.damage) {
    const NoteKind& kind = damage.kind == Damage::Kind::Frame     ? kDamagedFrame
                           : damage.kind == Damage::Kind::Skipped ? kSkippedBytes
                                                                  : kTruncatedTail;
    notes.add(
        kind, Location::byte(trace.path, damage.begin),
        fmt::format("{} ({} bytes, up to +{:#x})", damage.problem, damage.end - damage.begin, damage.end));
  }
  if (survey.damage_count > survey.damage.size())
    notes.add(kSkippedBytes, file, "and more", survey.damage_count - survey.damage.size());
  if (!status) return;
  const std::uint64_t frames = survey.time.frames;
  if (status->frames && *status->frames > frames)
    notes.add(kFramesMissing, file,
              fmt::format("the recording has {} frames, {} were found", *status->frames, frames),
              *status->frames - frames);
  if (status->frames && status->frames_created && *status->frames_created > *status->frames)
    notes.add(kFramesOverwritten, file,
              fmt::format("{} frames were recorded, {} kept", *status->frames_created, *status->frames),
              *status->frames_created - *status->frames);
  if (status->reason == StopReason::Full)
    notes.add(kBufferFull, file, "the recording stopped because its buffer was full");
}

void note_times(const TraceFile& trace, const Survey& survey, Notes& notes) {
  const Location file = Location::file(trace.path);
  const TimeSurvey& time = survey.time;
  if (time.impossible > 0) notes.add(kBadTime, file, "time stamps that can't be", time.impossible);
  if (time.reversed > 0)
    notes.add(kTimeReversed, file, "frames are sorted by their stamps within a window", time.reversed);
  const std::uint64_t unstamped = time.frames - time.stamped;
  if (unstamped == 0) return;
  const auto& status = trace.description.status;
  const bool has_span = status && status->start_us && status->stop_us;
  if (time.stamped > 0)
    notes.add(kSyntheticTime, file,
              "placed between the frames around them: `collect $trace_timestamp` gives them a time",
              unstamped);
  else if (has_span)
    notes.add(kSyntheticTime, file,
              "no frame has a time stamp: spread between start and stop, in order; "
              "`collect $trace_timestamp` gives them a time",
              unstamped);
  else
    notes.add(kNoTimeStamps, file,
              "neither frames nor status have a time: the times shown are no times, only an order",
              unstamped);
}

void note_descriptions(const TraceFile& trace, const Survey& survey, Notes& notes) {
  for (const auto& [number, count] : survey.frames_of) {
    const auto is_it = [number = number](const TracepointLocation& location) {
      return location.number == static_cast<std::uint16_t>(number);
    };
    if (std::ranges::none_of(trace.description.locations, is_it))
      notes.add(kUnknownTracepoint, Location::file(trace.path), fmt::format("tracepoint {}", number), count);
  }
  const auto check = [&](const std::vector<std::byte>& code, const TracepointLocation& location) {
    if (!is_well_formed(code))
      notes.add(kBadExpression, Location::file(trace.path),
                fmt::format("tracepoint {}: {}", location.number, disassemble(code)));
  };
  for (const TracepointLocation& location : trace.description.locations) {
    check(location.condition, location);
    for (const Action& action : location.hit_actions) check(action.code, location);
    for (const Action& action : location.step_actions) check(action.code, location);
  }
  if (survey.frames_without_own_track > 0)
    notes.add(kTooManyThreads, Location::file(trace.path), "more threads than can be shown",
              survey.frames_without_own_track);
}

}  // namespace

void add_survey_notes(const TraceFile& trace, const Survey& survey, Notes& notes) {
  note_frames(trace, survey, notes);
  note_times(trace, survey, notes);
  note_descriptions(trace, survey, notes);
}

}  // namespace convert::tfile
