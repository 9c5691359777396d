// Emits the events of the whole recording: its start, its status, its stop, and damaged bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

class SessionEvents {
 public:
  SessionEvents(const TraceFile& trace, const TraceSurvey& survey, const FrameClock& clock, Lane& lane,
                ImportContext& import_context)
      : trace_(trace), survey_(survey), clock_(clock), lane_(lane), import_context_(import_context) {}

  bool has_started() const { return has_started_; }
  // Emits the status, unless it was emitted before. The status is shown at the start of the recording, or at
  // the first frame if the start is unknown. Returns the time from which on frames are shown.
  std::uint64_t emit_start(std::uint64_t first_frame_ns);
  void emit_damage(std::span<const Damage> all, std::uint64_t time_ns);
  std::uint64_t emit_end(std::uint64_t last_frame_ns);

 private:
  void instant(std::uint64_t time_ns, std::string_view name, const Arguments& arguments = {});
  Arguments status_arguments() const;

  const TraceFile& trace_;
  const TraceSurvey& survey_;
  const FrameClock& clock_;
  Lane& lane_;
  ImportContext& import_context_;
  bool has_started_ = false;
};

inline void SessionEvents::instant(std::uint64_t time_ns, std::string_view name, const Arguments& arguments) {
  lane_.instant(time_ns, import_context_.names.intern_label("session", name), arguments);
}

inline void SessionEvents::emit_damage(std::span<const Damage> all, std::uint64_t time_ns) {
  Names& names = import_context_.names;
  for (const Damage& damage : all)
    instant(time_ns, "damaged bytes",
            {{names.intern("begin"), damage.begin},
             {names.intern("end"), damage.end},
             {names.intern("problem"), damage.problem}});
}

inline std::uint64_t SessionEvents::emit_start(std::uint64_t first_frame_ns) {
  if (std::exchange(has_started_, true)) return first_frame_ns;
  const auto& status = trace_.description.status;
  const std::uint64_t begin_ns = clock_.start_ns().value_or(first_frame_ns);
  if (clock_.start_ns()) instant(begin_ns, "trace start");
  instant(begin_ns, "trace status", status_arguments());
  if (import_context_.options.blobs != Blobs::None)
    lane_.blob(begin_ns, "gdb/description", std::as_bytes(std::span(trace_.description.text)));
  if (status && status->frames && status->frames_created && *status->frames_created > *status->frames)
    instant(begin_ns, "overwritten before saving",
            {{import_context_.names.intern("count"), *status->frames_created - *status->frames}});
  return std::max(begin_ns, first_frame_ns);
}

inline std::uint64_t SessionEvents::emit_end(std::uint64_t last_frame_ns) {
  const auto& status = trace_.description.status;
  if (!status) return last_frame_ns;
  const std::uint64_t frames = survey_.time.frames;
  if (status->frames && *status->frames > frames)
    instant(last_frame_ns, "frames missing",
            {{import_context_.names.intern("count"), *status->frames - frames}});
  if (status->reason == StopReason::Full) instant(last_frame_ns, "buffer full");
  if (!clock_.stop_ns()) return last_frame_ns;
  instant(*clock_.stop_ns(), "trace stop",
          {{import_context_.names.intern("stop_reason"), status->describe()}});
  return *clock_.stop_ns();
}

inline Arguments SessionEvents::status_arguments() const {
  Arguments arguments;
  const auto add = [&](std::string_view name, const auto& value) {
    arguments.add({import_context_.names.intern(name), value});
  };
  const TraceStatus status = trace_.description.status.value_or(TraceStatus{});
  if (trace_.description.status) add("stop_reason", status.describe());
  add("frames", survey_.time.frames);
  if (status.frames_created) add("frames_created", *status.frames_created);
  if (status.start_us)
    add("start", fmt::format("{}.{:06} s", *status.start_us / 1000000, *status.start_us % 1000000));
  if (status.stop_us)
    add("stop", fmt::format("{}.{:06} s", *status.stop_us / 1000000, *status.stop_us % 1000000));
  if (!status.user.empty()) add("user", status.user);
  if (!status.notes.empty()) add("notes", status.notes);
  if (trace_.description.status) add("circular", static_cast<std::uint32_t>(status.circular));
  if (status.buffer_size) add("buffer_size", *status.buffer_size);
  if (status.buffer_free) add("buffer_free", *status.buffer_free);
  if (status.frames && *status.frames != survey_.time.frames) add("frames_expected", *status.frames);
  if (!trace_.architecture.empty()) add("architecture", trace_.architecture);
  add("clock", name_of(survey_.time.base));
  return arguments;
}

}  // namespace convert::tfile
