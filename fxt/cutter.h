// SPDX-License-Identifier: Apache-2.0
// Cuts a trace: keeps the records of a range of time, and splits them into pieces of bounded length or size
// that each open alone. A duration across an edge is drawn on both sides of it. Each piece begins with the
// state that it needs of earlier records: names, values of counters, the thread that runs on each cpu,
// modules of the profiler.
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

namespace FXT_API fxt {

struct CutOptions {
  TimeRange range = {};
  std::uint64_t split_ns = 0;  // length of a piece; 0: any length
  // Size of a piece; 0: any size. A piece may become larger by a block, which is a 64th of it or less. What
  // it repeats at its begin, and must end at its end, has room in any case, and so have records of one time.
  // CutCounters say how many became larger than that.
  std::uint64_t split_bytes = 0;
  std::vector<std::uint64_t> threads = {};  // koids; empty: all. Switches to others become idle.
  // Which events are kept; the end of a duration goes with its begin. A flow in a duration that is not kept
  // gets one of no length. Empty: all.
  std::function<bool(const Event&)> keeps = {};
  std::string provider_name = "fxt";  // of a trace that names none

  bool is_split() const { return split_ns != 0 || split_bytes != 0; }
};

// Provides the outputs of the pieces.
class PieceOutputs {
 public:
  virtual ~PieceOutputs() = default;
  // The output of piece `number`, counted from 0. The piece before is complete then. finish() is called when
  // this piece is complete.
  virtual Output& next(std::size_t number) = 0;
};

// What piece `number` of a split file is called: out.fxt becomes out.007.fxt, out.json.gz out.007.json.gz.
FXT_API std::string piece_name(const std::string& path, std::size_t number);

struct CutCounters {
  std::size_t pieces = 0;
  std::uint64_t events = 0;                    // records with content, at least partly in the range
  std::uint64_t outside = 0;                   // the same, outside of it
  std::optional<std::uint64_t> first_ns = {};  // of the events that have a time
  std::uint64_t last_ns = 0;
  std::uint64_t oversized = 0;  // pieces that are larger than split_bytes and a block
  std::uint64_t largest_bytes = 0;
  std::uint64_t least_bytes =
      0;  // what split_bytes must be for the head of each piece so far, and some records
  std::uint64_t cut_calls = 0;   // durations and async operations that go on after a piece, once for each
  std::uint64_t cut_flows = 0;   // flows that end, but whose begin and end are not in one piece
  std::uint64_t unwritable = 0;  // of unknown types, or against the rules of the Writer
  // Those of the tables once for each piece.
  std::uint64_t repaired_strings = 0;  // were not UTF-8, or had a NUL
  std::uint64_t cut_strings = 0;       // were longer than 32,000 bytes
};

// Not thread-safe. Memory grows with open durations and the tables, not with the length of the trace.
//
// Written times are ns. A duration or async operation that is cut has the argument `cut` at its end: `begin`
// (it began earlier), `end` (it goes on) or `both`. Records come in the order of time, as an OrderedReader
// delivers them: then ranges are exact, and a piece has no finding that the trace lacks. What overlaps a
// duration that is cut ends with it, and ends of nothing inside it are left out.
class Cutter {
 public:
  // Borrows the outputs.
  Cutter(const CutOptions& options, PieceOutputs& outputs);
  ~Cutter();
  Cutter(Cutter&&) noexcept;
  Cutter& operator=(Cutter&&) noexcept;

  // The next record of an OrderedReader. Throws what an Output throws, and std::invalid_argument if a range
  // proves to end before it begins.
  void add(const Entry& entry, const Reader& reader);
  // No record follows: completes the last piece. There is always one, which may be empty. Throws as add().
  void finish();

  const CutCounters& counters() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
