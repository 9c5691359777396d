#include "converters/uftrace/threads/inner_calls.h"

#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/argument_names.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// A kernel never has this many open calls. The limit is needed because calls without an exit stay open.
constexpr std::size_t kMaxFrames = 256;
constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

InnerCalls::InnerCalls(Lane& lane, CallFilter& filter, Names& names, Notes& notes, ThreadNoteNames note_names)
    : lane_(lane),
      filter_(filter),
      notes_(notes),
      note_names_(std::move(note_names)),
      all_names_(names),
      names_{.repaired = names.intern(kRepaired),
             .caller = names.intern("caller"),
             .retval = names.intern(kReturnValue),
             .cpu = names.intern(kCpu),
             .state = names.intern(kState)} {}

template <typename Describe>
void InnerCalls::note(const NoteKind& kind, Describe&& describe) {
  notes_.add(kind, [&] { return fmt::format("{}: {}", note_names_.kernel_thread, describe()); });
}

// ---- Entries and exits of the kernel ----

void InnerCalls::enter_kernel(std::uint64_t time_ns, const KernelMessage& entry, bool wanted) {
  const bool has_depth = entry.depth != KernelMessage::kNoDepth;
  const std::size_t depth = has_depth ? entry.depth : frames_.empty() ? 0 : frames_.back().depth + 1;
  // If calls at this depth or deeper are open, there are two possible causes. The entry may come from an
  // interrupt, whose functions can have the depths of interrupted calls. Or exits are missing. Later exits
  // show the cause.
  for (std::size_t i = frames_.size(); i-- > 0 && frames_[i].depth >= depth;)
    if (frames_[i].passed_ns == 0) frames_[i].passed_ns = time_ns;
  if (frames_.size() == kMaxFrames) end_frames_above(0, time_ns);
  const std::size_t around = this->depth();
  KernelFrame& frame = frames_.emplace_back();
  frame.address = entry.address;
  frame.begin_ns = entry.time_ns;
  frame.label = entry.label;
  frame.depth = depth;
  frame.is_drawn = wanted;
  frame.around = around;
  if (frame.is_drawn) {
    const CallFilter::KernelDecision decision = filter_.enter_kernel(frame.around, frame.address);
    frame.is_drawn = decision.is_shown;
    frame.shortest_ns = decision.shortest_ns;
  }
  if (!frame.is_drawn) return;
  ++drawn_;
  if (entry.has_value)
    lane_.begin(time_ns, entry.label, entry.address, {{names_.caller, Pointer{entry.value}}});
  else
    lane_.begin(time_ns, entry.label, entry.address);
}

// Returns the index of the frame that the exit ends; kNone if the exit has no entry.
std::size_t InnerCalls::find_frame(const KernelMessage& exit) const {
  const bool has_depth = exit.depth != KernelMessage::kNoDepth;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const KernelFrame& frame = frames_[i];
    if (frame.address == exit.address && (!has_depth || frame.depth == exit.depth)) return i;
  }
  return kNone;
}

void InnerCalls::leave_kernel(std::uint64_t time_ns, const KernelMessage& exit) {
  const std::size_t frame = find_frame(exit);
  if (frame == kNone) {
    note(kKernelExitWithoutEntry, [&] {
      return fmt::format("an exit from {} at {} ns, but no entry", name_of(exit.label), exit.time_ns);
    });
    return;
  }
  if (frame + 1 < frames_.size()) end_frames_above(frame + 1, time_ns);
  const bool is_kept = frames_.back().is_kept(exit.time_ns);
  if (is_kept) keep_around(frame);
  if (!frames_.back().is_drawn)
    frames_.pop_back();
  else if (is_kept || !retract_top(time_ns))
    end_top(time_ns, exit.has_value ? &exit.value : nullptr, {});
}

