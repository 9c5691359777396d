// Readers of inputs, which fill lanes block by block. Most files belong to one source. A file whose events
// belong to the lanes of several sources is read by a shared source, which delivers its events to those
// sources.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "converters/model/lanes/event.h"

namespace convert {

// A time range that includes both ends.
struct TimeSpan {
  std::uint64_t begin_ns = kForever, end_ns = 0;

  void join(const TimeSpan& other) {
    begin_ns = std::min(begin_ns, other.begin_ns);
    end_ns = std::max(end_ns, other.end_ns);
  }
};

// The limits of one pump().
struct PumpBudget {
  std::size_t bytes;  // the approximate size of the events and arguments that it may add to lanes
  // Events at or after this time must not be emitted: shared sources have not delivered them yet.
  std::uint64_t delivered_until_ns = kForever;
  // The number of the thread that pumps, below TimelineOptions::jobs. Each thread may have its own memory.
  std::size_t worker = 0;
};

// Reads an input forward and fills its lanes. Several threads pump different sources at the same time.
// Therefore, data that sources share must be read-only or locked. Only one thread at a time pumps a source,
// but it need not always be the same thread.
class Source {
 public:
  virtual ~Source() = default;
  // Reads on and emits events until the budget is used. Returns false at the end of the input, when all calls
  // have ended.
  virtual bool pump(const PumpBudget& budget) = 0;
  // A time before which none of the lanes has an event, as far as is known before the first pump().
  virtual std::uint64_t begin_ns() const { return 0; }
  // The end of the program's last call, known at the end of the input. kForever if it is unknown, 0 if the
  // input records no calls. Later events belong to the kernel or to the recorder.
  virtual std::uint64_t calls_end_ns() const { return kForever; }
  // The times of the first and last mark if an input records no calls, known at its end; otherwise nothing.
  virtual std::optional<TimeSpan> marks() const { return std::nullopt; }
  // A time before which none of the lanes gets another event. When pump() has reached
  // PumpBudget::delivered_until_ns, this is at least that time.
  virtual std::uint64_t watermark_ns() const = 0;
};

// Reads a file whose events belong to the lanes of several sources.
class SharedSource {
 public:
  virtual ~SharedSource() = default;
  // Reads one block into memory of its own, while other threads pump sources. Returns false at the end.
  virtual bool pump(const PumpBudget& budget) = 0;
  // Delivers the data that was read to the sources. No other thread runs meanwhile.
  virtual void deliver() = 0;
  // All later events come at or after this time.
  virtual std::uint64_t watermark_ns() const = 0;
  // Bytes that were delivered but not consumed yet.
  virtual std::size_t waiting_bytes() const = 0;
};

}  // namespace convert
