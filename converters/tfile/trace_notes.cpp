#include "converters/tfile/trace_notes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <vector>

#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {
namespace {

void note_frames(const TraceFile& trace, const TraceSurvey& survey, Notes& notes) {
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
    notes.add(kSkippedBytes, file, "more damage follows", survey.damage_count - survey.damage.size());
  if (const TraceSurvey::Rest& rest = survey.rest; rest.size > 0)
    notes.add(kBytesBehindEnd, Location::byte(trace.path, rest.begin), text_of(rest));
  const std::uint64_t frames = survey.time.frames;
  if (frames == 0 && survey.damage.empty() && (!status || status->frames.value_or(0) == 0))
    notes.add(kNoFrames, file,
              trace.description.frames_begin < trace.file->size()
                  ? "no tracepoint was hit between tstart and tstop, or GDB saved the file before the first "
                    "hit; `tstatus` shows the number of frames"
                  : "the file was truncated before its first frame; copy the whole file");
  if (!status) return;
  if (status->frames && *status->frames > frames)
    notes.add(kFramesMissing, file,
              fmt::format("the status line counts {} frames, but the file has {}", *status->frames, frames),
              *status->frames - frames);
  if (status->frames && status->frames_created && *status->frames_created > *status->frames)
    notes.add(kFramesOverwritten, file,
              fmt::format("{} frames were recorded, but the buffer kept only the last {}",
                          *status->frames_created, *status->frames),
              *status->frames_created - *status->frames);
  if (status->reason == StopReason::Full)
    notes.add(kBufferFull, file, "the recording stopped because its buffer was full");
}

void note_times(const TraceFile& trace, const TraceSurvey& survey, Notes& notes) {
  const Location file = Location::file(trace.path);
  const TimeSurvey& time = survey.time;
  if (time.impossible > 0) notes.add(kBadTime, file, "impossible timestamps", time.impossible);
  if (time.reversed > 0)
    notes.add(kTimeReversed, file, "frames that are near each other are sorted by their timestamps",
              time.reversed);
  const std::uint64_t unstamped = time.frames - time.stamped;
  if (unstamped == 0) return;
  const auto& status = trace.description.status;
  const bool has_span = status && status->start_us && status->stop_us;
  if (time.stamped > 0)
    notes.add(kSyntheticTime, file,
              "each of these frames is placed between its neighbors; to record times, use `collect "
              "$trace_timestamp`",
              unstamped);
  else if (has_span)
    notes.add(kSyntheticTime, file,
              "no frame has a timestamp, so the frames are placed in order between start and stop; to record "
              "times, use `collect $trace_timestamp`",
              unstamped);
  else
    notes.add(kNoTimeStamps, file,
              "neither the frames nor the status have a time; the spacing shows only the order of the frames",
              unstamped);
}

void note_descriptions(const TraceFile& trace, const LocationTable& locations, const TraceSurvey& survey,
                       Notes& notes) {
  for (const auto& [number, count] : survey.frames_of) {
    if (locations.locations_of(number).empty())
      notes.add(kUnknownTracepoint, Location::file(trace.path), fmt::format("tracepoint {}", number), count);
  }
  const auto check = [&](const std::vector<std::byte>& code, const TracepointLocation& location) {
    if (!is_well_formed(code))
      notes.add(kBadExpression, Location::file(trace.path),
                fmt::format("tracepoint {}: {}", location.number, disassemble(code)));
  };
  for (const TracepointLocation& location : trace.description.locations) {
    check(location.condition, location);
    for (const TracepointAction& action : location.hit_actions) check(action.code, location);
    for (const TracepointAction& action : location.step_actions) check(action.code, location);
  }
  if (survey.frames_without_own_track > 0)
    notes.add(kTooManyThreads, Location::file(trace.path), "more threads than can be shown",
              survey.frames_without_own_track);
}

// Adds a note about values of unknown type. Without a program, the types of all values are unknown.
void note_untyped(const TraceFile& trace, const LocationTable& locations, Notes& notes) {
  std::uint64_t count = 0;
  for (const ExpectedFrames& expected : locations.all())
    for (const ExpectedBlocks* const blocks : {&expected.hit, &expected.step}) {
      const auto is_range = [](const TracepointAction& action) {
        return action.kind == TracepointAction::Kind::Memory;
      };
      const auto records_memory = [](const ExpressionShape& shape) {
        return !shape.blocks.empty() && !shape.only_variable;
      };
      count += static_cast<std::uint64_t>(std::ranges::count_if(blocks->actions, is_range) +
                                          std::ranges::count_if(blocks->shapes, records_memory));
    }
  if (count > 0)
    notes.add(kUntypedValues, Location::file(trace.path),
              "values are shown as numbers; use --program to get types, members and names", count);
}

// Adds a note about locations that collect $regs, if some of their registers are not shown because they are
// not general registers. Adds no note if the user chose the registers.
void note_registers(const TraceFile& trace, const LocationTable& locations, RegisterChoice choice,
                    Notes& notes) {
  if (choice != RegisterChoice::Auto || !trace.layout) return;
  std::vector<const Register*> special;  // recorded registers that are not general
  for (const Register& reg : trace.layout->registers())
    if (!reg.is_general && reg.offset + reg.size <= trace.description.register_block_size)
      special.push_back(&reg);
  const auto hides_registers = [&](const ExpectedBlocks& expected) {
    if (expected.shape.find('R') == std::string::npos || !expected.wanted.all) return false;
    return std::ranges::any_of(special, [&](const Register* reg) {
      return !std::ranges::binary_search(expected.wanted.named, reg, std::less<>());
    });
  };
  const auto count = std::ranges::count_if(locations.all(), [&](const ExpectedFrames& expected) {
    return hides_registers(expected.hit) || hides_registers(expected.step);
  });
  if (count > 0)
    notes.add(kRegistersLeftOut, Location::file(trace.path),
              "not all registers are shown: only those that actions name, and for $regs the general "
              "registers; use --registers general or --registers all",
              static_cast<std::uint64_t>(count));
}

}  // namespace

std::string text_of(const TraceSurvey::Rest& rest) {
  std::string text = fmt::format("{} bytes after the end of the frames are not read", rest.size);
  if (rest.next_trace)
    text += fmt::format("; another trace starts at +{:#x}, so split the file there", *rest.next_trace);
  return text;
}

void add_survey_notes(const TraceFile& trace, const LocationTable& locations, const TraceSurvey& survey,
                      Notes& notes) {
  note_frames(trace, survey, notes);
  note_times(trace, survey, notes);
  note_descriptions(trace, locations, survey, notes);
}

void add_location_notes(const TraceFile& trace, const LocationTable& locations, bool has_program,
                        RegisterChoice choice, Notes& notes) {
  if (!has_program) note_untyped(trace, locations, notes);
  note_registers(trace, locations, choice, notes);
}

}  // namespace convert::tfile
