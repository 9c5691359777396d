// Readers of inputs, which fill lanes block by block. Most files belong to one source. A file whose events
// belong to the lanes of several sources is read by a shared source, which delivers its events to these
// sources.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "converters/model/lanes/event.h"

namespace convert {

// Both times are inside the range.
struct TimeSpan {
  std::uint64_t begin_ns = kForever, end_ns = 0;

  void join(const TimeSpan& other) {
    begin_ns = std::min(begin_ns, other.begin_ns);
    end_ns = std::max(end_ns, other.end_ns);
  }
};

// How far one pump() may read.
struct PumpBudget {
  std::size_t bytes;  // the approximate size of its events and their arguments in lanes
  // Events at or after this time must not be emitted: the shared sources have not delivered them yet.
  std::uint64_t delivered_until_ns = kForever;
  // The number of the thread that pumps, below TimelineOptions::jobs. For memory that each thread owns.
  std::size_t worker = 0;
  // Where two threads pump a source alternately, both as worker 0: which of them, 0 or 1.
  std::size_t alternate = 0;
};

// Reads an input forward and fills its lanes. Several threads pump different sources at the same time.
// Therefore, data that sources share is read-only or locked. One source is pumped by one thread at a time,
// but not always the same.
class Source {
 public:
  virtual ~Source() = default;
  // Reads further and emits events until the budget is used. Returns false at the end of the input, when all
  // calls are ended.
  virtual bool pump(const PumpBudget& budget) = 0;
  // Reads into memory what the pump() after the current one, by thread `next.alternate`, will want. Called by
  // that thread, while the other one is in pump().
  virtual void read_ahead([[maybe_unused]] const PumpBudget& next) {}
  // No event of any of the lanes comes before this time, as far as is known before the first pump().
  virtual std::uint64_t begin_ns() const { return 0; }
  // The end of the program's last call, at the end of the input. kForever if it is not known, 0 if the input
  // records no calls. Later events belong to the kernel, or to the recorder.
  virtual std::uint64_t calls_end_ns() const { return kForever; }
  // The first and the last mark of an input that records no calls, at its end. Nothing if there is none.
  virtual std::optional<TimeSpan> marks() const { return std::nullopt; }
  // No later event of any of the lanes comes before this time. It is at least PumpBudget::delivered_until_ns
  // after that was reached.
  virtual std::uint64_t watermark_ns() const = 0;
};

// Reads a file whose events belong to the lanes of several sources.
class SharedSource {
 public:
  virtual ~SharedSource() = default;
  // Reads one block into memory of its own, while sources are pumped. Returns false at the end.
  virtual bool pump(const PumpBudget& budget) = 0;
  // Delivers the data that was read to the sources. Nothing else runs meanwhile.
  virtual void deliver() = 0;
  // All later events come at or after this time.
  virtual std::uint64_t watermark_ns() const = 0;
  // Bytes that were delivered and not consumed yet.
  virtual std::size_t waiting_bytes() const = 0;
};

}  // namespace convert
