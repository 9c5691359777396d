#include "fxt/cutting/piece_sequence.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fxt {

PieceSequence::PieceSequence(const CutOptions& options, PieceOutputs& outputs, CutCounters& counters,
                             HeldTexts& texts)
    : outputs_(&outputs),
      counters_(&counters),
      edges_(options),
      providers_{.default_name = options.provider_name},
      carried_(texts),
      open_spans_(counters, texts),
      flows_(counters, texts) {}

void PieceSequence::finish() {
  ensure_piece(edges_.range_start());
  // Spans may end after the last record. Their ends may need further pieces.
  const std::vector<std::uint64_t> ends = open_spans_.ends_until(edges_.range_end());
  constexpr std::size_t kEndsAtOnce = 64;
  for (std::size_t i = 0; i < ends.size(); i += kEndsAtOnce) {
    const std::uint64_t end = ends[std::min(i + kEndsAtOnce, ends.size()) - 1];
    if (end <= piece_->span.end) continue;
    edges_.know_until(end);
    go_to(end - 1);
    open_spans_.settle(*piece_);
  }
  close_piece(true);
}

// ---- Pieces ----

PieceEdges::Side PieceSequence::place(std::uint64_t time) {
  last_side_ = edges_.side_of(time);
  if (last_side_ == PieceEdges::Side::Inside) {
    ++counters_->events;
    counters_->first_ns = counters_->first_ns.value_or(time);
    counters_->last_ns = std::max(counters_->last_ns, time);
  } else {
    ++counters_->outside;
  }
  if (last_side_ == PieceEdges::Side::Before) return last_side_;
  has_more_behind_ |= last_side_ == PieceEdges::Side::After;
  // If a range is given, the first piece begins at the range's start.
  ensure_piece(edges_.range_start() != 0 || last_side_ == PieceEdges::Side::After ? edges_.range_start()
                                                                                  : time);
  go_to(std::min(time, edges_.range_end()));
  ++timed_records_;
  return last_side_;
}

void PieceSequence::ensure_piece(std::uint64_t time) {
  if (!piece_) open_piece();
  if (!is_placed_) begin_piece(time);
}

void PieceSequence::go_to(std::uint64_t time) {
  while (time > piece_->span.last &&
         edges_.is_over(piece_->span, time, piece_->bytes(), end_bytes(), has_contents())) {
    close_piece(false);
    open_piece();
    // Spans that end before `time` also need a piece for their ends.
    begin_piece(std::min(time, open_spans_.next_end() - 1));
  }
}

void PieceSequence::open_piece() {
  piece_.emplace(outputs_->next(counters_->pieces++), providers_, *counters_);
  is_placed_ = false;
  carried_.write_names(*piece_);
}

void PieceSequence::begin_piece(std::uint64_t time) {
  is_placed_ = true;
  timed_records_ = 0;
  has_call_ = open_spans_.end_bytes() != 0;
  piece_->span = edges_.begin(time);
  carried_.write_state(*piece_);
  open_spans_.begin_again(*piece_);
  counters_->least_bytes = std::max(counters_->least_bytes, edges_.set_head(piece_->bytes(), end_bytes()));
}

void PieceSequence::close_piece(bool is_last) {
  // No piece follows, so this piece extends to the end of the range.
  if (is_last) piece_->span.last = piece_->span.end = edges_.range_end();
  open_spans_.begin_again(*piece_);
  open_spans_.settle(*piece_);
  if (!is_last || has_more_behind_) flows_.cut(open_spans_, *piece_);
  open_spans_.cut(*piece_, is_last && !has_more_behind_);
  piece_->finish();
  counters_->largest_bytes = std::max(counters_->largest_bytes, piece_->bytes());
  if (edges_.is_oversized(piece_->bytes())) ++counters_->oversized;
  piece_.reset();
}

// ---- Records ----

void PieceSequence::add(const ProviderInfo& info) {
  if (!providers_.ids.insert(info.id).second) return add(ProviderSection{.id = info.id});
  providers_.all.emplace_back(info.id, info.name);
  providers_.current = info.id;
  if (piece_) piece_->write(Record(info));
}

void PieceSequence::add(const ProviderSection& section) {
  providers_.current = section.id;
  if (piece_)
    piece_->write(Record(section));
  else if (!providers_.ids.contains(section.id))
    ++counters_->unwritable;
}

void PieceSequence::add(const Event& event) {
  const PieceEdges::Side side = place(event.time);
  if (side == PieceEdges::Side::Inside && event.type == EventType::DurationComplete)
    counters_->last_ns = std::max(counters_->last_ns, std::min(event.end, edges_.range_end()));
  if (event.type == EventType::Counter) {
    if (side == PieceEdges::Side::Inside) piece_->write(event);
    if (side != PieceEdges::Side::After) carried_.add(event);
  } else if (is_flow(event.type)) {
    if (side == PieceEdges::Side::Inside)
      flows_.add(event, open_spans_, *piece_);
    else
      flows_.pass(event);
  } else if (side == PieceEdges::Side::Inside) {
    has_call_ = has_call_ || is_duration(event.type) || is_async(event.type);
    open_spans_.add(event, *piece_);
  } else if (is_duration(event.type) || is_async(event.type)) {
    if (side == PieceEdges::Side::Before)
      open_spans_.add_before(event, edges_.range_start());
    else
      open_spans_.add_after(event, *piece_);
  }
}

void PieceSequence::add(const LeftOutFlow& flow) {
  if (piece_)
    flows_.leave_out(flow.event, open_spans_, *piece_);
  else
    flows_.pass(flow.event);
}

// Perfetto's packets before the first event describe the whole trace.
void PieceSequence::add(const Blob& blob) {
  const bool is_of_all = blob.type == BlobType::Perfetto && !counters_->first_ns && counters_->outside == 0;
  if (!is_of_all) return add_untimed(blob, blob.type != BlobType::Perfetto);
  carried_.add(blob);
  if (piece_) piece_->write(Record(blob));
}

}  // namespace fxt
