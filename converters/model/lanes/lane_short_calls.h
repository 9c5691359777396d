// Leaves out the calls of a lane that are shorter than a minimum length, as uftrace's -t does. A shown call
// has arguments with the number and the total time of the calls that are left out inside it. If lengths are
// wanted, the calls that are left out are counted by length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/event.h"
#include "fxt/support/call_lengths.h"
#include "fxt/support/short_calls.h"

namespace convert {

struct ShortCallRule {
  std::uint64_t shortest_ns = 0;        // shorter calls are left out, unless they are kept
  NameId left_out{}, left_out_ns{};     // argument names: the number and time of inner calls left out
  fxt::CallLengths* lengths = nullptr;  // gets the calls that were left out; may be null
  // Returns the size of arguments in the trace, in words, without their names. Needed with `lengths`.
  std::size_t (*words_of)(const ArgumentRow& arguments) = nullptr;
};

class LaneShortCalls : public fxt::ShortCalls {
 public:
  explicit LaneShortCalls(const ShortCallRule& rule)
      : fxt::ShortCalls(rule.shortest_ns, rule.lengths), rule_(rule) {}

  const ShortCallRule& rule() const { return rule_; }

  Arguments& arguments_of_end() {
    arguments_of_end_.clear();
    return arguments_of_end_;
  }

  // From now on, only calls that overlap this range of time are counted.
  void count_between(std::uint64_t from_ns, std::uint64_t to_ns) {
    from_ns_ = from_ns;
    to_ns_ = to_ns;
  }
  bool is_counted(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    return end_ns >= from_ns_ && begin_ns <= to_ns_;
  }
  bool is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    return begin_ns >= from_ns_ && end_ns <= to_ns_;
  }
  // Must be called if a call ends and is left out. Counts only the part of the call's time that is in the
  // range.
  void leave_out_in_range(std::size_t depth, std::uint64_t begin_ns, std::uint64_t end_ns, std::size_t words,
                          LabelId label) {
    leave_out(depth, end_ns - begin_ns, words, static_cast<std::uint32_t>(label));
    const std::uint64_t outside_ns =
        std::max(from_ns_, begin_ns) - begin_ns + end_ns - std::min(to_ns_, end_ns);
    if (outside_ns != 0) add_missing(depth - 1, {.calls = 0, .time_ns = 0 - outside_ns});
  }
  void set_thread_words(std::size_t words) { thread_words_ = words; }
  std::size_t words_of_call(bool is_pair) const {
    return is_pair ? 4 + 2 * thread_words_ : 3 + thread_words_;
  }
  // Returns the number of words of a call's arguments, without their names. The names are counted separately.
  std::size_t words_of(const ArgumentRow& arguments, std::uint64_t length_ns) {
    for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
      count_name(argument.name(), length_ns);
      if (argument.kind() == ArgumentKind::Name) count_name(static_cast<NameId>(argument.bits()), length_ns);
    }
    return rule_.words_of(arguments);
  }

 private:
  // A name, and the length of the longest call with this name in an argument.
  struct Longest {
    NameId name{};
    std::uint64_t length_ns = 0;
  };

  // Counts a name for a call of this length. A name is needed in the trace if the longest call with this name
  // is shown. Therefore, shorter calls with the name are not counted.
  void count_name(NameId name, std::uint64_t length_ns) {
    const auto number = static_cast<std::uint32_t>(name);
    Longest& longest = longest_[number % longest_.size()];
    if (longest.name == name && longest.length_ns >= length_ns) return;
    longest = {name, length_ns};
    count({length_ns, 0, fxt::CallLengths::Entry::of_name(number)});
  }

  const ShortCallRule& rule_;
  Arguments arguments_of_end_;
  std::array<Longest, 16> longest_ = {};  // the names that were counted last
  std::uint64_t from_ns_ = 0, to_ns_ = kForever;
  std::size_t thread_words_ = 0;
};

}  // namespace convert
