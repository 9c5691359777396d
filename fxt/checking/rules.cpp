// The table of rules.
#include "fxt/rules.h"

#include <algorithm>
#include <array>

namespace fxt {
namespace {

constexpr std::array kRules = {
    Rule{"W1", "A file starts with the magic word, provider info and initialization, in this order.",
         "Without the magic word, Tracy ends with an exception, Fuchsia's Rust reader rejects the file, and "
         "Perfetto does not recognize it. Without a provider, the Rust reader ignores indexed strings. "
         "Without initialization, the Rust reader treats each tick as one second. "
         "Other readers fail if strings or initialization come before the provider."},
    Rule{"W2", "Each provider is announced once, before its strings and threads; ids start at 1.",
         "Fuchsia's C++ reader and Perfetto start with empty tables when a provider is announced again, but "
         "the Rust reader does not. Strings and threads that were registered before any provider are lost."},
    Rule{"W3",
         "Each section has the id of a provider that was announced before. Different providers do not use "
         "the same index for different strings or threads.",
         "Perfetto drops all records of an unknown provider. Tracy has one string table and one thread table "
         "for the whole file, and the Rust reader has one thread table."},
    Rule{"W4", "A tick is a nanosecond, so the initialization has 1,000,000,000 ticks per second.",
         "Tracy treats ticks as nanoseconds. At rate 0, the C++ reader reports an error, Perfetto drops all "
         "events, and the Rust reader divides by zero."},
    Rule{"W5", "Times are below 2^63 ns and within 2^47 ns (39 hours) of each other.",
         "At 2^63 ns and later, Perfetto drops events, and the Rust reader panics. Tracy's times have 48 "
         "bits and wrap."},
    Rule{"W6", "An index is never registered again with another meaning.",
         "The C++ reader keeps the first meaning, so it shows wrong names or threads without a message."},
    Rule{
        "W7",
        "Strings have the indices 1 to 32767, and threads have the indices 1 to 255. All are registered "
        "before their use.",
        "At an unknown index, the C++ reader and Perfetto drop the record, the Rust reader writes <unknown>, "
        "and Tracy writes an empty name. The C++ reader reports registrations of index 0 as errors."},
    Rule{"W8", "Strings have at most 32,000 bytes.",
         "The C++ reader rejects records with longer inline strings."},
    Rule{"W9",
         "Strings are UTF-8. Strings that viewers show do not contain NUL. Only inline names of kernel "
         "objects may have "
         "other bytes.",
         "The Rust reader rejects the whole record. If the Rust reader rejects a string record, it also "
         "rejects all uses of the string. Perfetto and Tracy show a string up to its first NUL."},
    Rule{"W10", "A record has at most 4095 words.",
         "A larger size does not fit into its field, and no reader recovers from the wrong size."},
    Rule{
        "W11",
        "Sizes are exact: there are no spare words in records and arguments, and no zero words between them.",
        "The Rust reader rejects all arguments of a wrong size, and most records of a wrong size. All "
        "readers except the C++ reader stop at a record of size 0."},
    Rule{"W12", "Padding and unused bits are zero.", "The spec reserves these bits for later versions."},
    Rule{"W13", "No large record has more than 4095 words.",
         "Perfetto and Tracy read only 12 bits of a larger size, and lose the rest of the file."},
    Rule{"W14", "Large blobs have metadata (format 0).",
         "The Rust reader reads format 1 as format 0 and aborts."},
    Rule{"W15",
         "Durations of a thread nest: outer durations come first, none overlaps another in part, at most 512 "
         "are nested, and none ends before it starts.",
         "Perfetto drops complete events that overlap in part, and everything deeper than 512. Tracy gives "
         "overlapping events wrong ends."},
    Rule{"W16",
         "Records of a thread are in time order. If a duration ends at the time at which the next one "
         "starts, the end comes first.",
         "For events with equal times, readers keep the order in the file. If this order is wrong, Tracy "
         "pairs starts with wrong ends."},
    Rule{"W17",
         "Every start has an end, and every end has a start. Async operations with the same id nest, and "
         "their instants are inside an operation.",
         "Perfetto shows a duration without an end as unfinished, and Tracy invents an end. Perfetto "
         "treats the ids of async operations as global. At the end of an operation, Perfetto also ends the "
         "operations that are open inside it."},
    Rule{"W18",
         "Names are not empty. The first argument of a thread's name is \"process\", of type koid. If a "
         "thread is in a context switch or wakeup, a record names it with this argument. The last of these "
         "records in the file has the same process as the context switch or wakeup.",
         "Without this koid, Perfetto loses the name of the thread, or puts the thread under process 0, and "
         "programs that convert traces skip the name. Perfetto takes the process of a scheduled thread from "
         "the record that names the thread, and ignores the process in the scheduling record. Perfetto "
         "shows threads of priority 0 without a known process as idle threads."},
    Rule{"W19", "Process and thread ids are 1 to 2^32-1.",
         "Perfetto truncates ids to 32 bits, and Tracy may show two threads as one."},
    Rule{"W20",
         "Counters have numeric arguments. Different counters have arguments with different names. Counters "
         "that differ only in id or process can have the same argument names. The counter cpu_frequency in "
         "the category power has \"cpu\" and \"value\".",
         "Perfetto counts an error for an argument of another type. Perfetto draws the counter "
         "cpu_frequency once for each CPU, and drops the counter or an argument if the arguments are wrong. "
         "Tracy names a series by its argument only, and merges the series of different counters. Tracy also "
         "draws a counter with several ids or processes as one plot, but Perfetto does not. fxt-dump does "
         "not report such counters."},
    Rule{
        "W21",
        "Each flow event is inside a duration of its thread. After the start of this duration and before the "
        "flow event, the thread has no instant, and no complete event ends. A flow has a start event before "
        "its steps and its end.",
        "Perfetto binds a flow event to the latest event of its thread, but skips events that an end event "
        "has ended. If there is no event to bind to, or the flow has no start, Perfetto drops the flow "
        "event."},
    Rule{"W22", "The trace has no bool arguments.",
         "Debug builds of Tracy abort at a bool argument, because of an assertion. Release builds read bool "
         "arguments."},
    Rule{"W23",
         "The trace has no blob arguments. All blobs of type 3 together are packets of Perfetto's format. "
         "Profiler modules and mmaps refer to indexed threads.",
         "After a blob argument, Tracy misreads the rest of the record. The C++ reader returns the blob with "
         "its padding bytes. Perfetto shows \"unknown\". Perfetto imports blob records of type 3, and fails "
         "if they are not packets of Perfetto's format. Fuchsia's two readers read inline threads of "
         "profiler records in different ways."},
    Rule{"W24", "The trace has no userspace objects.",
         "The C++ reader reports each userspace object as a record of unknown type."},
    Rule{"W25",
         "Records have only known types and values, and an initialization has no additional words. CPUs "
         "are at most 4095. All arguments of a duration have different names, even if some are at its "
         "start and others at its end.",
         "The Rust reader rejects an initialization with more words. The C++ reader reports unknown types as "
         "errors. Tracy misreads the rest of the record after an unknown argument. Perfetto aborts at larger "
         "CPUs. Perfetto keeps only one of two arguments with the same name at the start and the end of a "
         "duration."},
    Rule{"W26", "The trace has at most 32,767 different pairs of a duration's name and its source location.",
         "With more pairs, Tracy saves a file that it can't load again."},
    Rule{"W27", "An argument \"loc\" = \"file:line\" is a source location.",
         "Only Tracy uses this argument. fxt-dump does not report other uses."},
    Rule{"W28", "Instants belong to their threads, and have no \"frame\" in their names.",
         "Fuchsia's programs write scopes (process or global) that the spec does not have. Only the C++ "
         "reader reads these scopes. If the name of an instant contains \"frame\", in upper or lower case, "
         "Tracy treats the instant as the start of a frame. Tracy then draws frames that are not meant, "
         "and does not list the instant among the messages of its thread."},
    Rule{"W29", "If a trace is meant for one reader, it has only kinds of records that this reader shows.",
         "Perfetto ignores log messages. Tracy also ignores async operations, flows and context switches. "
         "With --check --for, notes count the records that the given readers ignore."},
    Rule{"W30",
         "An event does not have both an argument such as \"a\" and an argument such as \"a.b\" or "
         "\"a[0]\". Indexes in brackets are numbers.",
         "Perfetto's window shows the arguments \"a.b\" and \"a.c\" as a tree. If an event has \"a[i]\", or "
         "both \"a\" and \"a.b\", the window shows an error instead of the event's data, or not all "
         "arguments. The "
         "same is true of \"a.b\" and \"a[0]\"."},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

// Tracy searches for "frame" anywhere in the name, without regard to case.
bool names_a_frame(std::string_view name) {
  constexpr std::string_view kFrame = "frame";
  const auto is_letter = [](char a, char b) { return (a | 0x20) == b; };
  return std::search(name.begin(), name.end(), kFrame.begin(), kFrame.end(), is_letter) != name.end();
}

}  // namespace fxt
