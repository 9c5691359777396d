// All perf-cpu<N>.dat of a recording as one stream: by time, then by cpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "converters/uftrace/perf/perf_cursor.h"

namespace convert::uftrace {

class PerfMerge {
 public:
  // What can't be opened is noted and left out. `reading.block_bytes` are for all files together.
  PerfMerge(const std::vector<CpuFile>& files, const PerfReading& reading);

  bool at_end() const { return turns_.empty(); }
  // The event at hand and its cpu; at_end() must be false. Valid until advance().
  const PerfEvent& event() const { return cursors_[turns_.front().cursor]->event(); }
  std::uint32_t cpu() const { return cursors_[turns_.front().cursor]->cpu(); }
  void advance();

  std::uint64_t size() const;        // bytes of all files
  std::uint64_t bytes_read() const;  // so far

 private:
  struct Turn {
    std::uint64_t time_ns;
    std::size_t cursor;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };

  std::vector<std::unique_ptr<PerfCursor>> cursors_;  // by cpu
  std::vector<Turn> turns_;                           // a heap, the earliest first
};

}  // namespace convert::uftrace
