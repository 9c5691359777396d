// The kinds of notes about a uftrace recording. Their names must not change, because reports, the argument
// `repaired` and tests contain them.
#pragma once

#include "converters/model/notes.h"

namespace convert::uftrace {

// ---- Text and metadata files ----
inline constexpr NoteKind kDamagedLine{"damaged-line",
                                       "lines of text files that could not be understood, skipped"};
inline constexpr NoteKind kNoInfo{
    "no-info", "recordings without a usable info file, possibly because the recorder was killed"};
inline constexpr NoteKind kStillRecording{"still-recording", "recordings that have not ended yet"};
inline constexpr NoteKind kNoWallClock{"no-wall-clock",
                                       "recordings without the wall-clock time, shown on their own clock"};
inline constexpr NoteKind kNoTaskFile{"no-task-file", "recordings without a list of tasks"};
inline constexpr NoteKind kNoMap{"no-map", "sessions without a memory map, so their calls have no names"};
inline constexpr NoteKind kNoSession{"no-session",
                                     "threads whose program is unknown, so their calls have no names"};
inline constexpr NoteKind kNoSymbol{"no-symbol", "addresses without a symbol"};
inline constexpr NoteKind kNoSymbolFile{"no-symbol-file", "modules whose symbols were not found"};
inline constexpr NoteKind kUnsureEventNames{
    "unsure-event-names", "programs whose user events may have the names of another program's events"};
inline constexpr NoteKind kUnsureSymbols{"unsure-symbols", "modules whose symbols may be from another build"};
inline constexpr NoteKind kLibraryReloaded{
    "library-reloaded",
    "libraries loaded where an earlier library was; later calls of the earlier library may have wrong names",
    true};
inline constexpr NoteKind kNoParameterNames{
    "no-parameter-names", "modules without names of parameters, so arguments stay arg1, arg2", true};
inline constexpr NoteKind kPidNamespace{
    "pid-namespace",
    "pid namespaces in the recording, where several processes may have the same id at the same time"};
inline constexpr NoteKind kNoThread{"no-thread",
                                    "execs and library loads of threads that no other data mention"};
inline constexpr NoteKind kUnlistedThread{"unlisted-thread",
                                          "record files of threads that the file info does not list", true};
inline constexpr NoteKind kUnreadableFile{"unreadable-file", "files that could not be read"};
inline constexpr NoteKind kMessageOrder{"message-order",
                                        "external messages that come after messages with later times", true};
inline constexpr NoteKind kMessageCut{"message-cut",
                                      "external messages shown only in part, because they are too long"};
inline constexpr NoteKind kForeignClock{
    "foreign-clock", "external messages not shown, because their times are from another clock"};

// ---- Options of the user ----
inline constexpr NoteKind kNoSuchFunction{"no-such-function", "patterns that match no function"};
inline constexpr NoteKind kNeverCalled{"never-called",
                                       "patterns that match only functions that were not called", true};
inline constexpr NoteKind kNotInInput{
    "not-in-input", "patterns that match functions of another input, but no function of this input", true};
inline constexpr NoteKind kCallsLeftOut{"calls-left-out", "calls filtered out by options", true};
inline constexpr NoteKind kEventsLeftOut{"events-left-out", "events filtered out by options", true};
inline constexpr NoteKind kThreadsLeftOut{"threads-left-out", "threads filtered out by options", true};

// ---- Record files: calls ----
inline constexpr NoteKind kInheritedCall{"inherited-call",
                                         "calls that a forked child inherited from its parent", true};
inline constexpr NoteKind kEntryMissing{"entry-missing", "open calls whose entry was not recorded"};
inline constexpr NoteKind kExitWithoutEntry{"exit-without-entry", "exits whose entry was not recorded"};
inline constexpr NoteKind kExitMissing{"exit-missing", "calls that ended without an exit"};
inline constexpr NoteKind kExitDepth{"exit-depth",
                                     "threads whose exits were recorded at the depth of the caller", true};
inline constexpr NoteKind kAddressMismatch{
    "address-mismatch", "exits that name another function than the open call at their depth"};
inline constexpr NoteKind kLongjmp{
    "longjmp", "second returns of setjmp, which end the calls made since the first return", true};
inline constexpr NoteKind kClosedByExec{"closed-by-exec",
                                        "calls that ended because exec replaced the program", true};
inline constexpr NoteKind kOpenAtEnd{"open-at-end", "calls still open at the last record of their thread",
                                     true};
inline constexpr NoteKind kCutByLoss{"cut-by-loss", "calls that end or start where records are missing"};
inline constexpr NoteKind kForkNotDrawn{
    "fork-not-drawn", "forks without an arrow, because no call is shown at one end of the arrow"};

// ---- Record files: records ----
inline constexpr NoteKind kRecordsLost{"records-lost", "records that the recorder lost"};
inline constexpr NoteKind kTruncatedTail{"truncated-tail",
                                         "bytes of an incomplete record at the end of a file"};
inline constexpr NoteKind kZeroFilled{"zero-filled", "bytes of zeros instead of records"};
inline constexpr NoteKind kDamagedBytes{"damaged-bytes", "bytes that are not records, skipped"};
inline constexpr NoteKind kBadTime{"bad-time", "records dropped because of an impossible time"};
inline constexpr NoteKind kBadDepth{"bad-depth", "records dropped because of an impossible depth"};
inline constexpr NoteKind kTimeWentBack{"time-went-back",
                                        "records that are earlier than the record before them"};
inline constexpr NoteKind kSharedFile{
    "shared-file", "records out of order, because two processes wrote to one file after clone()"};
inline constexpr NoteKind kPayloadSkipped{"payload-skipped",
                                          "records whose arguments or return value are not shown"};
inline constexpr NoteKind kEventSkipped{"event-skipped", "event records that are not shown"};
inline constexpr NoteKind kFileSkipped{"file-skipped", "files of the recording whose contents are not shown"};

// ---- Switches ----
inline constexpr NoteKind kCpuTracksLeftOut{
    "cpu-tracks-left-out", "context switches shown without CPU tracks (--cpu-tracks adds them)", true};

// ---- Perf files ----
inline constexpr NoteKind kSwitchesLost{"switches-lost",
                                        "perf events lost because the kernel's buffer was full"};
inline constexpr NoteKind kScheduleCut{
    "schedule-cut",
    "calls of linux:schedule that end at a record of the thread, because context switches are missing"};
inline constexpr NoteKind kExitMoved{
    "exit-moved", "estimated exits that were moved, because the call can't have ended at that time", true};

// ---- Kernel files ----
inline constexpr NoteKind kKernelEventsLost{"kernel-events-lost",
                                            "kernel events lost because the kernel's buffer was full"};
inline constexpr NoteKind kKernelClipped{
    "kernel-clipped", "kernel calls cut at a context switch, or at the start or end of a program's call"};
inline constexpr NoteKind kNoRecords{
    "no-records", "recordings whose .dat files are missing or were never written, so no calls are shown"};
inline constexpr NoteKind kNothingOfKernel{
    "nothing-of-kernel", "recordings without kernel events, so --kernel-only shows nothing of them", true};
inline constexpr NoteKind kKernelExitWithoutEntry{
    "kernel-exit-without-entry", "kernel functions not shown, because only their exit was recorded"};

}  // namespace convert::uftrace
