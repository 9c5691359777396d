// What belongs to the whole recording: why and when it began and stopped, who made it, what was lost.
#pragma once

#include <cstdint>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// The arguments of the instant `trace status`.
Arguments status_arguments(const TraceFile& trace, const Survey& survey, Names& names);

// Notes on what is missing, damaged or uncertain, out of the survey.
void add_survey_notes(const TraceFile& trace, const Survey& survey, Notes& notes);

}  // namespace convert::tfile
