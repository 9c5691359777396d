// The pieces of a trace that is cut: their times, and the current piece. Internal to the Cutter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/time_range.h"
#include "fxt/writer.h"

namespace fxt {

struct PieceSpan {
  std::uint64_t start = 0;  // spans that began earlier begin again here
  std::uint64_t last = 0;   // records after this time may belong to the next piece
  std::uint64_t end = 0;    // durations that go on after the piece are cut here: `last`, or 1 ns later

  // True if no later piece shows the spans that continue after this piece.
  bool is_last() const { return end == last; }
};

class PieceEdges {
 public:
  explicit PieceEdges(const CutOptions& options);

  using Side = TimeWindow::Side;
  Side side_of(std::uint64_t time) { return window_.side_of(time); }
  // Must be called with the first time of the trace. Later calls change nothing.
  void know_start(std::uint64_t time) {
    if (!window_.start()) window_.side_of(time);
  }
  // 0 if the range has no start, or if its start is not known yet.
  std::uint64_t range_start() const { return window_.from(); }
  std::uint64_t range_end() const { return window_.to(); }

  // Begins the piece that contains `time`. The first piece starts at `time`.
  PieceSpan begin(std::uint64_t time);
  // For --split-size: sets the time before which all records are known.
  // A piece may extend to this time.
  void know_until(std::uint64_t time) { known_until_ = std::max(known_until_, time); }
  // `bytes` is the size of the repeated state at the start of the piece, and `end_bytes` is the size of the
  // ends of open spans. Returns the size that a piece needs for both and for some records.
  std::uint64_t set_head(std::uint64_t bytes, std::uint64_t end_bytes);
  // `time` is the time of a record after the piece, `bytes` is the size of the piece, and `end_bytes` is the
  // size of the ends of open spans. Returns true if the piece is over. Otherwise, extends the piece. A piece
  // of limited size without contents is joined with the next piece.
  bool is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes, std::uint64_t end_bytes,
               bool has_contents);
  // True if a piece of this size exceeds the limit by more than block_bytes().
  bool is_oversized(std::uint64_t bytes) const {
    return split_bytes_ != 0 && bytes > split_bytes_ + block_bytes_;
  }
  // The number of bytes of the trace to read ahead for pieces of limited size.
  std::uint64_t block_bytes() const { return block_bytes_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  void set_last(PieceSpan& piece, std::uint64_t time);

  std::uint64_t split_ns_, split_bytes_, block_bytes_;
  TimeWindow window_;
  bool has_begun_ = false;
  std::uint64_t grid_ = 0;       // start of the first piece
  std::uint64_t next_ = 0;       // end of the last piece
  std::uint64_t time_edge_ = 0;  // the time at which --split-time ends the piece, or kNever
  std::uint64_t known_until_ = 0;
  std::uint64_t known_bytes_ = 0;  // the size of the piece at the latest set_head() or is_over()
  std::uint64_t piece_bytes_ = 0;
};

// The providers of the trace, in the order of their announcement, and the current provider.
struct KnownProviders {
  std::vector<std::pair<std::uint32_t, std::string>> all = {};
  std::unordered_set<std::uint32_t> ids = {};
  std::uint32_t current = 0;
  std::string default_name = {};  // used if the trace has no provider
};

class Piece {
 public:
  Piece(Output& output, const KnownProviders& providers, CutCounters& counters);

  PieceSpan span;

  template <typename T>
  void write(const T& record) {
    try {
      if constexpr (std::is_same_v<T, Record>) {
        if (!writer_.write(record)) ++counters_->unwritable;
      } else {
        writer_.write(record);
      }
    } catch (const WriterError&) {
      ++counters_->unwritable;
    }
  }
  // Writes an event. Most events have no arguments, and use the same string and thread indices as an earlier
  // event. For these events, write_short() reuses the words of the earlier event.
  void write(const Event& event) {
    if (!write_short(event)) write<Event>(event);
  }
  // The value of the argument `cut` of a span that began before this piece or continues after it.
  enum class Cut : std::uint8_t { No, Begin, End, Both };
  static Cut cut_of(bool is_begun, bool goes_on) {
    return is_begun ? (goes_on ? Cut::Both : Cut::Begin) : (goes_on ? Cut::End : Cut::No);
  }
  // True if an event with the arguments `own` has room for `cut`. For an end, `of_begin` are the arguments of
  // its begin.
  static bool has_room_for_cut(const Arguments& own, const Arguments& of_begin = {});
  // Returns the event with the argument `cut`, if there is room. Valid until the next call.
  const Event& with_cut(const Event& event, Cut cut, const Arguments& of_begin = {});
  void write_cut(const Event& event, Cut cut, const Arguments& of_begin = {}) {
    write(with_cut(event, cut, of_begin));
  }

  std::uint64_t bytes() const { return writer_.words_written() * sizeof(std::uint64_t); }
  void finish() {
    writer_.finish();
    counters_->repaired_strings += writer_.counters().repaired_strings;
    counters_->cut_strings += writer_.counters().cut_strings;
  }

 private:
  struct KnownEvent {
    std::string category = {}, name = {};
    std::optional<PreparedEvent> event = {};
  };
  struct KnownThread {
    Thread thread = {};
    std::optional<ThreadIndex> index = {};
  };
  bool write_short(const Event& event);
  const std::optional<PreparedEvent>& known_event(const Event& event);
  const std::optional<ThreadIndex>& known_thread(const Thread& thread);

  Writer writer_;
  CutCounters* counters_;
  // indexed by a hash of the string indices that the input trace uses for the category and the name
  std::array<KnownEvent, 4096> known_events_;
  std::array<KnownThread, 256> known_threads_;  // indexed by the thread index in the input trace
  Event with_cut_;
  std::vector<Argument> arguments_;
};

}  // namespace fxt
