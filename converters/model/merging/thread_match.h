// Finds out which threads of two inputs are the same thread, so that their events are on one track. One input
// has code addresses of its threads at some times (marks). The other input has the calls that were open in
// its threads at these times (a call history).
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

// The code address that a thread had at some time.
struct ThreadMark {
  std::uint64_t time_ns;
  std::uint64_t address;
};

struct UnmatchedThread {
  // A lane with some events of the thread, which are shown as a separate thread "NAME on THREAD".
  struct Part {
    const Lane* lane;
    std::string name;
  };

  const Lane* lane;
  std::string name;                 // name of the thread in notes
  std::vector<ThreadMark> marks;    // sorted by time; all marks, or an evenly distributed sample
  std::uint64_t resolution_ns = 1;  // the time of a mark is in [time_ns, time_ns + resolution_ns)
  bool is_thread = false;           // all marks are of one thread; no two such threads match the same lane
  std::string why_unmatched = {};   // why the thread can't be matched; empty if it can be matched
  std::uint64_t id = 0;
  bool may_be_several = false;   // the marks may be of several threads that can't be distinguished
  std::vector<Part> parts = {};  // lanes that are moved to the process of the matching thread
};

// The range of time in which a mark may have been made, on the clock of the call history.
struct MarkWindow {
  std::uint64_t first_ns, last_ns;
  std::uint64_t address;
};

// The position of a mark in a thread's calls. A mark may be anywhere in its window, and this is the best of
// its possible positions.
struct MarkPosition {
  enum class In : std::uint8_t {
    Nothing,        // no call of the mark's function was open
    OpenCall,       // a call of the mark's function was open, with another call inside it
    InnermostCall,  // a call of the function was innermost, or begins with the next record
  };
  In in = In::Nothing;
  // The time from the latest record to the mark. If the call begins with the next record, this is the time
  // from the mark to that record.
  std::uint64_t since_ns = 0;
};

// An input whose threads have calls.
class CallHistory {
 public:
  virtual ~CallHistory() = default;
  virtual std::vector<const Lane*> lanes() const = 0;
  // True if the ends of calls are recorded as well. Otherwise, the innermost call is not known.
  virtual bool records_ends() const = 0;
  // Returns the positions of marks. `windows` are sorted by first_ns. Returns nothing if the lane can't be
  // read.
  virtual std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) = 0;
};

struct UnmatchedThreadOfInput {
  UnmatchedThread thread;
  std::size_t input;
};
struct CallHistoryOfInput {
  std::unique_ptr<CallHistory> history;
  std::size_t input;
};

// The lane that an unmatched thread matches, or the reason why there is no such lane.
struct ThreadMatch {
  const Lane* lane = nullptr;
  std::string why_unmatched = {};
};

// Matches the threads of some inputs to the calls of other inputs. `input` is an index into the `inputs`
// of match().
class ThreadMatcher {
 public:
  void add(UnmatchedThread thread, std::size_t input) { threads_.push_back({std::move(thread), input}); }
  void add(std::unique_ptr<CallHistory> history, std::size_t input) {
    histories_.push_back({std::move(history), input});
  }

  // The threads to be matched. Empty if there is no call history.
  std::span<const UnmatchedThreadOfInput> threads() const {
    return histories_.empty() ? std::span<const UnmatchedThreadOfInput>() : threads_;
  }
  // Returns one match for each of threads(). A thread matches a lane if nearly all of its marks are inside
  // open calls of the marks' functions. For most marks, this call must be the innermost one, because a
  // function like `main` is open all the time. If several lanes match, the lane whose latest records are
  // clearly closer to the marks is chosen. Marks that may belong to several threads match no lane if at
  // least half of them are also in innermost calls of another lane. `name_of` returns the name of a lane for
  // notes.
  std::vector<ThreadMatch> match(std::span<const TimelineInput> inputs,
                                 const std::function<std::string(const Lane&)>& name_of) const;

 private:
  std::vector<UnmatchedThreadOfInput> threads_;
  std::vector<CallHistoryOfInput> histories_;
};

}  // namespace convert
