#include "converters/app/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "converters/app/report.h"

namespace convert {
namespace {

constexpr auto kFirstAfter = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
// Replaces the line on the terminal. Where nobody can read it, it is not missed.
void draw(const std::string& line) {
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string progress_line(std::uint64_t bytes_done, std::uint64_t bytes_total, double seconds,
                          std::size_t columns) {
  const double share =
      bytes_total == 0 ? 1.0
                       : std::min(1.0, static_cast<double>(bytes_done) / static_cast<double>(bytes_total));
  const double rate = seconds > 0 ? static_cast<double>(bytes_done) / seconds : 0;
  std::string text =
      fmt::format(" {:3.0f}%  {} of {}", share * 100, format_bytes(bytes_done), format_bytes(bytes_total));
  if (rate > 0)
    text += fmt::format("  {}/s  {:.0f} s left", format_bytes(static_cast<std::uint64_t>(rate)),
                        static_cast<double>(bytes_total - std::min(bytes_done, bytes_total)) / rate);
  constexpr std::size_t kBorders = 2, kMaxBar = 40, kMinBar = 5;
  if (columns < text.size() + kBorders + kMinBar) return text.substr(0, columns);
  const std::size_t bar = std::min(columns - text.size() - kBorders, kMaxBar);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
  return fmt::format("[{:=<{}}{: <{}}]{}", "", filled, "", bar - filled, text);
}

Progress::Progress(const ImportStats& stats, bool is_wanted, bool always)
    : stats_(stats),
      is_wanted_(is_wanted && (always || ::isatty(STDERR_FILENO) == 1)),
      next_(always ? start_ : start_ + kFirstAfter) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) columns_ = size.ws_col;
}

Progress::~Progress() {
  if (is_drawn_) draw({});
}

void Progress::tick() {
  if (!is_wanted_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  draw(progress_line(stats_.bytes_read, stats_.bytes_total, seconds, columns_ - 1));
  is_drawn_ = true;
}

}  // namespace convert
