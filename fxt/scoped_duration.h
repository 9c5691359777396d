// A duration that lasts as long as a scope.
#pragma once

#include <chrono>
#include <cstdint>

#include "fxt/writer.h"

namespace fxt {

// The steady clock in ns; on Linux CLOCK_MONOTONIC, which other tracers stamp with.
inline std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Begins a duration, and ends it with the scope:
//   const fxt::ScopedDuration work(writer, thread, "app", "work");
// The texts must live as long as the scope. If the Output fails at the end, the Writer's next call throws.
class ScopedDuration {
 public:
  ScopedDuration(Writer& writer, const Thread& thread, String category, String name,
                 const Arguments& arguments = {})
      : writer_(&writer),
        end_{.type = EventType::DurationEnd, .thread = thread, .category = category, .name = name} {
    Event begin = end_;
    begin.type = EventType::DurationBegin;
    begin.time = now_ns();
    begin.arguments = arguments;
    writer.write(begin);
  }
  ScopedDuration(const ScopedDuration&) = delete;
  ScopedDuration& operator=(const ScopedDuration&) = delete;
  ~ScopedDuration() {
    end_.time = now_ns();
    try {
      writer_->write(end_);
    } catch (...) {  // a destructor must not throw
    }
  }

 private:
  Writer* writer_;
  Event end_;
};

}  // namespace fxt
