// Emits what belongs to the whole recording: its start, its status, its stop, damaged bytes.
#pragma once

#include <cstdint>
#include <span>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

class SessionEvents {
 public:
  // Borrows all. `lane` gets the events.
  SessionEvents(const TraceFile& trace, const TraceSurvey& survey, const FrameClock& clock, Lane& lane,
                ImportContext& import_context)
      : trace_(trace), survey_(survey), clock_(clock), lane_(lane), import_context_(import_context) {}

  bool has_started() const { return has_started_; }
  // Emits the status, unless it was emitted before: at the start of the recording, or at the first frame's
  // time if the start is unknown. Returns the time from which on frames are shown.
  std::uint64_t emit_start(std::uint64_t first_frame_ns);
  void emit_damage(std::span<const Damage> all, std::uint64_t time_ns);
  // Returns the time of the end.
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

}  // namespace convert::tfile
