// Who reads inputs and fills lanes, block by block: sources, each with its lanes, and feeders, whose files
// hold something for many of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/event.h"

namespace convert {

// What a pump may do.
struct PumpBudget {
  std::size_t lane_bytes;  // of lane memory, about
  std::uint64_t delivered_until_ns =
      kForever;            // nothing at or after this time may be said: its feeders are not there yet
  std::size_t worker = 0;  // which thread this is, 0..jobs-1: for room that threads do not share
};

// Reads an input forward and fills the lanes that belong to it. Different sources are pumped by several
// threads at one time: what they share is read-only, or locked.
class Source {
 public:
  virtual ~Source() = default;
  // Reads on and says it in its lanes, until the budget is spent or the gate reached. False at the end of the
  // input, when nothing more will come and all calls are ended.
  virtual bool pump(const PumpBudget& turn) = 0;
  // No later event of any of its lanes will be before this time; at least the gate once that was reached.
  virtual std::uint64_t watermark_ns() const = 0;
};

// Reads a file whose events belong to the lanes of several sources, and hands them to those.
class SharedSource {
 public:
  virtual ~SharedSource() = default;
  // Reads on, one block, into a place of its own, while sources are pumped. False at the end.
  virtual bool pump(const PumpBudget& turn) = 0;
  // Hands over what was read. Nothing else runs then.
  virtual void deliver() = 0;
  // All that it will still read is at or after this time.
  virtual std::uint64_t watermark_ns() const = 0;
  // What was delivered and not taken yet.
  virtual std::size_t waiting_bytes() const = 0;
};

}  // namespace convert