// Must be called if kernel events after `known_until_ns` are missing. Perf files may have switches after this
// time. An open kernel call ends before these switches, unless the start of the call has already been
// released.
void InnerCalls::lose_kernel_events(std::uint64_t known_until_ns) {
  std::uint64_t end_ns = known_until_ns;
  for (std::size_t i = frames_.size(); drawn_ > 0 && late_ == 0 && known_until_ns < lane_.last_ns(); --i) {
    KernelFrame& frame = frames_[i - 1];
    if (!frame.is_drawn) continue;
    if (end_ns == frame.begin_ns) ++end_ns;
    const bool is_below_switch = below_switch_ == drawn_;
    const std::size_t depth = lane_.depth() - 1 - (is_below_switch ? 1 : 0);
    if (!lane_.end_earlier(depth, end_ns, {{names_.repaired, kCutByLoss.name}})) break;
    note(kCutByLoss,
         [&] { return fmt::format("a kernel call of {} is cut at {} ns", name_of(frame.label), end_ns); });
    frame.is_drawn = false;
    keep_around(i - 1);
    --drawn_;
    if (is_below_switch) --below_switch_;
  }
  cut_drawn_above(below_switch_ == kOnCpu ? 0 : below_switch_, lane_.last_ns(), kCutByLoss);
}

// ---- Calls for which it is known only at the end whether they are shown ----

void InnerCalls::keep_around(std::size_t frame) {
  while (frame-- > 0 && !frames_[frame].holds_kept) frames_[frame].holds_kept = true;
}

// Ends the innermost frame, whose call must be on the lane, and removes the call from the lane. Returns false
// if its start has already been released.
bool InnerCalls::retract_top(std::uint64_t time_ns) {
  const bool overlaps = below_switch_ == drawn_;
  const std::size_t inside = overlaps ? 1 + late_ : 0;
  if (!lane_.retract(lane_.depth() - 1 - inside, time_ns)) return false;
  if (overlaps) --below_switch_;
  frames_.pop_back();
  --drawn_;
  filter_.drop_kernel_call();
  return true;
}

// ---- Calls that are cut ----

// Ends the innermost frame, whose call must be on the lane. If the thread was switched out in this call and
// is still off the CPU, the call ends at the switch out. If it can't end there, it ends together with the
// off-CPU call.
void InnerCalls::end_top(std::uint64_t time_ns, const std::uint64_t* returned, std::string_view repaired) {
  const bool overlaps = below_switch_ == drawn_;
  if (overlaps) {
    note(kKernelClipped, [&] {
      return fmt::format("a kernel call of {} is cut at {} ns, while the thread is off the CPU",
                         name_of(frames_.back().label), time_ns);
    });
    repaired = kKernelClipped.name;
    --below_switch_;
  }
  frames_.pop_back();
  --drawn_;
  if (returned == nullptr && repaired.empty()) return lane_.end(time_ns);
  Arguments arguments;
  if (returned != nullptr) arguments.add({names_.retval, static_cast<std::int64_t>(*returned)});
  if (!repaired.empty()) arguments.add({names_.repaired, repaired});
  if (!overlaps)
    lane_.end(time_ns, arguments);
  else if (late_ != 0 || !lane_.end_earlier(lane_.depth() - 2, lane_.calls().back().begin_ns(), arguments))
    ++late_;
}

// Ends all frames except the first `frames`. Their exits are missing, so their lengths are unknown, and no
// filter hides them as too short. A frame ends at `passed_ns` if end_earlier() can end it there, or else at
// `time_ns`.
void InnerCalls::end_frames_above(std::size_t frames, std::uint64_t time_ns) {
  while (frames_.size() > frames) {
    keep_around(frames_.size() - 1);
    if (!frames_.back().is_drawn) {
      frames_.pop_back();
      continue;
    }
    note(kExitMissing, [&] {
      return fmt::format("a kernel call of {} ended before {} ns without an exit",
                         name_of(frames_.back().label), time_ns);
    });
    if (!end_earlier(frames_.back(), kExitMissing)) {
      end_top(time_ns, nullptr, kExitMissing.name);
      continue;
    }
    frames_.pop_back();
    --drawn_;
  }
}

// Ends the frame's call, which must be the innermost kernel call, at `frame.passed_ns`. Returns false if this
// time is not set, if the thread is off the CPU, or if the start of the call has already been released.
bool InnerCalls::end_earlier(const KernelFrame& frame, const NoteKind& kind) {
  return frame.passed_ns != 0 && below_switch_ == kOnCpu &&
         lane_.end_earlier(lane_.depth() - 1, frame.passed_ns, {{names_.repaired, kind.name}});
}

