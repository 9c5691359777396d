// Chooses the records of a trace that fit into a size: the longest calls. Internal to fxt-cut.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "fxt/cutter.h"
#include "fxt/reader.h"
#include "fxt/support/short_calls.h"
#include "fxt/tools/entry_source.h"
#include "fxt/tools/sorted_spool.h"
#include "fxt/tools/thinning.h"

namespace fxt::tools {

// All durations count as calls. Short calls are omitted, except calls that have no end or contain a flow.
// All other records are kept, as far as they fit (see thinning.h). The trace is read several times, so it
// must be a file. If the list of the kept calls is long, it is in a temporary file.
class CallFit {
 public:
  using Open = std::function<std::unique_ptr<EntrySource>()>;

  // Reads the trace, and finds the shortest length so that all calls of at least this length fit into
  // `most_bytes`. `cut` selects the records. Throws FileError if `most_bytes` is too small for the records
  // that must stay.
  CallFit(const Open& open, const CutOptions& cut, std::uint64_t most_bytes);

  // The options for a Cutter that writes the calls. They refer to this object, which must outlive the Cutter.
  CutOptions options();
  // Must be called with each record before the Cutter gets it. Returns the record for the Cutter, or null if
  // the record is left out. If calls are missing in a call, their number is added to the start of the call.
  // The result is valid until the next changed().
  const Entry* changed(const Entry& entry, const Reader& reader);

  std::uint64_t shortest_ns() const { return shortest_ns_; }  // 0: all calls are shown
  std::int64_t words() const { return words_; }               // the estimated size of the trace
  const MissingCalls& left_out() const { return left_out_; }  // the calls that are not shown, and their time
  std::string thinned() const { return thinning_.text(); }    // see Thinning::text()

 private:
  class Pass;
  struct ShownCall {
    std::uint64_t record;  // index of the call's first record in the trace
    std::uint64_t start;   // index of the call's start among the starts for which is_shown() is called
    MissingCalls missing;

    bool operator<(const ShownCall& other) const { return record < other.record; }
  };

  bool is_shown(const Event& event);
  const Entry& with_missing(const Entry& entry, const MissingCalls& missing);
  std::int64_t run(Pass& pass, EntrySource& source, Thinning* thinning) const;

  CutOptions cut_;
  Thinning thinning_;
  bool thins_ = false;
  std::uint64_t shortest_ns_ = 0;
  std::int64_t words_ = 0;
  SortedSpool<ShownCall> shown_;
  std::uint64_t records_ = 0;  // number of records for which changed() was called
  // ShownCall::start of each shown call for which changed() was called, but not yet is_shown().
  std::deque<std::uint64_t> started_;
  std::uint64_t starts_ = 0;  // number of starts for which is_shown() was called
  MissingCalls left_out_;
  Entry changed_;
};

}  // namespace fxt::tools
