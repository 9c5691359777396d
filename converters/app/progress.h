// A line on a terminal that shows how far a long conversion is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "converters/model/importer.h"

namespace convert {

// "[=====>    ]  45%  1.2 GB of 2.7 GB  812 MB/s  2 s left", at most `columns` wide. Times in seconds.
std::string progress_line(std::uint64_t bytes_done, std::uint64_t bytes_total, double seconds,
                          std::size_t columns);

class Progress {
 public:
  // With `always`, it is shown from the start and wherever standard error goes; else on a terminal only,
  // after half a second. Borrows `stats`.
  Progress(const ImportStats& stats, bool is_wanted, bool always);
  // Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call often; it draws a few times a second.
  void tick();

 private:
  using Clock = std::chrono::steady_clock;
  const ImportStats& stats_;
  bool is_wanted_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  std::size_t columns_ = 80;
  bool is_drawn_ = false;
};

}  // namespace convert
