// What happens on a thread besides its own records, by time: one interface for all such streams, and the one
// table that says what comes first at equal times.
#pragma once

#include <compare>
#include <cstdint>

#include "converters/model/lanes/event.h"

namespace convert::uftrace {

// At equal times, earlier ones come first.
enum class Precedence : std::uint8_t {
  SwitchIn,    // what follows happens on the cpu
  KernelExit,  // a kernel call lies in the program's call that was open at its entry
  ExecOrLoad,  // exec, dlopen
  OwnRecord,   // entries, exits and events of the thread's own file
  Kernel,      // entries and tracepoints of the kernel
  Switch,      // switches out, and what else perf files hold
  Message,     // of extern.dat
};

// When something is due on its thread.
struct Due {
  std::uint64_t time_ns = kForever;
  Precedence precedence = Precedence::Message;

  friend auto operator<=>(const Due&, const Due&) = default;
  // Own records from this time on come later.
  std::uint64_t own_from_ns() const {
    return time_ns == kForever ? kForever : time_ns + (precedence > Precedence::OwnRecord ? 1 : 0);
  }
};

class SideStream {
 public:
  virtual ~SideStream() = default;
  // When its next event is due; at kForever if none waits.
  virtual Due next() const = 0;
  // Emits that event, which must exist.
  virtual void emit_next() = 0;
};

}  // namespace convert::uftrace
