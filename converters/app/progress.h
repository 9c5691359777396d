// Shows how far a long conversion is: a line that is drawn anew on a terminal, lines now and then in a log.
#pragma once

#include <chrono>
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
// "[=====>    ]  45%  1.2 GB of 2.7 GB in 2 inputs  812 MB/s  2 s left"; of that as much as `columns` hold.
std::string progress_line(const ProgressState& state, std::size_t columns);

class Progress {
 public:
  // By itself it is shown on a terminal only, after half a second; `Always` shows it from the start and
  // wherever standard error goes. A terminal that obeys no escape sequences gets lines, as a log does.
  // Borrows `stats`.
  Progress(const ImportStats& stats, ProgressMode mode, std::size_t inputs);
  // Wipes the line, or says in the log where it ended.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call often; it draws a few times a second.
  void tick();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form : std::uint8_t { None, Line, Log };
  void say(Clock::time_point now);

  const ImportStats& stats_;
  std::size_t inputs_;
  Form form_;
  bool is_said_;  // or has to be, however short it takes
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace convert
