// The kinds of notes on trace files.
#pragma once

#include "converters/model/notes.h"

namespace convert::tfile {

// Description
inline constexpr NoteKind kUnknownLine{"unknown-line", "description lines of an unknown kind, skipped"};
inline constexpr NoteKind kDamagedLine{"damaged-line", "description lines that could not be read"};
inline constexpr NoteKind kNoStatus{"no-status", "descriptions without a status line"};
inline constexpr NoteKind kBadTargetDescription{"bad-target-description",
                                                "target descriptions that could not be read"};
inline constexpr NoteKind kRegisterLayout{"register-layout", "register layouts that had to be guessed"};
inline constexpr NoteKind kRegistersUnknown{"registers-unknown", "register blocks of an unknown layout"};
inline constexpr NoteKind kOseBlocks{"ose-blocks", "files of Enea OSE, whose blocks of kind E are not shown"};
inline constexpr NoteKind kByteOrder{"byte-order", "byte orders that had to be guessed"};

// Frames
inline constexpr NoteKind kDamagedFrame{"damaged-frame", "frames that could be read only in part"};
inline constexpr NoteKind kSkippedBytes{"skipped-bytes",
                                        "parts of the file without readable frames, skipped"};
inline constexpr NoteKind kBytesBehindEnd{"bytes-behind-end",
                                          "files that continue after the end of their frames"};
inline constexpr NoteKind kTruncatedTail{"truncated-tail", "files that end too early"};
inline constexpr NoteKind kNoFrames{"no-frames", "trace files without frames", true};
inline constexpr NoteKind kFramesMissing{"frames-missing",
                                         "frames that the status line counts, but the file does not have"};
inline constexpr NoteKind kFramesOverwritten{"frames-overwritten",
                                             "frames overwritten in the circular buffer before GDB saved it"};
inline constexpr NoteKind kBufferFull{"buffer-full", "recordings stopped because the buffer was full", true};
inline constexpr NoteKind kUnknownTracepoint{"unknown-tracepoint",
                                             "frames of tracepoints that are missing from the description"};
inline constexpr NoteKind kBadExpression{"bad-expression", "expressions with damaged bytecode"};
inline constexpr NoteKind kTooManyThreads{"too-many-threads", "frames of threads beyond the first 10,000"};

// Time
inline constexpr NoteKind kSyntheticTime{"synthetic-time", "frames without a timestamp, placed in order",
                                         true};
inline constexpr NoteKind kNoTimeStamps{
    "no-time-stamps", "recordings without any time, drawn with one microsecond between frames", true};
inline constexpr NoteKind kTimeReversed{"time-reversed",
                                        "frames with an earlier timestamp than a frame before them"};
inline constexpr NoteKind kBadTime{"bad-time", "frames with an impossible timestamp"};

// Requests of options
inline constexpr NoteKind kNotPlotted{"not-plotted", "items of --plot that are not a number in any frame"};
inline constexpr NoteKind kThreadsLeftOut{"threads-left-out", "threads filtered out by options", true};
inline constexpr NoteKind kThreadsWithoutId{
    "threads-without-id", "threads shown despite --tid, because their ids are unknown", true};

// Programs and symbols
inline constexpr NoteKind kNoSymbols{"no-symbols", "programs or symbol lists that could not be used"};
inline constexpr NoteKind kRegistersLeftOut{"registers-left-out",
                                            "tracepoints with more registers than are shown", true};
inline constexpr NoteKind kOptimizedOut{
    "optimized-out", "variables without a location at their tracepoint, because they were optimized out",
    true};
inline constexpr NoteKind kItemNotRecorded{"item-not-recorded",
                                           "collected items that the frame does not have", true};
inline constexpr NoteKind kCallersUnknown{"callers-unknown",
                                          "tracepoints whose collected stack does not lead to main", true};
inline constexpr NoteKind kItemContradicted{
    "item-contradicted", "collected items whose recorded data do not match their location in the program"};
inline constexpr NoteKind kItemNotUnderstood{"item-not-understood",
                                             "collected items whose kind of location is not supported"};
inline constexpr NoteKind kUntypedValues{"untyped-values", "collected items whose type is not known", true};
inline constexpr NoteKind kWrongProgram{"wrong-program", "programs that do not fit the tracepoints"};
inline constexpr NoteKind kUnconfirmedProgram{"unconfirmed-program",
                                              "programs that may not be the traced program", true};
inline constexpr NoteKind kLoadBias{"load-bias", "programs whose load address is unknown or probably wrong"};

}  // namespace convert::tfile