// Ends the calls of all drawn frames except the first `drawn`. Later exits of these calls have no effect.
void InnerCalls::cut_drawn_above(std::size_t drawn, std::uint64_t time_ns, const NoteKind& kind) {
  for (std::size_t i = frames_.size(); drawn_ > drawn; --i) {
    KernelFrame& frame = frames_[i - 1];
    if (!frame.is_drawn) continue;
    frame.is_drawn = false;
    --drawn_;
    // The length of a call without an exit is unknown. Therefore, the call is hidden only if the filters hide
    // it at any length.
    const bool is_unwanted = frame.shortest_ns == kForever && !frame.holds_kept && &kind == &kKernelClipped;
    if (is_unwanted && lane_.retract(lane_.depth() - 1, time_ns)) {
      filter_.drop_kernel_call();
      continue;
    }
    keep_around(i - 1);
    const bool is_earlier = &kind != &kCutByLoss && end_earlier(frame, kExitMissing);
    note(is_earlier ? kExitMissing : kind, [&] {
      return fmt::format("a kernel call of {} is cut at {} ns", name_of(frame.label),
                         is_earlier ? frame.passed_ns : time_ns);
    });
    if (is_earlier) continue;
    lane_.keep_open();
    lane_.end(time_ns, {{names_.repaired, kind.name}});
  }
}

void InnerCalls::end_frames_for_filter() {
  for (KernelFrame& frame : frames_) frame.is_over = true;
}

bool InnerCalls::suspend_kernel() {
  if (drawn_ == 0 || below_switch_ != kOnCpu) return false;
  end_frames_for_filter();
  lane_.suspend_top(drawn_);
  is_suspended_ = true;
  return true;
}

void InnerCalls::resume_kernel() {
  lane_.resume_top();
  is_suspended_ = false;
}

void InnerCalls::cut_kernel(std::uint64_t time_ns) {
  end_frames_for_filter();
  if (drawn_ != 0) cut_drawn_above(0, lane_.clamped(time_ns), kKernelClipped);
}

void InnerCalls::end_kernel(std::uint64_t time_ns) {
  cut_drawn_above(0, lane_.clamped(time_ns), kOpenAtEnd);
  frames_.clear();
}

// ---- Off the CPU ----

bool InnerCalls::begin_off_cpu(std::uint64_t time_ns, const SwitchOut& out) {
  if (leaves_out_event() || !filter_.shows_switch(depth(), out.is_short)) return false;
  lane_.begin(time_ns, out.label, 0, {{names_.cpu, std::uint32_t{out.cpu}}, {names_.state, out.state}});
  is_off_cpu_ = true;
  below_switch_ = drawn_;
  return true;
}

bool InnerCalls::end_off_cpu(std::uint64_t time_ns, const Arguments& arguments) {
  if (!std::exchange(is_off_cpu_, false)) return false;
  close_off_cpu(time_ns, arguments);
  return true;
}

// Ends the call for the time off the CPU, and kernel calls inside it. Also ends calls around it whose exits
// came while the thread was off the CPU.
void InnerCalls::close_off_cpu(std::uint64_t time_ns, const Arguments& arguments) {
  cut_drawn_above(std::min(below_switch_, drawn_), time_ns, kKernelClipped);
  lane_.end(time_ns, arguments);
  below_switch_ = kOnCpu;
  for (; late_ > 0; --late_) lane_.end(time_ns, {{names_.repaired, kKernelClipped.name}});
}

// Cuts the call for the time off the CPU, because a record shows that the thread ran. A switch is missing.
void InnerCalls::cut_off_cpu(std::uint64_t time_ns) {
  if (!std::exchange(is_off_cpu_, false)) return;
  notes_.add(kScheduleCut, [&] {
    return fmt::format("{}: the thread is off the CPU, but has a record at {} ns", note_names_.record_file,
                       time_ns);
  });
  close_off_cpu(lane_.clamped(time_ns), {{names_.repaired, kScheduleCut.name}});
}

}  // namespace convert::uftrace
