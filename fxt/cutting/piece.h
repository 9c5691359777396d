// The pieces of a trace that is cut: where they begin and end, and one as it is written. Internal to the
// Cutter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/time_range.h"
#include "fxt/writer.h"

namespace fxt {

// The times of a piece.
struct PieceSpan {
  std::uint64_t start = 0;  // what began earlier begins again here
  std::uint64_t last = 0;   // later records may belong to the next piece
  std::uint64_t end = 0;    // where longer durations are cut: `last`, or 1 ns behind it
};

class Edges {
 public:
  explicit Edges(const CutOptions& options)
      : split_ns_(options.split_ns), split_bytes_(options.split_bytes), window_(options.range) {}

  using Side = TimeWindow::Side;
  Side side_of(std::uint64_t time) { return window_.side_of(time); }
  // 0 before the first record with a time.
  std::uint64_t range_start() const { return window_.from(); }
  std::uint64_t range_end() const { return window_.to(); }

  // The piece that `time` belongs to. The first piece begins with it.
  PieceSpan begin(std::uint64_t time);
  // The size of the state that the piece repeats at its begin; the piece gets room for as much again.
  void set_head(std::uint64_t bytes);
  // A record has a time behind the last one of the piece, whose size is told: true if the piece is over, else
  // it lasts longer now.
  bool is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes);

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  void set_last(PieceSpan& piece, std::uint64_t time);

  std::uint64_t split_ns_, split_bytes_;
  TimeWindow window_;
  bool has_begun_ = false;
  std::uint64_t grid_ = 0;       // begin of the first piece
  std::uint64_t next_ = 0;       // end of the last piece
  std::uint64_t time_edge_ = 0;  // of the piece: where the next one begins; kNever: nowhere
  // Of pieces of a size: it is looked at once in a while, which is made longer and shorter.
  std::uint64_t step_ns_ = 1000;
  std::uint64_t step_bytes_ = 0;  // size at the last look
  std::uint64_t piece_bytes_ = 0;
};

// Providers of the trace, in the order of their announcement, and the current one.
struct KnownProviders {
  std::vector<std::pair<std::uint32_t, std::string>> all = {};
  std::uint32_t current = 0;
};

class Piece {
 public:
  Piece(Output& output, const KnownProviders& providers, const std::string& default_name,
        CutCounters& counters);

  PieceSpan span;

  // Counts a record that can't be written.
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
  // The same for an event, by a shorter way where its category, name and thread are known from another one of
  // the same indices: as most are.
  void write(const Event& event) {
    if (!write_short(event)) write<Event>(event);
  }
  // To be called when indices of the tables may change their meaning.
  void forget_indices() { known_events_.fill({}); }

  // What `cut` says of something that began before this piece, or goes on behind it.
  enum class Cut : std::uint8_t { No, Begin, End, Both };
  static Cut cut_of(bool is_begun, bool goes_on) {
    return is_begun ? (goes_on ? Cut::Both : Cut::Begin) : (goes_on ? Cut::End : Cut::No);
  }
  // Whether there is room to say it in an event with these arguments, and those of its begin.
  static bool can_say_cut(const Arguments& own, const Arguments& of_begin = {});
  // The same for an event that says so, if it can.
  void write_cut(const Event& event, Cut cut, const Arguments& of_begin = {});

  std::uint64_t bytes() const { return writer_.words_written() * sizeof(std::uint64_t); }
  void finish() { writer_.finish(); }

 private:
  // By the indices in the trace's tables; a key of 0 is no event's.
  struct KnownEvent {
    std::uint64_t key = 0;
    std::optional<PreparedEvent> event = {};
    std::optional<ThreadIndex> thread = {};
  };
  bool write_short(const Event& event);
  const KnownEvent& known(const Event& event);

  Writer writer_;
  CutCounters* counters_;
  std::array<KnownEvent, 4096> known_events_;
  std::vector<Argument> arguments_;  // of one event
};

}  // namespace fxt
