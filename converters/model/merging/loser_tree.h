// Finds the next of many lanes, which is the lane with the lowest time. This is a tournament tree that stores
// the losers. At equal times, the lane with the lower number goes first. Times of lanes never decrease.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converters/model/reading/bits.h"

namespace convert {

class LoserTree {
 public:
  // Later than all times. It is not the largest number, because postpone_next() may add 1.
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;

  // At the start, the times of all lanes are 0.
  explicit LoserTree(std::size_t lanes)
      : leaves_(std::bit_ceil(std::max<std::size_t>(lanes, 1))), nodes_(leaves_) {
    const auto first = [lanes](std::size_t lane) { return Entry{lane < lanes ? 0 : kNever, lane}; };
    nodes_[0] = first(0);
    for (std::size_t node = 1; node < leaves_; ++node) {
      std::size_t loser = 2 * node + 1;  // lowest lane in the right subtree
      while (loser < leaves_) loser *= 2;
      nodes_[node] = first(loser - leaves_);
    }
  }

  std::size_t next() const { return nodes_[0].lane; }
  std::uint64_t next_ns() const { return nodes_[0].time_ns; }

  // Sets the time of the lane next(). Has no branches, because it can't be predicted which lane wins.
  void postpone_next(std::uint64_t time_ns) {
    Entry winner{time_ns, nodes_[0].lane};
    for (std::size_t node = winner.lane + leaves_; node > 1; node /= 2) {
      Entry& loser = nodes_[node / 2];
      // Lanes on the left have lower numbers, and win against lanes on the right if the times are equal.
      const std::uint64_t comes_from_right = node % 2;
      const std::uint64_t other_wins = mask_of(loser.time_ns < winner.time_ns + comes_from_right);
      const std::uint64_t time_bits = (loser.time_ns ^ winner.time_ns) & other_wins;
      const std::uint64_t lane_bits = (loser.lane ^ winner.lane) & other_wins;
      loser = {loser.time_ns ^ time_bits, loser.lane ^ lane_bits};
      winner = {winner.time_ns ^ time_bits, winner.lane ^ lane_bits};
    }
    nodes_[0] = winner;
  }
  // Events of next() before this time come before the events of all other lanes.
  std::uint64_t others_ns() const {
    const Entry& winner = nodes_[0];
    std::uint64_t limit_ns = kNever;
    for (std::size_t node = (winner.lane + leaves_) / 2; node != 0; node /= 2) {
      const Entry& other = nodes_[node];
      const bool loses_ties = winner.lane < other.lane && other.time_ns != kNever;
      limit_ns = std::min(limit_ns, other.time_ns + (loses_ties ? 1 : 0));
    }
    return limit_ns;
  }

 private:
  struct Entry {
    std::uint64_t time_ns;
    std::uint64_t lane;
  };

  std::size_t leaves_;  // number of leaves, a power of two
  std::vector<Entry> nodes_;
};

}  // namespace convert
