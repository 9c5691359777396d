#include "converters/model/merging/thread_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace convert {
namespace {

// If a thread matches a lane, at most this number of the thread's marks per thousand are outside of calls of
// their functions.
constexpr std::size_t kOutsidePerThousand = 5;
// If the ends of calls are recorded, at most one in this number of marks may be inside a call that is not the
// innermost one.
constexpr std::size_t kIndirect = 10;
// A lane's records are clearly closer to the marks than those of another lane if the median distance in time
// is about 2^3 times smaller.
constexpr std::size_t kCloserBits = 3;

using LaneName = std::function<std::string(const Lane&)>;

struct Fit {
  std::size_t in_open = 0;       // marks in an open call of their function
  std::size_t in_innermost = 0;  // those of them for which this call is the innermost one
  std::array<std::size_t, std::numeric_limits<std::uint64_t>::digits + 1> since =
      {};  // number of marks for each bit width of the distance

  void add(const MarkPosition& position) {
    if (position.in == MarkPosition::In::Nothing) return;
    ++in_open;
    if (position.in == MarkPosition::In::InnermostCall) ++in_innermost;
    ++since[static_cast<std::size_t>(std::bit_width(position.since_ns))];
  }
  // Returns the bit width of the median distance.
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

  bool holds_nearly_all(std::size_t marks) const {
    return marks - fit.in_open <= marks * kOutsidePerThousand / 1000;
  }
  bool holds_them_directly() const {
    return !records_ends || (fit.in_open - fit.in_innermost) * kIndirect <= fit.in_open;
  }
};

// The lanes that one unmatched thread may match. `lanes` has the lanes whose calls contain nearly all marks.
// `best` is the lane whose calls contain the most marks. `first` and `second` are the lanes whose innermost
// calls contain the most marks.
struct Candidates {
  struct Holder {
    const Lane* lane = nullptr;
    std::size_t marks = 0;
  };
  std::vector<Candidate> lanes;
  Holder best, first, second;

  void add(const Candidate& candidate, std::size_t marks) {
    const Fit& fit = candidate.fit;
    if (candidate.holds_nearly_all(marks)) lanes.push_back(candidate);
    if (fit.in_open > best.marks) best = {.lane = candidate.lane, .marks = fit.in_open};
    Holder direct{.lane = candidate.lane, .marks = candidate.records_ends ? fit.in_innermost : fit.in_open};
    if (direct.marks > first.marks) std::swap(direct, first);
    if (direct.marks > second.marks) second = direct;
  }
  const Holder& other_than(const Lane* lane) const { return first.lane == lane ? second : first; }
};

// Finds the positions of the marks of all threads in one pass, so that each lane is read only once.
void add_candidates(std::span<const UnmatchedThreadOfInput> threads, const CallHistoryOfInput& of_input,
                    std::span<const TimelineInput> inputs, std::vector<Candidates>& candidates) {
  std::vector<std::pair<MarkWindow, std::size_t>> marks;  // marks, each with the index of its thread
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const UnmatchedThread& thread = threads[i].thread;
    for (const ThreadMark& mark : thread.marks) {
      const std::uint64_t shown_ns = apply_offset(mark.time_ns, inputs[threads[i].input].offset_ns);
      const std::uint64_t first_ns = remove_offset(shown_ns, inputs[of_input.input].offset_ns);
      marks.push_back(
          {{.first_ns = first_ns, .last_ns = first_ns + thread.resolution_ns - 1, .address = mark.address},
           i});
    }
  }
  if (marks.empty()) return;
  std::ranges::stable_sort(marks, {}, [](const auto& mark) { return mark.first.first_ns; });
  std::vector<MarkWindow> windows;
  for (const auto& [window, thread] : marks) windows.push_back(window);

  for (const Lane* const lane : of_input.history->lanes()) {
    const auto positions = of_input.history->positions(*lane, windows);
    std::vector<Fit> fits(threads.size());
    for (std::size_t i = 0; i < positions.size(); ++i) fits[marks[i].second].add(positions[i]);
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (fits[i].in_open != 0)
        candidates[i].add({lane, of_input.history->records_ends(), fits[i]}, threads[i].thread.marks.size());
  }
}

ThreadMatch match_of(const UnmatchedThread& thread, Candidates candidates, const LaneName& name_of) {
  if (!thread.why_unmatched.empty()) return {.why_unmatched = thread.why_unmatched};
  if (candidates.best.lane == nullptr)
    return {.why_unmatched = "no hit is inside an open call of the function that was hit"};
  const std::size_t marks = thread.marks.size();
  std::vector<Candidate>& lanes = candidates.lanes;
  if (lanes.empty())
    return {.why_unmatched = fmt::format(
                "the best match is {}, but in this thread, only {} of {} hits are inside an open call of the "
                "function that was hit",
                name_of(*candidates.best.lane), candidates.best.marks, marks)};
  const Candidate first = lanes.front();
  std::erase_if(lanes, [](const Candidate& c) { return !c.holds_them_directly(); });
  if (lanes.empty())
    return {.why_unmatched = fmt::format("the hits match open calls of {}, but for only {} of {} hits, the "
                                         "innermost open call is a call of the function that was hit",
                                         name_of(*first.lane), first.fit.in_innermost, marks)};
  std::ranges::stable_sort(lanes, {}, [](const Candidate& c) { return c.fit.usual_since(); });
  if (lanes.size() > 1 && lanes[0].fit.usual_since() + kCloserBits > lanes[1].fit.usual_since())
    return {.why_unmatched = fmt::format("the hits match open calls of both {} and {}",
                                         name_of(*lanes[0].lane), name_of(*lanes[1].lane))};
  if (const auto& other = candidates.other_than(lanes[0].lane);
      thread.may_be_several && 2 * other.marks >= marks)
    return {.why_unmatched = fmt::format(
                "the hits may be from several threads, because {} of {} hits also match a second thread, {}",
                other.marks, marks, name_of(*other.lane))};
  return {.lane = lanes[0].lane};
}

// If several threads of one input match the same lane, removes these matches, because it is unknown which of
// them is right.
void refuse_shared(std::span<const UnmatchedThreadOfInput> threads, std::vector<ThreadMatch>& matches,
                   const LaneName& name_of) {
  std::map<std::pair<const Lane*, std::size_t>, std::vector<std::size_t>> by_lane;
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].lane != nullptr && threads[i].thread.is_thread)
      by_lane[{matches[i].lane, threads[i].input}].push_back(i);
  for (const auto& [key, numbers] : by_lane) {
    if (numbers.size() == 1) continue;
    for (const std::size_t i : numbers)
      matches[i] = {.why_unmatched =
                        fmt::format("the hits of this thread and of another thread match open calls of {}",
                                    name_of(*key.first))};
  }
}

}  // namespace

std::vector<ThreadMatch> ThreadMatcher::match(std::span<const TimelineInput> inputs,
                                              const LaneName& name_of) const {
  std::vector<Candidates> candidates(threads_.size());
  for (const CallHistoryOfInput& history : histories_) add_candidates(threads_, history, inputs, candidates);
  std::vector<ThreadMatch> matches;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    matches.push_back(match_of(threads_[i].thread, candidates[i], name_of));
  refuse_shared(threads_, matches, name_of);
  return matches;
}

}  // namespace convert
