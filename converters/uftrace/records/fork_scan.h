// Finds the calls in which a thread forks or creates threads, in one pass over its records. A forked child
// begins inside the call that forked it. The flow to the child starts in this call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// The kind of task that a function creates. A later kind is more certain than an earlier kind.
enum class ForkKind : std::uint8_t {
  None,
  Other,    // clone, posix_spawn, system …: possibly a process
  Thread,   // pthread_create
  Process,  // fork and vfork, whose children have a FORK line
};

// An outermost call that forks or creates a thread. Forking calls inside this call belong to the same fork.
struct ForkCall {
  std::uint64_t begin_ns;
  std::uint64_t entry_offset;
  std::size_t depth;
  // The addresses of the innermost forking call and of all calls around it, outermost first.
  std::vector<std::uint64_t> stack = {};
  ForkKind kind = {};

  // `open` is the stack of the thread at a time after the start of this call and before the thread's
  // next forking call. Returns true if this call is still open at this time.
  bool is_open_in(const std::vector<std::uint64_t>& open) const {
    return open.size() > depth && stack.size() > depth &&
           std::equal(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth) + 1, open.begin());
  }
};

// The calls of a thread that were open at one of the times that scan_forks() gets.
struct StackSnapshot {
  std::vector<std::uint64_t> stack;
  // file offset of the innermost call's entry; nothing if the entry is not recorded
  std::optional<std::uint64_t> entry_offset = {};
};

struct ForkScanResult {
  std::vector<ForkCall> calls;           // in file order
  std::vector<StackSnapshot> snapshots;  // one for each time that scan_forks() gets
  std::string left_out = {};             // if some stacks are left out because of a limit: this limit
};

// Identifies a call whose exit is the first record of a child.
using CallKey = std::pair<std::uint64_t, std::size_t>;  // address, depth

// For each epoch (TaskSymbols::epoch()), caches the functions that do not fork.
using ForkKinds = EpochCaches<AddressCache<ForkKind>>;

// Scans the records of a thread up to the last of `times_ns`, which are sorted. If addresses of found calls
// are still unknown then, the scan continues until they are known. `first_exits` are the calls whose exit is
// the first record of a child. Such calls fork, whatever the names of their functions are. Throws InputError
// if the file can't be read.
ForkScanResult scan_forks(const WalkedThread& thread, Symbolizer& symbolizer,
                          std::span<const std::uint64_t> times_ns, const std::set<CallKey>& first_exits,
                          ForkKinds& kinds);

// The start of a thread's records.
struct RecordHead {
  std::optional<std::uint64_t> first_ns;  // time of the first entry, exit or event
  std::optional<CallRecord> first_call;
  std::uint64_t first_call_offset = 0;
};

// Searches the first MiB of the thread's part of the file. Returns an empty result if no record is found
// there. Throws InputError if the file can't be read.
RecordHead read_head(const fxt::FilePlace& place, const ThreadFacts& facts);

}  // namespace convert::uftrace
