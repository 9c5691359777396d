// Takes parts of a trace: the records of a range of time, and pieces of bounded length or size that each open
// alone. Whatever lasts across an edge is drawn on both sides of it; what a piece needs of the time before
// (names, values of counters, who runs on which cpu) stands at its begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fxt/output.h"
#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/time_range.h"

namespace fxt {

struct CutOptions {
  TimeRange range = {};
  std::uint64_t split_ns = 0;  // a piece is so long; 0: of any length
  // A piece is about so large; 0: of any size. It ends in time, at the edge that comes next: in a burst of
  // records it may get somewhat larger.
  std::uint64_t split_bytes = 0;
  std::vector<std::uint64_t> threads = {};  // koids; empty: all. To others, the cpus switch to nobody.
  // Which events are taken; the end of a duration goes with its begin. A flow in a duration that is not taken
  // gets one of no length. Empty: all.
  std::function<bool(const Event&)> keeps = {};
  std::string provider_name = "fxt";  // of a trace that names none

  bool is_split() const { return split_ns != 0 || split_bytes != 0; }
};

// Where the pieces go.
class PieceOutputs {
 public:
  virtual ~PieceOutputs() = default;
  // The place of piece `number`, 0 first; the one before is complete then. Its finish() is called when the
  // piece is.
  virtual Output& next(std::size_t number) = 0;
};

// What piece `number` of a split file is called: out.fxt becomes out.007.fxt, out.fxt.gz out.007.fxt.gz.
std::string piece_name(const std::string& path, std::size_t number);

struct CutCounters {
  std::size_t pieces = 0;
  std::uint64_t events = 0;                    // records that say something, and that in the range
  std::uint64_t outside = 0;                   // those that have another one, and what goes with them
  std::optional<std::uint64_t> first_ns = {};  // of the events that have a time
  std::uint64_t last_ns = 0;
  std::uint64_t cut_calls = 0;   // durations and async operations that go on behind a piece, once for each
  std::uint64_t cut_flows = 0;   // ends of flows that began in an earlier piece
  std::uint64_t unwritable = 0;  // of unknown types, of the profiler, or against the rules of the Writer
};

// Not thread-safe. Memory: what is open, and the tables.
//
// Times of what is written are ns. A duration or async operation that is cut says so where it ends: argument
// `cut` = `begin` (it began earlier), `end` (it goes on) or `both`. Of a trace whose threads follow one
// another, ranges are right; pieces take what comes late as it comes. What passes neither edge nor filter
// comes out as it was, damage of its order included.
class Cutter {
 public:
  // Borrows the outputs.
  Cutter(const CutOptions& options, PieceOutputs& outputs);
  ~Cutter();
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  // The next record of the trace. Throws what an Output throws, and std::invalid_argument where a range turns
  // out to end before it begins.
  void add(const Entry& entry, const Reader& reader);
  // The trace is over: completes the last piece. There is one piece at least, if only to say that it is
  // empty.
  void finish();

  const CutCounters& counters() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
