// What other files say of a thread, its kernel calls and its switches, told by time between its own records.
// A call of the program lies around all that is said here: before an own record is taken, these give way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/uftrace/kernel/kernel_calls.h"
#include "converters/uftrace/perf/off_cpu_calls.h"

namespace convert::uftrace {

class SideStreams {
 public:
  // Borrows the lane.
  SideStreams(Lane& lane, OffCpuCalls::Context switches, KernelCalls::Context kernel);
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  enum class OwnRecord : std::uint8_t { Entry, Exit, Other };

  // An own record of this time or later needs a tell() before it is taken.
  std::uint64_t limit_ns() const { return std::min(schedule_.limit_ns(), kernel_.limit_ns()); }
  // Calls of the lane that are not the thread's own: they lie inside all that are.
  std::size_t open() const { return kernel_.open() + (schedule_.is_off() ? 1 : 0); }
  // Calls that are open for an event that is said here, in so many of the program, also those not shown.
  std::size_t depth_in(std::size_t user_depth) const { return kernel_.depth_in(user_depth); }
  // Says what comes before an own record at this time. If that is an entry or an exit, is_shown() is asked
  // whether it will be seen: own calls alone are open then, and so they are while the record is taken;
  // resume() must follow. The kernel's calls end only for what is seen.
  template <typename IsShown>
  void tell(std::uint64_t time_ns, OwnRecord record, IsShown is_shown) {
    if (limit_ns() > time_ns) return;
    tell_streams(time_ns, record);
    if (record == OwnRecord::Other) return;
    if (kernel_.suspend_top()) {
      if (!is_shown()) return;
      kernel_.resume_top();
    }
    kernel_.give_way(time_ns);
  }
  void tell(std::uint64_t time_ns) {
    tell(time_ns, OwnRecord::Other, [] { return true; });
  }
  void resume(std::uint64_t time_ns) {
    kernel_.resume_top();
    schedule_.resume(time_ns);
  }
  // Says what is before this time, when the thread has no further record before it.
  void tell_before(std::uint64_t time_ns);
  // Own calls end now, and all that is inside them.
  void give_way(std::uint64_t time_ns) { kernel_.give_way(time_ns); }
  // The thread has no more records at all.
  void finish(std::uint64_t time_ns);

 private:
  enum class Stream : std::uint8_t { Kernel, Switches };
  Stream first_stream() const;
  void tell_streams(std::uint64_t time_ns, OwnRecord record);
  void take_first(Stream stream);

  Lane& lane_;
  OffCpuCalls schedule_;
  KernelCalls kernel_;
};

}  // namespace convert::uftrace
