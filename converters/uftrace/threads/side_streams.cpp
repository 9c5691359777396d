#include "converters/uftrace/threads/side_streams.h"

#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// The kernel's calls need to know of schedule calls around and inside them, where there are both.
OffCpuCalls::Context joined(OffCpuCalls::Context switches, KernelCalls& kernel, bool has_kernel) {
  if (!has_kernel) return switches;
  switches.on_off = [&kernel] { kernel.switched_off(); };
  switches.before_on = [&kernel](std::uint64_t time_ns) { kernel.switching_on(time_ns); };
  switches.on_on = [&kernel](std::uint64_t time_ns) { kernel.switched_on(time_ns); };
  switches.on_exit = [&kernel, own = std::move(switches.on_exit)](std::uint64_t time_ns) {
    kernel.end_all(time_ns, kOpenAtEnd);
    own(time_ns);
  };
  return switches;
}

}  // namespace

SideStreams::SideStreams(Lane& lane, OffCpuCalls::Context switches, KernelCalls::Context kernel)
    : lane_(lane),
      schedule_(joined(std::move(switches), kernel_, kernel.plan.queue != nullptr)),
      kernel_(std::move(kernel)) {}

// At equal times the kernel's comes first, but for a switch in: what follows it is not off the cpu.
SideStreams::Stream SideStreams::first_stream() const {
  const std::uint64_t kernel_ns = kernel_.next_ns(), switch_ns = schedule_.next_ns();
  const bool is_switch =
      switch_ns < kernel_ns || (switch_ns == kernel_ns && schedule_.behind_ns() == switch_ns);
  return is_switch ? Stream::Switches : Stream::Kernel;
}

void SideStreams::take_first(Stream stream) {
  if (stream == Stream::Switches)
    schedule_.take_first();
  else
    kernel_.take_first(lane_.depth() - open());
}

void SideStreams::tell_streams(std::uint64_t time_ns, OwnRecord record) {
  for (;;) {
    const Stream stream = first_stream();
    const std::uint64_t behind_ns = stream == Stream::Switches ? schedule_.behind_ns() : kernel_.behind_ns();
    if (time_ns < behind_ns) break;
    take_first(stream);
  }
  schedule_.tell(time_ns,
                 record == OwnRecord::Exit ? OffCpuCalls::OwnRecord::Exit : OffCpuCalls::OwnRecord::Other);
}

void SideStreams::tell_before(std::uint64_t time_ns) {
  while (std::min(kernel_.next_ns(), schedule_.next_ns()) < time_ns) take_first(first_stream());
}

void SideStreams::finish(std::uint64_t time_ns) {
  if (kernel_.open() != 0) kernel_.end_all(time_ns, kOpenAtEnd);
}

}  // namespace convert::uftrace
