// The ids and values that events consist of. All times are in nanoseconds.
#pragma once

#include <cstdint>

namespace convert {

// Ids of interned strings and of interned (category, name) pairs; see Names.
enum class NameId : std::uint32_t {};
enum class LabelId : std::uint32_t {};

// Ids of the recorded system.
enum class ProcessId : std::uint64_t {};
enum class ThreadId : std::uint64_t {};
constexpr std::uint64_t number_of(ProcessId id) { return static_cast<std::uint64_t>(id); }
constexpr std::uint64_t number_of(ThreadId id) { return static_cast<std::uint64_t>(id); }

// All times of events are below this value. Therefore, differences of times are signed 64-bit numbers.
inline constexpr std::uint64_t kTimeLimitNs = std::uint64_t{1} << 63;

// The time of an event that never happens.
inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

// The value of an argument that is an address.
struct Pointer {
  std::uint64_t address;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

enum class FlowStep : std::uint8_t { Begin, End };

// The state in which a thread left the CPU.
enum class ThreadState : std::uint8_t { New, Running, Suspended, Blocked, Dying, Dead };

// The priority of an ordinary thread in the numbers of Linux. Priorities below 100 belong to real-time
// threads.
inline constexpr std::uint8_t kNormalPriority = 120;

// One thread leaves a CPU, and another comes to it. Thread 0 of process 0 is the idle thread.
struct ContextSwitch {
  std::uint16_t cpu;
  std::uint8_t priority = kNormalPriority;  // priority of the thread that is not idle
  ThreadState outgoing_state = ThreadState::New;
  ProcessId outgoing_process = {};
  ThreadId outgoing_thread = {};
  ProcessId incoming_process = {};
  ThreadId incoming_thread = {};
};

// A waiting thread becomes runnable.
struct Wakeup {
  std::uint16_t cpu;  // the CPU on which the wakeup happened
  ThreadId thread;
  ThreadId waker;  // the thread that ran there; 0 if it is unknown, or if none ran
};

}  // namespace convert
