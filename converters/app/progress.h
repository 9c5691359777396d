// Shows the progress of a long conversion. On a terminal it redraws one line; in a log it writes a new line
// every few seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "converters/model/importer.h"

namespace convert {

enum class ProgressMode : std::uint8_t { Auto, Always, Never };

struct ProgressState {
  std::uint64_t bytes_done = 0, bytes_total = 0;
  std::size_t inputs = 1;
  double seconds = 0;  // since the start
};
// Returns "[=====>    ]  45%  1.2 GB of 2.7 GB in 2 inputs  812 MB/s  2 s left", shortened to fit into
// `columns`.
std::string progress_line(const ProgressState& state, std::size_t columns);

class Progress {
 public:
  // `Auto` shows progress only on a terminal, after half a second. `Always` shows it from the start, also in
  // a log. A terminal without escape sequences gets the same lines as a log.
  Progress(const ImportStats& stats, ProgressMode mode, std::size_t inputs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Fast enough to be called often. Redraws a few times a second.
  void tick();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form : std::uint8_t { None, Line, Log };
  void show(Clock::time_point now);

  const ImportStats& stats_;
  std::size_t inputs_;
  Form form_;
  bool is_shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace convert
