// Finds the calls with which a thread forks or creates threads, in one pass over its records before they are
// converted. A forked child begins inside such a call, and the flow to the child starts there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// The kinds of tasks that a function may create. The last kind is the most certain.
enum class ForkKind : std::uint8_t {
  None,
  Other,    // clone, posix_spawn, system …: possibly a process
  Thread,   // pthread_create
  Process,  // fork and vfork, whose children have a FORK line
};

// A call of fork or a similar function, together with similar functions that it calls.
struct ForkCall {
  std::uint64_t begin_ns;
  std::uint64_t entry_offset;  // entry of the outermost call
  std::size_t depth;           // depth of the outermost call
  // Addresses of the open calls, outermost first, including the innermost forking call.
  std::vector<std::uint64_t> stack = {};
  ForkKind kind = {};

  // True if the call is open in the stack `open`, at a time before the next forking call began.
  bool is_open_in(const std::vector<std::uint64_t>& open) const {
    return open.size() > depth && stack.size() > depth &&
           std::equal(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth) + 1, open.begin());
  }
};

// The calls of a thread that were open at one of the requested times.
struct StackSnapshot {
  std::vector<std::uint64_t> stack;
  std::optional<std::uint64_t> entry_offset = {};  // of the innermost call; nothing if its entry is missing
};

struct ForkScanResult {
  std::vector<ForkCall> calls;           // in the order of the file
  std::vector<StackSnapshot> snapshots;  // one for each requested time
  std::string left_out = {};  // the exceeded limit if some stacks are empty because of it; otherwise no text
};

// A call that a child leaves with its first record.
using CallKey = std::pair<std::uint64_t, std::size_t>;  // address, depth

// Caches the functions that do not fork, by epoch.
using ForkKinds = EpochCaches<AddressCache<ForkKind>>;

// Scans a thread until the last of `times_ns`, which are sorted, and until the addresses of all found calls
// are known. `first_exits` has the calls that children leave with their first records. The functions of these
// calls fork, even if their names are unknown. Throws InputError if the file can't be read.
ForkScanResult scan_forks(const WalkedThread& thread, Symbolizer& symbolizer,
                          std::span<const std::uint64_t> times_ns, const std::set<CallKey>& first_exits,
                          ForkKinds& kinds);

// The start of a thread's records.
struct RecordHead {
  std::optional<std::uint64_t> first_ns;  // time of the first call or event
  std::optional<CallRecord> first_call;
  std::uint64_t first_call_offset = 0;  // offset in the file
};

// Searches the first MiB of the file, without holes. Returns an empty result if there is no such record.
// Throws InputError if the file can't be read.
RecordHead read_head(const fxt::FilePlace& place, const ThreadFacts& facts);

}  // namespace convert::uftrace
