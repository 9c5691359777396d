// Finds the calls by which a thread forks or makes threads, in one walk over its records before they are
// converted: a forked child begins inside such a call, and its arrow starts there.
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

// What a function makes, the surest last.
enum class ForkKind : std::uint8_t {
  None,
  Other,    // clone, posix_spawn, system …: perhaps a process
  Thread,   // pthread_create
  Process,  // fork and vfork, which have a FORK line
};

// A call of fork or a similar function, with such calls that it makes itself.
struct ForkCall {
  std::uint64_t begin_ns;
  std::uint64_t entry_offset;             // of the outermost call
  std::size_t depth;                      // of the outermost call
  std::vector<std::uint64_t> stack = {};  // addresses of the open calls inside the innermost, outermost first
  ForkKind kind = {};

  // `open` are the calls of a stack, at a time before the next fork-like call began.
  bool is_open_in(const std::vector<std::uint64_t>& open) const {
    return open.size() > depth && stack.size() > depth &&
           std::equal(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth) + 1, open.begin());
  }
};

// The open calls of a thread at some time.
struct StackSnapshot {
  std::vector<std::uint64_t> stack;
  std::optional<std::uint64_t> entry_offset =
      {};  // of the innermost; none if it was entered before the records
};

struct ForkScanResult {
  std::vector<ForkCall> calls;           // in the order of the file
  std::vector<StackSnapshot> snapshots;  // one for each time that was asked for
};

// A call that a child leaves with its first record.
using CallKey = std::pair<std::size_t, std::uint64_t>;  // depth, address

// Of functions that do not fork; by epoch.
using ForkKinds = EpochCaches<AddressCache<ForkKind>>;

// Scans a thread until the last of `times_ns`, which ascend, or until all calls have names. `first_exits` are
// calls that children left first, whatever their functions. Throws InputError if the file can't be read.
ForkScanResult scan_forks(const WalkedThread& thread, Symbolizer& symbolizer,
                          std::span<const std::uint64_t> times_ns, const std::set<CallKey>& first_exits,
                          ForkKinds& kinds);

// How the records of a thread begin.
struct RecordHead {
  std::optional<std::uint64_t> first_ns;  // of a call or event
  std::optional<CallRecord> first_call;
  std::uint64_t first_call_offset = 0;  // in the file
};

// Empty if the first MiB of the file has no such record, but for holes. Throws InputError if it can't be
// read.
RecordHead read_head(const fxt::FilePlace& place, const ThreadFacts& facts);

}  // namespace convert::uftrace
