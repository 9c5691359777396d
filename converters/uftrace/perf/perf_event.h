// What perf-cpu<N>.dat holds: records of the kernel's perf ring buffer (uftrace.md, section 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "fxt/field.h"

namespace convert::uftrace {

// perf_event_header: u32 type, u16 misc, u16 size, which counts the header.
enum class PerfType : std::uint32_t { Lost = 2, Comm = 3, Exit = 4, Fork = 7, Switch = 14 };

// `misc` of a Switch.
struct SwitchMisc {
  using Out = fxt::Field<13>;
  using Preempted = fxt::Field<14>;  // the thread would have run on
};

// `misc` of a Comm.
struct CommMisc {
  using Exec = fxt::Field<13>;  // the thread runs another program from here on
};

struct PerfEvent {
  enum class Kind : std::uint8_t { SwitchIn, SwitchOut, Preempted, Fork, Exit, Comm, Exec, Lost };
  Kind kind = Kind::Lost;
  std::uint64_t time_ns = 0;   // when it was
  std::uint64_t order_ns = 0;  // when it was written: a little before or behind, and never back in a file
  ThreadId tid{};              // whom it is about: of Fork and Exit the new and the exiting thread
  ThreadId parent{};           // Fork: who forked
  std::uint64_t lost = 0;      // Lost: how many records the kernel had no room for
  std::string_view comm = {};  // Comm and Exec: the thread's new name; valid until the next event

  bool is_switch_out() const { return kind == Kind::SwitchOut || kind == Kind::Preempted; }
};

}  // namespace convert::uftrace
