// Finds out which thread of one input is a thread of another input, so that both share one track. No file has
// this information. But one input has the code addresses of its thread at some times (marks), and the other
// input has the calls of its threads that were open then (a call history).
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

// The code address of a thread at some time.
struct ThreadMark {
  std::uint64_t time_ns;
  std::uint64_t address;  // of an instruction, in the address space of the process
};

struct UnmatchedThread {
  // A lane with a part of the thread's events, which is drawn as a separate thread: "NAME on THREAD".
  struct Part {
    const Lane* lane;
    std::string name;
  };

  const Lane* lane;
  std::string name;                 // name of the thread in notes
  std::vector<ThreadMark> marks;    // sorted by time; all marks, or an evenly distributed sample
  std::uint64_t resolution_ns = 1;  // a mark was made at some time in [time_ns, time_ns + resolution_ns)
  bool is_thread = false;           // all marks are of one thread: no other such lane of the input matches it
  std::string why_unmatched = {};   // the reason why it can't be matched; empty if it can
  std::uint64_t id = 0;             // id of the thread; 0 if unknown
  bool may_be_several = false;      // the marks may be of several threads, because nothing identifies them
  std::vector<Part> parts = {};     // lanes that follow the thread into its process
};

// The time range in which a mark may have been made, by the clock of the call history.
struct MarkWindow {
  std::uint64_t first_ns, last_ns;
  std::uint64_t address;
};

// The position of a mark in a thread's calls, at the time in the mark's window at which it fits best.
struct MarkPosition {
  enum class In : std::uint8_t {
    Nothing,        // no call of the mark's function was open
    OpenCall,       // a call of the mark's function was open, with another call inside it
    InnermostCall,  // such a call was the innermost open call, or begins with the next record
  };
  In in = In::Nothing;
  std::uint64_t since_ns =
      0;  // time from the thread's latest record to the mark, or from the mark to the next record
};

// An input whose threads have calls.
class CallHistory {
 public:
  virtual ~CallHistory() = default;
  virtual std::vector<const Lane*> lanes() const = 0;
  // True if the ends of calls are also recorded. Otherwise the innermost call is not known.
  virtual bool records_ends() const = 0;
  // The positions of marks with these windows, sorted by first time. Empty if the lane can't be read.
  virtual std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) = 0;
};

// A thread or call history with the number of its input.
struct UnmatchedThreadOfInput {
  UnmatchedThread thread;
  std::size_t input;
};
struct CallHistoryOfInput {
  std::unique_ptr<CallHistory> history;
  std::size_t input;
};

// The lane that an unmatched thread matches, or the reason why none does.
struct ThreadMatch {
  const Lane* lane = nullptr;
  std::string why_unmatched = {};
};

// Matches the threads of some inputs with the calls of other inputs. `input` is the number of the input.
class ThreadMatcher {
 public:
  void add(UnmatchedThread thread, std::size_t input) { threads_.push_back({std::move(thread), input}); }
  void add(std::unique_ptr<CallHistory> history, std::size_t input) {
    histories_.push_back({std::move(history), input});
  }

  // The threads to match. Empty without a call history.
  std::span<const UnmatchedThreadOfInput> threads() const {
    return histories_.empty() ? std::span<const UnmatchedThreadOfInput>() : threads_;
  }
  // A thread matches the lane whose open calls contain its marks, each mark in a call of its own function.
  // All marks except a few per thousand must fit. Most marks must be directly in such a call, because a
  // function like `main` is open all the time. If several lanes qualify, the lane matches whose records
  // precede the marks clearly more closely. Marks that may be of several threads match no lane if a second
  // lane also has half of them directly. `name_of` returns the name of a lane in notes. Returns one match for
  // each of threads().
  std::vector<ThreadMatch> match(std::span<const TimelineInput> inputs,
                                 const std::function<std::string(const Lane&)>& name_of) const;

 private:
  std::vector<UnmatchedThreadOfInput> threads_;
  std::vector<CallHistoryOfInput> histories_;
};

}  // namespace convert
