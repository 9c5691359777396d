// Leaves out calls that are shorter than a length, and counts the calls that are missing in each shown call.
// fxt-convert and fxt-cut share this part of --fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fxt/support/call_lengths.h"

namespace fxt {

// Two arguments of a call: the number and the time of inner calls that are left out.
inline constexpr std::string_view kLeftOut = "left_out", kLeftOutNs = "left_out_ns";

// The calls that are missing in a call, and their time. The time of a missing call includes its inner calls.
struct MissingCalls {
  std::uint64_t calls = 0, time_ns = 0;

  void add(const MissingCalls& other) {
    calls += other.calls;
    time_ns += other.time_ns;
  }
};

class ShortCalls {
 public:
  // Calls shorter than `shortest_ns` are left out, and added to `lengths` unless `lengths` is null.
  ShortCalls(std::uint64_t shortest_ns, CallLengths* lengths)
      : shortest_ns_(shortest_ns), lengths_(lengths) {}

  // ---- Open calls, by their depth ----

  // Allocates the memory for calls at this depth, so that the functions below need not allocate it.
  void make_room_for(std::size_t depth) { of(depth); }
  // Keeps the call at `depth` and all calls around it, even if they are shorter than `shortest_ns`.
  void keep(std::size_t depth) { of(depth).is_kept = true; }
  bool is_kept(std::size_t depth) { return of(depth).is_kept; }
  bool leaves_out(std::size_t depth, std::uint64_t length_ns) {
    return length_ns < shortest_ns_ && !is_kept(depth);
  }
  // Must be called when a left-out call ends. `words` is the size that the call would have in the trace. To
  // save a branch, code may also call this function when a call starts, with 0 for `ends`. Then the function
  // counts nothing. At the end of a call, all bits of `ends` must be 1.
  [[gnu::always_inline]] void leave_out(std::size_t depth, std::uint64_t length_ns, std::size_t words,
                                        std::uint32_t label, std::uint64_t ends = ~std::uint64_t{0}) {
    Inside& inside = of(depth);
    Inside& around = of(depth - 1);
    around.left_out.calls += (inside.left_out.calls + 1) & ends;
    around.left_out.time_ns += length_ns & ends;
    around.shortest_ns = std::min(around.shortest_ns, length_ns | ~ends);
    if (lengths_ != nullptr) {
      words += put_left_out(inside);
      entries_[entry_count_] = {length_ns, static_cast<std::int32_t>(words),
                                CallLengths::Entry::of_label(label)};
      entry_count_ += ends & 1;
    }
    inside = {};
  }
  // Must be called when a shown call ends. Returns the calls that are missing in this call.
  MissingCalls show(std::size_t depth) {
    const Inside inside = take(depth);
    of(depth - 1).is_kept |= inside.is_kept;
    if (lengths_ != nullptr) put_left_out(inside);
    shown_.add(inside.left_out);
    return inside.left_out;
  }
  // Adds calls that an earlier --fit has left out of this call.
  void add_missing(std::size_t depth, const MissingCalls& missing) { of(depth).left_out.add(missing); }
  // Must be called at the end of a call that is hidden for another reason, for example by a filter. The calls
  // that are missing in it are then missing in the call around it.
  void pass_on(std::size_t depth) {
    const Inside inside = take(depth);
    Inside& around = of(depth - 1);
    around.left_out.add(inside.left_out);
    around.shortest_ns = std::min(around.shortest_ns, inside.shortest_ns);
    around.is_kept |= inside.is_kept;
  }
  // Drops the data of a call outside of the wanted range of time.
  void forget(std::size_t depth) { take(depth); }
  // Does the same as pass_on(), for a call that has open calls inside.
  void remove(std::size_t depth) {
    pass_on(depth);
    const auto at = inside_.begin() + static_cast<std::ptrdiff_t>(depth) + 1;
    std::rotate(at, at + 1, inside_.end());
  }
  // Removes `count` calls, from `depth` to the innermost. resume() adds these calls again.
  void suspend(std::size_t depth, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) suspended_.push_back(take(depth + i));
  }
  void resume(std::size_t depth) {
    for (const Inside& inside : suspended_) of(depth++) = inside;
    suspended_.clear();
  }

  // ---- Lengths ----

  bool wants_lengths() const { return lengths_ != nullptr; }
  void count(const CallLengths::Entry& entry) {
    make_room();
    entries_[entry_count_++] = entry;
  }
  void flush() {
    if (lengths_ != nullptr) lengths_->add(std::span(entries_).first(entry_count_));
    entry_count_ = 0;
  }

  // ---- At the end ----

  MissingCalls in_shown_calls() const { return shown_; }
  MissingCalls outside_of_calls() const {
    return inside_.empty() ? MissingCalls{} : inside_.front().left_out;
  }

 private:
  // few at first, because there may be very many threads
  static constexpr std::size_t kFewestEntries = 8, kMostEntries = 512;

  struct Inside {
    MissingCalls left_out = {};
    // the length of the shortest missing call that is not inside another missing call
    std::uint64_t shortest_ns = CallLengths::kForever;
    bool is_kept = false;
  };

  // `depth` is -1 (the largest number) for missing calls that are not inside a shown call. Then `depth` + 1
  // is 0.
  [[gnu::always_inline]] Inside& of(std::size_t depth) {
    if (depth + 1 >= inside_.size()) [[unlikely]]
      grow(depth);
    return inside_[depth + 1];
  }
  [[gnu::noinline]] void grow(std::size_t depth) { inside_.resize(2 * (depth + 2)); }
  Inside take(std::size_t depth) {
    Inside& inside = of(depth);
    const Inside taken = inside;
    inside = {};
    return taken;
  }
  void make_room() {
    if (entry_count_ + 2 > entries_.size()) [[unlikely]]
      renew_entries();
  }
  [[gnu::noinline]] void renew_entries() {
    flush();
    entries_.resize(std::min(kMostEntries, std::max(kFewestEntries, 4 * entries_.size())));
  }
  // If calls are missing in a call, the call has two additional arguments. The arguments become unnecessary
  // if even the shortest missing call is shown. Therefore, this function adds an entry with the length of the
  // shortest missing call and the negative size of the arguments. Returns the size of the arguments in words.
  // Leaves room for another entry.
  std::size_t put_left_out(const Inside& inside) {
    make_room();
    const std::size_t is_needed = inside.left_out.calls != 0 ? 1 : 0;
    const std::size_t words = is_needed * (inside.left_out.time_ns >> 32 == 0 ? 2 : 3);
    entries_[entry_count_] = {inside.shortest_ns, -static_cast<std::int32_t>(words),
                              CallLengths::Entry::kNone};
    entry_count_ += is_needed;
    return words;
  }

  std::uint64_t shortest_ns_;
  CallLengths* lengths_;
  std::vector<Inside> inside_;  // indexed by depth + 1; elements after the open calls are empty
  std::vector<Inside> suspended_;
  MissingCalls shown_;
  std::vector<CallLengths::Entry> entries_;  // the first entry_count_ entries are in use
  std::size_t entry_count_ = 0;
};

}  // namespace fxt
