#include "converters/app/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "converters/app/report.h"
#include "fxt/support/program.h"

namespace convert {
namespace {

constexpr auto kFirstAfter = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr auto kLogInterval = std::chrono::seconds(5);
constexpr std::size_t kLogColumns = 79;

// Errors are ignored, because progress is not important enough to fail.
void write(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void draw(const std::string& line) { write("\r\033[K" + line); }

std::size_t columns() {
  constexpr std::uint16_t kUsual = 80;
  return fxt::terminal_width(STDERR_FILENO).value_or(kUsual);
}

std::string bar_of(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return fmt::format("[{:=<{}}{: <{}}] ", "", filled, "", width - filled);
}

}  // namespace

std::string progress_line(const ProgressState& state, std::size_t columns) {
  const auto total = static_cast<double>(state.bytes_total);
  const double share =
      state.bytes_total == 0 ? 1.0 : std::min(1.0, static_cast<double>(state.bytes_done) / total);
  const double rate = state.seconds > 0 ? static_cast<double>(state.bytes_done) / state.seconds : 0;
  std::string line = fmt::format("{:3.0f}%", share * 100);
  if (line.size() > columns) return {};
  // The most useful part comes first, because the last parts are left out if the line is too long.
  std::array<std::string, 3> parts;
  parts[0] = fmt::format("  {} of {}", format_bytes(state.bytes_done), format_bytes(state.bytes_total));
  if (state.inputs > 1) parts[0] += fmt::format(" in {} inputs", state.inputs);
  if (rate > 0) {
    parts[1] = fmt::format("  {}/s", format_bytes(static_cast<std::uint64_t>(rate)));
    parts[2] = fmt::format("  {:.0f} s left", total * (1 - share) / rate);
  }
  for (const std::string& part : parts) {
    if (line.size() + part.size() > columns) return line;
    line += part;
  }
  constexpr std::size_t kBorders = 3, kMaxBar = 40, kMinBar = 5;
  if (columns < line.size() + kBorders + kMinBar) return line;
  return bar_of(share, std::min(columns - line.size() - kBorders, kMaxBar)) + line;
}

Progress::Progress(const ImportStats& stats, ProgressMode mode, std::size_t inputs)
    : stats_(stats),
      inputs_(inputs),
      form_(mode == ProgressMode::Never                                    ? Form::None
            : fxt::is_terminal(STDERR_FILENO)                              ? Form::Line
            : mode == ProgressMode::Always || ::isatty(STDERR_FILENO) == 1 ? Form::Log
                                                                           : Form::None),
      is_shown_(mode == ProgressMode::Always),
      next_(is_shown_ ? start_ : start_ + kFirstAfter) {}

Progress::~Progress() {
  if (!is_shown_) return;
  if (form_ == Form::Log) show(Clock::now());
  if (form_ == Form::Line) draw({});
}

void Progress::tick() {
  if (form_ == Form::None) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + (form_ == Form::Line ? kInterval : kLogInterval);
  show(now);
}

void Progress::show(Clock::time_point now) {
  const ProgressState state{.bytes_done = stats_.bytes_read,
                            .bytes_total = stats_.bytes_total,
                            .inputs = inputs_,
                            .seconds = std::chrono::duration<double>(now - start_).count()};
  is_shown_ = true;
  if (form_ == Form::Log) return write(progress_line(state, kLogColumns) + "\n");
  draw(progress_line(state, columns() - 1));
}

}  // namespace convert
