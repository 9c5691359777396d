// The calls by which a thread forks, found in one walk over its records before they are converted: what a
// forked child begins in, and where its arrow comes from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/thread_facts.h"

namespace convert::uftrace {

// A call of fork or one of its kin, with those of them that it calls itself.
struct ForkCall {
  std::uint64_t begin_ns;
  std::uint64_t entry_offset;  // of the outermost of them
  std::size_t depth;           // of that, too
  std::vector<std::uint64_t> stack =
      {};                   // addresses of the open calls in the innermost of them, outermost first
  bool makes_process = {};  // fork and vfork: what a FORK line tells of

  // `open` are a stack's calls at a time when no later call of its kind had begun.
  bool is_open_in(const std::vector<std::uint64_t>& open) const {
    return open.size() > depth && stack.size() > depth &&
           std::equal(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth) + 1, open.begin());
  }
};

// What a thread was in at some time.
struct StackMoment {
  std::vector<std::uint64_t> stack;
  std::optional<std::uint64_t> entry_offset;  // of the call that was entered last
  std::size_t entry_depth = 0;

  // It has not been left since.
  bool is_in_last_entry() const { return entry_offset && entry_depth + 1 == stack.size(); }
};

struct ForkScanResult {
  std::vector<ForkCall> calls;       // in the order of the file
  std::vector<StackMoment> moments;  // one for each time that was asked for
};

// A call, as a child sees it that leaves it first of all.
using CallKey = std::pair<std::size_t, std::uint64_t>;  // depth, address

struct ForkQuery {
  std::vector<std::uint64_t> times_ns;  // ascending; the walk ends at the last of them
  std::set<CallKey> first_exits;        // calls that children left first, whatever their names
};

// `payloads` may be null; `inherited` is what the thread itself started with. Throws InputError if the file
// can't be read.
ForkScanResult scan_forks(const std::string& path, const ThreadFacts& facts, const Task& task,
                          Symbolizer& symbolizer, PayloadDecoder* payloads,
                          std::vector<std::uint64_t> inherited, const ForkQuery& query);

// How the records of a thread begin.
struct RecordHead {
  std::optional<std::uint64_t> first_ns;  // of a call or event
  std::optional<CallRecord> first_call;
  std::uint64_t first_call_offset = 0;  // its place in the file
};

// Nothing in it if that is not near the start of the file. Throws InputError if it can't be read.
RecordHead read_head(const std::string& path, const ThreadFacts& facts);

}  // namespace convert::uftrace
