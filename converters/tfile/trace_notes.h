// The notes about a trace file that are known before its events are emitted.
#pragma once

#include <string>

#include "converters/model/notes.h"
#include "converters/tfile/events/register_arguments.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// Adds notes about the missing, damaged and uncertain parts of the file.
void add_survey_notes(const TraceFile& trace, const LocationTable& locations, const TraceSurvey& survey,
                      Notes& notes);

// Describes the problem with bytes after the end of the frames.
std::string text_of(const TraceSurvey::Rest& rest);

// Adds notes about the collected items that can't be shown, or that are shown incompletely.
void add_location_notes(const TraceFile& trace, const LocationTable& locations, bool has_program,
                        RegisterChoice choice, Notes& notes);

}  // namespace convert::tfile
