// SPDX-License-Identifier: Apache-2.0
// Cuts a trace: keeps the records of a range of time, and splits them into pieces of limited length or size.
// Each piece can be opened on its own. A duration across an edge is drawn on both sides of it. Each piece
// begins with the state that it needs from earlier records: names, values of counters, the thread that runs
// on each CPU, and modules of the profiler.
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
  std::uint64_t split_ns = 0;  // length of a piece; 0 means any length
  // The size of a piece; 0 means any size. A piece may be larger by one block, which has at most 1/64 of this
  // size. A piece always contains its repeated state, the ends of its open durations, and all records of one
  // time, even if these exceed the size. CutCounters::oversized counts the larger pieces.
  std::uint64_t split_bytes = 0;
  // Koids of the threads to keep; empty keeps all. Switches to other threads become switches to idle.
  std::vector<std::uint64_t> threads = {};
  // Returns true for the events to keep; empty keeps all events. The end of a duration is kept if its begin
  // is kept. A flow event outside of the kept durations is written with a new duration of no length around
  // it.
  std::function<bool(const Event&)> keeps = {};
  std::string provider_name = "fxt";  // used if the trace names no provider

  bool is_split() const { return split_ns != 0 || split_bytes != 0; }
};

// Provides the outputs of the pieces.
class PieceOutputs {
 public:
  virtual ~PieceOutputs() = default;
  // Returns the output for piece `number`, which counts from 0. The previous piece is complete by then.
  // Output::finish() is called when this piece is complete.
  virtual Output& next(std::size_t number) = 0;
};

// The name of piece `number` of a split file: out.fxt becomes out.007.fxt, and out.json.gz becomes
// out.007.json.gz.
FXT_API std::string piece_name(const std::string& path, std::size_t number);

struct CutCounters {
  std::size_t pieces = 0;
  std::uint64_t events = 0;                    // events, logs, blobs and so on, at least partly in the range
  std::uint64_t outside = 0;                   // the same kinds of records, outside of the range
  std::optional<std::uint64_t> first_ns = {};  // time of the first event that has a time
  std::uint64_t last_ns = 0;
  std::uint64_t oversized = 0;  // pieces that exceed split_bytes by more than a block
  std::uint64_t largest_bytes = 0;
  // The smallest split_bytes with which each piece so far holds its repeated state and some records.
  std::uint64_t least_bytes = 0;
  // Durations and async operations that continue after a piece, counted once per piece.
  std::uint64_t cut_calls = 0;
  std::uint64_t cut_flows = 0;   // flows that have their begin and end in different pieces
  std::uint64_t unwritable = 0;  // records with an unknown type, an unknown reference, or an impossible time
  // Strings of the tables are counted once per piece.
  std::uint64_t repaired_strings = 0;  // strings that were not UTF-8, or had a NUL
  std::uint64_t cut_strings = 0;       // strings that were longer than 32,000 bytes
};

// Not thread-safe. Memory grows with open durations and the tables, not with the length of the trace.
//
// Written times are ns. A duration or async operation that is cut has the argument `cut` at its end: `begin`
// (it began earlier), `end` (it continues) or `both`. The records must come in the order of time, as an
// OrderedReader returns them. Then the ranges are exact, and the Checker finds no fault in a piece that it
// does not find in the trace. If a duration begins inside a cut duration and ends after it, it ends together
// with the cut duration instead. End events inside a cut duration are left out if they end no duration.
class Cutter {
 public:
  // Keeps a reference to `outputs`, which must outlive the Cutter.
  Cutter(const CutOptions& options, PieceOutputs& outputs);
  ~Cutter();
  Cutter(Cutter&&) noexcept;
  Cutter& operator=(Cutter&&) noexcept;

  // Must be called with each record of an OrderedReader. Throws the exceptions of the Output, and
  // std::invalid_argument if the range ends before it begins.
  void add(const Entry& entry, const Reader& reader);
  // Completes the last piece, after the last record. There is always at least one piece, which may be empty.
  // Throws the same exceptions as add().
  void finish();

  const CutCounters& counters() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
