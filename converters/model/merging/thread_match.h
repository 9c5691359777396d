// Finds which thread of one input a thread of another input is, so that both share one track. No file tells
// that. But one input knows where its thread was at some times (marks), and the other one knows which calls
// of its threads were open then (a call history).
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

// Where a thread was at some time.
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
  std::string name;                 // as notes call it
  std::vector<ThreadMark> marks;    // ascending by time; all of them, or a sample spread evenly
  std::uint64_t resolution_ns = 1;  // a mark was made somewhere in [time_ns, time_ns + resolution_ns)
  bool is_thread = false;           // it is one thread for certain: no two such lanes of an input match one
  std::string why_unmatched = {};   // if not empty: it can't be matched
  std::uint64_t id = 0;             // of the thread; 0: unknown
  bool may_be_several = false;      // nothing tells its threads apart
  std::vector<Part> parts = {};     // they follow it into its process
};

// When a mark may have been made, by the clock of the call history.
struct MarkWindow {
  std::uint64_t first_ns, last_ns;
  std::uint64_t address;
};

// How a mark lies in the calls of a thread, at the best time in its window.
struct MarkPosition {
  enum class In : std::uint8_t {
    Nothing,        // no call of the mark's function was open
    OpenCall,       // one was open, and inside it another call
    InnermostCall,  // one was the innermost open call, or begins with the next record
  };
  In in = In::Nothing;
  std::uint64_t since_ns =
      0;  // from the thread's latest record to the mark, or from the mark to the next one
};

// An input whose threads have calls.
class CallHistory {
 public:
  virtual ~CallHistory() = default;
  virtual std::vector<const Lane*> lanes() const = 0;
  // Whether the ends of calls are recorded, too. Otherwise the innermost call is not known.
  virtual bool records_ends() const = 0;
  // The position of each window; they are sorted by their first time. Empty if the lane can't be read.
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

// The lane that an unmatched thread belongs to, or why there is none.
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

  // The threads to match: none if there is no call history.
  std::span<const UnmatchedThreadOfInput> threads() const {
    return histories_.empty() ? std::span<const UnmatchedThreadOfInput>() : threads_;
  }
  // A thread matches the lane in whose open calls its marks lie, each in a call of the mark's own function:
  // all but a few per thousand, and most of them directly, as a function like `main` is open all the time. If
  // several lanes fulfil that, the one matches whose records lie clearly closer before the marks. Marks that
  // may be of several threads match no lane if another one holds half of them directly, too. `name_of` is
  // what notes call a lane. Returns one match for each of threads().
  std::vector<ThreadMatch> match(std::span<const TimelineInput> inputs,
                                 const std::function<std::string(const Lane&)>& name_of) const;

 private:
  std::vector<UnmatchedThreadOfInput> threads_;
  std::vector<CallHistoryOfInput> histories_;
};

}  // namespace convert
