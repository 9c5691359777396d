// Which of many lanes is next in time: a tournament tree that remembers the losers. At equal times the lane
// with the lower number goes first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convert {

class TurnTree {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // All lanes begin with kNever: they have no turn.
  explicit TurnTree(std::size_t lanes)
      : leaves_(std::bit_ceil(std::max<std::size_t>(lanes, 1))), times_(leaves_, kNever), losers_(leaves_) {
    rebuild();
  }

  // The lane whose turn it is, and its time.
  std::size_t next() const { return losers_[0]; }
  std::uint64_t next_ns() const { return times_[losers_[0]]; }

  // Gives next() another time, which may be any.
  void postpone_next(std::uint64_t time_ns) {
    std::uint32_t winner = losers_[0];
    times_[winner] = time_ns;
    for (std::size_t node = (winner + leaves_) / 2; node != 0; node /= 2) {
      const std::uint32_t loser = losers_[node];
      const bool goes_first = is_before(loser, winner);
      losers_[node] = goes_first ? winner : loser;
      winner = goes_first ? loser : winner;
    }
    losers_[0] = winner;
  }
  // next() keeps its turn for all times before this.
  std::uint64_t others_ns() const {
    const std::uint32_t winner = losers_[0];
    std::uint64_t limit_ns = kNever;
    for (std::size_t node = (winner + leaves_) / 2; node != 0; node /= 2) {
      const std::uint32_t other = losers_[node];
      const std::uint64_t first_ns = times_[other] + (winner < other && times_[other] != kNever ? 1 : 0);
      limit_ns = first_ns < limit_ns ? first_ns : limit_ns;
    }
    return limit_ns;
  }

  // Sets the time of any lane; rebuild() before the tree is asked again.
  void set(std::size_t lane, std::uint64_t time_ns) { times_[lane] = time_ns; }
  std::uint64_t time_of(std::size_t lane) const { return times_[lane]; }
  void rebuild() {
    std::vector<std::uint32_t> winners(2 * leaves_);
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf)
      winners[leaves_ + leaf] = static_cast<std::uint32_t>(leaf);
    for (std::size_t node = leaves_ - 1; node != 0; --node) {
      std::uint32_t winner = winners[2 * node], loser = winners[2 * node + 1];
      if (is_before(loser, winner)) std::swap(winner, loser);
      winners[node] = winner;
      losers_[node] = loser;
    }
    losers_[0] = winners[1];
  }

 private:
  bool is_before(std::uint32_t a, std::uint32_t b) const {
    return (times_[a] < times_[b]) | ((times_[a] == times_[b]) & (a < b));
  }

  std::size_t leaves_;  // a power of two
  std::vector<std::uint64_t> times_;
  std::vector<std::uint32_t> losers_;  // by node; the winner of all stands first
};

}  // namespace convert
