// What a thread's stream makes of its kernel events: calls inside the user call that they ran in. The kernel
// counts depths of its own. Where the recorder's clock lets a kernel call overlap with a call of the program
// that is shown, or with a switch, it is cut to lie inside; the rest of it is not drawn, and its exit says
// nothing more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/source.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/tracepoint.h"

namespace convert::uftrace {

// What its kernel calls need that is known of a thread.
struct KernelPlan {
  KernelQueue* queue = nullptr;              // null: nothing is known of the thread
  std::string thread = {};                   // for notes: "DIR: thread 100"
  const Tracepoints* tracepoints = nullptr;  // null: no events but calls are told
  bool skips_outside = false;  // what the kernel does outside of the program's calls is not shown
  ProcessId process{};         // as the timeline shows them
  ThreadId thread_id{};
};

// Who decides what is shown of the kernel, when not all is. Depths are those of all open calls.
class KernelFilter {
 public:
  virtual ~KernelFilter() = default;
  struct Decision {
    bool is_shown;              // if it is kept
    std::uint64_t shortest_ns;  // calls that took so long are kept, and all around them
  };
  // A function begins.
  virtual Decision enter(std::size_t depth, std::uint64_t address) = 0;
  virtual bool shows_event(std::size_t depth) = 0;
  // One that is shown was not kept.
  virtual void drop() = 0;
};

class KernelCalls {
 public:
  struct Context {
    Lane& lane;
    Names& names;
    Notes& notes;
    KernelPlan plan;
    KernelFilter* filter = nullptr;  // null: all else is
  };
  explicit KernelCalls(Context context);

  // When the next message is; kForever if none waits.
  std::uint64_t next_ns() const {
    const KernelMessage* const first =
        context_.plan.queue == nullptr ? nullptr : context_.plan.queue->first();
    return first == nullptr ? kForever : first->time_ns;
  }
  // Own records from this time on come behind the next message: an exit comes before what is at the same
  // time, all else behind.
  std::uint64_t behind_ns() const {
    const KernelMessage* const first =
        context_.plan.queue == nullptr ? nullptr : context_.plan.queue->first();
    if (first == nullptr) return kForever;
    return first->time_ns + (first->kind == KernelMessage::Kind::Exit ? 0 : 1);
  }
  // An own record of this time or later needs a look before it is taken.
  std::uint64_t limit_ns() const { return open() != 0 ? 0 : behind_ns(); }
  // Calls of the lane that are the kernel's.
  std::size_t open() const { return is_aside_ ? 0 : drawn_ + late_; }
  // Says the next message, which must be there, in so many open calls of the program.
  void take_first(std::size_t user_depth);
  // Calls that are open for who begins now, those of the kernel included that are not shown.
  std::size_t depth_in(std::size_t user_depth) const {
    return frames_.empty() || frames_.back().is_over ? user_depth : frames_.back().around + 1;
  }

  // A call of the program begins or ends: the kernel's are over.
  void give_way(std::uint64_t time_ns);
  // One that is not shown does: the kernel's step aside until resume_top(), and are then open in those
  // around. False if they can't.
  bool suspend_top();
  void resume_top();
  // The thread, or its program, is over.
  void end_all(std::uint64_t time_ns, const NoteKind& kind);
  // A schedule call was opened on the lane; it is about to end; it has ended.
  void switched_off() { below_switch_ = drawn_; }
  void switching_on(std::uint64_t time_ns);
  void switched_on(std::uint64_t time_ns);

 private:
  static constexpr std::size_t kOn = ~std::size_t{0};

  // A call that has not ended. Those that were cut, or not shown, are not on the lane any more.
  struct Frame {
    std::uint64_t address;
    std::uint64_t begin_ns;
    std::size_t depth;
    bool is_drawn;
    std::uint64_t shortest_ns = 0;  // shorter calls are not shown, unless
    bool holds_kept = false;        // one that is kept lies inside
    std::size_t around = 0;         // calls open around it, the program's and the kernel's
    bool is_over = false;           // for the filter: a call of the program has begun or ended since

    bool is_kept(std::uint64_t end_ns) const {
      return holds_kept || shortest_ns == 0 ||
             end_ns >= begin_ns + std::min(shortest_ns, kForever - begin_ns);
    }
  };

  void enter(std::uint64_t time_ns, const KernelMessage& message, std::size_t user_depth);
  void leave(std::uint64_t time_ns, const KernelMessage& message);
  void tell_event(std::uint64_t time_ns, const KernelMessage& message, std::span<const std::byte> bytes,
                  std::size_t user_depth);
  void tell_switch(std::uint64_t time_ns, const KernelMessage& message);
  void tell_wakeup(std::uint64_t time_ns, const KernelMessage& message);
  void lose(std::uint64_t time_ns, const KernelMessage& message);
  std::size_t frame_of(const KernelMessage& message) const;
  void keep_around(std::size_t frame);
  bool leave_out_top(std::uint64_t time_ns);
  void end_top(std::uint64_t time_ns, const std::uint64_t* returned, std::string_view repaired);
  void cut_down_to(std::size_t drawn, std::uint64_t time_ns, const NoteKind& kind);
  void end_for_filter();
  void drop_down_to(std::size_t frames, std::uint64_t time_ns);
  template <typename Describe>
  void note(const NoteKind& kind, Describe&& describe);

  Context context_;
  std::vector<Frame> frames_;       // outermost first
  std::size_t drawn_ = 0;           // of them
  bool is_aside_ = false;           // those
  std::size_t below_switch_ = kOn;  // drawn frames below the open schedule call
  bool may_wait_ = true;            // for a wakeup, as far as switches tell
  std::size_t late_ = 0;            // calls on the lane, between those and it, that end when it does
  NameId repaired_, count_, cpu_, caller_, retval_;
  LabelId records_lost_;
  std::string text_;  // of the event at hand
  Arguments values_;
};

}  // namespace convert::uftrace
