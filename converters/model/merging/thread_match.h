// Finds the thread of one input that is a thread of another input. Then both share one track. No file
// contains this relation. But one input contains the code addresses of its thread at some times (marks), and
// the other one contains the calls of its threads that were open then (a call history).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/timeline_input.h"

namespace convert {

// The place of a thread at some time.
struct ThreadMark {
  std::uint64_t time_ns;
  std::uint64_t address;  // of an instruction, in the address space of its process
};

struct UnmatchedThread {
  // A lane with a part of the thread's events, which is drawn as a thread of its own: "NAME on THREAD".
  struct Part {
    const Lane* lane;
    std::string name;
  };

  const Lane* lane;
  std::string name;                 // its name in notes
  std::vector<ThreadMark> marks;    // ascending by time; all of them, or an evenly distributed sample
  std::uint64_t resolution_ns = 1;  // a mark was made somewhere in [time_ns, time_ns + resolution_ns)
  bool is_thread = false;           // it is certainly one thread: no two such lanes of an input match one
  std::string why_unmatched = {};   // if not empty: the reason why it can't be matched
  std::uint64_t id = 0;             // of the thread; 0: unknown
  bool may_be_several = false;      // nothing identifies its threads
  std::vector<Part> parts = {};     // they follow it into its process
};

// The time range in which a mark may have been made, by the clock of the call history.
struct MarkWindow {
  std::uint64_t first_ns, last_ns;
  std::uint64_t address;
};

// The position of a mark in the calls of a thread, at the best time in its window.
struct MarkPosition {
  enum class In : std::uint8_t {
    Nothing,        // no call of the mark's function was open
    OpenCall,       // one was open, and inside it another call
    InnermostCall,  // one was the innermost open call, or begins with the next record
  };
  In in = In::Nothing;
  std::uint64_t since_ns =
      0;  // from the thread's latest record to the mark, or from the mark to the next record
};

// An input whose threads have calls.
class CallHistory {
 public:
  virtual ~CallHistory() = default;
  virtual std::vector<const Lane*> lanes() const = 0;
  // Whether the ends of calls are also recorded. Otherwise the innermost call is not known.
  virtual bool records_ends() const = 0;
  // The position of each window. Windows are sorted by their first time. Empty if the lane can't be read.
  virtual std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) = 0;
};

// With the number of their input.
struct UnmatchedThreadOfInput {
  UnmatchedThread thread;
  std::size_t input;
};
struct CallHistoryOfInput {
  std::unique_ptr<CallHistory> history;
  std::size_t input;
};

// The lane of an unmatched thread, or the reason why there is none.
struct ThreadMatch {
  const Lane* lane = nullptr;
  std::string why_unmatched = {};
};

// Matches the threads of some inputs with the calls of others. `input` is the number of the input.
class ThreadMatcher {
 public:
  void add(UnmatchedThread thread, std::size_t input) { threads_.push_back({std::move(thread), input}); }
  void add(std::unique_ptr<CallHistory> history, std::size_t input) {
    histories_.push_back({std::move(history), input});
  }

  // The threads to match. Empty if there is no call history.
  std::span<const UnmatchedThreadOfInput> threads() const {
    return histories_.empty() ? std::span<const UnmatchedThreadOfInput>() : threads_;
  }
  // A thread matches the lane whose open calls contain its marks, each in a call of the mark's own function.
  // All marks must fit except a few per thousand. Most must be directly in the call, because a function like
  // `main` is open all the time. If several lanes fulfill this, the lane matches whose records are clearly
  // closer before the marks. Marks that may belong to several threads match no lane if another lane also
  // holds half of them directly. `name_of` is the name of a lane in notes. Returns one match for each of
  // threads().
  std::vector<ThreadMatch> match(std::span<const TimelineInput> inputs,
                                 const std::function<std::string(const Lane&)>& name_of) const;

 private:
  std::vector<UnmatchedThreadOfInput> threads_;
  std::vector<CallHistoryOfInput> histories_;
};

}  // namespace convert
