#include "converters/model/merging/thread_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "converters/model/lanes/offset.h"

namespace convert {
namespace {

// Marks that may lie elsewhere, per thousand.
constexpr std::size_t kFewPerThousand = 5;
// Marks of which one may lie in something that its function has called.
constexpr std::size_t kIndirect = 10;
// Records are clearly closer when they are 2^3 times as close.
constexpr std::size_t kCloserBits = 3;

// How the marks of a guest lie in one lane.
struct Fit {
  std::size_t in_open = 0;  // a call of their function is
  std::size_t in_innermost = 0;
  std::array<std::size_t, std::numeric_limits<std::uint64_t>::digits + 1> since = {};  // by bits of the ns

  void add(const MarkPosition& place) {
    if (place.in == MarkPosition::In::Nothing) return;
    ++in_open;
    if (place.in == MarkPosition::In::InnermostCall) ++in_innermost;
    ++since[static_cast<std::size_t>(std::bit_width(place.since_ns))];
  }
  // Bits of the median.
  std::size_t usual_since() const {
    std::size_t bits = 0;
    for (std::size_t seen = since[0]; 2 * seen < in_open; seen += since[++bits]) {
    }
    return bits;
  }
};

struct Candidate {
  const Lane* lane;
  bool records_ends;
  Fit fit;
};

bool is_in_its_calls(const Candidate& candidate, std::size_t marks) {
  return marks - candidate.fit.in_open <= marks * kFewPerThousand / 1000;
}
bool is_directly_in_them(const Candidate& candidate) {
  const Fit& fit = candidate.fit;
  return !candidate.records_ends || (fit.in_open - fit.in_innermost) * kIndirect <= fit.in_open;
}

class Seating {
 public:
  Seating(std::span<const UnmatchedThreadOfInput> guests, std::span<const CallHistoryOfInput> hosts,
          std::span<const std::int64_t> offsets_ns, const std::function<std::string(const Lane&)>& name_of)
      : guests_(guests),
        hosts_(hosts),
        offsets_ns_(offsets_ns),
        name_of_(name_of),
        candidates_(guests.size()),
        best_(guests.size()) {}

  std::vector<ThreadMatch> run() {
    for (const CallHistoryOfInput& host : hosts_) ask(host);
    std::vector<ThreadMatch> seats;
    for (std::size_t i = 0; i < guests_.size(); ++i) seats.push_back(seat_of(i));
    refuse_shared(seats);
    return seats;
  }

 private:
  // All guests together, so that each lane is walked once.
  void ask(const CallHistoryOfInput& host) {
    std::vector<std::pair<MarkWindow, std::size_t>> all;  // with the number of the guest
    for (std::size_t i = 0; i < guests_.size(); ++i)
      for (const ThreadMark& mark : guests_[i].guest.marks) {
        const std::uint64_t shown_ns = apply_offset(mark.time_ns, offsets_ns_[guests_[i].input]);
        const std::uint64_t first_ns = remove_offset(shown_ns, offsets_ns_[host.input]);
        all.push_back({{.first_ns = first_ns,
                        .last_ns = first_ns + guests_[i].guest.resolution_ns - 1,
                        .address = mark.address},
                       i});
      }
    if (all.empty()) return;
    std::ranges::stable_sort(all, {}, [](const auto& entry) { return entry.first.first_ns; });
    std::vector<MarkWindow> windows;
    for (const auto& [window, guest] : all) windows.push_back(window);

    for (const Lane* const lane : host.host->lanes()) {
      const auto places = host.host->positions(*lane, windows);
      std::vector<std::optional<Fit>> fits(guests_.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].in == MarkPosition::In::Nothing) continue;
        auto& fit = fits[all[i].second];
        if (!fit) fit.emplace();
        fit->add(places[i]);
      }
      for (std::size_t i = 0; i < guests_.size(); ++i)
        if (fits[i]) keep(i, {lane, host.host->records_ends(), *fits[i]});
    }
  }

  // Those that hold enough marks; of the others, the best one.
  void keep(std::size_t guest, const Candidate& candidate) {
    if (is_in_its_calls(candidate, guests_[guest].guest.marks.size()))
      candidates_[guest].push_back(candidate);
    BestHit& best = best_[guest];
    if (candidate.fit.in_open > best.marks) best = {candidate.lane, candidate.fit.in_open};
  }

  ThreadMatch seat_of(std::size_t number) const {
    const UnmatchedThread& guest = guests_[number].guest;
    if (!guest.why_unmatched.empty()) return {.why_unmatched = guest.why_unmatched};
    const std::size_t marks = guest.marks.size();
    const BestHit& best = best_[number];
    if (best.lane == nullptr) return {.why_unmatched = "no hit lies in an open call of its function"};
    std::vector<Candidate> left = candidates_[number];
    if (left.empty())
      return {.why_unmatched = fmt::format("{} of {} hits lie in open calls of their functions, at most ({})",
                                           best.marks, marks, name_of_(*best.lane))};
    const Candidate open_one = left.front();
    std::erase_if(left, [](const Candidate& c) { return !is_directly_in_them(c); });
    if (left.empty())
      return {.why_unmatched =
                  fmt::format("its functions are open in {}, but only {} of {} hits lie directly in them",
                              name_of_(*open_one.lane), open_one.fit.in_innermost, marks)};
    std::ranges::stable_sort(left, {}, [](const Candidate& c) { return c.fit.usual_since(); });
    if (left.size() > 1 && left[0].fit.usual_since() + kCloserBits > left[1].fit.usual_since())
      return {.why_unmatched = fmt::format("its hits lie in open calls of {} and of {} alike",
                                           name_of_(*left[0].lane), name_of_(*left[1].lane))};
    return {.lane = left[0].lane};
  }

  // Two threads are not one.
  void refuse_shared(std::vector<ThreadMatch>& seats) const {
    std::map<std::pair<const Lane*, std::size_t>, std::vector<std::size_t>> threads;  // by lane and input
    for (std::size_t i = 0; i < seats.size(); ++i)
      if (seats[i].lane != nullptr && guests_[i].guest.is_thread)
        threads[{seats[i].lane, guests_[i].input}].push_back(i);
    for (const auto& [place, numbers] : threads) {
      if (numbers.size() == 1) continue;
      for (const std::size_t i : numbers)
        seats[i] = {.why_unmatched =
                        fmt::format("its hits lie in open calls of {}, and so do those of another thread",
                                    name_of_(*place.first))};
    }
  }

  std::span<const UnmatchedThreadOfInput> guests_;
  std::span<const CallHistoryOfInput> hosts_;
  std::span<const std::int64_t> offsets_ns_;
  const std::function<std::string(const Lane&)>& name_of_;
  // By guest: the lanes that hold nearly all of its marks, and the one that holds most.
  std::vector<std::vector<Candidate>> candidates_;
  struct BestHit {
    const Lane* lane = nullptr;
    std::size_t marks = 0;
  };
  std::vector<BestHit> best_;
};

}  // namespace

std::vector<ThreadMatch> match_threads(std::span<const UnmatchedThreadOfInput> guests,
                                       std::span<const CallHistoryOfInput> hosts,
                                       std::span<const std::int64_t> offsets_ns,
                                       const std::function<std::string(const Lane&)>& name_of) {
  return Seating(guests, hosts, offsets_ns, name_of).run();
}

}  // namespace convert
