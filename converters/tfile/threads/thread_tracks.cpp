#include "converters/tfile/threads/thread_tracks.h"

#include <bit>
#include <fmt/format.h>
#include <set>

namespace convert::tfile {
namespace {

// A stack pointer is near a stack if their distance is at most this number of bytes. Stacks of threads are
// usually 8 MiB apart.
constexpr std::uint64_t kStackReach = std::uint64_t{1} << 20;
// A limit, because each frame whose thread must be guessed is compared with every stack.
constexpr std::size_t kMaxStacks = 256;

// The last digits of a thread pointer. Threads of a process often differ only in these digits.
std::string ending(std::uint64_t pointer, std::size_t digits) {
  const std::string all = fmt::format("{:x}", pointer);
  return all.size() > digits ? "…" + all.substr(all.size() - digits) : "0x" + all;
}

std::string name_of(const ThreadTrack& track, std::uint64_t number, std::size_t digits) {
  switch (track.clue) {
    case ThreadClue::Pid:
      return fmt::format("thread pid={}", static_cast<std::int64_t>(track.value));
    case ThreadClue::Task:
      return fmt::format("thread task={:#x}", track.value);
    case ThreadClue::Collected:
      return fmt::format("thread {}", track.id);
    case ThreadClue::ThreadPointer:
      if (track.has_id()) return fmt::format("thread {}", track.id);
      return fmt::format("thread {} ({})", number, ending(track.value, digits));
    case ThreadClue::Cpu:
      return fmt::format("cpu {}", static_cast<std::int64_t>(track.value));
    case ThreadClue::Stack:
      return fmt::format("thread sp={:#x} (guessed)", track.value);
    case ThreadClue::None:
      break;
  }
  return "unknown thread";
}

}  // namespace

std::size_t ThreadTracks::track_of(ThreadClue clue, std::uint64_t value) {
  const auto found = by_clue_.find({clue, value});
  if (found != by_clue_.end()) return found->second;
  if (tracks_.size() >= kMaxTracks && clue != ThreadClue::None) {
    ++frames_without_own_;
    return track_of(ThreadClue::None, 0);
  }
  by_clue_.emplace(std::pair(clue, value), tracks_.size());
  const bool is_id = clue == ThreadClue::Pid || clue == ThreadClue::Collected;
  tracks_.push_back({.clue = clue, .value = value, .id = is_id ? value : 0});
  return tracks_.size() - 1;
}

std::optional<std::size_t> ThreadTracks::near_stack(std::uint64_t stack_pointer) {
  const auto is_near = [&](std::size_t i) {
    const ThreadTrack& track = tracks_[stacks_[i]];
    return stack_pointer + kStackReach >= track.stack_low && track.stack_high + kStackReach >= stack_pointer;
  };
  if (recent_stack_ < stacks_.size() && is_near(recent_stack_)) return stacks_[recent_stack_];
  for (std::size_t i = 0; i < stacks_.size(); ++i)
    if (is_near(i)) {
      recent_stack_ = i;
      return stacks_[i];
    }
  if (stacks_.size() == kMaxStacks) return std::nullopt;
  const std::size_t track = track_of(ThreadClue::Stack, stack_pointer);
  if (tracks_[track].clue == ThreadClue::Stack) stacks_.push_back(track);
  return track;
}

void ThreadTracks::add_id(std::size_t number, std::uint64_t id) {
  ThreadTrack& track = tracks_[number];
  if (track.clue != ThreadClue::ThreadPointer) return;
  track.has_several_ids |= track.id != 0 && track.id != id;
  track.id = id;
}

// A stack that is near the stacks of two threads belongs to neither thread.
std::vector<std::size_t> ThreadTracks::merged() const {
  std::vector<std::size_t> shown(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    shown[i] = i;
    if (tracks_[i].clue != ThreadClue::Stack) continue;
    std::size_t threads = 0;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      const bool is_thread = tracks_[t].clue == ThreadClue::ThreadPointer;
      const bool is_near = tracks_[i].stack_low <= tracks_[t].stack_high + kStackReach &&
                           tracks_[t].stack_low <= tracks_[i].stack_high + kStackReach;
      if (!is_thread || tracks_[t].stack_high == 0 || !is_near) continue;
      shown[i] = t;
      ++threads;
    }
    if (threads > 1) shown[i] = i;
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    if (tracks_[i].clue == ThreadClue::Collected)
      for (std::size_t t = 0; t < tracks_.size(); ++t)
        if (tracks_[t].clue == ThreadClue::ThreadPointer && !tracks_[t].has_several_ids &&
            tracks_[t].id == tracks_[i].id)
          shown[i] = t;
  std::vector<std::size_t> threads;
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    if (shown[i] == i && tracks_[i].clue != ThreadClue::None) threads.push_back(i);
  if (threads.size() == 1 && tracks_[threads.front()].clue != ThreadClue::Cpu)
    if (const auto unknown = by_clue_.find({ThreadClue::None, 0}); unknown != by_clue_.end())
      shown[unknown->second] = threads.front();
  return shown;
}

std::vector<std::string> names_of(const std::vector<ThreadTrack>& tracks,
                                  const std::vector<std::size_t>& shown) {
  constexpr std::size_t kLeastDigits = 6;
  std::set<std::uint64_t> ids;
  std::optional<std::uint64_t> first;
  std::uint64_t differing_bits = 0;
  for (const ThreadTrack& track : tracks) {
    if (track.has_id())
      ids.insert(track.id);
    else if (track.clue == ThreadClue::ThreadPointer)
      differing_bits |= track.value ^ *(first = first.value_or(track.value));
  }
  const auto differing_digits = (static_cast<std::size_t>(std::bit_width(differing_bits)) + 3) / 4;
  const std::size_t digits = std::max(kLeastDigits, differing_digits);
  std::vector<std::string> names;
  for (std::uint64_t number = 0; const ThreadTrack& track : tracks) {
    const bool has_number = shown[names.size()] == names.size() && !track.has_id();
    while (has_number && ids.contains(++number)) {
    }
    names.push_back(name_of(track, number, digits));
  }
  return names;
}

}  // namespace convert::tfile
