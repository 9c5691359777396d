// The kinds of notes about a uftrace recording. Their names are an interface: reports, the argument
// `repaired` and tests contain them.
#pragma once

#include "converters/model/notes.h"

namespace convert::uftrace {

// ---- Text and metadata files ----
inline constexpr NoteKind kDamagedLine{"damaged-line", "lines of text files that could not be understood"};
inline constexpr NoteKind kNoInfo{"no-info", "recordings without a usable info file (recorder killed?)"};
inline constexpr NoteKind kStillRecording{"still-recording", "recordings that have not ended yet"};
inline constexpr NoteKind kNoWallClock{"no-wall-clock",
                                       "recordings without the wall-clock time: shown on their own clock"};
inline constexpr NoteKind kNoTaskFile{"no-task-file", "recordings without a list of tasks"};
inline constexpr NoteKind kNoMap{"no-map", "sessions without a memory map: their calls have no names"};
inline constexpr NoteKind kNoSession{"no-session", "threads of no known program: their calls have no names"};
inline constexpr NoteKind kNoSymbol{"no-symbol", "addresses without a symbol"};
inline constexpr NoteKind kNoSymbolFile{"no-symbol-file", "modules of which no symbols were found"};
inline constexpr NoteKind kUnsureEventNames{"unsure-event-names",
                                            "programs whose user events may have the names of another one's"};
inline constexpr NoteKind kUnsureSymbols{"unsure-symbols",
                                         "modules whose symbols may be those of another build"};
inline constexpr NoteKind kLibraryReloaded{
    "library-reloaded", "libraries at the place of others, which may have been loaded again", true};
inline constexpr NoteKind kNoParameterNames{"no-parameter-names",
                                            "modules whose parameters have no names: arg1, arg2 stay", true};
inline constexpr NoteKind kPidNamespace{
    "pid-namespace", "pid namespaces inside the recording: ids may be of several processes at one time"};
inline constexpr NoteKind kNoThread{"no-thread",
                                    "execs and library loads of threads that nothing else tells of"};
inline constexpr NoteKind kUnlistedThread{"unlisted-thread",
                                          "record files of threads that info does not list", true};
inline constexpr NoteKind kUnreadableFile{"unreadable-file", "files that could not be read"};
inline constexpr NoteKind kMessageOrder{"message-order",
                                        "external messages behind later ones: shown when they were", true};
inline constexpr NoteKind kMessageCut{"message-cut", "external messages that are too long to be shown whole"};
inline constexpr NoteKind kForeignClock{"foreign-clock",
                                        "external messages with times of another clock, not shown"};

// ---- Options of the user ----
inline constexpr NoteKind kNoSuchFunction{"no-such-function", "patterns that fit no function"};
inline constexpr NoteKind kNeverCalled{"never-called",
                                       "patterns that fit only functions that were not called", true};
inline constexpr NoteKind kNotInInput{"not-in-input",
                                      "patterns that fit no function of one input, but of others", true};
inline constexpr NoteKind kCallsLeftOut{"calls-left-out", "calls filtered out by options", true};
inline constexpr NoteKind kEventsLeftOut{"events-left-out", "events filtered out by options", true};
inline constexpr NoteKind kThreadsLeftOut{"threads-left-out", "threads filtered out by options", true};

// ---- Record files: calls ----
inline constexpr NoteKind kInheritedCall{"inherited-call", "calls that a forked child was in from its start",
                                         true};
inline constexpr NoteKind kEntryMissing{"entry-missing", "open calls whose entry was not recorded"};
inline constexpr NoteKind kExitWithoutEntry{"exit-without-entry", "exits whose entry was not recorded"};
inline constexpr NoteKind kExitMissing{"exit-missing", "calls that ended without an exit"};
inline constexpr NoteKind kExitDepth{"exit-depth", "threads whose exits have the depth of the caller", true};
inline constexpr NoteKind kAddressMismatch{"address-mismatch", "exits of another function than was entered"};
inline constexpr NoteKind kLongjmp{"longjmp", "second returns of setjmp, which end the calls since", true};
inline constexpr NoteKind kClosedByExec{"closed-by-exec", "calls that ended because the program was replaced",
                                        true};
inline constexpr NoteKind kOpenAtEnd{"open-at-end", "calls still open at the last record of their thread",
                                     true};
inline constexpr NoteKind kCutByLoss{"cut-by-loss", "calls that ended or began where records are missing"};
inline constexpr NoteKind kForkNotDrawn{"fork-not-drawn",
                                        "forks without a visible call to draw the arrow from"};

// ---- Record files: records ----
inline constexpr NoteKind kRecordsLost{"records-lost", "records that the recorder lost"};
inline constexpr NoteKind kTruncatedTail{"truncated-tail",
                                         "bytes at the end of a file that are no whole record"};
inline constexpr NoteKind kZeroFilled{"zero-filled", "bytes of zeros instead of records"};
inline constexpr NoteKind kDamagedBytes{"damaged-bytes", "bytes that are not records, skipped"};
inline constexpr NoteKind kBadTime{"bad-time", "records dropped because of an impossible time"};
inline constexpr NoteKind kBadDepth{"bad-depth", "records dropped because of an impossible depth"};
inline constexpr NoteKind kTimeWentBack{"time-went-back",
                                        "records that are earlier than the one before them"};
inline constexpr NoteKind kSharedFile{
    "shared-file", "records out of order, because two processes wrote to one file after clone()"};
inline constexpr NoteKind kPayloadSkipped{"payload-skipped",
                                          "records whose arguments or return value are not shown"};
inline constexpr NoteKind kEventSkipped{"event-skipped", "event records, not shown"};
inline constexpr NoteKind kFileSkipped{"file-skipped", "files of the recording whose contents are not shown"};

// ---- Switches ----
inline constexpr NoteKind kCpuTracksLeftOut{
    "cpu-tracks-left-out", "context switches shown without CPU tracks (--cpu-tracks adds them)", true};

// ---- Perf files ----
inline constexpr NoteKind kSwitchesLost{"switches-lost", "perf events that the kernel had no room for"};
inline constexpr NoteKind kScheduleCut{
    "schedule-cut", "schedule calls that end at a record of their thread: switches are missing"};
inline constexpr NoteKind kExitMoved{
    "exit-moved", "estimated exits where the call can't have ended, moved as uftrace does", true};

// ---- Kernel files ----
inline constexpr NoteKind kKernelEventsLost{"kernel-events-lost",
                                            "kernel events that the kernel had no room for"};
inline constexpr NoteKind kKernelClipped{
    "kernel-clipped", "kernel calls cut where a call of the program or a switch begins or ends"};
inline constexpr NoteKind kNoRecords{
    "no-records", "recordings whose .dat files are gone or were never written: no call of theirs is shown"};
inline constexpr NoteKind kNothingOfKernel{
    "nothing-of-kernel", "recordings without kernel events, of which only these were asked for", true};
inline constexpr NoteKind kKernelExitWithoutEntry{
    "kernel-exit-without-entry", "exits of kernel functions whose entry was not recorded, not shown"};

}  // namespace convert::uftrace
