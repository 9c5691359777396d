// The events of perf files, and the messages that one thread gets of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/uftrace/cpus/cpu_file_source.h"

namespace convert::uftrace {

struct PerfEvent {
  enum class Kind : std::uint8_t { SwitchIn, SwitchOut, Preempted, Fork, Exit, Comm, Exec, Lost };
  Kind kind = Kind::Lost;
  std::uint64_t time_ns = 0;   // when it happened
  std::uint64_t order_ns = 0;  // when it was written: slightly earlier or later, and never back in a file
  ThreadId tid{};              // the thread; of Fork the new one, of Exit the exiting one
  ThreadId parent{};           // of Fork: the thread that forked
  std::uint64_t lost = 0;      // of Lost: how many records the kernel had no room for
  std::string_view comm = {};  // of Comm and Exec: the thread's new name; valid until the next event

  bool is_switch_out() const { return kind == Kind::SwitchOut || kind == Kind::Preempted; }
  bool is_switch() const { return kind == Kind::SwitchIn || is_switch_out(); }
};

struct PerfMessage {
  std::uint64_t time_ns;
  std::uint16_t cpu;
  PerfEvent::Kind kind;
  NameId name = {};  // of Comm: the thread's new name
};

using PerfQueue = MessageQueue<PerfMessage>;

}  // namespace convert::uftrace
