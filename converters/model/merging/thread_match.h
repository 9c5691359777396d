// Who two inputs both recorded is drawn once: a thread of one input (a guest) is seated on the thread of
// another input (of a host) that it is. Nothing in the files says which one that is, but a guest knows where
// some of its events happened, and a host which calls were open then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "converters/model/lanes/lane.h"

namespace convert {

// Where a guest was at some time.
struct ThreadMark {
  std::uint64_t time_ns;
  std::uint64_t address;  // of an instruction, as its process had it
};

struct UnmatchedThread {
  const Lane* lane;
  std::string name;                 // what remarks call it
  std::vector<ThreadMark> marks;    // ascending by time; all, or some that are spread evenly
  std::uint64_t resolution_ns = 1;  // a mark was made somewhere in [time_ns, time_ns + resolution_ns)
  bool is_thread = false;           // surely one: no two of an input are the same thread
  std::string why_unmatched = {};   // it can't be seated at all, if there is something here
};

// A mark as a host is asked for it, by the host's clock.
struct MarkWindow {
  std::uint64_t first_ns, last_ns;  // when it may have been made
  std::uint64_t address;
};

// How a mark lies in the calls of a thread, at the best moment of its window.
struct MarkPosition {
  enum class In : std::uint8_t {
    Nothing,        // no call of its function was open
    OpenCall,       // one was, and something that it had called
    InnermostCall,  // it was the innermost one
  };
  In in = In::Nothing;
  std::uint64_t since_ns = 0;  // the thread's record before it
};

// An input whose threads have calls.
class CallHistory {
 public:
  virtual ~CallHistory() = default;
  // The threads that were recorded.
  virtual std::vector<const Lane*> lanes() const = 0;
  // Whether the ends of calls were recorded, too: otherwise nobody knows which call is the innermost.
  virtual bool records_ends() const = 0;
  // Of each window; they come by their first time. Empty if the lane can't be read.
  virtual std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) = 0;
};

// With the number of their input.
struct UnmatchedThreadOfInput {
  UnmatchedThread guest;
  std::size_t input;
};
struct CallHistoryOfInput {
  std::unique_ptr<CallHistory> host;
  std::size_t input;
};

// What was found out of a guest: its thread, or why there is none.
struct ThreadMatch {
  const Lane* lane = nullptr;
  std::string why_unmatched = {};
};

// A guest's thread is the one in whose open calls its marks lie, each in a call of its own function: all but
// a few per thousand, and most of them directly, as a function like `main` is open all the time. Where that
// holds for several threads it is the one whose records come clearly closer before the marks; or else it
// stays apart. `offsets_ns` by input; `name_of` is what remarks call a lane.
std::vector<ThreadMatch> match_threads(std::span<const UnmatchedThreadOfInput> guests,
                                       std::span<const CallHistoryOfInput> hosts,
                                       std::span<const std::int64_t> offsets_ns,
                                       const std::function<std::string(const Lane&)>& name_of);

}  // namespace convert
