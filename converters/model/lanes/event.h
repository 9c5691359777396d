// The words of the common event model: ids as types, and what events are made of. Times are ns everywhere.
#pragma once

#include <cstdint>

#include "converters/model/names/ids.h"

namespace convert {

// Ids of the recorded system; what FXT calls koids. Non-zero and below 2^32 in what is written.
enum class ProcessId : std::uint64_t {};
enum class ThreadId : std::uint64_t {};

// Times of 2^63 ns and later can't be drawn (fxt-notes W5).
inline constexpr std::uint64_t kTimeLimitNs = std::uint64_t{1} << 63;

// The time of what does not happen.
inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

// Values of arguments that are more than numbers.
struct Pointer {
  std::uint64_t address;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};
struct Koid {
  std::uint64_t koid;
  friend bool operator==(const Koid&, const Koid&) = default;
};

enum class FlowStep : std::uint8_t { Begin, Step, End };

// FXT "Thread States": how a thread left the cpu.
enum class ThreadState : std::uint8_t {
  New = 0,
  Running = 1,
  Suspended = 2,
  Blocked = 3,
  Dying = 4,
  Dead = 5
};

// A cpu handed from one thread to another; thread 0 of process 0 is idle.
struct ContextSwitch {
  std::uint16_t cpu;
  ThreadState outgoing_state = ThreadState::New;
  ProcessId outgoing_process = {};
  ThreadId outgoing_thread = {};
  ProcessId incoming_process = {};
  ThreadId incoming_thread = {};
};

// A thread that waited may run on.
struct Wakeup {
  std::uint16_t cpu;  // that it happened on
  ThreadId thread;
  ThreadId waker;  // that ran there; 0: not known, or no thread
};

}  // namespace convert
