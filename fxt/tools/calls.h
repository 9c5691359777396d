// The calls of a trace, whatever their encoding: begin and end events, complete events, ends without names.
// CallStream follows the open calls of each thread, for all programs that show calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// Process and thread. Of one that is referred to by an index that was never registered: kUnregistered and
// that index.
using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;
inline constexpr std::uint64_t kUnregistered = ~std::uint64_t{0};
// "100/101", or "?9".
std::string numbers_of(const ThreadKey& key);

// Names of processes and threads, whatever is selected.
struct ObjectNames {
  std::map<std::uint64_t, std::string> processes = {}, threads = {};

  void add(const Record& record);
  // "app 100", "process 100" without a name; and "app 100 / main 101". "?" and "?9" of unregistered ones.
  std::string text_of_process(std::uint64_t koid) const;
  std::string text_of_thread(std::uint64_t koid) const;  // "main 101"
  std::string text_of(const ThreadKey& key) const;
};

// Pairs of category and name, by numbers that count from 0.
class CallNames {
 public:
  struct Name {
    std::string category, name;
    friend auto operator<=>(const Name&, const Name&) = default;
    // Whether it stands for the time that a thread is off the cpu. A program may be called `sched`, too, but
    // none of its functions is called so.
    bool is_off_cpu() const { return category == "sched" && name.starts_with("linux:schedule"); }
  };
  std::uint32_t index_of(const Event& event) {
    std::uint32_t& guess = guesses_[event.name.index % kGuesses];
    if (guess >= names_.size() || !is(names_[guess], event)) guess = find(event);
    return guess;
  }
  const Name& operator[](std::uint32_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }

 private:
  using View = std::pair<std::string_view, std::string_view>;
  struct Hash {
    std::size_t operator()(const View& view) const {
      const std::hash<std::string_view> hash;
      return hash(view.first) * 31 + hash(view.second);
    }
  };
  // Most events refer to the string table: the name that an index meant the last time is tried first.
  static constexpr std::size_t kGuesses = std::size_t{1} << 15;

  static bool is(const Name& name, const Event& event) {
    return name.name == event.name.text && name.category == event.category.text;
  }
  std::uint32_t find(const Event& event);

  std::deque<Name> names_;
  std::unordered_map<View, std::uint32_t, Hash> indices_;
  std::vector<std::uint32_t> guesses_ = std::vector<std::uint32_t>(kGuesses, ~0U);
};

struct OpenCall {
  std::uint32_t name = 0;
  bool awaits_end = false;  // its end is an event of its own
  bool is_ending = false;   // that has come
  bool is_chosen = true;    // by the selection; but for its times
  bool has_end = true;      // false: ended with its thread
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;    // once it is known
  std::size_t outlasting = 0;  // the calls up to the innermost one that may end later; 0: none does
  std::uint64_t inner_ns = 0;  // total of the calls directly inside it, as far as they lie in the range

  bool knows_end() const { return !awaits_end || is_ending; }
};

// The calls that are open on a thread, outermost first: exactly the calls around its next event.
struct CallThread {
  ThreadKey key;
  std::uint32_t index = 0;  // threads count from 0
  std::vector<OpenCall> calls = {};
  std::size_t awaiting = 0;   // calls that await their end event
  std::size_t chosen = 0;     // calls that are chosen
  std::uint64_t last_ns = 0;  // of its latest event
};

class CallStream {
 public:
  // What is done with calls. A range of time is not looked at: see part_of().
  class Listener {
   public:
    virtual ~Listener() = default;
    // The call has been put on top of the open ones. `event` is its begin, or all of it.
    virtual void began(CallThread&, OpenCall&, const Event&) {}
    // The call has ended, and been taken off.
    virtual void ended(CallThread&, const OpenCall&) = 0;
  };

  // The call's part in the range; is_empty: it lies outside.
  struct Part {
    bool is_empty;
    std::uint64_t begin_ns, end_ns;
    std::uint64_t length_ns() const { return end_ns - begin_ns; }
  };

  CallStream(const Selection& selection, Listener& listener);

  // To be called with each record of an OrderedReader; ignores records that are not durations. True if the
  // record is part of a chosen call.
  bool add(const Entry& entry, const Reader& reader);
  // An event of another kind: calls that have ended by then are taken off.
  const CallThread& advance(const Thread& thread, std::uint64_t time_ns);
  // No record follows: calls without an end event end at the latest time of their thread.
  void finish();

  Part part_of(const OpenCall& call) const { return part_of(call.begin_ns, call.end_ns); }
  Part part_of(std::uint64_t begin_ns, std::uint64_t end_ns) const {
    const std::uint64_t begin = std::max(begin_ns, window_.from());
    const std::uint64_t end = std::min(end_ns, window_.to());
    return {.is_empty = end < begin, .begin_ns = begin, .end_ns = std::max(begin, end)};
  }
  const CallNames& names() const { return names_; }
  const ObjectNames& objects() const { return objects_; }
  std::uint32_t index_of(const Event& event) { return names_.index_of(event); }
  const std::map<ThreadKey, CallThread>& threads() const { return threads_; }
  CallThread& thread_of(const Thread& thread);
  const TimeWindow& window() const { return window_; }

  // Events that belong to no call, and calls that do not nest.
  struct OddEvents {
    std::uint64_t unmatched = 0;  // ends without a begin
    std::uint64_t bad_times = 0;  // span_of() has nothing of them
    std::uint64_t crossing = 0;   // calls that begin inside another one and end after it
  };
  const OddEvents& odd() const { return odd_; }
  // Lines about these, as far as there are any.
  std::vector<std::string> notes() const;

 private:
  bool is_chosen(std::uint32_t name);
  bool put_end(CallThread& thread, std::uint64_t time_ns, std::uint32_t name);
  static std::size_t outlasting(const CallThread& thread, std::uint64_t end_ns);
  void end_calls_before(CallThread& thread, std::uint64_t time_ns);
  void pop(CallThread& thread);
  void add_to_outer(CallThread& thread, const Part& part);

  Selection selection_;
  Listener* listener_;
  TimeWindow window_;
  bool takes_calls_;
  CallNames names_;
  ObjectNames objects_;
  std::vector<signed char> chosen_;  // by name; -1: not looked at
  std::map<ThreadKey, CallThread> threads_;
  std::array<CallThread*, 256> recent_ = {};  // by index in the thread table
  OddEvents odd_;
};

}  // namespace fxt::tools
