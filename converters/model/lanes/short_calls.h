// Leaves out the calls of a lane that are shorter than a length, as uftrace's -t does, and counts them at the
// calls in which they are missing. Counts them by length if lengths are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/lanes/call_lengths.h"
#include "converters/model/lanes/event.h"
#include "converters/model/lanes/limits.h"
#include "converters/model/lanes/pending_event.h"

namespace convert {

// The same for all lanes.
struct ShortCallRule {
  std::uint64_t shortest_ns = 0;     // shorter calls are left out, unless they are kept
  NameId left_out{}, left_out_ns{};  // arguments of a call with calls that were left out
  CallLengths* lengths = nullptr;    // gets the calls that were left out; may be null
  // The words of arguments in the trace, if all names have refs. Needed with `lengths`.
  std::size_t (*words_of)(const ArgumentRow& arguments) = nullptr;
};

class ShortCalls {
 public:
  explicit ShortCalls(const ShortCallRule& rule) : rule_(rule) {}

  const ShortCallRule& rule() const { return rule_; }

  // ---- Open calls, by their depth on the lane ----

  // The call at `depth`, and all calls around it, are shown whatever length they have.
  void keep(std::size_t depth) { of(depth).is_kept = true; }
  bool leaves_out(std::size_t depth, std::uint64_t length_ns) {
    return length_ns < rule_.shortest_ns && !of(depth).is_kept;
  }
  // The call ends, and is left out. `words` is its size in the trace.
  void leave_out(std::size_t depth, std::uint64_t length_ns, std::size_t words, LabelId label) {
    const Inside inside = take(depth);
    Inside& around = of(depth - 1);
    around.left_out.calls += inside.left_out.calls + 1;
    around.left_out.time_ns += length_ns;
    around.shortest_ns = std::min(around.shortest_ns, length_ns);
    if (rule_.lengths == nullptr) return;
    count({length_ns, static_cast<std::int32_t>(words + note_left_out(inside)),
           CallLengths::Entry::of_label(label)});
  }
  // The call ends, and is shown. Returns the calls that are missing in it.
  LeftOut show(std::size_t depth) {
    const Inside inside = take(depth);
    of(depth - 1).is_kept |= inside.is_kept;
    if (rule_.lengths != nullptr) note_left_out(inside);
    shown_.add(inside.left_out);
    return inside.left_out;
  }
  // The call is not shown, for another reason. The calls that are missing in it are missing in the next one.
  void pass_on(std::size_t depth) {
    const Inside inside = take(depth);
    Inside& around = of(depth - 1);
    around.left_out.add(inside.left_out);
    around.shortest_ns = std::min(around.shortest_ns, inside.shortest_ns);
    around.is_kept |= inside.is_kept;
  }
  // The call is outside of the wanted range of time.
  void forget(std::size_t depth) { take(depth); }
  // Like pass_on(), for a call that has open calls inside.
  void remove(std::size_t depth) {
    pass_on(depth);
    const auto at = inside_.begin() + static_cast<std::ptrdiff_t>(depth) + 1;
    std::rotate(at, at + 1, inside_.end());
  }
  // See Lane::suspend_top(). `depth` is that of the first suspended call.
  void suspend(std::size_t depth, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) suspended_.push_back(take(depth + i));
  }
  void resume(std::size_t depth) {
    for (const Inside& inside : suspended_) of(depth++) = inside;
    suspended_.clear();
  }

  // ---- Lengths ----

  // Only calls in this range of time are counted.
  void count_between(std::uint64_t from_ns, std::uint64_t to_ns) {
    from_ns_ = from_ns;
    to_ns_ = to_ns;
  }
  bool is_counted(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    return end_ns >= from_ns_ && begin_ns <= to_ns_;
  }
  bool wants_lengths() const { return rule_.lengths != nullptr; }
  // The words that refer to the thread in each record.
  void set_thread_words(std::size_t words) { thread_words_ = words; }
  // The words of a call without arguments.
  std::size_t words_of_call(bool is_pair) const {
    return is_pair ? 4 + 2 * thread_words_ : 3 + thread_words_;
  }
  // The words of its arguments. Their names are counted.
  std::size_t words_of(const ArgumentRow& arguments, std::uint64_t length_ns) {
    for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
      count({length_ns, 0, CallLengths::Entry::of_name(argument.name())});
      if (argument.type() == ArgumentType::Name)
        count({length_ns, 0, CallLengths::Entry::of_name(static_cast<NameId>(argument.bits()))});
    }
    return rule_.words_of(arguments);
  }
  void count(const CallLengths::Entry& entry) {
    if (entries_.capacity() == 0) entries_.reserve(kEntries);
    entries_.push_back(entry);
    if (entries_.size() == kEntries) flush();
  }
  void flush() {
    if (rule_.lengths != nullptr) rule_.lengths->add(entries_);
    entries_.clear();
  }

  // ---- At the end ----

  LeftOut in_shown_calls() const { return shown_; }
  LeftOut outside_of_calls() const { return inside_.empty() ? LeftOut{} : inside_.front().left_out; }

 private:
  static constexpr std::size_t kEntries = 256;

  // What is missing in an open call.
  struct Inside {
    LeftOut left_out = {};
    std::uint64_t shortest_ns =
        kForever;  // of the calls that were left out and have no call around them here
    bool is_kept = false;
  };

  // `depth` + 1 is 0 for what is outside of all calls.
  Inside& of(std::size_t depth) {
    if (depth + 1 >= inside_.size()) [[unlikely]]
      inside_.resize(2 * (depth + 2));
    return inside_[depth + 1];
  }
  Inside take(std::size_t depth) {
    Inside& inside = of(depth);
    const Inside taken = inside;
    inside = {};
    return taken;
  }
  // The call at which calls are missing has two more arguments until the shortest of these calls is shown.
  // Returns their words.
  std::size_t note_left_out(const Inside& inside) {
    if (inside.left_out.calls == 0) return 0;
    const std::size_t words = inside.left_out.time_ns >> 32 == 0 ? 2 : 3;
    count({inside.shortest_ns, -static_cast<std::int32_t>(words), CallLengths::Entry::kNone});
    return words;
  }

  const ShortCallRule& rule_;
  std::vector<Inside> inside_;  // by depth, plus 1; empty above the open calls
  std::vector<Inside> suspended_;
  LeftOut shown_;
  std::vector<CallLengths::Entry> entries_;
  std::uint64_t from_ns_ = 0, to_ns_ = kForever;
  std::size_t thread_words_ = 0;
};

}  // namespace convert
