// What a thread's stream makes of its perf events: a context switch record each, and a call `linux:schedule`
// for the time that it is off the cpu. Such a call is exact and lies inside the thread's own calls; where
// records of the thread contradict, it is cut.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/uftrace/perf/perf_event.h"

namespace convert::uftrace {

// What its switches need that is known of a thread.
struct SwitchPlan {
  PerfQueue* queue = nullptr;                 // null: nothing is known of the thread
  std::vector<std::uint64_t> lone_outs = {};  // see PerfThread
  std::vector<bool> short_outs = {};          // the same
  ProcessId process{};                        // as the timeline shows them
  ThreadId thread{};
  bool has_estimated_exits = false;
};

class OffCpuCalls {
 public:
  struct Context {
    Lane& lane;
    Names& names;
    Notes& notes;
    SwitchPlan plan;
    std::string name;  // of the thread, for notes: "DIR/100.dat"
    // The thread is over: its calls end at this time. Further records are of a new one with the same id.
    std::function<void(std::uint64_t time_ns)> on_exit;
    // It runs another program from here on: the old one's calls are over.
    std::function<void(std::uint64_t time_ns)> on_exec;
    // Whether a schedule call that begins now is shown, which is too short as a whole or not; empty: all are.
    std::function<bool(bool is_short)> shows = {};
    // Calls of others may lie around a schedule call, and inside: it was opened, is about to end, has ended.
    std::function<void()> on_off = {};
    std::function<void(std::uint64_t time_ns)> before_on = {}, on_on = {};
  };
  explicit OffCpuCalls(Context context);

  enum class OwnRecord : std::uint8_t { Exit, Other };

  // An own record of this time or later needs a tell() before it is taken.
  std::uint64_t limit_ns() const {
    if (context_.plan.queue == nullptr) return kForever;
    if (is_off_) return 0;
    const PerfMessage* const first = context_.plan.queue->first();
    return first == nullptr ? kForever : behind_ns(*first);
  }
  // Own records from this time on come behind the next message.
  std::uint64_t behind_ns() const {
    const PerfMessage* const first = context_.plan.queue == nullptr ? nullptr : context_.plan.queue->first();
    return first == nullptr ? kForever : behind_ns(*first);
  }
  // A schedule call is open inside the own ones.
  bool is_off() const { return is_off_; }
  // Says what comes before an own record at this time: of what is at the same time, only a switch in. Own
  // calls alone are open then; resume() must follow when the record has been taken.
  void tell(std::uint64_t time_ns, OwnRecord record);
  void resume(std::uint64_t time_ns) {
    if (is_interrupted_) go_on(time_ns);
  }
  // Says what is before this time, when the thread has no further record before it.
  void tell_before(std::uint64_t time_ns);
  // Says the next message, which must be there.
  void take_first();
  // When the next message is; kForever if none waits.
  std::uint64_t next_ns() const {
    const PerfMessage* const first = context_.plan.queue == nullptr ? nullptr : context_.plan.queue->first();
    return first == nullptr ? kForever : first->time_ns;
  }

 private:
  // Own records from this time on come behind the message.
  static std::uint64_t behind_ns(const PerfMessage& message) {
    return message.time_ns + (message.kind == PerfEvent::Kind::SwitchIn ? 0 : 1);
  }

  void switch_in(std::uint64_t time_ns, const PerfMessage& message);
  void switch_out(std::uint64_t time_ns, const PerfMessage& message);
  void begin_call(std::uint64_t time_ns);
  void end_call(std::uint64_t time_ns);
  void end_lane_call(std::uint64_t time_ns, const Arguments& arguments);
  void interrupt(std::uint64_t time_ns, OwnRecord record);
  void go_on(std::uint64_t time_ns);
  bool is_lone(std::uint64_t time_ns);
  bool is_short(std::size_t out) const {
    return out < context_.plan.short_outs.size() && context_.plan.short_outs[out];
  }

  Context context_;
  LabelId blocked_, preempted_;
  LabelId renamed_;
  NameId repaired_, comm_;
  std::size_t outs_ = 0;         // switches out so far
  LabelId label_{};              // of the latest schedule call
  bool is_short_ = false;        // that call is
  bool is_off_ = false;          // that call is open
  bool is_interrupted_ = false;  // it goes on behind the record at hand
  bool has_exited_ = false;
  std::size_t lone_told_ = 0;
};

}  // namespace convert::uftrace
