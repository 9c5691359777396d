// One piece as it is written. Internal to the Cutter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/cutting/edges.h"
#include "fxt/writer.h"

namespace fxt {

// Providers of the trace, in the order of their announcement, and who speaks.
struct KnownProviders {
  std::vector<std::pair<std::uint32_t, std::string>> all = {};
  std::uint32_t current = 0;
};

class Piece {
 public:
  Piece(Output& output, const KnownProviders& providers, const std::string& default_name,
        CutCounters& counters);

  PieceSpan span;

  // What can't be written is counted.
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
  // From here on, indices may mean something else.
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
