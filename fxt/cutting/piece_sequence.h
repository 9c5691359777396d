// The pieces of a trace. Each record with a time goes into the piece that contains this time. Records that
// stay valid, for example names and values of counters, are repeated in later pieces. Internal to the Cutter.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "fxt/cutter.h"
#include "fxt/cutting/carried_state.h"
#include "fxt/cutting/chosen_records.h"
#include "fxt/cutting/cut_flows.h"
#include "fxt/cutting/held_texts.h"
#include "fxt/cutting/open_spans.h"
#include "fxt/cutting/piece.h"
#include "fxt/records.h"

namespace fxt {

class PieceSequence {
 public:
  PieceSequence(const CutOptions& options, PieceOutputs& outputs, CutCounters& counters, HeldTexts& texts);

  // Each of these functions adds the next record of the trace.
  void add(const ProviderInfo& info);
  void add(const ProviderSection& section);
  void add(const Event& event);
  void add(const LeftOutFlow& flow);
  void add(const Blob& blob);
  template <typename T>
  void add(const T& record);
  // Completes the last piece. Must be called after the last record.
  void finish();

  // Must be called with the time of the first record, even if this record is not kept. The times of a range
  // may be relative to this time.
  void know_start(std::uint64_t time) { edges_.know_start(time); }
  // For --split-size: sets the time before which all records are known.
  void know_until(std::uint64_t time) { edges_.know_until(time); }
  // The number of bytes of the trace to read ahead for know_until().
  std::uint64_t block_bytes() const { return edges_.block_bytes(); }

 private:
  static constexpr std::uint64_t kLeastRecords = 16;

  template <typename T>
  void add_untimed(const T& record, bool is_event);

  // Returns the side of the range on which the time is. If the time is not before the range, goes to the
  // piece of this time.
  PieceEdges::Side place(std::uint64_t time);
  void ensure_piece(std::uint64_t time);
  void open_piece();
  void begin_piece(std::uint64_t time);  // called for the first record with a time
  void go_to(std::uint64_t time);        // goes to the piece that contains `time`
  void close_piece(bool is_last);
  // False if the piece has only the blobs and the few instants with which a trace begins.
  bool has_contents() const { return has_call_ || timed_records_ >= kLeastRecords; }
  std::uint64_t end_bytes() const { return open_spans_.end_bytes() + flows_.end_bytes(); }

  PieceOutputs* outputs_;
  CutCounters* counters_;
  PieceEdges edges_;
  KnownProviders providers_;
  CarriedState carried_;
  OpenSpans open_spans_;
  CutFlows flows_;
  std::optional<Piece> piece_;
  bool is_placed_ = false;  // true if the piece has a record with a time
  bool has_call_ = false;
  std::uint64_t timed_records_ = 0;
  bool has_more_behind_ = false;                           // true if a record comes after the range
  PieceEdges::Side last_side_ = PieceEdges::Side::Inside;  // side of the latest record with a time
};

template <typename T>
void PieceSequence::add(const T& record) {
  using std::is_same_v;
  if constexpr (is_same_v<T, KernelObject> || is_same_v<T, UserspaceObject>) {
    carried_.add(record);
    if (piece_) piece_->write(record);
  } else if constexpr (requires {
                         carried_.add(record);
                         record.time;
                       }) {
    if (place(record.time) == PieceEdges::Side::Inside) piece_->write(record);
    if (last_side_ != PieceEdges::Side::After) carried_.add(record);
  } else if constexpr (requires { record.time; }) {
    if (place(record.time) == PieceEdges::Side::Inside) piece_->write(Record(record));
  } else {
    add_untimed(record, is_same_v<T, LargeBlob> || is_same_v<T, LargeBlobWithoutMetadata> ||
                            is_same_v<T, ProviderEvent>);
  }
}

// Records without a time go into the same piece as the record before them.
template <typename T>
void PieceSequence::add_untimed(const T& record, bool is_event) {
  if (last_side_ != PieceEdges::Side::Inside) {
    ++counters_->outside;
    return;
  }
  counters_->events += is_event ? 1 : 0;
  if (!piece_) open_piece();
  piece_->write(Record(record));
}

}  // namespace fxt
