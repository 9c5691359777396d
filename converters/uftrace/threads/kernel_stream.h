// The kernel events of one thread, by time: calls, tracepoints, switches and wakeups of the kernel's ring
// buffers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/kernel/tracepoint.h"
#include "converters/uftrace/threads/cpu_slices.h"
#include "converters/uftrace/threads/inner_calls.h"
#include "converters/uftrace/threads/side_stream.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class KernelStream : public SideStream {
 public:
  // Borrows the references.
  KernelStream(const KernelPlan& plan, Lane& lane, CallFilter& filter, InnerCalls& calls, CpuSlices& slices,
               Names& names);

  Due next() const override;
  void emit_next() override;

 private:
  void emit_tracepoint(std::uint64_t time_ns, const KernelMessage& message, std::span<const std::byte> bytes);
  void emit_switch_out(const KernelMessage& message);
  void emit_wakeup(std::uint64_t time_ns, const KernelMessage& message);
  void emit_loss(std::uint64_t time_ns, const KernelMessage& message, std::uint64_t known_until_ns);
  bool is_wanted() const { return !plan_.skips_outside || calls_.program_depth() > 0; }

  const KernelPlan& plan_;
  Lane& lane_;
  CallFilter& filter_;
  InnerCalls& calls_;
  CpuSlices& slices_;
  NameId count_, cpu_;
  LabelId records_lost_;
  std::uint64_t known_until_ns_ = 0;  // of its latest message
  bool may_wait_ = true;              // for a wakeup, as far as switches show
  std::string text_;                  // of the current tracepoint
  Arguments values_;
};

}  // namespace convert::uftrace
