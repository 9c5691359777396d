// The pieces of a trace, one after another. Each record goes to the piece of its time, and to the state that
// later pieces repeat. Internal to the Cutter.
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

  // The next record.
  void add(const ProviderInfo& info);
  void add(const ProviderSection& section);
  void add(const Event& event);
  void add(const LeftOutFlow& flow);
  void add(const Blob& blob);
  template <typename T>
  void add(const T& record);
  // No record follows. Completes the last piece.
  void finish();

  // To be called with the first time of the trace, whether it is chosen or not. A range may count from it.
  void know_start(std::uint64_t time) { edges_.know_start(time); }
  // For --split-size: all records that begin before this time are known.
  void know_until(std::uint64_t time) { edges_.know_until(time); }
  // The size of the trace that must be read ahead for that.
  std::uint64_t block_bytes() const { return edges_.block_bytes(); }

 private:
  template <typename T>
  void add_untimed(const T& record, bool is_event);

  // The position of the record. A record inside the range has a piece afterwards, which lasts until then.
  PieceEdges::Side place(std::uint64_t time);
  void ensure_piece(std::uint64_t time);
  void open_piece();
  void begin_piece(std::uint64_t time);  // at its first record that has one
  void go_to(std::uint64_t time);        // to the piece of this time
  void close_piece(bool is_last);
  // Of the open spans in the piece.
  std::uint64_t end_bytes() const { return open_spans_.end_bytes() + flows_.end_bytes(); }

  PieceOutputs* outputs_;
  CutCounters* counters_;
  PieceEdges edges_;
  KnownProviders providers_;
  CarriedState carried_;
  OpenSpans open_spans_;
  CutFlows flows_;
  std::optional<Piece> piece_;
  bool is_placed_ = false;                                 // in time: the piece has such a record
  bool has_more_behind_ = false;                           // a record is after the range
  PieceEdges::Side last_side_ = PieceEdges::Side::Inside;  // of records without a time
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

// Records without a time are kept together with the record before them.
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
