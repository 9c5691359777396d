// Chooses the calls of a trace that fit into a size: the longest ones. Internal to fxt-cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/pairing.h"
#include "fxt/reader.h"
#include "fxt/support/short_calls.h"
#include "fxt/tools/entry_source.h"

namespace fxt::tools {

// Calls are durations. All other records are kept, and so are calls with a flow inside, and calls without an
// end. The trace is read several times, so it must be a file.
class CallFit {
 public:
  using Open = std::function<std::unique_ptr<EntrySource>()>;

  // Reads the trace, and finds the shortest length whose calls fit into `most_bytes`. `cut` selects the
  // records. Throws FileError if the other records alone take more.
  CallFit(const Open& open, const CutOptions& cut, std::uint64_t most_bytes);

  // The options for a Cutter that writes the calls. They borrow this object.
  CutOptions options();
  // Tells a call what is missing in it. Called with each record before the Cutter gets it. Valid until the
  // next call.
  const Entry& changed(const Entry& entry);

  std::uint64_t shortest_ns() const { return shortest_ns_; }  // 0: all calls are shown
  const MissingCalls& left_out() const { return left_out_; }  // all calls that are not shown

 private:
  class Pass;
  struct Missing {
    std::uint64_t record;  // the number of the record of the call
    std::uint64_t calls, time_ns;
  };

  bool is_shown(const Event& event);
  std::int64_t run(Pass& pass, EntrySource& source, std::vector<std::uint64_t>* lengths) const;

  CutOptions cut_;
  std::uint64_t shortest_ns_ = 0;
  // The lengths of calls with separate starts and ends, in the order of their starts.
  std::vector<std::uint64_t> lengths_;
  // The numbers of the calls that are kept though they are short, among all calls, in order.
  std::vector<std::uint64_t> kept_;
  std::uint64_t starts_ = 0;
  std::size_t next_kept_ = 0;
  std::size_t begins_ = 0;        // the starts that is_shown() has seen
  std::vector<Missing> missing_;  // by record
  std::uint64_t records_ = 0;     // the records that changed() has seen
  std::size_t next_missing_ = 0;  // the entry of missing_ for one of the next records
  MissingCalls left_out_;
  Entry changed_;
};

}  // namespace fxt::tools
