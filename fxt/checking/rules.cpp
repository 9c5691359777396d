// The table of rules.
#include "fxt/rules.h"

#include <algorithm>
#include <array>

namespace fxt {
namespace {

constexpr std::array kRules = {
    Rule{"W1", "A file begins with the magic word, provider info and initialization, in this order.",
         "Without the magic Tracy ends with an exception, Fuchsia's Rust reader refuses and Perfetto "
         "does not recognise the file. Without a provider the Rust reader knows no indexed string; "
         "without initialization it takes a tick for a second. Others fail when strings or "
         "initialization come before the provider."},
    Rule{"W2", "Each provider is announced once, before its strings and threads; ids start at 1.",
         "Fuchsia's C++ reader and Perfetto start with empty tables when a provider is announced "
         "again, the Rust reader does not. What was registered before any provider is lost."},
    Rule{"W3", "Sections name announced providers, and providers do not use one index for different things.",
         "Perfetto drops all records of an unknown provider. Tracy has one string table and one thread "
         "table for the whole file, the Rust reader one thread table."},
    Rule{"W4", "A tick is a nanosecond: 1,000,000,000 ticks a second.",
         "Tracy takes ticks for nanoseconds. At rate 0 the C++ reader reports an error, Perfetto drops "
         "all events and the Rust reader divides by zero."},
    Rule{"W5", "Times lie below 2^63 ns and within 2^47 ns (39 hours) of each other.",
         "Perfetto drops later events, the Rust reader panics; Tracy's times have 48 bits and wrap."},
    Rule{"W6", "An index is never registered again with another meaning.",
         "The C++ reader keeps the first meaning, so names or threads are wrong there, without a message."},
    Rule{"W7", "Strings have the indices 1 to 32767, threads 1 to 255, and are registered before their use.",
         "At an unknown index the C++ reader and Perfetto drop the record, the Rust reader writes "
         "<unknown> and Tracy an empty name. The C++ reader reports registrations of index 0 as "
         "errors."},
    Rule{"W8", "Strings have at most 32,000 bytes.",
         "The C++ reader rejects records with longer inline strings."},
    Rule{"W9",
         "Strings are UTF-8, without NUL where viewers show them; only inline names of kernel objects may "
         "hold other bytes.",
         "The Rust reader rejects the whole record, and with a string record all its uses. Perfetto "
         "and Tracy show a string up to its first NUL."},
    Rule{"W10", "A record has at most 4095 words.", "No reader recovers from a size that wrapped."},
    Rule{"W11", "Sizes are exact: no spare words in records and arguments, no zero words between them.",
         "The Rust reader rejects most records and all arguments of a wrong size. At a record of size "
         "0 all readers but the C++ reader stop."},
    Rule{"W12", "Padding and unused bits are zero.", "The spec reserves them for later versions."},
    Rule{"W13", "No large record has more than 4095 words.",
         "Perfetto and Tracy read 12 bits of its size and lose the rest of the file."},
    Rule{"W14", "Large blobs have metadata (format 0).",
         "The Rust reader takes format 1 for format 0 and aborts."},
    Rule{"W15",
         "Durations of a thread nest: outer ones first, no partial overlap, at most 512 deep, none "
         "ends before it begins.",
         "Perfetto drops complete events that overlap and everything deeper than 512; Tracy gives the "
         "wrong ends to what overlaps."},
    Rule{"W16", "Records of a thread come in time order; at equal times ends before the begins that follow.",
         "Readers break ties by the order in the file: Tracy then pairs begins with the wrong ends."},
    Rule{"W17",
         "Every begin has its end and every end its begin; async operations of one id nest, and "
         "their instants lie in one.",
         "Perfetto shows what never ends as unfinished, Tracy invents an end. To Perfetto the ids of "
         "async operations are global, and it cuts what is open inside one that ends."},
    Rule{"W18",
         "Names are not empty; a thread's first argument is \"process\", of type koid; a thread that "
         "is switched or woken has such a name, the last one in its process.",
         "Perfetto loses names of threads without such a koid, or files them under process 0; "
         "exporters skip them. It files what is scheduled under the process that it knows of the thread, "
         "whatever the record says; threads of priority 0 that it knows no process of are idle ones."},
    Rule{"W19", "Process and thread ids are 1 to 2^32-1.",
         "Perfetto cuts them to 32 bits, Tracy merges threads."},
    Rule{"W20",
         "Counters have numeric arguments, each naming one series of one counter, whatever its ids and "
         "processes; cpu_frequency of category power has \"cpu\" and \"value\".",
         "Perfetto counts an error for other types, and draws that counter by cpu or drops it; Tracy names "
         "a series by its argument alone and merges those of different counters. A counter of several ids "
         "or processes is one plot to Tracy, too, but that is what its name says; Perfetto keeps them "
         "apart. Not reported."},
    Rule{"W21",
         "Flow events lie inside a duration of their thread, and no complete event or instant that is over "
         "lies between its begin and them; steps and ends follow a begin with their id.",
         "Perfetto binds flows to what began last and was not ended by an event, and drops what has none, or "
         "no begin."},
    Rule{"W22", "Bool arguments keep Tracy's debug builds away.",
         "An assertion there; release builds read them."},
    Rule{"W23",
         "No blob arguments; blobs of type 3 together are Perfetto's packets; profiler modules and mmaps "
         "refer to indexed threads.",
         "Tracy misreads what follows a blob argument, the C++ reader adds its padding, Perfetto shows "
         "\"unknown\"; it imports blobs of type 3 and fails at others. Fuchsia's two readers read inline "
         "threads of profiler records differently."},
    Rule{"W24", "No userspace objects.", "The C++ reader reports each as a record of unknown type."},
    Rule{"W25",
         "Records are not extended and have only types and values that readers know: cpus up to 4095, and "
         "each argument a name of its own, which an end does not share with its begin.",
         "The Rust reader rejects an initialization with more words; the C++ reader reports unknown types "
         "as errors; Tracy loses its place after an unknown argument. Perfetto aborts at larger cpus, and "
         "keeps one of two arguments of the same name, those of an end and its begin together."},
    Rule{"W26", "At most 32,767 pairs of duration name and source location.",
         "Tracy writes a file that it can't load any more."},
    Rule{"W27", "An argument \"loc\" = \"file:line\" is a source location.", "For Tracy only. Not reported."},
    Rule{"W28", "Instants belong to their threads, and have no \"frame\" in their names.",
         "Fuchsia's programs write a scope, process or global, that the spec does not have. Only the C++ "
         "reader reads it. Tracy takes instants whose name contains the word, in letters of either case, for "
         "the starts of frames: they are not among the messages of their threads, and frames are drawn that "
         "nobody meant."},
    Rule{"W29", "A trace for one reader has the kinds of records that this reader shows.",
         "Perfetto ignores log messages, Tracy also async operations, flows and context switches. Notes of "
         "--check --for say what the readers that are named ignore."},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

// Tracy searches for the word anywhere in the name, without regard to case.
bool names_a_frame(std::string_view name) {
  constexpr std::string_view kFrame = "frame";
  const auto is_letter = [](char a, char b) { return (a | 0x20) == b; };
  return std::search(name.begin(), name.end(), kFrame.begin(), kFrame.end(), is_letter) != name.end();
}

}  // namespace fxt
